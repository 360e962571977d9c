//! What the elements of feeds mean, by their vocabularies.

use quick_xml::events::BytesStart;

use crate::tree::decode_references;

/// A vocabulary of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// RSS, RDF, Atom, and sitemaps.
    Feed,
    /// Media RSS.
    Media,
    /// The vocabularies of directories of podcasts.
    Podcast,
    /// The module of RSS for whole texts.
    Content,
    DublinCore,
    /// The extension of sitemaps for news.
    News,
    Unknown,
}

/// Names of the vocabularies, in lower case and without a slash or hash at the end. The others are those of
/// feeds.
const SPACES: &[(&str, Space)] = &[
    ("http://backend.userland.com/rss2", Space::Feed),
    ("http://my.netscape.com/rdf/simple/0.9", Space::Feed),
    ("http://purl.org/atom/ns", Space::Feed),
    ("http://purl.org/rss/1.0", Space::Feed),
    ("http://www.sitemaps.org/schemas/sitemap/0.9", Space::Feed),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns", Space::Feed),
    ("http://www.w3.org/2005/atom", Space::Feed),
    ("http://search.yahoo.com/mrss", Space::Media),
    ("https://search.yahoo.com/mrss", Space::Media),
    ("http://www.google.com/schemas/play-podcasts/1.0", Space::Podcast),
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", Space::Podcast),
    ("http://purl.org/rss/1.0/modules/content", Space::Content),
    ("http://purl.org/dc/elements/1.1", Space::DublinCore),
    ("http://purl.org/dc/terms", Space::DublinCore),
    ("http://www.google.com/schemas/sitemap-news/0.9", Space::News),
];

/// Maximum number of prefixes that a feed declares for vocabularies.
const MAX_PREFIXES: usize = 16;

/// The vocabularies by the prefixes that the feed declares.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    declared: Vec<(String, Space)>,
}

impl Prefixes {
    fn declare(&mut self, prefix: &str, name: &str) {
        let name = name.trim().trim_end_matches(['/', '#']).to_ascii_lowercase();
        let space = SPACES.iter().find(|(known, _)| *known == name).map(|(_, space)| *space);
        if let Some(space) = space
            && self.declared.len() < MAX_PREFIXES
            && self.declared.iter().all(|(known, _)| known != prefix)
        {
            self.declared.push((prefix.to_owned(), space));
        }
    }

    /// The vocabulary of a prefix. Feeds use some without a declaration.
    pub(super) fn space(&self, prefix: &str) -> Space {
        if let Some((_, space)) = self.declared.iter().find(|(known, _)| known == prefix) {
            return *space;
        }
        match prefix {
            "" | "atom" | "a10" | "rss" | "rdf" => Space::Feed,
            "media" => Space::Media,
            "itunes" | "googleplay" => Space::Podcast,
            "content" => Space::Content,
            "dc" | "dcterms" => Space::DublinCore,
            "news" => Space::News,
            _ => Space::Unknown,
        }
    }
}

/// The attributes of an element that have a meaning here.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) base: Option<String>,
    pub(super) href: Option<String>,
    pub(super) is_permalink: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) medium: Option<String>,
    pub(super) rel: Option<String>,
    pub(super) src: Option<String>,
    pub(super) url: Option<String>,
}

impl Attributes {
    pub(super) fn of(start: &BytesStart<'_>, prefixes: &mut Prefixes) -> Self {
        let mut found = Self::default();
        // The reader's check for repeated names is quadratic in their number.
        for attribute in start.attributes().with_checks(false).flatten() {
            let key = attribute.key.into_inner();
            let slot = match key {
                "xml:base" => &mut found.base,
                "href" => &mut found.href,
                "isPermaLink" | "ispermalink" => &mut found.is_permalink,
                "type" => &mut found.kind,
                "medium" => &mut found.medium,
                "rel" => &mut found.rel,
                "src" => &mut found.src,
                "url" => &mut found.url,
                _ => {
                    if let Some(prefix) = key.strip_prefix("xmlns:") {
                        prefixes.declare(prefix, &attribute.value);
                    }
                    continue;
                }
            };
            if slot.is_none() {
                *slot = Some(decode_references(&attribute.value, true).into_owned());
            }
        }
        found
    }

    /// Whether a medium with these attributes is a picture.
    pub(super) fn is_image(&self) -> bool {
        self.medium.as_deref() == Some("image")
            || self.kind.as_deref().is_some_and(|kind| kind.trim_start().starts_with("image/"))
    }
}

/// What the text of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Title,
    OtherTitle,
    MediaTitle,
    Link,
    Guid,
    Date,
    DateOfChange,
    Summary,
    Content,
    OtherSummary,
    MediaText,
    Language,
}

/// What to do with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It contains entries or fields.
    Container,
    Entry,
    Field(Slot),
    Link,
    Enclosure,
    /// A container of fields about one medium.
    Medium,
    Thumbnail,
    /// It says nothing here, nor does what is in it.
    Other,
}

impl Role {
    pub(super) fn of(space: Space, name: &str, is_sitemap: bool) -> Self {
        match (space, name) {
            (Space::Feed, "item" | "entry") => Self::Entry,
            (Space::Feed, "url" | "sitemap") if is_sitemap => Self::Entry,
            (Space::Feed, "loc") if is_sitemap => Self::Field(Slot::Link),
            (Space::Feed, "rss" | "feed" | "RDF" | "channel" | "urlset" | "sitemapindex")
            | (Space::Media, "group")
            | (Space::News, "news") => Self::Container,
            (Space::Feed | Space::News, "title") => Self::Field(Slot::Title),
            (Space::Podcast | Space::DublinCore, "title") => Self::Field(Slot::OtherTitle),
            (Space::Media, "title") => Self::Field(Slot::MediaTitle),
            (Space::Feed, "link") => Self::Link,
            (Space::Feed, "guid") => Self::Field(Slot::Guid),
            (Space::Feed, "pubDate" | "published" | "issued" | "date" | "lastmod")
            | (Space::DublinCore, "date" | "issued" | "created")
            | (Space::News, "publication_date") => Self::Field(Slot::Date),
            (Space::Feed, "updated" | "modified") | (Space::DublinCore, "modified") => {
                Self::Field(Slot::DateOfChange)
            }
            (Space::Feed, "description" | "summary" | "subtitle" | "tagline") => Self::Field(Slot::Summary),
            (Space::Feed, "content") | (_, "encoded") => Self::Field(Slot::Content),
            (Space::Podcast, "summary" | "subtitle" | "description")
            | (Space::DublinCore, "description" | "abstract") => Self::Field(Slot::OtherSummary),
            (Space::Media, "description" | "text") => Self::Field(Slot::MediaText),
            (Space::Feed | Space::DublinCore, "language") => Self::Field(Slot::Language),
            (Space::Feed, "enclosure") => Self::Enclosure,
            (Space::Media, "content") => Self::Medium,
            (Space::Media, "thumbnail") => Self::Thumbnail,
            _ => Self::Other,
        }
    }
}
