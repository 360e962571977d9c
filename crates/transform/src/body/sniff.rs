//! Chooses the converter for a body, from its header and its first bytes.
//!
//! The header decides among kinds of text: `text/plain` is never read as HTML. Servers also send PDFs and
//! images as HTML, so the signatures of formats without text take precedence over the header, as does that of
//! RTF. Servers that know no type for a kind of text send it as plain text or as a file of any kind: then the
//! name of the file says which, and feeds and notebooks are known by their content. Kinds of media and
//! signatures are those of [`gleaner_types::media`]; this module adds what it takes to read a body: the share
//! of binary bytes, and JSON, feeds and pages where the type names none.

use gleaner_types::media::{
    MediaKind, MediaType, SNIFFED_BYTES, is_binary_byte, is_pdf, is_text, of_extension, signature,
};
use url::Url;

use super::{json_feed, notebook, rtf};

/// The kind of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Html,
    /// A page that is sent as XML.
    Xhtml,
    Json,
    Xml,
    /// RSS, RDF, Atom, or a sitemap.
    Feed,
    JsonFeed,
    Notebook,
    Rtf,
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

/// Recognizes the kind of a body at `url`.
pub(crate) fn sniff(body: &[u8], content_type: Option<&str>, url: &Url) -> Body {
    let head = body.get(..SNIFFED_BYTES).unwrap_or(body);
    let declared = MediaType::of_header(content_type.unwrap_or_default());
    if is_pdf(content_type, body) {
        return Body::Pdf;
    }
    if let Some(found) = signature(head).filter(|found| MediaKind::of(found) == MediaKind::Binary) {
        return Body::Binary(found.to_owned());
    }
    if rtf::is_rtf(head) {
        return Body::Rtf;
    }
    let found = match declared.kind() {
        MediaKind::Binary => return Body::Binary(declared.essence().to_owned()),
        MediaKind::Office => return office(head, &declared),
        MediaKind::Html if is_feed(head) => Body::Feed,
        MediaKind::Html if declared.essence() == "application/xhtml+xml" => Body::Xhtml,
        MediaKind::Html => Body::Html,
        MediaKind::Json => json(body, head),
        MediaKind::Feed => feed_or_xml(head),
        MediaKind::Xml => xml(head),
        MediaKind::Svg => Body::Xml,
        MediaKind::CommaSeparated => Body::Delimited(','),
        MediaKind::TabSeparated => Body::Delimited('\t'),
        MediaKind::Markdown => Body::Markdown,
        MediaKind::Text if declared.essence() == "text/plain" => plain(body, head, url),
        MediaKind::Text => Body::Text,
        _ => return unknown(body, head, &declared, url),
    };
    let wide = || is_marked_utf16(head) || is_utf16(&declared);
    if is_mostly_binary(head) && !wide() {
        Body::Binary("application/octet-stream".to_owned())
    } else {
        found
    }
}

/// A body that is declared as a file of an office program. Others send tables and pages like this, so that
/// the office program opens them.
fn office(head: &[u8], declared: &MediaType) -> Body {
    if !is_text(head) {
        return Body::Binary(declared.essence().to_owned());
    }
    match markup(head) {
        Body::Text => Body::Delimited(','),
        found => found,
    }
}

/// A body that is declared as plain text.
fn plain(body: &[u8], head: &[u8], url: &Url) -> Body {
    if let Some(found) = by_name(url) {
        return found;
    }
    if is_feed(head) {
        return Body::Feed;
    }
    if notebook::is_notebook(body) { Body::Notebook } else { Body::Text }
}

/// The kind of text that the name of a file tells.
fn by_name(url: &Url) -> Option<Body> {
    let name = url.path().rsplit('/').next()?;
    let (_, extension) = name.rsplit_once('.')?;
    match MediaKind::of(of_extension(extension.as_bytes())?) {
        MediaKind::Markdown => Some(Body::Markdown),
        MediaKind::CommaSeparated => Some(Body::Delimited(',')),
        MediaKind::TabSeparated => Some(Body::Delimited('\t')),
        _ => None,
    }
}

