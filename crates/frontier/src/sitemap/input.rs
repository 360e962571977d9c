//! Decodes the bytes of a sitemap into text.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8};
use flate2::bufread::MultiGzDecoder;

use super::{MAX_SITEMAP_BYTES, SitemapBuilder, SitemapWarning};
use crate::octets;

/// Bytes in which an XML declaration is sought.
const MAX_DECLARATION: usize = 512;

/// The text of a sitemap: inflated if it is gzip, cut at [`MAX_SITEMAP_BYTES`], decoded.
///
/// Only one layer of gzip is removed; sitemaps have no second.
pub(super) fn read<'a>(
    body: &'a [u8],
    charset: Option<&str>,
    builder: &mut SitemapBuilder<'_>,
) -> Cow<'a, str> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return decode(Cow::Borrowed(truncate(body, builder)), charset);
    }
    let mut inflated = Vec::new();
    let limit = u64::try_from(MAX_SITEMAP_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    if MultiGzDecoder::new(body).take(limit).read_to_end(&mut inflated).is_err() {
        builder.warn(SitemapWarning::CorruptGzip);
    }
    let length = truncate(&inflated, builder).len();
    inflated.truncate(length);
    decode(Cow::Owned(inflated), charset)
}

fn truncate<'a>(bytes: &'a [u8], builder: &mut SitemapBuilder<'_>) -> &'a [u8] {
    match bytes.get(..MAX_SITEMAP_BYTES) {
        Some(head) if bytes.len() > MAX_SITEMAP_BYTES => {
            builder.warn(SitemapWarning::TooLarge);
            head
        }
        _ => bytes,
    }
}

/// Decodes the encoding that the byte order mark, the header's `charset` or the XML declaration names (RFC
/// 7303, section 3), else UTF-8, of which each invalid byte is percent-encoded: addresses that hold it go back
/// to the server as they came. The text is at most three times as long as the bytes.
fn decode<'a>(bytes: Cow<'a, [u8]>, charset: Option<&str>) -> Cow<'a, str> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Cow::Owned(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Cow::Owned(utf16(rest, u16::from_be_bytes));
    }
    // Without a mark (XML 1.0, appendix F).
    if bytes.starts_with(b"<\0?\0") {
        return Cow::Owned(utf16(&bytes, u16::from_le_bytes));
    }
    if bytes.starts_with(b"\0<\0?") {
        return Cow::Owned(utf16(&bytes, u16::from_be_bytes));
    }
    if let Some(encoding) = declared(&bytes, charset) {
        return Cow::Owned(encoding.decode_without_bom_handling(&bytes).0.into_owned());
    }
    let text = match bytes {
        Cow::Borrowed(bytes) => octets::to_text(bytes),
        Cow::Owned(bytes) => Cow::Owned(
            String::from_utf8(bytes).unwrap_or_else(|error| octets::to_text(error.as_bytes()).into_owned()),
        ),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Cow::Owned(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            Cow::Owned(text)
        }
    }
}

/// The encoding that is declared, if it is not UTF-8. A declaration that can be read is not in UTF-16.
fn declared(bytes: &[u8], charset: Option<&str>) -> Option<&'static Encoding> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return None;
    }
    let named = |label: &[u8]| Encoding::for_label(label).filter(|encoding| encoding.is_ascii_compatible());
    let by_header = charset.and_then(|label| named(label.as_bytes()));
    if let Some(encoding) = by_header.filter(|encoding| *encoding != UTF_8) {
        return Some(encoding);
    }
    // A header that says UTF-8 is often the default of a server.
    if by_header.is_some() && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    named(xml_encoding(bytes)?).filter(|encoding| *encoding != UTF_8)
}

/// The label in `<?xml version="1.0" encoding="..."?>`.
fn xml_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let head = bytes.get(..MAX_DECLARATION).unwrap_or(bytes).trim_ascii_start().strip_prefix(b"<?xml")?;
    let head = head.split(|byte| *byte == b'?').next()?;
    let start = memchr::memmem::find(head, b"encoding")? + b"encoding".len();
    let value = head.get(start..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    matches!(quote, b'"' | b'\'').then(|| value.split(|byte| byte == quote).next()).flatten()
}

fn utf16(bytes: &[u8], decode_unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    char::decode_utf16(units.iter().map(|pair| decode_unit(*pair)))
        .map(|decoded| decoded.unwrap_or('?'))
        .collect()
}
