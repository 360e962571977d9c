//! Reads RSS, RDF and Atom feeds.

use gleaner_types::Interrupt;
use quick_xml::Reader;
use quick_xml::events::Event;
use url::Url;

use crate::memory::page_memory;
use crate::resolver::Resolver;
use crate::tree::{NodeId, ParseOptions, decode_references, parse};

/// Upper bound on the entries of a feed.
const MAX_ENTRIES: usize = 5_000;

/// Upper bound on the source of a title, date or summary, in bytes.
const MAX_FIELD_BYTES: usize = 256 * 1_024;

/// The warning of a feed that exceeds a limit.
pub(crate) const CUT: &str =
    "The feed exceeds the limit on entries or on the length of an entry: the rest is left out.";

/// An entry of a feed, or the feed's description of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Plain text.
    pub(crate) title: String,
    pub(crate) link: Option<Url>,
    pub(crate) date: String,
    /// HTML.
    pub(crate) summary: String,
}

/// A parsed feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The feed's description of itself.
    pub(crate) channel: Entry,
    pub(crate) entries: Vec<Entry>,
    /// Something was left out.
    pub(crate) cut: bool,
}

/// A field that is being read.
#[derive(Debug)]
struct Field {
    name: String,
    /// Its value is HTML, not plain text.
    html: bool,
    /// It contains tags as XML elements (Atom's `xhtml`, and unescaped HTML), so that its text must be
    /// escaped.
    has_elements: bool,
    depth: usize,
    value: String,
    cut: bool,
}

impl Field {
    /// The field of an element. In Atom the attribute `type` gives the type of a text, by default plain text
    /// (RFC 4287, 3.1). The `description` of RSS is HTML.
    fn new(name: String, kind: Option<&str>) -> Self {
        let html = match kind {
            Some(kind) => kind.contains("html"),
            None => matches!(name.as_str(), "description" | "encoded"),
        };
        Self {
            name,
            html,
            has_elements: kind.is_some_and(|kind| kind.contains("xhtml")),
            depth: 0,
            value: String::new(),
            cut: false,
        }
    }

    fn add(&mut self, text: &str) {
        let left = MAX_FIELD_BYTES.saturating_sub(self.value.len());
        let text = match text.char_indices().find(|(at, c)| at + c.len_utf8() > left) {
            Some((at, _)) => {
                self.cut = true;
                text.get(..at).unwrap_or_default()
            }
            None => text,
        };
        self.value.push_str(text);
    }

    /// Adds text with decoded references.
    fn text(&mut self, text: &str) {
        if self.has_elements {
            let mut escaped = String::new();
            crate::html::escape(text, false, &mut escaped);
            self.add(&escaped);
        } else {
            self.add(text);
        }
    }

    fn tag(&mut self, start: &quick_xml::events::BytesStart<'_>) {
        if self.html {
            self.has_elements = true;
            let name = start.name();
            self.add(&format!("<{}{}>", local_name(name.as_ref()), start.attributes_raw()));
        }
    }

    /// The value as HTML.
    fn into_html(self) -> String {
        let mut value = self.value.trim().to_owned();
        if !self.html {
            let mut escaped = String::new();
            crate::html::escape(&value, false, &mut escaped);
            return escaped;
        }
        // Removes an incomplete tag at the end.
        if self.cut
            && let Some(open) = value.rfind('<')
            && value.rfind('>').is_none_or(|close| close < open)
        {
            value.truncate(open);
        }
        value
    }

    /// The value as plain text.
    fn into_text(self) -> String {
        let is_html = self.html;
        let value = self.into_html();
        if is_html {
            let tree = parse(&value, ParseOptions::default());
            return tree.folded_text(NodeId::DOCUMENT, MAX_FIELD_BYTES);
        }
        // Many programs escape a title twice, for HTML and for XML.
        decode_references(&decode_references(value.trim(), false), false).into_owned()
    }
}

