//! The media type of a body by its first bytes (WHATWG MIME Sniffing, sections 6 and 7).
//!
//! The standard's tables, so that gleaner and browsers agree on what is a page, with additions: formats
//! without text that the standard does not know, and what [`computed`] says. Alternative: a crate. Those
//! recognise hundreds of formats, and do not know the standard's rules for text.

use super::{MediaKind, MediaType};

/// Most first bytes that are examined (section 5.2).
pub const SNIFFED_BYTES: usize = 1445;

/// Bytes of a file in which the header of a PDF may be: its five bytes, behind 1,024 others.
const PDF_HEADER_BYTES: usize = 1024 + 5;

/// The media type of a body, without parameters.
///
/// One addition to the standard: if a body is declared as any kind of text, or as a type without a rule here,
/// but begins with the signature of a picture, a recording, a font, an archive, a program or a PDF, the
/// signature wins. No text begins like that, and a browser would only show it as unreadable characters.
#[must_use]
pub fn computed(declared: &MediaType, sniffing_allowed: bool, bytes: &[u8]) -> String {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    let essence = declared.essence();
    let kind = declared.kind();
    let found = match kind {
        MediaKind::Unknown => {
            let names_none = matches!(essence, "" | "unknown/unknown" | "application/unknown" | "*/*");
            unknown(bytes, sniffing_allowed || !names_none)
        }
        MediaKind::Pdf | MediaKind::Svg | MediaKind::Office | MediaKind::Binary => essence,
        // Servers declare unknown files as this (section 7.2).
        _ if essence == "text/plain"
            && sniffing_allowed
            && has_binary_byte(bytes)
            && !has_byte_order_mark(bytes) =>
        {
            signature(bytes).unwrap_or("application/octet-stream")
        }
        _ => signature(bytes).unwrap_or(essence),
    };
    found.to_owned()
}

/// Whether these first bytes are text, markup or a known format, and no stream of a content coding.
#[must_use]
pub fn is_recognised(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    !matches!(unknown(bytes, true), "application/octet-stream" | "application/gzip" | "application/zstd")
}

/// Section 7.1.
fn unknown(bytes: &[u8], scriptable: bool) -> &'static str {
    let text = bytes.trim_ascii_start();
    if scriptable {
        if is_html(text) {
            return "text/html";
        }
        if text.starts_with(b"<?xml") {
            return "text/xml";
        }
    }
    if let Some(found) = signature(bytes) {
        return found;
    }
    if is_text(bytes) { "text/plain" } else { "application/octet-stream" }
}

/// Tags that begin a page, in lower case. Each must be followed by a space or `>`.
const TAGS: &[&[u8]] = &[
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
];

fn is_html(text: &[u8]) -> bool {
    text.starts_with(b"<!--")
        || TAGS.iter().any(|tag| {
            text.split_at_checked(tag.len()).is_some_and(|(start, rest)| {
                start.eq_ignore_ascii_case(tag) && matches!(rest.first(), Some(b' ' | b'>'))
            })
        })
}

