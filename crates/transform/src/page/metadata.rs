//! Facts about a page: its `<meta>` elements under the names of the contract, title, language, icon.

use gleaner_types::{MetaValue, Metadata};

use super::{date, structured, title};
use url::Url;

use crate::address::Resolver;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// At most so many `<meta>` elements are read.
pub(super) const MAX_ENTRIES: usize = 500;

/// A value is cut here, in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 10_000;

/// Names of the contract for names of pages, in lower case. All else stays under its own name.
const RENAMED: &[(&str, &str)] = &[
    ("og:title", "ogTitle"),
    ("og:description", "ogDescription"),
    ("og:url", "ogUrl"),
    ("og:image", "ogImage"),
    ("og:audio", "ogAudio"),
    ("og:determiner", "ogDeterminer"),
    ("og:locale", "ogLocale"),
    ("og:site_name", "ogSiteName"),
    ("og:video", "ogVideo"),
    ("article:section", "articleSection"),
    ("article:tag", "articleTag"),
    ("dc.date", "dcDate"),
    ("dc.date.created", "dcDateCreated"),
    ("dc.description", "dcDescription"),
    ("dc.subject", "dcSubject"),
    ("dc.type", "dcType"),
    ("dcterms.audience", "dcTermsAudience"),
    ("dcterms.created", "dcTermsCreated"),
    ("dcterms.keywords", "dcTermsKeywords"),
    ("dcterms.subject", "dcTermsSubject"),
    ("dcterms.type", "dcTermsType"),
];

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
    let one = |metadata: &Metadata, name: &str| match metadata.other.get(name) {
        Some(MetaValue::One(value)) => Some(value.clone()),
        Some(MetaValue::Many(values)) => values.first().cloned(),
        None => None,
    };
    let linked = structured::read(tree);
    let og_title = one(&metadata, "ogTitle").unwrap_or_default();
    let site = one(&metadata, "ogSiteName").unwrap_or_default();
    metadata.title = title::choose(
        tree,
        &title.unwrap_or_default(),
        &og_title,
        &[url.host_str().unwrap_or_default(), &site],
    )
    .or_else(|| linked.headline.clone())
    .map(|title| clean(&title));
    dates_and_authors(tree, url, &mut metadata, linked);
    metadata
}

/// How well an icon of this `rel` stands for the page; `None` where it is none.
pub(super) fn icon_rank(rel: &str) -> Option<u8> {
    [("icon", 3), ("shortcut icon", 2), ("apple-touch-icon", 1)]
        .into_iter()
        .find_map(|(known, rank)| rel.eq_ignore_ascii_case(known).then_some(rank))
}

