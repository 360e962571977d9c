//! Facts about a page: its `<meta>` elements under the names of the contract, title, language, icon.

use std::collections::btree_map::Entry;

use gleaner_types::{MetaValue, Metadata};
use url::Url;

use super::structured::{self, Structured};
use super::{date, title};

use crate::address::Resolver;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// At most so many `<meta>` elements are read.
pub(super) const MAX_ENTRIES: usize = 500;

/// A value is cut here, in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 10_000;

/// The field for a name of pages, which is in lower case; `None` where it has no field of its own.
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
fn other<'m>(metadata: &'m Metadata, name: &str) -> Option<&'m str> {
    match metadata.other.get(name)? {
        MetaValue::One(value) => Some(value),
        MetaValue::Many(values) => values.first().map(String::as_str),
    }
}

/// Reads the metadata of a page. What only the worker knows (addresses, status, times) is left open.
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
                meta(tree, node, &mut metadata);
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
    metadata.favicon = icon.and_then(|(_, href)| resolver.web(href)).map(String::from);
    let linked = structured::read(tree);
    metadata.title = title::choose(
        tree,
        &title.unwrap_or_default(),
        metadata.og_title.as_deref().unwrap_or_default(),
        &[url.host_str().unwrap_or_default(), metadata.og_site_name.as_deref().unwrap_or_default()],
    )
    .or_else(|| linked.headline.clone())
    .map(|title| clean(&title));
    dates_and_authors(tree, url, &mut metadata, linked);
    metadata
}

/// How well an icon of this `rel` stands for the page; `None` where it is none.
pub(super) fn icon_rank(rel: &str) -> Option<u8> {
    let has = |wanted: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted));
    if has("icon") {
        // `shortcut` is a word without meaning that older pages write, beside older pictures.
        Some(if has("shortcut") { 2 } else { 3 })
    } else {
        (has("apple-touch-icon") || has("apple-touch-icon-precomposed")).then_some(1)
    }
}

/// The day of publication that a page's `<meta>` elements or its address give.
pub(super) fn published(metadata: &Metadata, url: &Url) -> Option<String> {
    let fields = [&metadata.dc_date, &metadata.dc_terms_created, &metadata.dc_date_created];
    let named = PUBLISHED.iter().filter_map(|name| other(metadata, name));
    fields
        .into_iter()
        .filter_map(Option::as_deref)
        .chain(named)
        .find_map(date::normalize)
        .or_else(|| date::of_path(url.path()))
}

