//! The metadata of a page: its `<meta>` elements under the names of the contract, title, language, icon.

use std::collections::btree_map::Entry;

use gleaner_types::{MetaValue, Metadata};
use url::Url;

use super::date::{self, DateOrder};
use super::json_ld::{self, JsonLd};
use super::title::{self, Sources};
use super::{byline, inferred};

use crate::resolver::Resolver;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// Upper bound on the `<meta>` elements that are read.
pub(super) const MAX_ENTRIES: usize = 500;

/// Upper bound on the length of a value, in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 10_000;

/// The field for a lower-case name; `None` if it has no field of its own.
fn field<'m>(metadata: &'m mut Metadata, name: &str) -> Option<&'m mut Option<String>> {
    Some(match name {
        "description" => &mut metadata.description,
        "keywords" => &mut metadata.keywords,
        "robots" => &mut metadata.robots,
        "content-language" => &mut metadata.language,
        "article:published_time" => &mut metadata.published_time,
        "article:modified_time" => &mut metadata.modified_time,
        "article:section" => &mut metadata.article_section,
        "article:tag" => &mut metadata.article_tag,
        "og:title" => &mut metadata.og_title,
        "og:description" => &mut metadata.og_description,
        "og:url" => &mut metadata.og_url,
        "og:image" => &mut metadata.og_image,
        "og:audio" => &mut metadata.og_audio,
        "og:determiner" => &mut metadata.og_determiner,
        "og:locale" => &mut metadata.og_locale,
        "og:site_name" => &mut metadata.og_site_name,
        "og:video" => &mut metadata.og_video,
        "dc.date" => &mut metadata.dc_date,
        "dc.date.created" => &mut metadata.dc_date_created,
        "dc.description" => &mut metadata.dc_description,
        "dc.subject" => &mut metadata.dc_subject,
        "dc.type" => &mut metadata.dc_type,
        "dcterms.audience" => &mut metadata.dc_terms_audience,
        "dcterms.created" => &mut metadata.dc_terms_created,
        "dcterms.keywords" => &mut metadata.dc_terms_keywords,
        "dcterms.subject" => &mut metadata.dc_terms_subject,
        "dcterms.type" => &mut metadata.dc_terms_type,
        _ => return None,
    })
}

/// The first value under a name that has no field of its own.
pub(super) fn other_value<'m>(metadata: &'m Metadata, name: &str) -> Option<&'m str> {
    match metadata.other.get(name)? {
        MetaValue::One(value) => Some(value),
        MetaValue::Many(values) => values.first().map(String::as_str),
    }
}

/// Reads the metadata of a page. The caller adds URLs, status and times.
pub(crate) fn read(tree: &Tree, url: &Url, resolver: &Resolver) -> Metadata {
    let mut metadata = Metadata::default();
    let mut icon = None::<(u8, &str)>;
    let mut entries = 0;
    let mut title = None;
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        let Edge::Enter(node) = edge else { continue };
        match tree.tag(node) {
            Tag::Html if metadata.language.is_none() => {
                metadata.language = [Attr::Lang, Attr::XmlLang]
                    .into_iter()
                    .find_map(|name| tree.attribute(node, name))
                    .map(str::trim)
                    .filter(|language| !language.is_empty())
                    .map(str::to_owned);
            }
            Tag::Title if title.is_none() => title = Some(clean(&tree.folded_text(node, MAX_VALUE_BYTES))),
            Tag::Meta if entries < MAX_ENTRIES => {
                entries += 1;
                read_meta(tree, node, &mut metadata);
            }
            Tag::Link => {
                let Some(rank) = icon_rank(tree.attribute(node, Attr::Rel).unwrap_or_default()) else {
                    continue;
                };
                if let Some(href) = tree.attribute(node, Attr::Href)
                    && icon.is_none_or(|(best, _)| best < rank)
                {
                    icon = Some((rank, href));
                }
            }
            _ => {}
        }
    }
    metadata.favicon = icon.and_then(|(_, href)| resolver.web_url(href)).map(String::from);
    let json_ld = json_ld::read(tree);
    let headings = title::headings(tree);
    metadata.title = title::choose(&Sources {
        headings: &headings,
        title: title.as_deref().unwrap_or_default(),
        og_title: metadata.og_title.as_deref().unwrap_or_default(),
        headline: json_ld.headline.as_deref().unwrap_or_default(),
        site_name: metadata.og_site_name.as_deref().unwrap_or_default(),
        url,
    })
    .map(|title| clean(&title));
    let declared = apply_declared(url, &mut metadata, json_ld);
    // The text is read only if the page does not declare both.
    if !declared.date || !declared.author {
        inferred::read(tree, &mut metadata, declared);
    }
    metadata
}