fn json(body: &[u8], head: &[u8]) -> Body {
    if json_feed::is_feed(head) {
        Body::JsonFeed
    } else if notebook::is_notebook(body) {
        Body::Notebook
    } else {
        Body::Json
    }
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

fn unknown(body: &[u8], head: &[u8], declared: &MediaType, url: &Url) -> Body {
    let wide = is_marked_utf16(head) || is_utf16(declared);
    if !wide && head.iter().copied().any(is_binary_byte) {
        let named = Some(declared.essence()).filter(|essence| !essence.is_empty());
        return Body::Binary(named.unwrap_or("application/octet-stream").to_owned());
    }
    match markup(head) {
        // Texts of Markdown often begin with a tag.
        found @ (Body::Text | Body::Html) if !is_page(head) => by_name(url).unwrap_or(found),
        Body::Json => json(body, head),
        found => found,
    }
}

/// The kind of a text by its first characters.
fn markup(head: &[u8]) -> Body {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let lower =
        text.get(..text.len().min(600)).map_or_else(|| text.to_ascii_lowercase(), str::to_ascii_lowercase);
    if lower.starts_with("<?xml") {
        return if lower.contains("<html") { Body::Xhtml } else { xml(head) };
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

/// Whether a text begins as a whole page.
fn is_page(head: &[u8]) -> bool {
    let start = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    [&b"<!doctype"[..], b"<html", b"<head"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)))
}

fn xml(head: &[u8]) -> Body {
    let text = String::from_utf8_lossy(head);
    if root(&text) == Some("html") && text.contains("http://www.w3.org/1999/xhtml") {
        Body::Xhtml
    } else {
        feed_or_xml(head)
    }
}

fn feed_or_xml(head: &[u8]) -> Body {
    if is_feed(head) { Body::Feed } else { Body::Xml }
}

/// Whether the root element is that of a feed or a sitemap. Many servers send feeds as HTML (MIME Sniffing,
/// 7.3).
fn is_feed(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    text.starts_with('<') && matches!(root(text), Some("rss" | "feed" | "RDF" | "urlset" | "sitemapindex"))
}

/// The local name of the root element, if the head contains it.
fn root(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (_, from) = rest.split_once('<')?;
        rest = if let Some(comment) = from.strip_prefix("!--") {
            comment.split_once("-->")?.1
        } else if from.starts_with('?') {
            from.split_once('>')?.1
        } else if from.starts_with('!') {
            // A document type may have declarations in brackets.
            let (start, after) = from.split_once('>')?;
            if start.contains('[') { from.split_once(']')?.1.split_once('>')?.1 } else { after }
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
            (b"<html xmlns=\"http://www.w3.org/1999/xhtml\">", Some("application/xml"), Body::Xhtml),
            (
                b"<!DOCTYPE h [<!ENTITY a '>'>]><h:html xmlns:h='http://www.w3.org/1999/xhtml'>",
                Some("text/xml"),
                Body::Xhtml,
            ),
            (b"<p>x", Some("application/xhtml+xml"), Body::Xhtml),
            (b"<?xml version='1.0'?><html>", None, Body::Xhtml),
            (b"<urlset xmlns='x'><url/></urlset>", Some("application/xml"), Body::Feed),
            (b"<rss version='2.0'>", Some("text/plain"), Body::Feed),
            (
                b"{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\"}",
                Some("application/feed+json"),
                Body::JsonFeed,
            ),
            (b"{\"cells\": [], \"nbformat\": 4}", Some("application/x-ipynb+json"), Body::Notebook),
            (b"{\"cells\": [], \"nbformat\": 4}", Some("text/plain"), Body::Notebook),
            (b"{\"cells\": [], \"nbformat\": 4}", None, Body::Notebook),
            (b"{\\rtf1 x}", Some("application/msword"), Body::Rtf),
            (b"{\\rtf1 x}", Some("text/plain"), Body::Rtf),
            (b"a;b\n1;2", Some("application/vnd.ms-excel"), Body::Delimited(',')),
            (b"<table><tr><td>1", Some("application/vnd.ms-excel"), Body::Html),
            (b"\xFF\xFEa\0\t\0b\0", Some("application/vnd.ms-excel"), Body::Delimited(',')),
            (b"\xD0\xCF\x11\xE0\0", Some("application/vnd.ms-excel"), binary("application/vnd.ms-excel")),
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
        let url = Url::parse("https://example.org/a").unwrap();
        for (body, content_type, expected) in rows {
            assert_eq!(
                sniff(body, content_type, &url),
                expected,
                "{:?} {content_type:?}",
                String::from_utf8_lossy(body)
            );
        }
    }
    #[test]
    fn the_name_of_a_file_decides_if_the_type_does_not() {
        let rows: Vec<(&str, &[u8], Option<&str>, Body)> = vec![
            ("a.md", b"# x", Some("text/plain"), Body::Markdown),
            ("a.md?raw=1", b"<p align=center>x", Some("application/octet-stream"), Body::Markdown),
            ("a.md", b"<!DOCTYPE html><p>x", None, Body::Html),
            ("a.md", b"<p>x", Some("text/html"), Body::Html),
            ("a.CSV", b"a,b", Some("text/plain; charset=utf-8"), Body::Delimited(',')),
            ("a.tsv", b"a,b", None, Body::Delimited('\t')),
            ("a.txt", b"a,b", Some("text/plain"), Body::Text),
            ("a.html", b"<p>x", Some("text/plain"), Body::Text),
            ("a.md", b"x", Some("text/x-python"), Body::Text),
        ];
        for (name, body, content_type, expected) in rows {
            let url = Url::parse(&format!("https://example.org/{name}")).unwrap();
            assert_eq!(sniff(body, content_type, &url), expected, "{name} {content_type:?}");
        }
    }
}
