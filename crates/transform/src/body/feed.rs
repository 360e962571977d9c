//! RSS, RDF and Atom feeds to a list of their entries.

use quick_xml::Reader;
use quick_xml::events::Event;
use url::Url;

use crate::address::Resolver;
use crate::tree::decode_references;

/// A feed gives at most so many entries.
const MAX_ENTRIES: usize = 5_000;

/// A summary is cut here, in bytes of its source.
const MAX_SUMMARY_BYTES: usize = 20_000;

/// What a feed says of itself and of one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) link: Option<Url>,
    pub(crate) date: String,
    /// HTML or text.
    pub(crate) summary: String,
}

/// A feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Feed {
    pub(crate) about: Entry,
    pub(crate) entries: Vec<Entry>,
}

/// Reads a feed; what is no well-formed XML ends it, and what came before stays.
pub(crate) fn read(text: &str, url: &Url) -> Feed {
    let resolver = Resolver::new(url, None);
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut feed = Feed::default();
    let mut field: Option<String> = None;
    let mut in_entry = false;
    let mut depth_in_field = 0_usize;
    let mut value = String::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) => {
                let name = local(start.name().as_ref());
                if matches!(name.as_str(), "item" | "entry") {
                    if feed.entries.len() >= MAX_ENTRIES {
                        break;
                    }
                    feed.entries.push(Entry::default());
                    in_entry = true;
                    field = None;
                } else if field.is_some() {
                    depth_in_field += 1;
                } else {
                    link_attribute(&start, &name, &resolver, &mut feed, in_entry);
                    value.clear();
                    field = Some(name);
                    depth_in_field = 0;
                    // The channel and its like are no fields.
                    if matches!(
                        field.as_deref(),
                        Some("rss" | "feed" | "RDF" | "channel" | "image" | "author" | "textInput")
                    ) {
                        field = None;
                    }
                }
            }
            Event::Empty(start) => {
                let name = local(start.name().as_ref());
                link_attribute(&start, &name, &resolver, &mut feed, in_entry);
            }
            Event::Text(text) if field.is_some() && value.len() < MAX_SUMMARY_BYTES => {
                value.push_str(&text);
            }
            Event::GeneralRef(reference) if field.is_some() && value.len() < MAX_SUMMARY_BYTES => {
                value.push('&');
                value.push_str(&reference);
                value.push(';');
            }
            Event::CData(text) if field.is_some() && value.len() < MAX_SUMMARY_BYTES => {
                let mut escaped = String::new();
                crate::html::escape(&text, false, &mut escaped);
                value.push_str(&escaped);
            }
            Event::End(end) => {
                let name = local(end.name().as_ref());
                if matches!(name.as_str(), "item" | "entry") {
                    in_entry = false;
                    field = None;
                } else if depth_in_field > 0 {
                    depth_in_field -= 1;
                } else if let Some(name) = field.take() {
                    let entry = if in_entry { feed.entries.last_mut() } else { Some(&mut feed.about) };
                    if let Some(entry) = entry {
                        set(entry, &name, decode_references(value.trim(), false).into_owned(), &resolver);
                    }
                    value.clear();
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    feed
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or_default().to_owned()
}

/// Atom has its links in attributes.
fn link_attribute(
    start: &quick_xml::events::BytesStart<'_>,
    name: &str,
    resolver: &Resolver,
    feed: &mut Feed,
    in_entry: bool,
) {
    if name != "link" {
        return;
    }
    let value = |wanted: &str| {
        start
            .attributes()
            .flatten()
            .find(|attribute| local(attribute.key.as_ref()) == wanted)
            .map(|attribute| decode_references(&attribute.value, true).into_owned())
    };
    let alternate = value("rel").is_none_or(|rel| rel == "alternate");
    let entry = if in_entry { feed.entries.last_mut() } else { Some(&mut feed.about) };
    if let (true, Some(entry), Some(href)) = (alternate, entry, value("href"))
        && entry.link.is_none()
    {
        entry.link = resolver.web(&href);
    }
}

fn set(entry: &mut Entry, name: &str, value: String, resolver: &Resolver) {
    match name {
        "title" if entry.title.is_empty() => entry.title = value,
        "link" | "guid" if entry.link.is_none() => {
            entry.link =
                Url::parse(value.trim()).ok().and_then(|url| resolver.web(url.as_str())).or_else(|| {
                    (name == "link" && !value.trim().is_empty()).then(|| resolver.web(&value)).flatten()
                });
        }
        "pubDate" | "published" | "date" if entry.date.is_empty() => entry.date = value,
        "updated" if entry.date.is_empty() => entry.date = value,
        "description" | "summary" | "subtitle" if entry.summary.is_empty() => entry.summary = value,
        "content" | "encoded" if entry.summary.len() < value.len() => entry.summary = value,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rss_and_atom_give_their_entries() {
        let rss =
            "<?xml version='1.0'?><rss><channel><title>News &amp; more</title><link>https://e.example/</link>
            <item><title>One</title><link>/1</link><pubDate>Mon, 06 Sep 2021 00:00:00 GMT</pubDate>
            <description><![CDATA[<p>Body <b>one</b></p>]]></description></item>
            <item><title>Two</title><guid>https://e.example/2</guid></item></channel></rss>";
        let url = Url::parse("https://e.example/feed").unwrap();
        let feed = read(rss, &url);
        assert_eq!(feed.about.title, "News & more");
        assert_eq!(feed.entries.len(), 2);
        assert_eq!(feed.entries[0].link.as_ref().unwrap().as_str(), "https://e.example/1");
        assert_eq!(feed.entries[0].summary, "<p>Body <b>one</b></p>");
        assert_eq!(feed.entries[1].link.as_ref().unwrap().as_str(), "https://e.example/2");

        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><entry><title>One</title>
            <link rel='edit' href='/e'/><link href='/1'/><updated>2024-01-01</updated><summary>S</summary></entry></feed>";
        let feed = read(atom, &url);
        let entry = &feed.entries[0];
        assert_eq!(
            (entry.title.as_str(), entry.date.as_str(), entry.summary.as_str()),
            ("One", "2024-01-01", "S")
        );
        assert_eq!(entry.link.as_ref().unwrap().as_str(), "https://e.example/1");
    }

    #[test]
    fn a_broken_feed_keeps_what_came_before() {
        let url = Url::parse("https://e.example/feed").unwrap();
        let feed = read("<rss><channel><item><title>One</title></item><item><title>Two", &url);
        assert_eq!(feed.entries.len(), 2);
        assert_eq!(feed.entries[0].title, "One");
    }
}