/// The preference for an icon with this `rel`; `None` if it is not an icon.
pub(super) fn icon_rank(rel: &str) -> Option<u8> {
    let has = |wanted: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted));
    if has("icon") {
        // `shortcut` has no meaning; older markup uses it for older images.
        Some(if has("shortcut") { 2 } else { 3 })
    } else {
        (has("apple-touch-icon") || has("apple-touch-icon-precomposed")).then_some(1)
    }
}

/// The publication date in the `<meta>` elements or the URL of a page.
fn published(metadata: &Metadata, url: &Url, order: DateOrder) -> Option<String> {
    let fields = [&metadata.dc_date, &metadata.dc_terms_created, &metadata.dc_date_created];
    let named = PUBLISHED_KEYS.iter().filter_map(|name| other_value(metadata, name));
    fields
        .into_iter()
        .filter_map(Option::as_deref)
        .chain(named)
        .find_map(|written| date::normalize(written, order))
        .or_else(|| date::of_path(url.path()))
}

/// Names of `<meta>` elements for the publication date, besides `article:published_time`.
const PUBLISHED_KEYS: &[&str] = &[
    "datePublished",
    "date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "dcterms.date",
    "citation_publication_date",
    "citation_online_date",
    "og:published_time",
    "article.published",
    "parsely-pub-date",
    "sailthru.date",
    "published",
    "published-date",
    "date-pub",
    "ms.date",
    "article:published",
    "DC.date.issued",
    "dcterms.issued",
    "last-modified",
];

/// Which metadata a page declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    /// The page declares a reliable publication date.
    pub(super) date: bool,
    /// The page declares an author.
    pub(super) author: bool,
}

/// Sets dates, authors and the language from JSON-LD and `<meta>` elements. Needs no tree.
pub(super) fn apply_declared(url: &Url, metadata: &mut Metadata, json_ld: JsonLd) -> Declared {
    if metadata.language.is_none() {
        // Open Graph uses an underscore, BCP 47 a hyphen.
        metadata.language = metadata.og_locale.as_deref().map(|locale| locale.replace('_', "-"));
    }
    let order = DateOrder::of_language(metadata.language.as_deref());
    let read = |text: &str| date::normalize(text, order);
    // A JSON-LD date in another format than that of schema.org comes from a template and is often that of the
    // last change.
    let trusted = json_ld.published.as_deref().filter(|written| date::is_iso(written.trim()));
    let mut has_date = true;
    metadata.published_time = match metadata.published_time.take() {
        // An unreadable date stays as written, unless it is a placeholder.
        Some(written) => read(&written).or_else(|| (!date::is_placeholder(&written)).then_some(written)),
        None => trusted.and_then(read).or_else(|| published(metadata, url, order)).or_else(|| {
            has_date = false;
            json_ld.published.as_deref().and_then(read)
        }),
    };
    has_date &= metadata.published_time.is_some();
    if metadata.modified_time.is_none() {
        metadata.modified_time = json_ld.modified.as_deref().and_then(read);
    }
    if byline::declared(metadata).is_some() {
        return Declared { date: has_date, author: true };
    }
    let mut names = json_ld.authors;
    if names.is_empty() {
        names = byline::under_other_keys(metadata);
    }
    byline::set(metadata, &names);
    Declared { date: has_date, author: !names.is_empty() }
}

fn read_meta(tree: &Tree, node: NodeId, metadata: &mut Metadata) {
    let name = [Attr::Property, Attr::Name, Attr::Itemprop, Attr::HttpEquiv]
        .into_iter()
        .find_map(|name| tree.attribute(node, name));
    if let (Some(name), Some(content)) = (name, tree.attribute(node, Attr::Content)) {
        add_meta(metadata, name, content);
    }
}

