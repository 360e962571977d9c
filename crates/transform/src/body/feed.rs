//! Reads RSS, RDF and Atom feeds, and the addresses of sitemaps.
//!
//! The elements of a feed are in any order, mixed with those of other vocabularies: of podcasts, of Media RSS,
//! of Dublin Core. Each has its own titles and texts, so the namespace of an element decides with
//! its name what it is. Elements that say nothing about the feed or an entry (the picture of a channel, the
//! source of an entry, its author) are skipped with all that is in them.

mod field;
mod vocabulary;

use std::sync::Arc;

use gleaner_types::Interrupt;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use self::field::{Field, local_name};
use self::vocabulary::{Attributes, Prefixes, Role, Slot, Space};
use crate::memory::page_memory;
use crate::resolver::Resolver;
use crate::tree::{NodeId, ParseOptions, Tag, decode_references, parse};

/// Maximum number of entries of a feed.
pub(super) const MAX_ENTRIES: usize = 5_000;

/// Maximum length of the source of a title, date or summary, in bytes.
pub(super) const MAX_FIELD_BYTES: usize = 256 * 1_024;

/// Maximum number of media of an entry.
const MAX_MEDIA: usize = 32;

/// Maximum number of bases inside of each other (`xml:base`).
const MAX_BASES: usize = 16;

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
    /// Relative addresses in the summary are resolved from here, if not from the address of the feed.
    pub(crate) base: Option<Arc<Url>>,
    /// HTML: what the entry says about its media, besides the summary.
    pub(crate) caption: String,
    pub(crate) media: Vec<Medium>,
}

/// A file that belongs to an entry: a recording, a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Medium {
    pub(crate) url: Url,
    pub(crate) is_image: bool,
    /// Plain text; it may be empty.
    pub(crate) title: String,
    /// HTML; it may be empty.
    pub(crate) text: String,
}

/// A parsed feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The feed's description of itself.
    pub(crate) channel: Entry,
    /// The language of the feed.
    pub(crate) language: String,
    pub(crate) entries: Vec<Entry>,
    /// It is a list of addresses, not of texts.
    pub(crate) is_sitemap: bool,
    /// Something was left out.
    pub(crate) cut: bool,
}

/// An entry that is being read, with substitutes for parts that it may lack.
#[derive(Debug, Default)]
struct Draft {
    entry: Entry,
    /// The identifier, if it is an address.
    guid: Option<Url>,
    /// The date is that of the last change.
    is_change: bool,
    /// The title in another vocabulary.
    other_title: String,
    media_title: String,
    /// The summary in another vocabulary, as HTML.
    other_summary: String,
    /// HTML.
    media_text: String,
    thumbnail: Option<Url>,
}

impl Draft {
    fn finish(self) -> Entry {
        let mut entry = self.entry;
        entry.link = entry.link.or(self.guid);
        for title in [self.other_title, self.media_title] {
            if entry.title.is_empty() {
                entry.title = title;
            }
        }
        if entry.summary.is_empty() {
            entry.summary = self.other_summary;
        }
        if entry.summary.is_empty() {
            entry.summary = self.media_text;
        } else if !self.media_text.is_empty() && !says(&entry.summary, &self.media_text) {
            entry.caption = self.media_text;
        }
        let has_picture = entry.media.iter().any(|medium| medium.is_image) || entry.summary.contains("<img");
        if let Some(url) = self.thumbnail.filter(|_| !has_picture) {
            entry.media.push(Medium::new(url, true));
        }
        entry
    }

    /// Adds a medium. False if there are too many.
    fn add(&mut self, medium: Medium) -> bool {
        let media = &mut self.entry.media;
        // An enclosure is often described a second time.
        if media.iter().all(|known| known.url != medium.url) {
            if media.len() >= MAX_MEDIA {
                return false;
            }
            media.push(medium);
        }
        true
    }
}

impl Medium {
    pub(super) const fn new(url: Url, is_image: bool) -> Self {
        Self { url, is_image, title: String::new(), text: String::new() }
    }
}

