//! Detects the character encoding of a body and decodes it.
//!
//! The order is that of browsers (HTML Standard, 13.2.3.2): the byte order mark, the `charset` of the header,
//! a declaration in the first kilobyte, and last a guess. The guess takes UTF-8 if all bytes are valid UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memchr_iter;

/// Bytes of the body that are searched for a declaration (HTML Standard, 13.2.3.2).
const PRESCAN_BYTES: usize = 1_024;

/// Bytes of the body that the guess reads.
const GUESS_BYTES: usize = 262_144;

/// Where the encoding was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CharsetSource {
    /// The byte order mark.
    ByteOrderMark,
    /// The `Content-Type` header.
    Header,
    /// A `<meta>` or an XML declaration.
    Declaration,
    /// The bytes themselves.
    Guess,
}

/// A body as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text without byte order mark. Bytes that cannot be decoded become U+FFFD.
    pub text: Cow<'a, str>,
    /// The encoding's name in the Encoding Standard, such as `windows-1252`.
    pub encoding: &'static str,
    /// Where the encoding was read from.
    pub source: CharsetSource,
    /// Some bytes could not be decoded.
    pub malformed: bool,
}

/// Decodes a body. `content_type` is the header as received.
///
/// ```
/// let decoded = gleaner_transform::decode(b"caf\xE9", Some("text/html; charset=iso-8859-1"));
/// assert_eq!(decoded.text, "café");
/// assert_eq!(decoded.encoding, "windows-1252");
/// ```
#[must_use]
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return finish(body, encoding, CharsetSource::ByteOrderMark);
    }
    if let Some(encoding) = content_type.and_then(header_charset) {
        return finish(body, encoding, CharsetSource::Header);
    }
    if let Some(encoding) = declared_charset(body.get(..PRESCAN_BYTES).unwrap_or(body)) {
        return finish(body, encoding, CharsetSource::Declaration);
    }
    if std::str::from_utf8(body).is_ok() {
        return finish(body, UTF_8, CharsetSource::Guess);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body.get(..GUESS_BYTES).unwrap_or(body), body.len() <= GUESS_BYTES);
    finish(body, detector.guess(None, Utf8Detection::Allow), CharsetSource::Guess)
}

fn finish<'a>(body: &'a [u8], encoding: &'static Encoding, source: CharsetSource) -> Decoded<'a> {
    let (text, encoding, malformed) = encoding.decode(body);
    Decoded { text, encoding: encoding.name(), source, malformed }
}

/// The encoding that a `Content-Type` names.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| Encoding::for_label(label(value).as_bytes()))?
    })
}

fn label(value: &str) -> &str {
    value.trim().trim_matches(['"', '\'']).trim()
}

/// The encoding that the document declares for itself.
fn declared_charset(head: &[u8]) -> Option<&'static Encoding> {
    xml_charset(head).or_else(|| {
        memchr_iter(b'<', head).find_map(|at| {
            let tag = head.get(at + 1..)?;
            let is_meta = tag.get(..4)?.eq_ignore_ascii_case(b"meta") && tag.get(4)?.is_ascii_whitespace();
            let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
            let tag = is_meta.then(|| tag.get(..end))??;
            let encoding = charset_in(&String::from_utf8_lossy(tag).to_ascii_lowercase())?;
            // A `<meta>` that is readable here is not in UTF-16, and no page means x-user-defined (HTML
            // Standard, 13.2.3.2).
            Some(match encoding {
                encoding if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
                encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
                encoding => encoding,
            })
        })
    })
}

fn xml_charset(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration)?;
    let text = String::from_utf8_lossy(declaration.get(..end)?).into_owned();
    let (_, value) = text.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let encoding = Encoding::for_label(value.split(quote).nth(1)?.as_bytes())?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

