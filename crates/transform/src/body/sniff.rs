//! Chooses the converter for a body, from its header and its first bytes.
//!
//! The header decides among kinds of text: `text/plain` is never read as HTML. Servers also send PDFs and
//! images as HTML, so the signatures of formats without text take precedence over the header.
//!
//! The fetch crate sniffs too, but answers another question: which media type a browser would compute. It
//! follows the table and the rules of the WHATWG MIME Sniffing Standard. This module decides how a body can
//! be read, and differs:
//!
//! - Its table has other formats (TIFF, 7z, ELF, SQLite); the share of binary bytes detects formats outside
//!   the table.
//! - A signature counts even if its letters could begin a text (`ID3`).
//! - White space may precede the header of a PDF. In the standard such a body is plain text.
//! - It distinguishes JSON, feeds, tables and Markdown, which the standard does not.
//!
//! A shared table would need a flag per row and crate, so each crate has its own.

/// The kind of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Html,
    Json,
    Xml,
    Feed,
    /// A table; with the delimiter of its values.
    Delimited(char),
    Markdown,
    Text,
    Pdf,
    /// A body without text; with its media type.
    Binary(String),
}

/// Signatures of formats without text.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM\x36", "image/bmp"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"OggS\0", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1A\x45\xDF\xA3", "video/webm"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1F\x8B\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    (b"Rar!\x1A\x07", "application/vnd.rar"),
    (b"\xFD7zXZ\0", "application/x-xz"),
    (b"\x28\xB5\x2F\xFD", "application/zstd"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\0", "font/otf"),
    (b"\0\x01\0\0\0", "font/ttf"),
    (b"\x7FELF", "application/x-executable"),
    (b"MZ\x90\0", "application/x-msdownload"),
    (b"\xCA\xFE\xBA\xBE", "application/java-vm"),
    (b"\0asm", "application/wasm"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/x-ole-storage"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
];

/// Upper bound on the bytes that are read.
const HEAD_BYTES: usize = 1_445;

/// A body with more than one binary byte in this many is not text, whatever the header says. Of random bytes
/// one in nine is binary.
const MAX_BINARY_SHARE: usize = 32;

/// Recognizes the kind of a body.
pub(crate) fn sniff(body: &[u8], content_type: Option<&str>) -> Body {
    let head = body.get(..HEAD_BYTES).unwrap_or(body);
    if is_pdf(head) {
        return Body::Pdf;
    }
    if let Some((_, media_type)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
        return Body::Binary((*media_type).to_owned());
    }
    if head.starts_with(b"RIFF")
        && head.get(8..12).is_some_and(|kind| matches!(kind, b"WEBP" | b"AVI " | b"WAVE"))
    {
        return Body::Binary("a RIFF file".to_owned());
    }
    if head.get(4..8) == Some(b"ftyp") {
        return Body::Binary("video/mp4".to_owned());
    }
    match declared(head, content_type) {
        Body::Binary(media_type) => Body::Binary(media_type),
        _ if is_mostly_binary(head, content_type) => Body::Binary("application/octet-stream".to_owned()),
        text => text,
    }
}

/// The kind that the header declares. The body decides if the header is missing, generic or XML.
fn declared(head: &[u8], content_type: Option<&str>) -> Body {
    let essence = content_type
        .and_then(|header| header.split(';').next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" | "text/x-server-parsed-html" => Body::Html,
        "application/json"
        | "text/json"
        | "application/ndjson"
        | "application/x-ndjson"
        | "application/jsonl" => Body::Json,
        "application/rss+xml" | "application/atom+xml" | "application/rdf+xml" => feed_or_xml(head),
        "application/xml" | "text/xml" => xml(head),
        "text/csv" | "application/csv" => Body::Delimited(','),
        "text/tab-separated-values" | "text/tsv" => Body::Delimited('\t'),
        "text/markdown" | "text/x-markdown" => Body::Markdown,
        "application/javascript"
        | "application/x-javascript"
        | "application/ecmascript"
        | "application/yaml"
        | "application/x-yaml"
        | "application/toml"
        | "application/x-sh"
        | "application/sql"
        | "application/graphql" => Body::Text,
        "image/svg+xml" => Body::Xml,
        ""
        | "unknown/unknown"
        | "application/unknown"
        | "*/*"
        | "application/octet-stream"
        | "binary/octet-stream" => unknown(head, content_type),
        _ if essence.ends_with("+json") => Body::Json,
        _ if essence.ends_with("+xml") => xml(head),
        _ if essence.starts_with("text/") => Body::Text,
        _ if essence.starts_with("image/")
            || essence.starts_with("audio/")
            || essence.starts_with("video/")
            || essence.starts_with("font/") =>
        {
            Body::Binary(essence)
        }
        // Some other types under `application/` are text: the bytes decide.
        _ => unknown(head, content_type),
    }
}

/// True if [`transform`](fn@crate::transform) treats a body as a PDF, whatever its header says.
#[must_use]
pub fn is_pdf(body: &[u8]) -> bool {
    let head = body.get(..HEAD_BYTES).unwrap_or(body);
    // PDF readers accept the header anywhere in the first kilobyte; here only white space and a byte order
    // mark may precede it.
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let rest = head.get(start..).unwrap_or_default();
    rest.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rest).starts_with(b"%PDF-")
}

