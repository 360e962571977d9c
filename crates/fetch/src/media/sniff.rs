//! The media type of a body by its first bytes (WHATWG MIME Sniffing, sections 6 and 7).
//!
//! Only the standard's tables, so that gleaner and browsers agree on what is a page, with one addition (see
//! [`computed`]). Alternative: a crate. Those recognise hundreds of formats that the standard ignores, and do
//! not know its rules for text.

/// Most first bytes that are examined (section 5.2).
pub(crate) const SNIFFED_BYTES: usize = 1445;

/// The media type of a body. `declared` is the essence of its `Content-Type`, in lower case.
///
/// One addition to the standard: if a body is declared as any kind of text but begins with the signature of a
/// picture, a recording, a font, an archive or a PDF, the signature wins. No text begins like that, and a
/// browser would only show it as unreadable characters.
pub(crate) fn computed(declared: Option<&str>, sniffing_allowed: bool, bytes: &[u8]) -> String {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    match declared {
        None | Some("" | "unknown/unknown" | "application/unknown" | "*/*") => {
            unknown(bytes, sniffing_allowed).to_owned()
        }
        // These mean an unknown type.
        Some(
            "application/octet-stream"
            | "binary/octet-stream"
            | "application/binary"
            | "application/x-download"
            | "application/force-download",
        ) => unknown(bytes, true).to_owned(),
        Some(declared) => {
            if is_textual(declared)
                && let Some(found) = signature(bytes)
            {
                return found.to_owned();
            }
            // Servers declare unknown files as this (section 7.2).
            if declared == "text/plain" && sniffing_allowed && is_binary(bytes) && !has_byte_order_mark(bytes)
            {
                return "application/octet-stream".to_owned();
            }
            declared.to_owned()
        }
    }
}

/// Whether these first bytes are text, markup or a known format, and no compressed stream.
pub(crate) fn is_recognised(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    !matches!(unknown(bytes, true), "application/octet-stream" | "application/gzip")
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
    if has_byte_order_mark(bytes) || !is_binary(bytes) { "text/plain" } else { "application/octet-stream" }
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

fn is_textual(kind: &str) -> bool {
    kind.starts_with("text/")
        || kind.ends_with("+xml")
        || kind.ends_with("+json")
        || matches!(kind, "application/xml" | "application/json" | "application/javascript")
}

/// A signature: bytes at the start, and bytes at an offset.
type Row = (&'static [u8], usize, &'static [u8], &'static str);

const SIGNATURES: &[Row] = &[
    (b"%PDF-", 0, b"", "application/pdf"),
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
    (b"Rar!\x1a\x07\x00", 0, b"", "application/x-rar-compressed"),
];

/// The type of the first row that matches. A signature of letters alone counts only if the bytes also hold a
/// byte that no text holds, because a text may begin with `ID3`.
fn signature(bytes: &[u8]) -> Option<&'static str> {
    let row = SIGNATURES.iter().find(|(start, offset, inside, _)| {
        let letters = start.iter().chain(*inside).all(|byte| byte.is_ascii_graphic() || *byte == b' ');
        bytes.starts_with(start)
            && bytes.get(*offset..).is_some_and(|rest| rest.starts_with(inside))
            && (!letters || start.starts_with(b"%") || is_binary(bytes))
    })?;
    Some(row.3)
}

/// Section 7.2: anything with a byte order mark is text.
fn has_byte_order_mark(bytes: &[u8]) -> bool {
    [&b"\xef\xbb\xbf"[..], b"\xfe\xff", b"\xff\xfe"].iter().any(|mark| bytes.starts_with(mark))
}

/// Whether the bytes hold one that no text holds (section 3, "binary data byte").
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bodies_without_a_type_are_sniffed() {
        let eot = [&[0x20; 34][..], b"LP\0\0"].concat();
        let rows: [(&[u8], &str); 34] = [
            (b"<!doctype html><p>", "text/html"),
            (b" \r\n\t<!DOCTYPE HTML >", "text/html"),
            (b"<HtMl lang=en>", "text/html"),
            (b"<!-- x", "text/html"),
            (b"<b>x", "text/html"),
            (b"<bold>x", "text/plain"),
            (b"<p", "text/plain"),
            (b"<?xml version='1.0'?><rss/>", "text/xml"),
            (b"%PDF-1.7\n\x00", "application/pdf"),
            (b" %PDF-1.7", "text/plain"),
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
            (b"\x7fELF\x02\x01", "application/octet-stream"),
            (b"ID3 tags are text here", "text/plain"),
            (b"plain text", "text/plain"),
            ("tabs\tand ä".as_bytes(), "text/plain"),
            (b"", "text/plain"),
        ];
        for (bytes, expected) in rows {
            assert_eq!(computed(None, true, bytes), expected, "{bytes:?}");
            assert_eq!(computed(Some("application/octet-stream"), true, bytes), expected, "{bytes:?}");
        }
        assert_eq!(computed(None, false, b"<html>"), "text/plain", "nosniff forbids scriptable types");
    }

    #[test]
    fn wrong_types_are_corrected() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (declared, bytes, expected) in [
            ("text/html", &png[..], "image/png"),
            ("text/plain", png, "image/png"),
            ("application/json", b"PK\x03\x04\x14\0", "application/zip"),
            ("text/html", b"%PDF-1.4", "application/pdf"),
            ("text/plain", b"\x7fELF\x02\x01", "application/octet-stream"),
            ("text/plain", b"\xff\xfeh\0", "text/plain"),
            ("text/plain", b"<html>", "text/plain"),
            ("text/html", b"plain", "text/html"),
            ("text/html", b"\x7fELF\x02", "text/html"),
            ("image/png", b"<html>", "image/png"),
            ("application/pdf", b"<html>", "application/pdf"),
        ] {
            assert_eq!(computed(Some(declared), true, bytes), expected, "{declared} {bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn only_the_first_bytes_count(
            mut bytes in proptest::collection::vec(any::<u8>(), SNIFFED_BYTES..2000),
            tail: Vec<u8>,
        ) {
            let before = computed(None, true, &bytes);
            bytes.extend(tail);
            prop_assert_eq!(computed(None, true, &bytes), before);
        }
    }
}
