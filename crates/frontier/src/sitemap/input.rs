//! Decodes the bytes of a sitemap into text.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use super::{MAX_SITEMAP_BYTES, SitemapBuilder, SitemapWarning};

/// The text of a sitemap: inflated if it is gzip, cut at [`MAX_SITEMAP_BYTES`], decoded.
///
/// Only one layer of gzip is removed; sitemaps have no second.
pub(super) fn read<'a>(body: &'a [u8], builder: &mut SitemapBuilder<'_>) -> Cow<'a, str> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return decode(Cow::Borrowed(truncate(body, builder)));
    }
    let mut inflated = Vec::new();
    let limit = u64::try_from(MAX_SITEMAP_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    if MultiGzDecoder::new(body).take(limit).read_to_end(&mut inflated).is_err() {
        builder.warn(SitemapWarning::CorruptGzip);
    }
    let length = truncate(&inflated, builder).len();
    inflated.truncate(length);
    decode(Cow::Owned(inflated))
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

/// Decodes UTF-8, with or without a byte order mark, or UTF-16 with one. Each byte that is neither becomes
/// `?`: URLs are ASCII, so a title in another charset does no harm, and the text does not grow.
fn decode(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Cow::Owned(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Cow::Owned(utf16(rest, u16::from_be_bytes));
    }
    let text = match bytes {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(with_replacements(bytes)),
        },
        Cow::Owned(bytes) => {
            Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| with_replacements(error.as_bytes())))
        }
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

fn utf16(bytes: &[u8], decode_unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    char::decode_utf16(units.iter().map(|pair| decode_unit(*pair)))
        .map(|decoded| decoded.unwrap_or('?'))
        .collect()
}

fn with_replacements(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}
