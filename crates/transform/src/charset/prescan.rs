//! The encoding that an HTML document declares for itself (HTML Standard, 13.2.3.2).
//!
//! [`prescan`] is the standard's "prescan a byte stream to determine its encoding", to the letter. Its input
//! is the first kilobyte. [`late`] looks for a declaration behind it, as a parser that changes the encoding
//! while it reads: it does not look into scripts and other text.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memchr_iter, memmem};

/// Elements that may be in a head. Chromium looks for a declaration up to the first tag of another.
const IN_HEAD: [&[u8]; 11] = [
    b"base",
    b"head",
    b"html",
    b"link",
    b"meta",
    b"noscript",
    b"object",
    b"script",
    b"style",
    b"template",
    b"title",
];

/// Elements whose content is text, or nothing for a client that runs scripts.
const OPAQUE: [&[u8]; 10] = [
    b"iframe",
    b"noembed",
    b"noframes",
    b"noscript",
    b"script",
    b"style",
    b"template",
    b"textarea",
    b"title",
    b"xmp",
];

/// The encoding that the first kilobyte of a document declares.
pub(super) fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scan { bytes: head, at: 0 };
    while let Some(tag) = scan.tag() {
        if tag.encoding.is_some() {
            return tag.encoding;
        }
    }
    None
}

/// The encoding that a document declares anywhere in its head or, if `in_body`, after it.
pub(super) fn late(body: &[u8], in_body: bool) -> Option<&'static Encoding> {
    let mut scan = Scan { bytes: body, at: 0 };
    while let Some(tag) = scan.tag() {
        if tag.encoding.is_some() {
            return tag.encoding;
        }
        let is = |name: &[u8]| tag.name.eq_ignore_ascii_case(name);
        // `</head>` ends the head; the end tag of an element in it does not.
        let ends_head = !IN_HEAD.iter().any(|name| is(name)) || (tag.is_end && (is(b"head") || is(b"html")));
        if ends_head && !in_body {
            return None;
        }
        if !tag.is_end && OPAQUE.iter().any(|name| is(name)) {
            scan.skip_content(tag.name)?;
        }
    }
    None
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

