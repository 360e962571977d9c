//! The cases. Each has one choice of every part of an answer: what the part is comes from the tables.
//!
//! The number of a case is its seed. The tables have lengths that share no factor, so that the remainders of
//! consecutive numbers combine every two choices within the product of their lengths, and every choice
//! occurs within the longest table.

use std::io::Write as _;
use std::net::SocketAddr;

use encoding_rs::Encoding;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::headers::{CODINGS, COOKIES, Coding, MEDIA_TYPES, Pack, STATUSES, Status};
use super::markup::{BODIES, Body, CHARSETS, Charset, TITLES};
use super::routes::{ROUTES, Route};

/// Bytes that gzip has behind the data.
const GZIP_TRAILER: usize = 8;

/// The answers of one number.
pub(super) struct Case {
    number: usize,
    status: &'static Status,
    coding: &'static Coding,
    charset: &'static Charset,
    /// A name and the value of `Content-Type`, with a place for the parameter.
    media_type: &'static (&'static str, &'static str),
    /// A name and the values of `Set-Cookie`.
    cookies: &'static (&'static str, &'static [&'static [u8]]),
    /// A name and the markup of the title.
    title: &'static (&'static str, &'static str),
    body: &'static Body,
    route: &'static (&'static str, Route),
}

/// The choice of a number.
fn choice<T>(table: &'static [T], number: usize) -> &'static T {
    table.get(number % table.len()).unwrap()
}

impl Case {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number,
            status: choice(STATUSES, number),
            coding: choice(CODINGS, number),
            charset: choice(CHARSETS, number),
            media_type: choice(MEDIA_TYPES, number),
            cookies: choice(COOKIES, number),
            title: choice(TITLES, number),
            body: choice(BODIES, number),
            route: choice(ROUTES, number),
        }
    }

    /// The lengths of the tables.
    pub(super) fn lengths() -> [usize; 8] {
        [
            STATUSES.len(),
            CODINGS.len(),
            CHARSETS.len(),
            MEDIA_TYPES.len(),
            COOKIES.len(),
            TITLES.len(),
            BODIES.len(),
            ROUTES.len(),
        ]
    }

    /// The names of what was chosen.
    pub(super) fn names(&self) -> [&'static str; 8] {
        [
            self.status.name,
            self.coding.name,
            self.charset.name,
            self.media_type.0,
            self.cookies.0,
            self.title.0,
            self.body.name,
            self.route.0,
        ]
    }

    /// The answer to a path of the case: `start` sets the cookies and goes on by the route, and every other
    /// path has the page.
    pub(super) fn answer(&self, path: &str, cookie: &[u8], address: SocketAddr) -> Vec<u8> {
        let head = match (path, &self.route.1) {
            ("start", Route::Refresh { field, markup }) => return self.refresh(field, markup),
            ("start", Route::Location { status, value, .. }) => {
                let mut head = head(status);
                head.extend(b"Location: ");
                head.extend(self.filled(value, address));
                head.extend(b"\r\n");
                self.push_cookies(&mut head);
                head
            }
            (path, Route::Location { next: Some(next), .. }) if path == *next => {
                let mut answer = head("308 Permanent Redirect");
                answer.extend(b"Location: ././page\r\nContent-Length: 0\r\n\r\n");
                return answer;
            }
            _ => head(self.status.line),
        };
        self.page(head, cookie)
    }

    /// A page that refreshes itself.
    fn refresh(&self, field: &str, markup: &str) -> Vec<u8> {
        let mut answer = head("200 OK");
        if !field.is_empty() {
            answer.extend(format!("Refresh: {field}\r\n").bytes());
        }
        self.push_cookies(&mut answer);
        let body = format!("<!doctype html><title>Refresh</title>{markup}");
        answer.extend(b"Content-Type: text/html; charset=utf-8\r\n");
        answer.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).bytes());
        answer
    }

    fn push_cookies(&self, head: &mut Vec<u8>) {
        for cookie in self.cookies.1 {
            head.extend(b"Set-Cookie: ");
            head.extend(*cookie);
            head.extend(b"\r\n");
        }
    }

    /// A value with the address and the number in their places.
    fn filled(&self, value: &[u8], address: SocketAddr) -> Vec<u8> {
        let mut filled = Vec::new();
        for (at, piece) in value.split(|byte| *byte == b'{' || *byte == b'}').enumerate() {
            match piece {
                b"host" if at % 2 == 1 => filled.extend(address.to_string().bytes()),
                b"case" if at % 2 == 1 => filled.extend(self.number.to_string().bytes()),
                piece => filled.extend(piece),
            }
        }
        filled
    }

    /// The page, behind the beginning of its head. Its title names the cookies that the server got.
    fn page(&self, mut head: Vec<u8>, cookie: &[u8]) -> Vec<u8> {
        let Charset { label, before, start, encoding, mark, sample, .. } = self.charset;
        let cookies: String = cookie.iter().map(|byte| format!("{byte:02x}")).collect();
        let title = self.title.1.replace("{sample}", sample).replace("{cookies}", &cookies);
        let text = format!(
            "{before}<!doctype html><html lang=en><head>{start}{title}{}</head><body>\
             <p><a href='common?q={sample}'>A link of all pages</a></p>{}</body></html>",
            self.body.head,
            self.body.repeated(),
        );
        let body = packed(&[*mark, &encoded(&text, encoding)[..]].concat(), self.coding.pack);

        let parameter = if label.is_empty() { String::new() } else { format!("; charset={label}") };
        let media_type = self.media_type.1.replace("{parameter}", &parameter);
        if !media_type.is_empty() {
            head.extend(format!("Content-Type: {media_type}\r\n").bytes());
        }
        if !self.coding.value.is_empty() {
            head.extend(format!("Content-Encoding: {}\r\n", self.coding.value).bytes());
        }
        for _ in 0..self.status.times {
            head.extend(self.status.field);
            head.extend(b"\r\n");
        }
        head.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
        head.extend(body);
        head
    }
}

/// The status line and what every answer has.
fn head(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n").into_bytes()
}

/// A text in an encoding. What it has no bytes for becomes a reference.
fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    if encoding == "utf-16le" {
        // The Encoding Standard has no encoder for it.
        return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    Encoding::for_label(encoding.as_bytes()).unwrap().encode(text).0.into_owned()
}

fn packed(body: &[u8], pack: Pack) -> Vec<u8> {
    let gzip = || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    };
    match pack {
        Pack::Plain => body.to_vec(),
        Pack::Gzip => gzip(),
        Pack::GzipCut => {
            let mut packed = gzip();
            packed.truncate(packed.len() - GZIP_TRAILER);
            packed
        }
        Pack::GzipAndMore => [&gzip()[..], &b"more"[..]].concat(),
        Pack::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        Pack::Deflate => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
    }
}
