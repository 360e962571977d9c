//! Chooses the converter for a body, from its header and its first bytes.
//!
//! The header decides among kinds of text: `text/plain` is never read as HTML. Servers also send PDFs and
//! images as HTML, so the signatures of formats without text take precedence over the header. Kinds of media
//! and signatures are those of [`gleaner_types::media`]; this module adds what it takes to read a body: the
//! share of binary bytes, and JSON, feeds and pages where the type names none.

use gleaner_types::media::{MediaKind, MediaType, SNIFFED_BYTES, is_binary_byte, is_pdf, signature};

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

/// A body with more than one binary byte in this many is not text, whatever the header says. Of random bytes
/// one in nine is binary.
const MAX_BINARY_SHARE: usize = 32;

/// Recognizes the kind of a body.
pub(crate) fn sniff(body: &[u8], content_type: Option<&str>) -> Body {
    let head = body.get(..SNIFFED_BYTES).unwrap_or(body);
    let declared = MediaType::of_header(content_type.unwrap_or_default());
    if is_pdf(content_type, body) {
        return Body::Pdf;
    }
    if let Some(found) = signature(head).filter(|found| MediaKind::of(found) == MediaKind::Binary) {
        return Body::Binary(found.to_owned());
    }
    let body = match declared.kind() {
        MediaKind::Binary => return Body::Binary(declared.essence().to_owned()),
        MediaKind::Html if is_feed(head) => Body::Feed,
        MediaKind::Html => Body::Html,
        MediaKind::Json => Body::Json,
        MediaKind::Feed => feed_or_xml(head),
        MediaKind::Xml => xml(head),
        MediaKind::Svg => Body::Xml,
        MediaKind::CommaSeparated => Body::Delimited(','),
        MediaKind::TabSeparated => Body::Delimited('\t'),
        MediaKind::Markdown => Body::Markdown,
        MediaKind::Text => Body::Text,
        _ => return unknown(head, &declared),
    };
    let wide = || is_marked_utf16(head) || is_utf16(&declared);
    if is_mostly_binary(head) && !wide() { Body::Binary("application/octet-stream".to_owned()) } else { body }
}

/// True if a body begins with a byte order mark or an XML declaration in UTF-16, whose characters contain zero
/// bytes.
fn is_marked_utf16(head: &[u8]) -> bool {
    [&b"\xFF\xFE"[..], b"\xFE\xFF", b"<\0?\0", b"\0<\0?"].iter().any(|mark| head.starts_with(mark))
}

fn is_utf16(declared: &MediaType) -> bool {
    let charset = declared.parameter("charset").unwrap_or_default().to_ascii_lowercase();
    charset.contains("utf-16") || charset.contains("utf16")
}

/// True if a body has more binary bytes than a page has by mistake. Servers send unknown files as HTML.
fn is_mostly_binary(head: &[u8]) -> bool {
    head.iter().filter(|byte| is_binary_byte(**byte)).count() * MAX_BINARY_SHARE > head.len()
}

fn unknown(head: &[u8], declared: &MediaType) -> Body {
    let wide = is_marked_utf16(head) || is_utf16(declared);
    if !wide && head.iter().copied().any(is_binary_byte) {
        let named = Some(declared.essence()).filter(|essence| !essence.is_empty());
        return Body::Binary(named.unwrap_or("application/octet-stream").to_owned());
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let lower =
        text.get(..text.len().min(600)).map_or_else(|| text.to_ascii_lowercase(), str::to_ascii_lowercase);
    if lower.starts_with("<?xml") {
        return if lower.contains("<html") { Body::Html } else { xml(head) };
    }
    if is_feed(head) {
        return Body::Feed;
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
    if is_feed(head) { Body::Feed } else { Body::Xml }
}

/// True if the root element is that of a feed. Many servers send feeds as HTML (MIME Sniffing, 7.3).
fn is_feed(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    text.starts_with('<') && matches!(root(text), Some("rss" | "feed" | "RDF"))
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
            (b"<p>x", Some("text/html, text/html; charset=utf-8"), Body::Html),
            (b"<p>x", Some("text/html charset=utf-8"), Body::Html),
            (b"<p>x", Some("\"text/html\""), Body::Html),
            (b"<p>x", Some("*/*"), Body::Html),
            (b"<rss version=2.0>", Some("html"), Body::Feed),
            (b"hello", Some("html"), Body::Text),
            (b"<p>x", Some("text/html, text/plain"), Body::Text),
            (b" <?xml version='1.0'?><!-- x --><rss>", Some("text/html"), Body::Feed),
            (b"<p>see <rss>", Some("text/html"), Body::Html),
            (b" \n%PDF-1.7", Some("text/html"), Body::Pdf),
            (b"Warning\n%PDF-1.7", Some("application/pdf"), Body::Pdf),
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
