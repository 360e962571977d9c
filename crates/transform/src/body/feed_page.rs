//! Converts a feed to a page: for each entry a heading, its text and its media; for a sitemap a list.

use std::collections::HashSet;

use gleaner_types::Interrupt;
use url::Url;

use super::feed::{Entry, Feed, Medium};
use crate::html;
use crate::memory::Output;
use crate::page::images;
use crate::page::links::{Link, LinkKind, PageLinks};
use crate::resolver::Resolver;
use crate::transform::piece_to_markdown;
use crate::tree::{ParseOptions, parse_within};
use crate::view::View;

/// Addresses of a sitemap in one list.
const LIST_LENGTH: usize = 500;

/// Maximum length of the name of a file that is shown.
const MAX_NAME_BYTES: usize = 200;

/// The link of a feed, those of its entries, and those of recordings and other files, each URL once.
pub(crate) fn links(feed: &Feed) -> PageLinks {
    let mut seen = HashSet::new();
    let of_entry = |entry: &Entry| {
        let files = entry.media.iter().filter(|medium| !medium.is_image).map(|medium| &medium.url);
        entry.link.iter().chain(files).cloned().collect::<Vec<_>>()
    };
    PageLinks {
        links: std::iter::once(&feed.channel)
            .chain(&feed.entries)
            .flat_map(of_entry)
            .filter(|url| seen.insert(url.as_str().to_owned()))
            .map(|url| Link { url, nofollow: false, kind: LinkKind::Anchor })
            .collect(),
        ..PageLinks::default()
    }
}

/// The pictures of the entries, each URL once.
pub(crate) fn images(feed: &Feed, url: &Url, most: usize, interrupt: &Interrupt) -> Vec<String> {
    let mut resolver = Resolver::new(url, None).with_limits(most, interrupt);
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for entry in &feed.entries {
        resolver.set_base(entry.base.as_deref().unwrap_or(url));
        let tree = parse_within(&entry.summary, ParseOptions::default(), interrupt);
        let shown = images::of_view(&tree, &View::whole(&tree), &resolver);
        let media = entry.media.iter().filter(|medium| medium.is_image);
        let urls = shown.into_iter().chain(media.map(|medium| medium.url.to_string()));
        found.extend(urls.filter(|url| seen.insert(url.clone())));
        if interrupt.spend(1) {
            break;
        }
    }
    found
}

/// Writes a feed as Markdown with the writer of HTML pages, so that all of it is escaped by the same rules.
/// Each title and each text is a piece of its own, so that unclosed markup ends with its entry. All pieces
/// share one budget of resolved URLs. Entries after `most` bytes are left out.
pub(crate) fn markdown(feed: &Feed, url: &Url, most: usize, interrupt: &Interrupt) -> Output {
    let mut page = Page {
        resolver: Resolver::new(url, None).with_limits(most, interrupt),
        pieces: 3 * feed.entries.len() + 1,
        most,
        interrupt,
        out: Output::default(),
    };
    if !feed.channel.title.is_empty() {
        page.add(&heading(1, &feed.channel));
    }
    if feed.is_sitemap {
        for entries in feed.entries.chunks(LIST_LENGTH) {
            if !page.add(&list(entries)) {
                break;
            }
        }
        return page.out;
    }
    for entry in &feed.entries {
        if interrupt.spend(1) {
            break;
        }
        let has_space = page.add(&heading(2, entry));
        page.resolver.set_base(entry.base.as_deref().unwrap_or(url));
        let has_space = has_space && page.add(&entry.summary) && page.add(&media(entry));
        page.resolver.set_base(url);
        if !has_space {
            break;
        }
    }
    page.out
}

/// The Markdown so far.
struct Page<'i> {
    resolver: Resolver,
    /// Maximum number of pieces.
    pieces: usize,
    /// Maximum length in bytes.
    most: usize,
    interrupt: &'i Interrupt,
    out: Output,
}

impl Page<'_> {
    /// Adds a piece of HTML. False if there is no space for more.
    fn add(&mut self, html: &str) -> bool {
        let part = piece_to_markdown(html, &self.resolver, self.pieces, self.interrupt);
        let out = &mut self.out;
        out.cut |= part.cut;
        if !part.text.is_empty() {
            out.text.push_str(if out.text.is_empty() { "" } else { "\n\n" });
            out.text.push_str(&part.text);
        }
        out.cut |= out.text.len() >= self.most;
        !out.cut
    }
}

/// The heading of an entry or a feed, and its date.
fn heading(level: u8, entry: &Entry) -> String {
    let title = if entry.title.is_empty() { "Untitled" } else { &entry.title };
    let mut html = format!("<h{level}>");
    match entry.link.as_ref().filter(|_| level > 1) {
        Some(link) => anchor(link, title, &mut html),
        None => html::escape(title, false, &mut html),
    }
    html.push_str(&format!("</h{level}><p>"));
    if level > 1 {
        html::escape(&entry.date, false, &mut html);
    }
    html.push_str("</p>");
    html
}

/// The addresses of a sitemap, each with its title, if it has one, and its date.
fn list(entries: &[Entry]) -> String {
    let mut html = String::from("<ul>");
    for entry in entries {
        html.push_str("<li>");
        if let Some(link) = &entry.link {
            let title = if entry.title.is_empty() { link.as_str() } else { &entry.title };
            anchor(link, title, &mut html);
        } else {
            html::escape(&entry.title, false, &mut html);
        }
        html.push(' ');
        html::escape(&entry.date, false, &mut html);
        html.push_str("</li>");
    }
    html.push_str("</ul>");
    html
}

fn anchor(url: &Url, text: &str, html: &mut String) {
    html.push_str("<a href=\"");
    html::escape(url.as_str(), true, html);
    html.push_str("\">");
    html::escape(text, false, html);
    html.push_str("</a>");
}

/// The media of an entry that its text does not show, and what the entry says about them.
fn media(entry: &Entry) -> String {
    let mut html = String::new();
    for medium in &entry.media {
        if medium.is_image && entry.summary.contains(medium.url.as_str()) {
            continue;
        }
        html.push_str("<p>");
        if medium.is_image {
            html.push_str("<img src=\"");
            html::escape(medium.url.as_str(), true, &mut html);
            html.push_str("\" alt=\"");
            html::escape(&medium.title, true, &mut html);
            html.push_str("\">");
        } else {
            anchor(&medium.url, file_name(medium), &mut html);
        }
        html.push_str("</p>");
        html.push_str(&medium.text);
    }
    html.push_str(&entry.caption);
    html
}

/// What a link to a medium says.
fn file_name(medium: &Medium) -> &str {
    if !medium.title.is_empty() {
        return &medium.title;
    }
    let path = medium.url.path().trim_end_matches('/');
    let name = path.rsplit('/').next().filter(|name| (1..=MAX_NAME_BYTES).contains(&name.len()));
    name.or_else(|| medium.url.host_str()).unwrap_or_default()
}
