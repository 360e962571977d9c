//! Converts a feed to a page: for each entry a heading and its text.

use gleaner_types::Interrupt;
use url::Url;

use super::feed::Feed;
use crate::html;
use crate::memory::Output;
use crate::page::links::{Link, LinkKind, PageLinks};
use crate::resolver::Resolver;
use crate::transform::piece_to_markdown;

/// The link of a feed and those of its entries, each URL once.
pub(crate) fn links(feed: &Feed) -> PageLinks {
    let mut seen = std::collections::HashSet::new();
    let urls = feed.channel.link.iter().chain(feed.entries.iter().filter_map(|entry| entry.link.as_ref()));
    PageLinks {
        links: urls
            .filter(|url| seen.insert(url.as_str()))
            .map(|url| Link { url: url.clone(), nofollow: false, kind: LinkKind::Anchor })
            .collect(),
        ..PageLinks::default()
    }
}

/// Writes a feed as Markdown with the writer of HTML pages, so that all of it is escaped by the same rules.
/// Each title and each text is a piece of its own, so that unclosed markup ends with its entry. All pieces
/// share one budget of resolved URLs. Entries after `most` bytes are left out.
pub(crate) fn markdown(feed: &Feed, url: &Url, most: usize, interrupt: &Interrupt) -> Output {
    let resolver = Resolver::new(url, None).with_limits(most, interrupt);
    let pieces = 2 * feed.entries.len() + 1;
    let mut out = Output::default();
    let mut add = |part: Output| {
        out.cut |= part.cut;
        if !part.text.is_empty() {
            out.text.push_str(if out.text.is_empty() { "" } else { "\n\n" });
            out.text.push_str(&part.text);
        }
        out.cut |= out.text.len() >= most;
        !out.cut
    };
    let heading = |level: u8, title: &str, link: Option<&Url>, date: &str| {
        let mut html = format!("<h{level}>");
        if let Some(link) = link {
            html.push_str("<a href=\"");
            html::escape(link.as_str(), true, &mut html);
            html.push_str("\">");
        }
        html::escape(title, false, &mut html);
        if link.is_some() {
            html.push_str("</a>");
        }
        html.push_str(&format!("</h{level}><p>"));
        html::escape(date, false, &mut html);
        html.push_str("</p>");
        piece_to_markdown(&html, &resolver, pieces, interrupt)
    };
    if !feed.channel.title.is_empty() {
        add(heading(1, &feed.channel.title, None, ""));
    }
    for entry in &feed.entries {
        if interrupt.spend(1) {
            break;
        }
        let title = if entry.title.is_empty() { "Untitled" } else { &entry.title };
        let has_space = add(heading(2, title, entry.link.as_ref(), &entry.date))
            && add(piece_to_markdown(&entry.summary, &resolver, pieces, interrupt));
        if !has_space {
            break;
        }
    }
    out
}