/// Whether the text of `html` contains that of `part`.
fn says(html: &str, part: &str) -> bool {
    let text =
        |html: &str| parse(html, ParseOptions::default()).folded_text(NodeId::DOCUMENT, MAX_FIELD_BYTES);
    text(html).contains(&text(part))
}

/// Reads a feed. Malformed XML ends it; the entries before are kept.
pub(crate) fn read(text: &str, url: &Url, interrupt: &Interrupt) -> Feed {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    // Addresses and titles often contain an ampersand that is not escaped.
    config.allow_dangling_amp = true;
    let mut reading = Reading {
        url,
        resolver: Resolver::new(url, None).with_limits(page_memory(text.len()), interrupt),
        prefixes: Prefixes::default(),
        bases: Vec::new(),
        depth: 0,
        entry_depth: None,
        medium: None,
        skipped: None,
        field: None,
        channel: Draft::default(),
        drafts: Vec::new(),
        language: String::new(),
        is_sitemap: false,
        cut: false,
    };
    while let Ok(event) = reader.read_event() {
        if interrupt.spend(1) {
            break;
        }
        match event {
            Event::Start(start) if !reading.start(&start) => break,
            Event::Start(_) => {}
            Event::Empty(start) => {
                if !reading.start(&start) {
                    break;
                }
                reading.end(start.name().into_inner(), true);
            }
            Event::End(end) => reading.end(end.name().into_inner(), false),
            Event::Text(text) => reading.text(&text),
            Event::GeneralRef(reference) => {
                reading.text(&decode_references(&format!("&{};", &*reference), false));
            }
            Event::CData(text) => reading.text(&text),
            Event::Eof => break,
            _ => {}
        }
    }
    reading.finish()
}

/// The state of [`read`].
struct Reading<'u> {
    url: &'u Url,
    resolver: Resolver,
    prefixes: Prefixes,
    /// The bases that elements around set, each with the depth of its element.
    bases: Vec<(usize, Arc<Url>)>,
    /// Open elements.
    depth: usize,
    /// The depth of the open entry.
    entry_depth: Option<usize>,
    /// The depth of the open element about a medium, and whether the last medium of the entry is its own.
    medium: Option<(usize, bool)>,
    /// The depth of an element that is left out with all that is in it.
    skipped: Option<usize>,
    field: Option<Field>,
    channel: Draft,
    drafts: Vec<Draft>,
    language: String,
    is_sitemap: bool,
    cut: bool,
}