/// Reads a feed. Malformed XML ends it; the entries before are kept.
pub(crate) fn read(text: &str, url: &Url, interrupt: &Interrupt) -> Feed {
    let resolver = Resolver::new(url, None).with_limits(page_memory(text.len()), interrupt);
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut feed = Feed::default();
    let mut field: Option<Field> = None;
    let mut in_entry = false;
    while let Ok(event) = reader.read_event() {
        if interrupt.spend(1) {
            break;
        }
        match event {
            Event::Start(start) => {
                let name = local_name(start.name().as_ref());
                if let Some(field) = &mut field
                    && !matches!(name.as_str(), "item" | "entry")
                {
                    field.depth += 1;
                    field.tag(&start);
                } else if matches!(name.as_str(), "item" | "entry") {
                    if feed.entries.len() >= MAX_ENTRIES {
                        feed.cut = true;
                        break;
                    }
                    feed.entries.push(Entry::default());
                    in_entry = true;
                    field = None;
                } else {
                    link_attribute(&start, &name, &resolver, &mut feed, in_entry);
                    // Containers such as the channel are not fields.
                    let is_container = matches!(
                        name.as_str(),
                        "rss" | "feed" | "RDF" | "channel" | "image" | "author" | "textInput"
                    );
                    field =
                        (!is_container).then(|| Field::new(name, attribute_value(&start, "type").as_deref()));
                }
            }
            Event::Empty(start) => {
                if let Some(field) = &mut field {
                    field.tag(&start);
                    continue;
                }
                let name = local_name(start.name().as_ref());
                link_attribute(&start, &name, &resolver, &mut feed, in_entry);
            }
            Event::Text(text) => {
                if let Some(field) = &mut field {
                    field.text(&text);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(field) = &mut field {
                    field.text(&decode_references(&format!("&{};", &*reference), false));
                }
            }
            Event::CData(text) => {
                if let Some(field) = &mut field {
                    field.text(&text);
                }
            }
            Event::End(end) => {
                let name = local_name(end.name().as_ref());
                if matches!(name.as_str(), "item" | "entry") {
                    in_entry = false;
                    field = None;
                } else if let Some(inner) = field.as_mut().filter(|field| field.depth > 0) {
                    inner.depth -= 1;
                    if inner.html {
                        inner.add(&format!("</{name}>"));
                    }
                } else if let Some(field) = field.take() {
                    feed.cut |= field.cut;
                    let entry = if in_entry { feed.entries.last_mut() } else { Some(&mut feed.channel) };
                    if let Some(entry) = entry {
                        set_field(entry, field, &resolver);
                    }
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    feed
}

fn attribute_value(start: &quick_xml::events::BytesStart<'_>, wanted: &str) -> Option<String> {
    // The reader's check for repeated names is quadratic in their number.
    start
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| local_name(attribute.key.as_ref()) == wanted)
        .map(|attribute| decode_references(&attribute.value, true).into_owned())
}

fn local_name(name: &str) -> String {
    name.rsplit(':').next().unwrap_or_default().to_owned()
}

/// Reads a link of Atom, which is in an attribute.
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
    let alternate = attribute_value(start, "rel").is_none_or(|rel| rel == "alternate");
    let entry = if in_entry { feed.entries.last_mut() } else { Some(&mut feed.channel) };
    if let (true, Some(entry), Some(href)) = (alternate, entry, attribute_value(start, "href"))
        && entry.link.is_none()
    {
        entry.link = resolver.web_url(&href);
    }
}

fn set_field(entry: &mut Entry, field: Field, resolver: &Resolver) {
    match field.name.as_str() {
        "title" if entry.title.is_empty() => entry.title = field.into_text(),
        "link" | "guid" if entry.link.is_none() => {
            let is_link = field.name == "link";
            let value = field.into_text();
            entry.link = Url::parse(&value)
                .ok()
                .and_then(|url| resolver.web_url(url.as_str()))
                .or_else(|| (is_link && !value.is_empty()).then(|| resolver.web_url(&value)).flatten());
        }
        "pubDate" | "published" | "date" | "updated" if entry.date.is_empty() => {
            entry.date = field.into_text();
        }
        "description" | "summary" | "subtitle" if entry.summary.is_empty() => {
            entry.summary = field.into_html();
        }
        "content" | "encoded" if entry.summary.len() < field.value.len() => entry.summary = field.into_html(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_rss_and_atom_are_read() {
        let rss =
            "<?xml version='1.0'?><rss><channel><title>News &amp; more</title><link>https://e.example/</link>
            <item><title>One</title><link>/1</link><pubDate>Mon, 06 Sep 2021 00:00:00 GMT</pubDate>
            <description><![CDATA[<p>Body <b>one</b></p>]]></description></item>
            <item><title>Two</title><guid>https://e.example/2</guid></item></channel></rss>";
        let url = Url::parse("https://e.example/feed").unwrap();
        let feed = read(rss, &url, &Interrupt::never());
        assert_eq!(feed.channel.title, "News & more");
        assert_eq!(feed.entries.len(), 2);
        assert_eq!(feed.entries[0].link.as_ref().unwrap().as_str(), "https://e.example/1");
        assert_eq!(feed.entries[0].summary, "<p>Body <b>one</b></p>");
        assert_eq!(feed.entries[1].link.as_ref().unwrap().as_str(), "https://e.example/2");

        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><entry><title>One</title>
            <link rel='edit' href='/e'/><link href='/1'/><updated>2024-01-01</updated><summary>S</summary></entry></feed>";
        let feed = read(atom, &url, &Interrupt::never());
        let entry = &feed.entries[0];
        assert_eq!(
            (entry.title.as_str(), entry.date.as_str(), entry.summary.as_str()),
            ("One", "2024-01-01", "S")
        );
        assert_eq!(entry.link.as_ref().unwrap().as_str(), "https://e.example/1");
    }

    #[test]
    fn texts_are_read_by_their_type() {
        let rows = [
            ("<summary>a &lt;b&gt;</summary>", "a &lt;b&gt;"),
            ("<summary type='text'>a &lt;b&gt;</summary>", "a &lt;b&gt;"),
            ("<summary type='html'>a &lt;b&gt;c&lt;/b&gt;</summary>", "a <b>c</b>"),
            (
                "<summary type='xhtml'><div>a <b class='x'>&lt;c</b><br/>d</div></summary>",
                "<div>a <b class='x'>&lt;c</b><br>d</div>",
            ),
            ("<description>a &lt;b&gt;c&lt;/b&gt; &amp;amp; d</description>", "a <b>c</b> &amp; d"),
            ("<description><![CDATA[a <b>c</b>]]></description>", "a <b>c</b>"),
        ];
        let url = Url::parse("https://e.example/feed").unwrap();
        for (field, expected) in rows {
            let feed = read(&format!("<feed><entry>{field}</entry></feed>"), &url, &Interrupt::never());
            assert_eq!(feed.entries[0].summary, expected, "{field}");
        }
        let rows = [
            ("<title type='html'>a &lt;b&gt;c&lt;/b&gt; &amp;amp; d</title>", "a c & d"),
            ("<title type='xhtml'><div>a <b>c</b></div></title>", "a c"),
            ("<title><![CDATA[a &amp; b]]></title>", "a & b"),
            ("<title>a &lt;b&gt;</title>", "a <b>"),
        ];
        for (field, expected) in rows {
            let feed = read(&format!("<feed><entry>{field}</entry></feed>"), &url, &Interrupt::never());
            assert_eq!(feed.entries[0].title, expected, "{field}");
        }
    }

    #[test]
    fn a_long_summary_is_cut_between_tags_and_reported() {
        let url = Url::parse("https://e.example/feed").unwrap();
        let long = "<p class='long'>word</p>".repeat(20_000);
        for field in [long.replace('<', "&lt;"), format!("<![CDATA[{long}]]>")] {
            let feed = read(
                &format!("<rss><item><description>{field}</description></item></rss>"),
                &url,
                &Interrupt::never(),
            );
            let summary = &feed.entries[0].summary;
            assert!(feed.cut && summary.len() <= MAX_FIELD_BYTES && summary.len() > MAX_FIELD_BYTES / 2);
            assert!(summary.ends_with('>') || summary.ends_with("word"), "{summary}");
        }
    }

    #[test]
    fn repeated_attributes_take_linear_time() {
        let names: String = (0..200_000).map(|n| format!(" a{n}=''")).collect();
        let repeated = " a199999=''".repeat(200_000);
        let url = Url::parse("https://e.example/feed").unwrap();
        let feed = format!("<feed><entry><title{names}{repeated}>One</title></entry></feed>");
        assert_eq!(read(&feed, &url, &Interrupt::never()).entries[0].title, "One");
    }

    #[test]
    fn a_malformed_feed_keeps_the_entries_before_the_error() {
        let url = Url::parse("https://e.example/feed").unwrap();
        let feed =
            read("<rss><channel><item><title>One</title></item><item><title>Two", &url, &Interrupt::never());
        assert_eq!(feed.entries.len(), 2);
        assert_eq!(feed.entries[0].title, "One");
    }
}