/// The `charset=` of a lower-case `<meta>` tag.
fn charset_in(tag: &str) -> Option<&'static Encoding> {
    let mut rest = tag;
    loop {
        let (_, after) = rest.split_once("charset")?;
        rest = after;
        let Some(value) = after.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start();
        let value = match value.chars().next()? {
            quote @ ('"' | '\'') => value.split(quote).nth(1)?,
            _ => value
                .split(|c: char| c.is_ascii_whitespace() || matches!(c, ';' | '"' | '\'' | '/'))
                .next()?,
        };
        return Encoding::for_label(value.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CharsetSource::{ByteOrderMark, Declaration, Guess, Header};

    #[test]
    fn the_encoding_is_the_one_a_browser_takes() {
        type Row =
            (&'static str, &'static [u8], Option<&'static str>, &'static str, &'static str, CharsetSource);
        let rows: &[Row] = &[
            ("plain", b"abc", None, "abc", "UTF-8", Guess),
            ("valid UTF-8", "né".as_bytes(), None, "né", "UTF-8", Guess),
            (
                "mark over header",
                b"\xEF\xBB\xBFn\xC3\xA9",
                Some("text/html; charset=latin1"),
                "né",
                "UTF-8",
                ByteOrderMark,
            ),
            ("UTF-16LE mark", b"\xFF\xFEa\0b\0", None, "ab", "UTF-16LE", ByteOrderMark),
            ("UTF-16BE mark", b"\xFE\xFF\0a\0b", Some("text/html"), "ab", "UTF-16BE", ByteOrderMark),
            ("header", b"n\xE9", Some("text/html;charset=ISO-8859-1"), "né", "windows-1252", Header),
            (
                "quoted header",
                b"n\xE9",
                Some("text/html; x=y; Charset=\"latin1\""),
                "né",
                "windows-1252",
                Header,
            ),
            (
                "header over meta",
                b"<meta charset=utf-8>n\xE9",
                Some("text/html; charset=latin1"),
                "<meta charset=utf-8>né",
                "windows-1252",
                Header,
            ),
            (
                "unknown header falls to meta",
                b"<meta charset=koi8-r>\xC1",
                Some("text/html; charset=utf-7"),
                "<meta charset=koi8-r>а",
                "KOI8-R",
                Declaration,
            ),
            (
                "meta",
                b"<META charset='windows-1251'>\xE0",
                None,
                "<META charset='windows-1251'>а",
                "windows-1251",
                Declaration,
            ),
            (
                "http-equiv",
                b"<meta http-equiv=content-type content=\"text/html; charset=shift_jis\">\x82\xA0",
                None,
                "<meta http-equiv=content-type content=\"text/html; charset=shift_jis\">あ",
                "Shift_JIS",
                Declaration,
            ),
            (
                "UTF-16 in meta is UTF-8",
                "<meta charset=utf-16>é".as_bytes(),
                None,
                "<meta charset=utf-16>é",
                "UTF-8",
                Declaration,
            ),
            (
                "xml declaration",
                b"<?xml version='1.0' encoding='iso-8859-2'?>\xB1",
                None,
                "<?xml version='1.0' encoding='iso-8859-2'?>ą",
                "ISO-8859-2",
                Declaration,
            ),
            (
                "UTF-7 is not decoded",
                b"+ADw-script",
                Some("text/html; charset=utf-7"),
                "+ADw-script",
                "UTF-8",
                Guess,
            ),
        ];
        for (name, body, header, text, encoding, source) in rows {
            let decoded = decode(body, *header);
            assert_eq!(
                (&*decoded.text, decoded.encoding, decoded.source),
                (*text, *encoding, *source),
                "{name}"
            );
        }
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        let decoded = decode(b"a\xFFb", Some("text/html; charset=utf-8"));
        assert_eq!(decoded.text, "a\u{FFFD}b");
        assert!(decoded.malformed);
    }

    #[test]
    fn undeclared_legacy_text_is_guessed() {
        let russian = "Это обычный русский текст без объявления кодировки, достаточно длинный.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(decode(&bytes, Some("text/html")).text, russian);
    }
}