/// Reads tags. `None` of its methods means that the bytes end, where the prescan gives up.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A tag that was read to its end.
struct Tag<'a> {
    name: &'a [u8],
    is_end: bool,
    /// The encoding that it declares, if it is a `<meta>`.
    encoding: Option<&'static Encoding>,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips bytes, and returns the first of others.
    fn skip(&mut self, skipped: impl Fn(u8) -> bool) -> Option<u8> {
        self.at += self.rest().iter().position(|byte| !skipped(*byte))?;
        self.bytes.get(self.at).copied()
    }

    fn skip_past(&mut self, mark: &[u8]) -> Option<()> {
        self.at += memmem::find(self.rest(), mark)? + mark.len();
        Some(())
    }

    /// The next tag, past comments, declarations and text.
    fn tag(&mut self) -> Option<Tag<'a>> {
        loop {
            self.at += memchr(b'<', self.rest())?;
            let rest = self.rest();
            let is_end = rest.get(1) == Some(&b'/');
            let name_at = 1 + usize::from(is_end);
            if rest.starts_with(b"<!--") {
                self.at += 2; // the dashes of `<!-->` also close it
                self.skip_past(b"-->")?;
            } else if rest.get(name_at).is_some_and(u8::is_ascii_alphabetic) {
                return self.attributes(name_at, is_end);
            } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
                self.skip_past(b">")?;
            } else {
                self.at += 1;
            }
        }
    }

    /// Reads the tag at the position; its name is `name_at` bytes behind.
    fn attributes(&mut self, name_at: usize, is_end: bool) -> Option<Tag<'a>> {
        let named = self.rest().get(name_at..)?;
        let length = named.iter().position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))?;
        let (name, _) = named.split_at_checked(length)?;
        let is_meta = !is_end && name.eq_ignore_ascii_case(b"meta");
        self.at += name_at;
        // Of another tag, a slash does not end the name.
        self.skip(|byte| !is_space(byte) && byte != b'>' && !(is_meta && byte == b'/'))?;
        let mut meta = Meta::default();
        while let Some((attribute, value)) = self.attribute()? {
            if is_meta {
                meta.read(attribute, value);
            }
        }
        Some(Tag { name, is_end, encoding: meta.encoding() })
    }

    /// "Get an attribute": its name and value, or nothing at the end of the tag.
    fn attribute(&mut self) -> Option<Option<(&'a [u8], &'a [u8])>> {
        if self.skip(|byte| is_space(byte) || byte == b'/')? == b'>' {
            return Some(None);
        }
        let start = self.at;
        self.at += 1; // a leading `=` belongs to the name
        self.skip(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='))?;
        let name = self.bytes.get(start..self.at)?;
        if self.skip(is_space)? != b'=' {
            return Some(Some((name, Default::default())));
        }
        self.at += 1;
        let quote = self.skip(is_space)?;
        if matches!(quote, b'"' | b'\'') {
            self.at += 1;
            let value = self.rest().get(..memchr(quote, self.rest())?)?;
            self.at += value.len() + 1;
            return Some(Some((name, value)));
        }
        let start = self.at;
        self.skip(|byte| !is_space(byte) && byte != b'>')?;
        Some(Some((name, self.bytes.get(start..self.at)?)))
    }

    /// Skips the text of an element up to its end tag.
    fn skip_content(&mut self, name: &[u8]) -> Option<()> {
        let rest = self.rest();
        let closes = |at: &usize| {
            let after = rest.get(at + 1..).and_then(|tag| tag.strip_prefix(b"/")).unwrap_or_default();
            after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        self.at += memchr_iter(b'<', rest).find(closes)?;
        Some(())
    }
}

/// The attributes of a `<meta>`; the first of each name counts.
#[derive(Default)]
struct Meta {
    /// `http-equiv`: is it `content-type`?
    pragma: Option<bool>,
    /// The encoding that `content` names.
    content: Option<Option<&'static Encoding>>,
    /// The encoding that `charset` names.
    charset: Option<Option<&'static Encoding>>,
}

impl Meta {
    fn read(&mut self, name: &[u8], value: &[u8]) {
        if name.eq_ignore_ascii_case(b"http-equiv") {
            self.pragma.get_or_insert_with(|| value.eq_ignore_ascii_case(b"content-type"));
        } else if name.eq_ignore_ascii_case(b"content") {
            self.content.get_or_insert_with(|| in_content(value));
        } else if name.eq_ignore_ascii_case(b"charset") {
            self.charset.get_or_insert_with(|| Encoding::for_label(value));
        }
    }

    fn encoding(&self) -> Option<&'static Encoding> {
        let found = match self.charset {
            Some(named) => named,
            None => self.content.flatten().filter(|_| self.pragma == Some(true)),
        };
        // A `<meta>` that is readable here is not in UTF-16, and no page means x-user-defined.
        found.map(|encoding| match encoding {
            encoding if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
            encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
            encoding => encoding,
        })
    }
}