impl Reading<'_> {
    /// Reads a start tag. False at the limit on entries.
    fn start(&mut self, start: &BytesStart<'_>) -> bool {
        self.depth += 1;
        let name = start.name().into_inner();
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if self.depth == 1 {
            self.is_sitemap = matches!(local, "urlset" | "sitemapindex");
        }
        let is_inside = self.field.is_some() || self.skipped.is_some();
        if is_inside && !matches!(local, "item" | "entry") {
            self.tag_of_field(start);
            return true;
        }
        let attributes = Attributes::of(start, &mut self.prefixes);
        let role = Role::of(self.prefixes.space(prefix), local, self.is_sitemap);
        if is_inside && role != Role::Entry {
            self.tag_of_field(start);
            return true;
        }
        self.set_base(attributes.base.as_deref());
        match role {
            Role::Container => {}
            Role::Entry => return self.start_entry(),
            Role::Field(Slot::Guid)
                if attributes
                    .is_permalink
                    .as_deref()
                    .is_some_and(|value| value.trim().eq_ignore_ascii_case("false")) =>
            {
                self.skipped = Some(self.depth);
            }
            Role::Field(slot) => self.start_field(slot, local, &attributes),
            Role::Link => self.link(&attributes),
            Role::Enclosure => {
                self.add_medium(attributes.url.as_deref(), attributes.is_image());
                self.skipped = Some(self.depth);
            }
            Role::Medium => {
                let is_added = self.add_medium(attributes.url.as_deref(), attributes.is_image());
                self.medium = Some((self.depth, is_added));
            }
            Role::Thumbnail => {
                let url = attributes.url.and_then(|url| self.resolver.web_url(&url));
                let draft = self.draft();
                draft.thumbnail = draft.thumbnail.take().or(url);
                self.skipped = Some(self.depth);
            }
            Role::Other => self.skipped = Some(self.depth),
        }
        true
    }

    fn start_entry(&mut self) -> bool {
        (self.field, self.skipped, self.medium) = (None, None, None);
        if self.drafts.len() >= MAX_ENTRIES {
            self.cut = true;
            return false;
        }
        self.drafts.push(Draft::default());
        self.entry_depth = Some(self.depth);
        true
    }

    fn start_field(&mut self, slot: Slot, name: &str, attributes: &Attributes) {
        if slot == Slot::Content
            && let Some(src) = &attributes.src
        {
            // The content of an Atom entry may be elsewhere.
            self.add_medium(Some(src.as_str()), attributes.is_image());
        }
        if matches!(slot, Slot::Summary | Slot::Content)
            && let Some((_, base)) = self.bases.last()
        {
            let base = Arc::clone(base);
            self.draft().entry.base = Some(base);
        }
        self.field = Some(Field::new(slot, name, attributes.kind.as_deref(), self.depth));
    }

    /// A tag inside of a field.
    fn tag_of_field(&mut self, start: &BytesStart<'_>) {
        let Some(field) = self.field.as_ref() else { return };
        let depth = field.depth;
        if field.html && start.attributes_raw().contains("xml:base") {
            let base = Attributes::of(start, &mut self.prefixes).base;
            self.set_base(base.as_deref());
        }
        let has_own_base = self.bases.last().is_some_and(|(at, _)| *at > depth);
        if let Some(field) = &mut self.field {
            field.tag(start, has_own_base.then_some(&self.resolver));
        }
    }

    /// Sets the base of an element, which is relative to that around it.
    fn set_base(&mut self, base: Option<&str>) {
        if let Some(base) = base.filter(|_| self.bases.len() < MAX_BASES)
            && let Some(url) = self.resolver.web_url(base)
        {
            self.resolver.set_base(&url);
            self.bases.push((self.depth, Arc::new(url)));
        }
    }

    /// Atom has the address of a link in an attribute, RSS as text.
    fn link(&mut self, attributes: &Attributes) {
        let Some(href) = &attributes.href else {
            self.field = Some(Field::new(Slot::Link, "link", None, self.depth));
            return;
        };
        self.skipped = Some(self.depth);
        let rel = attributes.rel.as_deref().unwrap_or("alternate").trim();
        match rel.rsplit('/').next() {
            Some("alternate" | "") => {
                let url = self.resolver.web_url(href);
                let entry = &mut self.draft().entry;
                entry.link = entry.link.take().or(url);
            }
            Some("enclosure") => {
                self.add_medium(Some(href.as_str()), attributes.is_image());
            }
            _ => {}
        }
    }

    /// Adds a medium to the open entry. Returns whether it has a new one.
    fn add_medium(&mut self, reference: Option<&str>, is_image: bool) -> bool {
        if self.entry_depth.is_none() {
            return false;
        }
        let Some(url) = reference.and_then(|reference| self.resolver.web_url(reference)) else {
            return false;
        };
        let before = self.draft().entry.media.len();
        let has_room = self.draft().add(Medium::new(url, is_image));
        self.cut |= !has_room;
        self.draft().entry.media.len() > before
    }

    fn text(&mut self, text: &str) {
        if let Some(field) = &mut self.field {
            field.text(text);
        }
    }

    /// Reads an end tag, or the end of an element that is only one tag.
    fn end(&mut self, name: &str, is_empty: bool) {
        let local = local_name(name);
        if self.ends_entry(name, local) {
            (self.field, self.skipped, self.medium) = (None, None, None);
            self.depth = self.entry_depth.take().unwrap_or(self.depth);
        } else if self.skipped.is_some_and(|depth| depth >= self.depth) {
            self.skipped = None;
        } else if self.field.as_ref().is_some_and(|field| field.depth >= self.depth) {
            if let Some(field) = self.field.take() {
                self.cut |= field.cut;
                self.set(field);
            }
        } else if let Some(field) = &mut self.field {
            if !is_empty || !Tag::lookup(local).0.is_void() {
                field.end_tag(local);
            }
        } else if self.medium.is_some_and(|(depth, _)| depth >= self.depth) {
            self.medium = None;
        }
        self.depth = self.depth.saturating_sub(1);
        if self.bases.last().is_some_and(|(depth, _)| *depth > self.depth) {
            self.bases.retain(|(depth, _)| *depth <= self.depth);
            let base = self.bases.last().map_or(self.url, |(_, base)| &**base);
            self.resolver.set_base(base);
        }
    }

    fn ends_entry(&self, name: &str, local: &str) -> bool {
        let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
        let is_entry = matches!(local, "item" | "entry")
            || (self.is_sitemap && self.entry_depth.is_some_and(|depth| depth >= self.depth));
        is_entry && self.prefixes.space(prefix) == Space::Feed
    }

    /// The open entry, or the feed.
    fn draft(&mut self) -> &mut Draft {
        match self.drafts.last_mut() {
            Some(draft) if self.entry_depth.is_some() => draft,
            _ => &mut self.channel,
        }
    }

    /// The medium that the open element is about.
    fn own_medium(&mut self) -> Option<&mut Medium> {
        let (_, is_added) = self.medium?;
        self.draft().entry.media.last_mut().filter(|_| is_added)
    }

    fn set(&mut self, field: Field) {
        let slot = field.slot;
        match slot {
            Slot::Link | Slot::Guid => return self.set_address(field),
            Slot::Language => {
                if self.entry_depth.is_none() && self.language.is_empty() {
                    self.language = field.into_text();
                }
                return;
            }
            Slot::MediaTitle | Slot::MediaText => {
                if let Some(medium) = self.own_medium() {
                    let value = if slot == Slot::MediaTitle { &mut medium.title } else { &mut medium.text };
                    put(value, field);
                    return;
                }
            }
            _ => {}
        }
        let draft = self.draft();
        let entry = &mut draft.entry;
        match slot {
            Slot::Title => put(&mut entry.title, field),
            Slot::OtherTitle => put(&mut draft.other_title, field),
            Slot::MediaTitle => put(&mut draft.media_title, field),
            Slot::Date if draft.is_change || entry.date.is_empty() => {
                (entry.date, draft.is_change) = (field.into_text(), false);
            }
            Slot::DateOfChange if entry.date.is_empty() => {
                (entry.date, draft.is_change) = (field.into_text(), true);
            }
            Slot::Summary => put(&mut entry.summary, field),
            Slot::Content if entry.summary.len() < field.value.trim().len() => {
                entry.summary = field.into_html();
            }
            // A summary is longer than a subtitle.
            Slot::OtherSummary => {
                let html = field.into_html();
                if draft.other_summary.len() < html.len() {
                    draft.other_summary = html;
                }
            }
            Slot::MediaText => put(&mut draft.media_text, field),
            _ => {}
        }
    }

    /// The text of an identifier is an address only if it is absolute.
    fn set_address(&mut self, field: Field) {
        let is_link = field.slot == Slot::Link;
        let value = field.into_text();
        let is_address = !value.is_empty() && (is_link || Url::parse(&value).is_ok());
        let url = is_address.then(|| self.resolver.web_url(&value)).flatten();
        let draft = self.draft();
        let slot = if is_link { &mut draft.entry.link } else { &mut draft.guid };
        *slot = slot.take().or(url);
    }

    fn finish(mut self) -> Feed {
        // The text may end before the element.
        if let Some(field) = self.field.take() {
            self.cut |= field.cut;
            self.set(field);
        }
        Feed {
            channel: self.channel.finish(),
            language: self.language,
            entries: self.drafts.into_iter().map(Draft::finish).collect(),
            is_sitemap: self.is_sitemap,
            cut: self.cut,
        }
    }
}

/// Sets a value that has none yet.
fn put(value: &mut String, field: Field) {
    if !value.is_empty() {
        return;
    }
    *value = match field.slot {
        Slot::Title | Slot::OtherTitle | Slot::MediaTitle => field.into_text(),
        _ => field.into_html(),
    };
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