/// Names under which pages give the day of publication, besides `article:published_time`.
const PUBLISHED: &[&str] = &[
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

/// Names under which pages give their author, besides `author`.
const AUTHORS: &[&str] = &[
    "article:author",
    "dc.creator",
    "DC.creator",
    "DC.Creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "citation_author",
    "byl",
];

/// Takes what JSON-LD and `<meta>` elements say of days and authors; false where no author is named. Needs no tree.
pub(super) fn declared(url: &Url, metadata: &mut Metadata, linked: Structured) -> bool {
    metadata.published_time = match metadata.published_time.take() {
        // What cannot be read stays as it was written, but for days that never were.
        Some(written) => date::normalize(&written).or_else(|| (!date::is_void(&written)).then_some(written)),
        None => linked.published.as_deref().and_then(date::normalize).or_else(|| published(metadata, url)),
    };
    if metadata.modified_time.is_none() {
        metadata.modified_time = linked.modified.as_deref().and_then(date::normalize);
    }
    // An address or an account is no name.
    let is_named = other(metadata, "author")
        .is_some_and(|name| !name.is_empty() && !name.contains("://") && !name.starts_with('@'));
    if is_named {
        return true;
    }
    let mut names = linked.authors;
    if names.is_empty() {
        names.extend(AUTHORS.iter().find_map(|name| other(metadata, name).and_then(author_name)));
    }
    set_authors(metadata, &names);
    !names.is_empty()
}

fn set_authors(metadata: &mut Metadata, names: &[String]) {
    let value = match names {
        [] => return,
        [one] => MetaValue::One(clean(one)),
        several => MetaValue::Many(several.iter().map(|name| clean(name)).collect()),
    };
    metadata.other.insert("author".to_owned(), value);
}

/// Fills in what the `<meta>` elements with the contract's names left open.
fn dates_and_authors(tree: &Tree, url: &Url, metadata: &mut Metadata, linked: Structured) {
    let wants_name = !declared(url, metadata, linked);
    // The text is only read for what the page does not declare.
    let wants_date = metadata.published_time.is_none();
    let (mut time, mut byline, mut written) = (None, None, None);
    let (mut headed, mut after_heading) = (false, false);
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while (wants_date || wants_name)
        && let Some(edge) = walk.next()
    {
        let Edge::Enter(node) = edge else { continue };
        if tree.kind(node) == Kind::Text {
            let text = tree.text(node);
            if wants_date && text.len() < 160 && text.bytes().any(|byte| byte.is_ascii_digit()) {
                // The first date after the heading counts, one before it only where there is none after.
                if (written.is_none() || (headed && !after_heading))
                    && let Some(date) = date::in_line(text)
                {
                    written = Some(date);
                    after_heading = headed;
                }
            }
            if wants_name && byline.is_none() && headed && text.len() < 80 {
                let text = text.trim();
                let named = text.get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
                    && text.get(3..).is_some_and(|name| name.starts_with(char::is_uppercase));
                let name = named.then(|| author_name(text)).flatten();
                byline = name.filter(|name| is_spelled_as_name(name));
            }
            continue;
        }
        if tree.tag(node).is_invisible() && tree.tag(node) != Tag::Head {
            walk.skip_children();
            continue;
        }
        headed |= tree.tag(node) == Tag::H1;
        let property = tree.attribute(node, Attr::Itemprop).unwrap_or_default();
        let marked = matches!(property, "datePublished" | "dateCreated");
        if wants_date && (tree.tag(node) == Tag::Time || marked) {
            let value = tree.attribute(node, Attr::Datetime).or_else(|| tree.attribute(node, Attr::Content));
            let rank = if marked { 3 } else { 1 + u8::from(headed) };
            if time.as_ref().is_none_or(|(best, _)| *best < rank)
                && let Some(read) =
                    value.and_then(date::normalize).or_else(|| date::normalize(&tree.folded_text(node, 80)))
            {
                time = Some((rank, read));
            }
        }
        if !wants_name || byline.is_some() {
            continue;
        }
        let names_author = property == "author"
            || tree
                .attribute(node, Attr::Rel)
                .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word == "author"));
        if (names_author || is_byline(tree, node))
            && tree.tag(node) != Tag::Meta
            && tree.tag(node) != Tag::Link
        {
            byline = author_name(&tree.folded_text(node, 120));
        }
    }
    if wants_date {
        metadata.published_time = time.map(|(_, time)| time).or(written);
    }
    if let Some(name) = byline {
        set_authors(metadata, &[name]);
    }
}

/// Is the element one that names the author, by its class?
fn is_byline(tree: &Tree, node: NodeId) -> bool {
    let Some(class) = tree.attribute(node, Attr::Class) else { return false };
    let class = class.get(..class.len().min(300)).unwrap_or_default().to_ascii_lowercase();
    // `authority` and `authorize` name no author.
    let names = class.contains("byline")
        || class
            .match_indices("author")
            .any(|(at, word)| class.get(at + word.len()..).is_some_and(|rest| !rest.starts_with('i')));
    const OTHERS: [&str; 14] = [
        "avatar", "image", "img", "photo", "bio", "box", "about", "social", "date", "icon", "list",
        "comment", "reply", "reviewer",
    ];
    names && !OTHERS.iter().any(|part| class.contains(part))
}

/// Are all words written as those of a name are?
fn is_spelled_as_name(name: &str) -> bool {
    const PARTICLES: [&str; 18] = [
        "and", "al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "el", "la", "le", "ten",
        "van", "von", "y",
    ];
    name.split_whitespace()
        .all(|word| PARTICLES.contains(&word) || !word.starts_with(|c: char| c.is_lowercase()))
}

/// A name without what stands before it (`By Ann Example`); `None` for what is no name.
fn author_name(text: &str) -> Option<String> {
    let mut name = text.trim();
    for start in [
        "authored by:",
        "authored by",
        "author by",
        "by author",
        "article by",
        "story by",
        "written by:",
        "written by",
        "posted by",
        "by:",
        "by ",
        "author:",
    ] {
        if let Some(head) = name.get(..start.len())
            && head.eq_ignore_ascii_case(start)
        {
            name = name.get(start.len()..).unwrap_or_default().trim();
        }
    }
    let name = name.split([',', '|', '•', '·']).next().unwrap_or_default().trim();
    let words = name.split_whitespace().count();
    let fits = (1..=5).contains(&words)
        && name.len() <= 60
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.chars().any(|c| c.is_ascii_digit());
    fits.then(|| name.to_owned())
}