/// "Extract a character encoding from a `meta` element".
fn in_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let at = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest.get(at + 7..)?;
        let Some(named) = rest.trim_ascii_start().strip_prefix(b"=") else { continue };
        let named = named.trim_ascii_start();
        let label = match named.split_first()? {
            (quote @ (b'"' | b'\''), inside) => inside.get(..memchr(*quote, inside)?)?,
            _ => named.split(|byte| is_space(*byte) || *byte == b';').next()?,
        };
        return Encoding::for_label(label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> &'static str {
        prescan(html.as_bytes()).map_or("", Encoding::name)
    }

    #[test]
    fn the_prescan_reads_as_the_standard_says() {
        for (html, expected) in [
            ("<meta charset=koi8-r>", "KOI8-R"),
            ("<META\nCharSet = 'KOI8-R' />", "KOI8-R"),
            ("<meta/charset=koi8-r>", "KOI8-R"),
            ("<meta charset=\"\tkoi8-r \">", "KOI8-R"),
            ("<metacharset=koi8-r>", ""),
            ("<meta charset=koi8-r\">\"</p>", ""),
            ("<meta charset=koi8-r", ""),
            ("<meta charset='koi8-r>", ""),
            ("<meta x-charset=koi8-r>", ""),
            ("<meta name=charset content=koi8-r>", ""),
            ("<meta charset=none charset=koi8-r>", ""),
            ("<meta charset=none><meta charset=koi8-r>", "KOI8-R"),
            ("<meta charset=utf-16be>", "UTF-8"),
            ("<meta charset=x-user-defined>", "windows-1252"),
            // A pragma.
            ("<meta http-equiv=content-type content='text/html; charset=koi8-r'>", "KOI8-R"),
            ("<meta content='text/html; charset = \"koi8-r\"' http-equiv=Content-Type>", "KOI8-R"),
            ("<meta http-equiv=Content-Type content='charset charset=koi8-r;x'>", "KOI8-R"),
            ("<meta http-equiv=Content-Type content='x'charset=koi8-r>", "KOI8-R"),
            ("<meta http-equiv=Content-Type content='charset=\"koi8-r'>", ""),
            ("<meta http-equiv='Content-Type ' content='charset=koi8-r'>", ""),
            ("<meta http-equiv=content-language content='de; charset=koi8-r'>", ""),
            ("<meta content='text/html; charset=koi8-r'>", ""),
            ("<meta name=description content='a charset=koi8-r'><meta charset=big5>", "Big5"),
            ("<meta http-equiv=Content-Type content='charset=koi8-r' charset=big5>", "Big5"),
            ("<meta http-equiv=Content-Type content='charset=koi8-r' charset=none>", ""),
            // Other markup.
            ("<!-- <meta charset=koi8-r> --><meta charset=big5>", "Big5"),
            ("<!--><meta charset=koi8-r>", "KOI8-R"),
            ("<!-- <meta charset=koi8-r>", ""),
            ("<! <meta charset=koi8-r><?x <meta charset=koi8-r></? <meta charset=koi8-r>", ""),
            ("</meta charset=koi8-r><a title='<meta charset=koi8-r>'>", ""),
            ("<a title=\"'\" <meta charset=koi8-r>", ""),
            ("< meta charset=koi8-r><1><meta charset=big5>", "Big5"),
            ("<script charset=koi8-r>'<meta charset=big5>'</script>", "Big5"),
            ("<html ñ=ñ>ñ<meta charset=utf-8>", "UTF-8"),
        ] {
            assert_eq!(found(html), expected, "{html}");
        }
    }

    #[test]
    fn a_late_declaration_is_one_of_the_markup() {
        for (html, in_head, anywhere) in [
            ("<html><head><title>x</title><meta charset=big5></head>", "Big5", "Big5"),
            ("<script>'<meta charset=koi8-r>'</script><meta charset=big5>", "Big5", "Big5"),
            ("<style><meta charset=koi8-r></STYLE ><noscript><meta charset=koi8-r></noscript>", "", ""),
            ("<template><meta charset=koi8-r></template><meta charset=big5>", "Big5", "Big5"),
            ("<title>x</head></title></head><meta charset=big5>", "", "Big5"),
            ("<body><meta charset=big5>", "", "Big5"),
            ("<p><textarea><meta charset=koi8-r>", "", ""),
            ("<!-- x --><meta name=a><link rel=b><meta charset=big5>", "Big5", "Big5"),
        ] {
            let name = |in_body| late(html.as_bytes(), in_body).map_or("", Encoding::name);
            assert_eq!((name(false), name(true)), (in_head, anywhere), "{html}");
        }
    }
}