/// The day of publication that a page's `<meta>` elements or its address give.
pub(super) fn published(metadata: &Metadata, url: &Url) -> Option<String> {
    let named = PUBLISHED.iter().find_map(|name| match metadata.other.get(*name)? {
        MetaValue::One(value) => date::normalize(value),
        MetaValue::Many(values) => values.first().and_then(|value| date::normalize(value)),
    });
    named.or_else(|| date::of_path(url.path()))
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
    "dcDate",
    "dcTermsCreated",
    "dcDateCreated",
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

/// Fills in what the `<meta>` elements with the contract's names left open.
fn dates_and_authors(tree: &Tree, url: &Url, metadata: &mut Metadata, linked: structured::Structured) {
    let other = |metadata: &Metadata, name: &str| match metadata.other.get(name) {
        Some(MetaValue::One(value)) => Some(value.clone()),
        Some(MetaValue::Many(values)) => values.first().cloned(),
        None => None,
    };
    let declared = metadata.published_time.as_deref().and_then(date::normalize);
    let published = declared.or_else(|| match metadata.published_time {
        // What cannot be read stays as it was written.
        Some(_) => metadata.published_time.clone(),
        None => linked
            .published
            .as_deref()
            .and_then(date::normalize)
            .or_else(|| {
                PUBLISHED.iter().find_map(|name| other(metadata, name).as_deref().and_then(date::normalize))
            })
            .or_else(|| date::of_path(url.path())),
    });
    // An address or an account is no name.
    let named = other(metadata, "author")
        .is_some_and(|name| !name.is_empty() && !name.contains("://") && !name.starts_with('@'));
    let mut names = if named { Vec::new() } else { linked.authors };
    if !named && names.is_empty() {
        names.extend(AUTHORS.iter().find_map(|name| other(metadata, name).as_deref().and_then(author_name)));
    }
    // The text is only read for what the page does not declare.
    let wants_date = published.is_none();
    let wants_name = !named && names.is_empty();
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
                    && let Some(date) = date::in_text(text)
                {
                    written = Some(date);
                    after_heading = headed;
                }
            }
            if wants_name && byline.is_none() && headed && text.len() < 80 {
                let text = text.trim();
                let named = text.get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
                    && text.get(3..).is_some_and(|name| name.starts_with(char::is_uppercase));
                byline = byline.or_else(|| named.then(|| author_name(text)).flatten());
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
    metadata.published_time = published.or(time.map(|(_, time)| time)).or(written);
    if metadata.modified_time.is_none() {
        metadata.modified_time = linked.modified.as_deref().and_then(date::normalize);
    }
    if !named {
        names.extend(byline);
        let value = match names.as_slice() {
            [] => return,
            [one] => MetaValue::One(clean(one)),
            several => MetaValue::Many(several.iter().map(|name| clean(name)).collect()),
        };
        metadata.other.insert("author".to_owned(), value);
    }
}

/// Is the element one that names the author, by its class?
fn is_byline(tree: &Tree, node: NodeId) -> bool {
    let Some(class) = tree.attribute(node, Attr::Class) else { return false };
    let class = class.get(..class.len().min(300)).unwrap_or_default().to_ascii_lowercase();
    (class.contains("author") || class.contains("byline"))
        && !["avatar", "image", "img", "photo", "bio", "box", "about", "social", "date", "icon", "list"]
            .iter()
            .any(|part| class.contains(part))
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
    let first = |slot: &mut Option<String>, content: String| {
        if slot.is_none() && !content.is_empty() {
            *slot = Some(content);
        }
    };
    match lower.as_str() {
        "description" => first(&mut metadata.description, content),
        "keywords" => first(&mut metadata.keywords, content),
        "robots" => first(&mut metadata.robots, content),
        "article:published_time" => first(&mut metadata.published_time, content),
        "article:modified_time" => first(&mut metadata.modified_time, content),
        "og:locale:alternate" => metadata.og_locale_alternate.push(content),
        "content-language" => first(&mut metadata.language, content),
        _ => {
            let renamed = RENAMED.iter().find(|(known, _)| *known == lower).map(|(_, ours)| *ours);
            add(metadata, renamed.unwrap_or(name), content);
        }
    }
}

/// Puts a value beside what is there under the same name. Names of fields of the document cannot be taken.
fn add(metadata: &mut Metadata, name: &str, content: String) {
    const TAKEN: [&str; 19] = [
        "title",
        "description",
        "language",
        "keywords",
        "robots",
        "favicon",
        "publishedTime",
        "modifiedTime",
        "ogLocaleAlternate",
        "sourceURL",
        "url",
        "statusCode",
        "contentType",
        "scrapeId",
        "error",
        "numPages",
        "proxyUsed",
        "cacheState",
        "cachedAt",
    ];
    if TAKEN.contains(&name) || matches!(name, "creditsUsed" | "concurrencyLimited") {
        return;
    }
    match metadata.other.get_mut(name) {
        None => {
            metadata.other.insert(clean(name), MetaValue::One(content));
        }
        Some(MetaValue::Many(values)) => values.push(content),
        Some(value) => {
            if let MetaValue::One(first) = value {
                *value = MetaValue::Many(vec![std::mem::take(first), content]);
            }
        }
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
        assert_eq!(metadata.other["ogTitle"], MetaValue::One("OG".into()));
        assert_eq!(metadata.other["author"], MetaValue::Many(vec!["Ann".into(), "Bob".into()]));
        assert_eq!(metadata.other["dcSubject"], MetaValue::One("Bees".into()));
        assert_eq!(metadata.other["viewport"], MetaValue::One("width=device-width".into()));
        assert!(!metadata.other.contains_key("statusCode"));
    }

    #[test]
    fn a_title_holds_no_control_characters() {
        assert_eq!(metadata("<title>a\u{1b}[31mb</title>").title.as_deref(), Some("a[31mb"));
        assert_eq!(metadata("<meta property=og:title content=T>").title.as_deref(), Some("T"));
    }
}