/// A signature: bytes at the start, and bytes at an offset.
type Row = (&'static [u8], usize, &'static [u8], &'static str);

const SIGNATURES: &[Row] = &[
    (b"%!PS-Adobe-", 0, b"", "application/postscript"),
    // Section 6.1.
    (b"\x00\x00\x01\x00", 0, b"", "image/x-icon"),
    (b"\x00\x00\x02\x00", 0, b"", "image/x-icon"),
    (b"GIF87a", 0, b"", "image/gif"),
    (b"GIF89a", 0, b"", "image/gif"),
    (b"RIFF", 8, b"WEBPVP", "image/webp"),
    (b"\x89PNG\r\n\x1a\n", 0, b"", "image/png"),
    (b"\xff\xd8\xff", 0, b"", "image/jpeg"),
    // Section 6.2.
    (b"FORM", 8, b"AIFF", "audio/aiff"),
    (b"ID3", 0, b"", "audio/mpeg"),
    (b"OggS\x00", 0, b"", "application/ogg"),
    (b"MThd\x00\x00\x00\x06", 0, b"", "audio/midi"),
    (b"RIFF", 8, b"AVI ", "video/avi"),
    (b"RIFF", 8, b"WAVE", "audio/wave"),
    (b"\x00\x00\x00", 4, b"ftyp", "video/mp4"),
    (b"\x1a\x45\xdf\xa3", 0, b"", "video/webm"),
    // Section 6.3.
    (b"\x00\x01\x00\x00", 0, b"", "font/ttf"),
    (b"OTTO", 0, b"", "font/otf"),
    (b"ttcf", 0, b"", "font/collection"),
    (b"wOFF", 0, b"", "font/woff"),
    (b"wOF2", 0, b"", "font/woff2"),
    (b"", 34, b"LP", "application/vnd.ms-fontobject"),
    // Section 6.4.
    (b"\x1f\x8b\x08", 0, b"", "application/gzip"),
    (b"PK\x03\x04", 0, b"", "application/zip"),
    (b"Rar!\x1a\x07", 0, b"", "application/x-rar-compressed"),
    // Not in the standard.
    (b"BM\x36", 0, b"", "image/bmp"),
    (b"II*\0", 0, b"", "image/tiff"),
    (b"MM\0*", 0, b"", "image/tiff"),
    (b"fLaC", 0, b"", "audio/flac"),
    (b"PK\x05\x06", 0, b"", "application/zip"),
    (b"BZh", 0, b"", "application/x-bzip2"),
    (b"7z\xbc\xaf\x27\x1c", 0, b"", "application/x-7z-compressed"),
    (b"\xfd7zXZ\0", 0, b"", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", 0, b"", "application/zstd"),
    (b"\x7fELF", 0, b"", "application/x-executable"),
    (b"MZ\x90\0", 0, b"", "application/x-msdownload"),
    (b"\xca\xfe\xba\xbe", 0, b"", "application/java-vm"),
    (b"\0asm", 0, b"", "application/wasm"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, b"", "application/x-ole-storage"),
    (b"SQLite format 3\0", 0, b"", "application/vnd.sqlite3"),
];

/// The type of the format that the bytes begin like; `None` for text, and for what is unknown.
///
/// A signature of letters alone counts only if the bytes also hold a byte that no text holds, because a text
/// may begin with `ID3`.
#[must_use]
pub fn signature(bytes: &[u8]) -> Option<&'static str> {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    if begins_as_pdf(bytes) {
        return Some("application/pdf");
    }
    let row = SIGNATURES.iter().find(|(start, offset, inside, _)| {
        let letters = start.iter().chain(*inside).all(|byte| byte.is_ascii_graphic() || *byte == b' ');
        bytes.starts_with(start)
            && bytes.get(*offset..).is_some_and(|rest| rest.starts_with(inside))
            && (!letters || start.starts_with(b"%") || has_binary_byte(bytes))
    })?;
    Some(row.3)
}

/// Whether a body is read as a PDF: it begins like one, or it is declared as one and does so anywhere in the
/// first kilobyte, as readers of PDFs accept. Some servers write a warning of their own before the file.
#[must_use]
pub fn is_pdf(content_type: Option<&str>, body: &[u8]) -> bool {
    let head = body.get(..PDF_HEADER_BYTES).unwrap_or(body);
    begins_as_pdf(body)
        || (MediaType::of_header(content_type.unwrap_or_default()).kind() == MediaKind::Pdf
            && head.windows(5).any(|bytes| bytes == b"%PDF-"))
}

/// White space and a byte order mark may precede the header, which in the standard is plain text.
fn begins_as_pdf(body: &[u8]) -> bool {
    let rest = body.get(..SNIFFED_BYTES).unwrap_or(body).trim_ascii_start();
    rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest).starts_with(b"%PDF-")
}

/// Whether these first bytes are text of some kind.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    has_byte_order_mark(bytes) || !has_binary_byte(bytes)
}

/// Section 7.2: anything with a byte order mark is text.
fn has_byte_order_mark(bytes: &[u8]) -> bool {
    [&b"\xef\xbb\xbf"[..], b"\xfe\xff", b"\xff\xfe"].iter().any(|mark| bytes.starts_with(mark))
}

fn has_binary_byte(bytes: &[u8]) -> bool {
    bytes.iter().copied().any(is_binary_byte)
}

