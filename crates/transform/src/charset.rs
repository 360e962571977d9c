//! Detects the character encoding of a body and decodes it.
//!
//! The order is that of browsers (HTML Standard, 13.2.3.2): the byte order mark, the `charset` of the header,
//! a declaration in the first kilobyte or in the rest of the head, and last a guess. The guess takes UTF-8 if
//! almost all bytes that could be UTF-8 are. Only HTML and XML declare an encoding in the body.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use gleaner_types::media::{MediaKind, MediaType};
use memchr::memmem;

/// Bytes of the body that are searched for a declaration (HTML Standard, 13.2.3.2).
const PRESCAN_BYTES: usize = 1_024;

/// Bytes of the body that the guess reads, half of them before the first byte that is not ASCII.
const GUESS_BYTES: usize = 262_144;

/// A body is UTF-8 if for each place that is not, it has this many characters of several bytes. Text in
/// another encoding has more such places than characters.
const CHARACTERS_PER_BROKEN: usize = 4;

/// The parameter of a content type that names the encoding of the document, if its text was written anew:
/// what a browser gives is UTF-8, and the queries of its links are in the encoding of the page as served.
pub const DOCUMENT_CHARSET: &str = "document-charset";

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
    let declared = MediaType::of_header(content_type.unwrap_or_default());
    if let Some(encoding) = declared.parameter("charset").and_then(header_charset) {
        return finish(body, encoding, CharsetSource::Header);
    }
    if let Some(encoding) = declared_charset(body, declared.kind()) {
        return finish(body, encoding, CharsetSource::Declaration);
    }
    finish(body, guess(body, declared.kind()), CharsetSource::Guess)
}

/// The encoding of the queries on a page whose body is in the encoding `of_body`, by its name.
pub(crate) fn query_encoding(content_type: Option<&str>, of_body: &'static str) -> &'static str {
    let declared = content_type.filter(|header| header.contains(DOCUMENT_CHARSET)).map(MediaType::of_header);
    let label = declared.as_ref().and_then(|declared| declared.parameter(DOCUMENT_CHARSET));
    label.and_then(header_charset).map_or(of_body, Encoding::name)
}

fn finish<'a>(body: &'a [u8], encoding: &'static Encoding, source: CharsetSource) -> Decoded<'a> {
    let (text, encoding, malformed) = encoding.decode(body);
    Decoded { text, encoding: encoding.name(), source, malformed }
}

/// The encoding that the `charset` of a header names. Some servers put it into single quotes.
fn header_charset(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// The encoding that the document declares for itself.
fn declared_charset(body: &[u8], kind: MediaKind) -> Option<&'static Encoding> {
    let head = body.get(..PRESCAN_BYTES).unwrap_or(body);
    match kind {
        MediaKind::Xml | MediaKind::Feed | MediaKind::Svg => xml_charset(head),
        _ if is_markup(kind) => {
            prescan::prescan(head).or_else(|| xml_charset(head)).or_else(|| prescan::late(body, false))
        }
        _ => None,
    }
}

/// True if a body of this kind may be HTML.
const fn is_markup(kind: MediaKind) -> bool {
    matches!(kind, MediaKind::Html | MediaKind::Office | MediaKind::Unknown | MediaKind::Other)
}

fn xml_charset(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration)?;
    let text = String::from_utf8_lossy(declaration.get(..end)?).into_owned();
    let (_, value) = text.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let encoding = Encoding::for_label(value.split(quote).nth(1)?.as_bytes())?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

/// The encoding of a body that declares none.
fn guess(body: &[u8], kind: MediaKind) -> &'static Encoding {
    let detected = |bytes: &[u8]| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(bytes.get(..GUESS_BYTES).unwrap_or(bytes), bytes.len() <= GUESS_BYTES);
        detector.guess(None, Utf8Detection::Allow)
    };
    // Japanese in seven bits is valid UTF-8 too.
    if let Some(escape) = memmem::find(body, b"\x1B$")
        && detected(body.get(escape..).unwrap_or_default()) == ISO_2022_JP
    {
        return ISO_2022_JP;
    }
    if std::str::from_utf8(body).is_ok() || is_almost_utf8(body) {
        return UTF_8;
    }
    // The parser reads a declaration anywhere; only browsers have begun to show the page by then.
    if is_markup(kind)
        && let Some(encoding) = prescan::late(body, true)
    {
        return encoding;
    }
    let start = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(0).saturating_sub(GUESS_BYTES / 2);
    detected(body.get(start..).unwrap_or(body))
}