/// Stores the content of a `<meta>` under the contract's name, and under the page's own name if that differs.
pub(super) fn add_meta(metadata: &mut Metadata, name: &str, content: &str) {
    let name = name.trim();
    if name.is_empty() || name.len() > 200 {
        return;
    }
    let content = clean(content);
    let lower = name.to_ascii_lowercase();
    if lower == "og:locale:alternate" {
        metadata.og_locale_alternate.push(content.clone());
    } else if let Some(slot) = field(metadata, &lower) {
        match slot {
            _ if content.is_empty() => return,
            None => *slot = Some(content.clone()),
            // Several tags are joined; of other fields the first value counts.
            Some(tags) if lower == "article:tag" && tags.len() < MAX_VALUE_BYTES => {
                tags.push_str(", ");
                tags.push_str(&content);
            }
            Some(_) => {}
        }
        // A name that differs from a document field only in case is not stored twice.
        if Metadata::is_field(&lower) {
            return;
        }
    }
    add_other(metadata, clean(name), content);
}

/// Adds a value to those with the same name. Names of document fields are reserved.
fn add_other(metadata: &mut Metadata, name: String, content: String) {
    if name.is_empty() || Metadata::is_field(&name) {
        return;
    }
    match metadata.other.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(MetaValue::One(content));
        }
        Entry::Occupied(mut entry) => match entry.get_mut() {
            MetaValue::Many(values) => values.push(content),
            MetaValue::One(first) => {
                let first = std::mem::take(first);
                entry.insert(MetaValue::Many(vec![first, content]));
            }
        },
    }
}

