//! Reads JSON Feed, versions 1 and 1.1.

use serde_json::Value;
use url::Url;

use super::feed::{Entry, Feed, MAX_ENTRIES, MAX_FIELD_BYTES, Medium};
use super::json::{self, list, text};
use crate::html;
use crate::resolver::Resolver;

/// The start of the addresses that name a version.
const VERSIONS: &str = "jsonfeed.org/version/";

/// Maximum number of attachments of an item.
const MAX_ATTACHMENTS: usize = 32;

/// Whether a body seems to be a feed, by its first bytes.
pub(super) fn is_feed(head: &[u8]) -> bool {
    // A slash may be escaped.
    let text = String::from_utf8_lossy(head).replace("\\/", "/");
    text.trim_start_matches('\u{FEFF}').trim_start().starts_with('{') && text.contains(VERSIONS)
}

/// Reads a feed; `None` if the text is none, or if its values do not fit into the memory of the page.
pub(crate) fn read(source: &str, resolver: &Resolver, most: usize) -> Option<Feed> {
    let feed = json::parse(source, most)?;
    let is_feed = text(&feed, "version").contains(VERSIONS);
    let items = feed.get("items").filter(|_| is_feed)?.as_array()?;
    let mut read = Feed {
        channel: Entry {
            title: text(&feed, "title").to_owned(),
            link: address(&feed, &["home_page_url"], resolver),
            summary: html::of_text(text(&feed, "description")).into_owned(),
            ..Entry::default()
        },
        language: text(&feed, "language").to_owned(),
        cut: items.len() > MAX_ENTRIES,
        ..Feed::default()
    };
    for item in items.iter().take(MAX_ENTRIES) {
        read.cut |=
            ["content_html", "content_text"].iter().any(|name| text(item, name).len() > MAX_FIELD_BYTES);
        read.entries.push(entry(item, resolver));
    }
    Some(read)
}

fn entry(item: &Value, resolver: &Resolver) -> Entry {
    let media: Vec<Medium> = list(item, "attachments")
        .iter()
        .take(MAX_ATTACHMENTS)
        .filter_map(|attachment| {
            let is_image = text(attachment, "mime_type").starts_with("image/");
            let url = address(attachment, &["url"], resolver)?;
            Some(Medium { title: text(attachment, "title").to_owned(), ..Medium::new(url, is_image) })
        })
        .collect();
    let picture = address(item, &["image", "banner_image"], resolver).map(|url| Medium::new(url, true));
    let mut dates = ["date_published", "date_modified"].into_iter().map(|name| text(item, name));
    Entry {
        title: text(item, "title").to_owned(),
        link: address(item, &["url", "external_url", "id"], resolver),
        date: dates.find(|date| !date.is_empty()).unwrap_or_default().to_owned(),
        summary: summary(item),
        media: picture.into_iter().chain(media).collect(),
        ..Entry::default()
    }
}

/// The content of an item as HTML.
fn summary(item: &Value) -> String {
    let html = cut(text(item, "content_html"));
    if !html.trim().is_empty() {
        return html.to_owned();
    }
    let mut texts = ["content_text", "summary"].into_iter().map(|name| cut(text(item, name)));
    let plain = texts.find(|text| !text.trim().is_empty()).unwrap_or_default();
    let mut out = String::new();
    for line in plain.lines().filter(|line| !line.trim().is_empty()) {
        out.push_str("<p>");
        html::escape(line, false, &mut out);
        out.push_str("</p>");
    }
    out
}

/// A text up to the limit on its length.
fn cut(text: &str) -> &str {
    if text.len() <= MAX_FIELD_BYTES {
        return text;
    }
    let end = (0..=MAX_FIELD_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The first of some members that is an address. An identifier is one only if it is absolute.
fn address(value: &Value, names: &[&str], resolver: &Resolver) -> Option<Url> {
    let texts = names.iter().map(|name| (*name, text(value, name)));
    texts
        .filter(|(name, text)| !text.is_empty() && (*name != "id" || Url::parse(text).is_ok()))
        .find_map(|(_, text)| resolver.web_url(text))
}