fn meta(tree: &Tree, node: NodeId, metadata: &mut Metadata) {
    let name = [Attr::Property, Attr::Name, Attr::Itemprop, Attr::HttpEquiv]
        .into_iter()
        .find_map(|name| tree.attribute(node, name));
    if let (Some(name), Some(content)) = (name, tree.attribute(node, Attr::Content)) {
        note(metadata, name, content);
    }
}

/// Notes the content of a `<meta>` under the contract's name for it.
pub(super) fn note(metadata: &mut Metadata, name: &str, content: &str) {
    let name = name.trim();
    if name.is_empty() || name.len() > 200 {
        return;
    }
    let content = clean(content);
    let lower = name.to_ascii_lowercase();
    if lower == "og:locale:alternate" {
        metadata.og_locale_alternate.push(content);
    } else if let Some(slot) = field(metadata, &lower) {
        match slot {
            _ if content.is_empty() => {}
            None => *slot = Some(content),
            // Tags are many; of all else the first counts.
            Some(tags) if lower == "article:tag" && tags.len() < MAX_VALUE_BYTES => {
                tags.push_str(", ");
                tags.push_str(&content);
            }
            Some(_) => {}
        }
    } else {
        add(metadata, clean(name), content);
    }
}

/// Puts a value beside what is there under the same name. Names of fields of the document cannot be taken.
fn add(metadata: &mut Metadata, name: String, content: String) {
    if name.is_empty() || Metadata::is_field(&name) {
        return;
    }
    match metadata.other.entry(name) {
        Entry::Vacant(free) => {
            free.insert(MetaValue::One(content));
        }
        Entry::Occupied(mut taken) => match taken.get_mut() {
            MetaValue::Many(values) => values.push(content),
            MetaValue::One(first) => {
                let first = std::mem::take(first);
                taken.insert(MetaValue::Many(vec![first, content]));
            }
        },
    }
}

/// Without control characters and white space around, cut to [`MAX_VALUE_BYTES`].
pub(super) fn clean(value: &str) -> String {
    let value = value.trim();
    // 0xC2 begins the control characters behind ASCII, among others.
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
    fn every_meta_comes_out_under_its_name() {
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
    fn of_several_the_first_counts_and_tags_are_joined() {
        let metadata = metadata(
            "<meta property=og:image content=''><meta property=og:image content=a.png><meta property=og:image content=b.png>
             <meta property=article:tag content=x><meta property=article:tag content=y><meta name=ogTitle content=no>
             <meta name='stat\u{1}usCode' content=9><meta name='a\u{1}b' content=1><meta name=ab content=2>",
        );
        assert_eq!(metadata.og_image.as_deref(), Some("a.png"));
        assert_eq!(metadata.article_tag.as_deref(), Some("x, y"));
        let names: Vec<&str> = metadata.other.keys().map(String::as_str).collect();
        assert_eq!(names, ["ab"]);
        assert_eq!(metadata.other["ab"], MetaValue::Many(vec!["1".into(), "2".into()]));
    }

    #[test]
    fn nothing_is_invented() {
        let rows = [
            ("<h1>T</h1><p>Our first office opened on May 5, 1998</p>", None, None),
            ("<h1>T</h1><p>Published on May 5, 1998</p>", Some("1998-05-05"), None),
            ("<h1>T</h1><span>By Ann Example</span><p>May 5, 1998", Some("1998-05-05"), Some("Ann Example")),
            ("<meta property=article:published_time content=0001-01-01T00:00:00>", None, None),
            ("<h1>T</h1><p>By Submitting this form you agree", None, None),
            ("<h1>T</h1><p class=comment-author>Troll", None, None),
            ("<h1>T</h1><p class=authority>The Port", None, None),
            ("<h1>T</h1><p class=post-author>Ludwig van Example", None, Some("Ludwig van Example")),
        ];
        for (html, published, author) in rows {
            let metadata = metadata(html);
            assert_eq!(metadata.published_time.as_deref(), published, "{html}");
            assert_eq!(other(&metadata, "author"), author, "{html}");
        }
    }

    #[test]
    fn the_words_of_a_rel_are_looked_at() {
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
    fn a_title_holds_no_control_characters() {
        assert_eq!(metadata("<title>a\u{1b}[31mb</title>").title.as_deref(), Some("a[31mb"));
        assert_eq!(metadata("<meta property=og:title content=T>").title.as_deref(), Some("T"));
    }
}