/// True for a byte that no text holds (section 3, "binary data byte").
#[must_use]
#[inline]
pub const fn is_binary_byte(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by(header: &str, sniffing_allowed: bool, bytes: &[u8]) -> String {
        computed(&MediaType::of_header(header), sniffing_allowed, bytes)
    }

    #[test]
    fn bodies_without_a_type_are_sniffed() {
        let eot = [&[0x20; 34][..], b"LP\0\0"].concat();
        let rows: [(&[u8], &str); 37] = [
            (b"<!doctype html><p>", "text/html"),
            (b" \r\n\t<!DOCTYPE HTML >", "text/html"),
            (b"<HtMl lang=en>", "text/html"),
            (b"<!-- x", "text/html"),
            (b"<b>x", "text/html"),
            (b"<bold>x", "text/plain"),
            (b"<p", "text/plain"),
            (b"<?xml version='1.0'?><rss/>", "text/xml"),
            (b"%PDF-1.7\n\x00", "application/pdf"),
            (b" %PDF-1.7", "application/pdf"),
            (b"\xef\xbb\xbf%PDF-1.7", "application/pdf"),
            (b"see %PDF-1.7", "text/plain"),
            (b"%!PS-Adobe-3.0", "application/postscript"),
            (b"\xfe\xff\0<", "text/plain"),
            (b"\xff\xfe<\0", "text/plain"),
            (b"\xef\xbb\xbf\x01", "text/plain"),
            (b"GIF89a\x01\0", "image/gif"),
            (b"RIFF\x01\0\0\0WEBPVP8 ", "image/webp"),
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\xff\xd8\xff\xe0\0", "image/jpeg"),
            (b"\0\0\x01\0\x01", "image/x-icon"),
            (b"ID3\x04\0", "audio/mpeg"),
            (b"OggS\0\x02", "application/ogg"),
            (b"RIFF\x01\0\0\0WAVEfmt ", "audio/wave"),
            (b"\0\0\0\x20ftypisom", "video/mp4"),
            (b"\x1a\x45\xdf\xa3\x01", "video/webm"),
            (b"wOF2\0\x01", "font/woff2"),
            (&eot, "application/vnd.ms-fontobject"),
            (b"\x1f\x8b\x08\0", "application/gzip"),
            (b"PK\x03\x04\x14", "application/zip"),
            (b"Rar!\x1a\x07\0", "application/x-rar-compressed"),
            (b"\x7fELF\x02\x01", "application/x-executable"),
            (b"\x01\x02\x03", "application/octet-stream"),
            (b"ID3 tags are text here", "text/plain"),
            (b"plain text", "text/plain"),
            ("tabs\tand ä".as_bytes(), "text/plain"),
            (b"", "text/plain"),
        ];
        for (bytes, expected) in rows {
            for declared in ["", "html", "*/*", "application/octet-stream"] {
                assert_eq!(by(declared, true, bytes), expected, "{declared} {bytes:?}");
            }
        }
        assert_eq!(by("", false, b"<html>"), "text/plain", "nosniff forbids scriptable types");
    }

    #[test]
    fn wrong_types_are_corrected() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (declared, bytes, expected) in [
            ("text/html", &png[..], "image/png"),
            ("text/plain", png, "image/png"),
            ("application/json", b"PK\x03\x04\x14\0", "application/zip"),
            ("text/html", b"%PDF-1.4", "application/pdf"),
            ("text/plain", b"\x01ELF\x02\x01", "application/octet-stream"),
            ("application/x-unheard-of", png, "image/png"),
            ("text/html charset=utf-8", png, "image/png"),
            ("text/plain", b"\xff\xfeh\0", "text/plain"),
            ("text/plain", b"<html>", "text/plain"),
            ("text/html", b"plain", "text/html"),
            ("text/html", b"\x01ELF\x02", "text/html"),
            ("image/png", b"<html>", "image/png"),
            ("application/pdf", b"<html>", "application/pdf"),
        ] {
            assert_eq!(by(declared, true, bytes), expected, "{declared} {bytes:?}");
        }
    }

    #[test]
    fn a_body_declared_as_a_pdf_may_begin_late() {
        let late = b"<br />\n<b>Warning</b>: no such index\n%PDF-1.7";
        for (content_type, body, expected) in [
            (Some("application/pdf"), &late[..], true),
            (Some("Application/PDF; x=y"), late, true),
            (Some("text/html"), late, false),
            (None, late, false),
            (None, b"\n%PDF-1.7", true),
            (Some("text/html"), b"%PDF-1.7", true),
            (Some("application/pdf"), b"<p>no file", false),
            (Some("application/pdf"), b"", false),
        ] {
            assert_eq!(is_pdf(content_type, body), expected, "{content_type:?} {body:?}");
        }
    }

    proptest! {
        #[test]
        fn only_the_first_bytes_count(
            mut bytes in proptest::collection::vec(any::<u8>(), SNIFFED_BYTES..2000),
            tail: Vec<u8>,
        ) {
            let before = by("", true, &bytes);
            bytes.extend(tail);
            prop_assert_eq!(by("", true, &bytes), before);
        }
    }
}