/// True if hundreds of characters are UTF-8 and a few are broken: a database has cut a text in the middle of
/// one, or one piece of the page is in another encoding.
fn is_almost_utf8(body: &[u8]) -> bool {
    let (mut characters, mut broken) = (0_usize, 0_usize);
    for chunk in body.utf8_chunks() {
        characters += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    broken.saturating_mul(CHARACTERS_PER_BROKEN) <= characters
}

/// The query of a URL on a page in this encoding, to be percent-encoded (URL Standard, "percent-encode after
/// encoding"). What the encoding has no bytes for becomes the reference of the character.
pub(crate) fn encoded_query<'a>(encoding: &'static Encoding, query: &'a str) -> Cow<'a, [u8]> {
    let (bytes, _, has_references) = encoding.encode(query);
    if !has_references {
        return bytes;
    }
    let mut encoder = encoding.new_encoder();
    let (mut encoded, mut rest) = (Vec::new(), query);
    loop {
        encoded.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(0));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut encoded, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(encoded),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                encoded.extend(format!("%26%23{}%3B", u32::from(character)).bytes());
            }
        }
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
    fn a_few_broken_characters_do_not_change_the_encoding() {
        let text = "Jürgen läuft über die Brücke nach Köln. ".repeat(20);
        let whole = format!("{{\"a\": \"{text}\"}}");
        for (name, before, broken) in [
            ("a cut emoji", "läuft", &b"\xF0\x9F\x98"[..]),
            ("one byte", "die", b"\xE4"),
            ("a cut end", "no such word", b"\xC3"),
        ] {
            let at = whole.find(before).unwrap_or(whole.len());
            let body = [&whole.as_bytes()[..at], broken, &whole.as_bytes()[at..]].concat();
            for header in ["application/json", "text/csv", "application/xml", "text/html", "text/plain"] {
                let decoded = decode(&body, Some(header));
                assert_eq!((decoded.encoding, decoded.source), ("UTF-8", Guess), "{name}, {header}");
                assert_eq!(decoded.text.matches('\u{FFFD}').count(), 1, "{name}, {header}");
                assert!(decoded.text.contains("über die Brücke nach Köln"), "{name}, {header}");
            }
        }
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
        assert_eq!(decode(&bytes, Some("text/html")).text, text);
    }

    #[test]
    fn only_markup_declares_an_encoding() {
        let body = "{\"html\": \"<meta charset=koi8-r>\", \"name\": \"Łódź\"}";
        for header in ["application/json", "text/plain", "text/csv", "text/markdown"] {
            assert_eq!(decode(body.as_bytes(), Some(header)).text, body, "{header}");
        }
        let feed =
            b"<?xml version='1.0' encoding='iso-8859-2'?><rss><!-- <meta charset=koi8-r> -->\xB1</rss>";
        for header in ["application/rss+xml", "text/xml", "text/html"] {
            assert_eq!(decode(feed, Some(header)).encoding, "ISO-8859-2", "{header}");
        }
        let page = b"<?xml version='1.0' encoding='iso-8859-2'?><html><meta charset=koi8-r>";
        assert_eq!(decode(page, Some("text/html")).encoding, "KOI8-R");
    }

    #[test]
    fn a_query_is_written_in_the_encoding_of_its_page() {
        let written = |encoding, text| encoded_query(encoding, text).into_owned();
        assert_eq!(written(encoding_rs::WINDOWS_1252, "q=ä"), b"q=\xE4");
        assert_eq!(written(encoding_rs::WINDOWS_1252, "q=ą€ж!"), b"q=%26%23261%3B\x80%26%231078%3B!");
        assert_eq!(written(ISO_2022_JP, "あ\u{1F600}あ"), b"\x1B$B$\"\x1B(B%26%23128512%3B\x1B$B$\"\x1B(B");
        assert_eq!(written(UTF_16LE, "ä"), "ä".as_bytes());
    }

    #[test]
    fn undeclared_legacy_text_is_guessed() {
        let russian = "Это обычный русский текст без объявления кодировки, достаточно длинный.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(decode(&bytes, Some("text/html")).text, russian);
        // The guess reads the text, however late it begins.
        let late = [" ".repeat(GUESS_BYTES).into_bytes(), bytes.into_owned()].concat();
        assert!(decode(&late, Some("text/html")).text.ends_with(russian));
        let japanese = "日本語のメールで使われる文字コードです。".repeat(3);
        let (bytes, _, _) = ISO_2022_JP.encode(&japanese);
        assert_eq!(decode(&bytes, Some("text/plain")).text, japanese);
    }
}