/// True for a binary data byte, which no text has (WHATWG MIME Sniffing, section 3).
const fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// True if a body begins with a byte order mark of UTF-16, whose characters contain zero bytes.
fn is_marked_utf16(head: &[u8]) -> bool {
    head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF")
}

/// True if a body has more binary bytes than a page has by mistake. Servers send unknown files as HTML.
fn is_mostly_binary(head: &[u8], content_type: Option<&str>) -> bool {
    let wide = || {
        let header = content_type.unwrap_or_default().to_ascii_lowercase();
        is_marked_utf16(head) || header.contains("utf-16") || header.contains("utf16")
    };
    head.iter().filter(|byte| is_binary(**byte)).count() * MAX_BINARY_SHARE > head.len() && !wide()
}

fn unknown(head: &[u8], content_type: Option<&str>) -> Body {
    let binary = |byte: &u8| is_binary(*byte);
    if !is_marked_utf16(head) && head.iter().any(binary) {
        let named = content_type.filter(|header| !header.is_empty());
        return Body::Binary(named.unwrap_or("application/octet-stream").to_owned());
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let lower =
        text.get(..text.len().min(600)).map_or_else(|| text.to_ascii_lowercase(), str::to_ascii_lowercase);
    if lower.starts_with("<?xml") {
        return if lower.contains("<html") { Body::Html } else { xml(head) };
    }
    if lower.starts_with('<') || lower.contains("<html") || lower.contains("<!doctype html") {
        return Body::Html;
    }
    if (lower.starts_with('{') || lower.starts_with('[')) && lower.contains('"') {
        return Body::Json;
    }
    Body::Text
}

fn xml(head: &[u8]) -> Body {
    let text = String::from_utf8_lossy(head);
    if text.contains("<html") && text.contains("http://www.w3.org/1999/xhtml") {
        Body::Html
    } else {
        feed_or_xml(head)
    }
}

fn feed_or_xml(head: &[u8]) -> Body {
    let text = String::from_utf8_lossy(head);
    match root(&text) {
        Some("rss" | "feed" | "RDF") => Body::Feed,
        _ => Body::Xml,
    }
}

/// The local name of the root element, if the head contains it.
fn root(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (_, from) = rest.split_once('<')?;
        rest = if let Some(comment) = from.strip_prefix("!--") {
            comment.split_once("-->")?.1
        } else if from.starts_with(['?', '!']) {
            from.split_once('>')?.1
        } else {
            let name = from.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
            return name.rsplit(':').next();
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_bytes_decide_the_kind() {
        let binary = |media_type: &str| Body::Binary(media_type.to_owned());
        let rows: Vec<(&[u8], Option<&str>, Body)> = vec![
            (b"<p>x", Some("text/html; charset=utf-8"), Body::Html),
            (b"<p>x", Some("text/plain"), Body::Text),
            (b"<p>x", None, Body::Html),
            (b"hello", None, Body::Text),
            (b"hello", Some("application/octet-stream"), Body::Text),
            (b"a\0b", Some("application/octet-stream"), binary("application/octet-stream")),
            (b"{\"a\":1}", Some("application/ld+json"), Body::Json),
            (b"{\"a\":1}", None, Body::Json),
            (b"<?xml version='1.0'?><a/>", Some("application/xml"), Body::Xml),
            (b"<?xml version='1.0'?><rss><channel/></rss>", Some("text/xml"), Body::Feed),
            (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", Some("application/atom+xml"), Body::Feed),
            (b"<?xml version='1.0'?><feedback/>", Some("text/xml"), Body::Xml),
            (b"<?xml version='1.0'?><a><rss/></a>", Some("text/xml"), Body::Xml),
            (b"<!-- <a> --><rdf:RDF xmlns='x'>", Some("text/xml"), Body::Feed),
            (b"<html xmlns=\"http://www.w3.org/1999/xhtml\">", Some("application/xml"), Body::Html),
            (b"a,b", Some("text/csv"), Body::Delimited(',')),
            (b"a\tb", Some("text/tab-separated-values"), Body::Delimited('\t')),
            (b"# x", Some("text/markdown"), Body::Markdown),
            (b"%PDF-1.7", Some("text/html"), Body::Pdf),
            (b"%PDF-1.7", Some("application/pdf"), Body::Pdf),
            (b"\x89PNG\r\n\x1a\n", Some("text/html"), binary("image/png")),
            (b"whatever", Some("image/png"), binary("image/png")),
            (b"\\section{x}", Some("application/x-tex"), Body::Text),
            (b"<?php ?><p>x", Some("application/x-httpd-php"), Body::Html),
            (b"\xD0\xCF\x11\xE0\0", Some("application/msword"), binary("application/msword")),
            (b"\0\0\0\x20ftypisom", None, binary("video/mp4")),
            (b"\x80\x01\xC3(\x10\xFFx", Some("text/html"), binary("application/octet-stream")),
            (b"\0\0\0\0", Some("text/plain"), binary("application/octet-stream")),
            (b"<p>one zero\0 among many letters</p>", Some("text/html"), Body::Html),
            (b"\0<\0p\0>", Some("text/html; charset=utf-16be"), Body::Html),
            (b"\xFF\xFE<\0p\0>\0", Some("text/html"), Body::Html),
        ];
        for (body, content_type, expected) in rows {
            assert_eq!(
                sniff(body, content_type),
                expected,
                "{:?} {content_type:?}",
                String::from_utf8_lossy(body)
            );
        }
    }
}