/// Trims a value, removes control characters, and cuts it to [`MAX_VALUE_BYTES`].
pub(super) fn clean(value: &str) -> String {
    let value = value.trim();
    // 0xC2 is the first byte of the control characters outside ASCII, among others.
    if value.len() <= MAX_VALUE_BYTES
        && !value.bytes().any(|byte| byte < b' ' || byte == 0x7F || byte == 0xC2)
    {
        return value.to_owned();
    }
    let mut out: String =
        value.chars().filter(|c| !c.is_control() || c.is_whitespace()).take(MAX_VALUE_BYTES).collect();
    if out.contains(['\n', '\t', '\r']) {
        out = out.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    fn metadata(html: &str) -> Metadata {
        let tree = parse(html, ParseOptions::default());
        let resolver = Resolver::of_tree(&Url::parse("https://example.org/a/b").unwrap(), &tree);
        read(&tree, &Url::parse("https://example.org/a/b").unwrap(), &resolver)
    }

    #[test]
    fn every_meta_is_stored_under_its_name() {
        let metadata = metadata(
            "<html lang=en-GB><head><title> A\n title </title><meta name=Description content='What it is'>
             <meta property='og:title' content='OG'><meta property=og:locale:alternate content=de_DE>
             <meta property=og:locale:alternate content=fr_FR><meta name=author content=Ann><meta name=author content=Bob>
             <meta property=article:published_time content=2024-05-01><meta name=dc.subject content=Bees>
             <meta name=viewport content='width=device-width'><meta name=statusCode content=1>
             <link rel='shortcut icon' href=/old.ico><link rel=icon href=new.svg>",
        );
        assert_eq!(metadata.title.as_deref(), Some("A title"));
        assert_eq!(metadata.description.as_deref(), Some("What it is"));
        assert_eq!(metadata.language.as_deref(), Some("en-GB"));
        assert_eq!(metadata.og_locale_alternate, ["de_DE", "fr_FR"]);
        assert_eq!(metadata.published_time.as_deref(), Some("2024-05-01"));
        assert_eq!(metadata.favicon.as_deref(), Some("https://example.org/a/new.svg"));
        assert_eq!(metadata.og_title.as_deref(), Some("OG"));
        assert_eq!(metadata.other["author"], MetaValue::Many(vec!["Ann".into(), "Bob".into()]));
        assert_eq!(metadata.dc_subject.as_deref(), Some("Bees"));
        assert_eq!(metadata.other["viewport"], MetaValue::One("width=device-width".into()));
        assert!(!metadata.other.contains_key("statusCode"));
    }

    #[test]
    fn the_first_value_counts_and_tags_are_joined() {
        let metadata = metadata(
            "<meta property=og:image content=''><meta property=og:image content=a.png><meta property=og:image content=b.png>
             <meta property=article:tag content=x><meta property=article:tag content=y><meta name=ogTitle content=no>
             <meta name='stat\u{1}usCode' content=9><meta name='a\u{1}b' content=1><meta name=ab content=2>",
        );
        assert_eq!(metadata.og_image.as_deref(), Some("a.png"));
        assert_eq!(metadata.article_tag.as_deref(), Some("x, y"));
        let names: Vec<&str> = metadata.other.keys().map(String::as_str).collect();
        assert_eq!(names, ["ab", "article:tag", "og:image"]);
        assert_eq!(metadata.other["ab"], MetaValue::Many(vec!["1".into(), "2".into()]));
    }

    #[test]
    fn values_with_a_field_are_also_stored_under_their_own_name() {
        let metadata = metadata(
            "<meta property='og:title' content=T><meta property='og:description' content=D><meta name=Description content=X>
             <meta property='og:image' content=a.png><meta property='og:image' content=b.png><meta name=DC.Type content=y>",
        );
        let raw = |name: &str| metadata.other.get(name).cloned();
        let one = |text: &str| Some(MetaValue::One(text.into()));
        assert_eq!((raw("og:title"), metadata.og_title.as_deref()), (one("T"), Some("T")));
        assert_eq!((raw("og:description"), metadata.og_description.as_deref()), (one("D"), Some("D")));
        assert_eq!(raw("og:image"), Some(MetaValue::Many(vec!["a.png".into(), "b.png".into()])));
        assert_eq!(metadata.og_image.as_deref(), Some("a.png"));
        assert_eq!(raw("DC.Type"), one("y"));
        assert_eq!((raw("Description"), metadata.description.as_deref()), (None, Some("X")));
    }

    #[test]
    fn dates_and_authors_are_not_invented() {
        let rows = [
            ("<h1>T</h1><p>Our first office opened on May 5, 1998</p>", None, None),
            ("<h1>T</h1><p>Published on May 5, 1998</p>", Some("1998-05-05"), None),
            ("<h1>T</h1><span>By Ann Example</span><p>May 5, 1998", Some("1998-05-05"), Some("Ann Example")),
            ("<meta property=article:published_time content=0001-01-01T00:00:00>", None, None),
            ("<meta property=og:locale content=de_DE><h1>T</h1><p>3/5/2024", Some("2024-05-03"), None),
            ("<h1>T</h1><p>By Submitting this form you agree", None, None),
            ("<h1>T</h1><p class=comment-author>Troll", None, None),
            ("<h1>T</h1><p class=authority>The Port", None, None),
            ("<h1>T</h1><p class=post-author>Ludwig van Example", None, Some("Ludwig van Example")),
        ];
        for (html, published, author) in rows {
            let metadata = metadata(html);
            assert_eq!(metadata.published_time.as_deref(), published, "{html}");
            assert_eq!(other_value(&metadata, "author"), author, "{html}");
        }
    }

    #[test]
    fn icons_are_ranked_by_the_words_of_their_rel() {
        let rows = [
            ("icon", Some(3)),
            ("Shortcut Icon", Some(2)),
            ("icon shortcut", Some(2)),
            ("icon apple-touch-icon", Some(3)),
            ("apple-touch-icon-precomposed", Some(1)),
            ("stylesheet", None),
            ("mask-icon", None),
        ];
        for (rel, rank) in rows {
            assert_eq!(icon_rank(rel), rank, "{rel}");
        }
    }

    #[test]
    fn a_title_has_no_control_characters() {
        assert_eq!(metadata("<title>a\u{1b}[31mb</title>").title.as_deref(), Some("a[31mb"));
        assert_eq!(metadata("<meta property=og:title content=T>").title.as_deref(), Some("T"));
    }
}
