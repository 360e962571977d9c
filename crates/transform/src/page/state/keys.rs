//! What the names of members say. Programs name them in English, whatever the language of the page.

use crate::names::truncate;

/// Upper bound on the bytes of a name that are read.
const MAX_NAME_BYTES: usize = 64;

/// The words of a name in camel case, snake case or kebab case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = truncate(name, MAX_NAME_BYTES);
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut follows_small = false;
        let end = rest.find(|c: char| {
            let ends = !c.is_alphanumeric() || (c.is_uppercase() && follows_small);
            follows_small = !c.is_uppercase();
            ends
        });
        let (word, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The letters and digits of a name in lower case.
fn folded<'b>(name: &str, buffer: &'b mut [u8; MAX_NAME_BYTES]) -> &'b [u8] {
    let letters = truncate(name, MAX_NAME_BYTES).bytes().filter(u8::is_ascii_alphanumeric);
    let mut length = 0;
    for (letter, slot) in letters.zip(buffer.iter_mut()) {
        *slot = letter.to_ascii_lowercase();
        length += 1;
    }
    buffer.get(..length).unwrap_or_default()
}

/// True if a name is one of a list, without its case and its separators.
fn is_named(name: &str, list: &[&str]) -> bool {
    let mut buffer = [0; MAX_NAME_BYTES];
    let name = folded(name, &mut buffer);
    list.iter().any(|other| other.as_bytes() == name)
}

/// True if a word is one of a sorted list, without its case.
fn is_one_of(word: &str, sorted: &[&str]) -> bool {
    let mut buffer = [0; MAX_NAME_BYTES];
    word.is_ascii() && {
        let word = folded(word, &mut buffer);
        sorted.binary_search_by(|other| other.as_bytes().cmp(word)).is_ok()
    }
}

/// Words in the names of members that hold no part of the text: other pages, navigation, settings,
/// translations, descriptions for machines.
const OTHER_WORDS: [&str; 76] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "analytics",
    "aria",
    "asset",
    "assets",
    "attribution",
    "author",
    "authors",
    "avatar",
    "bio",
    "breadcrumb",
    "breadcrumbs",
    "categories",
    "category",
    "comments",
    "config",
    "configuration",
    "consent",
    "cookie",
    "cookies",
    "creator",
    "css",
    "dictionary",
    "env",
    "errors",
    "experiments",
    "fallback",
    "featured",
    "flags",
    "footer",
    "gdpr",
    "i18n",
    "intl",
    "jsonld",
    "keywords",
    "labels",
    "latest",
    "loading",
    "locale",
    "locales",
    "manifest",
    "menu",
    "menus",
    "meta",
    "metadata",
    "metatags",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "next",
    "og",
    "opengraph",
    "params",
    "popular",
    "prev",
    "previous",
    "promo",
    "promos",
    "recirculation",
    "recommendations",
    "recommended",
    "related",
    "schema",
    "seo",
    "settings",
    "sidebar",
    "similar",
    "styles",
    "tags",
    "theme",
    "translations",
    "trending",
];

/// True if a member is no part of the text by its name.
pub(super) fn is_other(name: &str) -> bool {
    // Keys of translations are often the sentences themselves.
    name.len() > 4 * MAX_NAME_BYTES
        || words(name).any(|word| is_one_of(word, &OTHER_WORDS))
        || is_named(name, &["notfound", "forbidden", "unauthorized"])
}

/// True for the name of a title.
pub(super) fn is_title(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "title",
        "headline",
        "name",
        "heading",
        "subject",
        "posttitle",
        "articletitle",
        "pagetitle",
        "displayname",
        "displaytitle",
        "maintitle",
        "h1",
    ];
    is_named(name, &NAMES)
}

/// True for the name of a heading in a part of a text.
pub(super) fn is_heading(name: &str) -> bool {
    const NAMES: [&str; 9] =
        ["title", "headline", "heading", "header", "question", "sectiontitle", "label", "name", "summary"];
    is_named(name, &NAMES)
}

/// True for the name of an address of a page.
pub(super) fn is_address(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "slug",
        "url",
        "path",
        "href",
        "permalink",
        "uri",
        "canonical",
        "canonicalurl",
        "link",
        "handle",
        "fullslug",
        "pathname",
        "fullpath",
        "weburl",
        "urlpath",
        "route",
    ];
    is_named(name, &NAMES)
}

/// True for the name of an identifier.
pub(super) fn is_id(name: &str) -> bool {
    is_named(name, &["id", "uuid", "objectid", "sku", "articleid", "postid", "databaseid", "key"])
}

/// True for the name of a date of publication.
pub(super) fn is_date(name: &str) -> bool {
    const NAMES: [&str; 22] = [
        "date",
        "datepublished",
        "published",
        "publishedat",
        "publishedon",
        "publishdate",
        "publisheddate",
        "publicationdate",
        "publishedtime",
        "createdat",
        "created",
        "createdon",
        "datecreated",
        "postdate",
        "firstpublishedat",
        "displaydate",
        "pubdate",
        "dategmt",
        "releasedate",
        "timestamp",
        "postedat",
        "firstpublicationdate",
    ];
    is_named(name, &NAMES)
}

/// True for the name of an author or of several.
pub(super) fn is_author(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "author",
        "authors",
        "byline",
        "creator",
        "writer",
        "postedby",
        "writtenby",
        "authorname",
        "contributors",
        "byauthor",
    ];
    is_named(name, &NAMES)
}

/// True for the name of a short version of a text.
pub(super) fn is_summary(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "excerpt",
        "description",
        "summary",
        "teaser",
        "abstract",
        "snippet",
        "preview",
        "shortdescription",
        "blurb",
        "plaintext",
    ];
    is_named(name, &NAMES)
}

/// True for the name of a short text above the text.
pub(super) fn is_lead(name: &str) -> bool {
    is_named(name, &["intro", "dek", "standfirst", "subtitle", "lead", "subheadline", "kicker", "tagline"])
}

/// True for the name of a text in a part of a text.
pub(super) fn is_text(name: &str) -> bool {
    const NAMES: [&str; 20] = [
        "text",
        "value",
        "content",
        "body",
        "description",
        "paragraph",
        "html",
        "answer",
        "caption",
        "quote",
        "copy",
        "markdown",
        "richtext",
        "subtitle",
        "rendered",
        "plaintext",
        "intro",
        "lead",
        "children",
        "cooked",
    ];
    is_named(name, &NAMES)
}

/// True for the name of the content of a node in a formatted text.
pub(super) fn is_content(name: &str) -> bool {
    const NAMES: [&str; 19] = [
        "children",
        "content",
        "nodes",
        "blocks",
        "innerblocks",
        "items",
        "rows",
        "cells",
        "root",
        "document",
        "data",
        "json",
        "fragments",
        "leaves",
        "richtext",
        "body",
        "attributes",
        "props",
        "attrs",
    ];
    is_named(name, &NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_words() {
        let found: Vec<&str> = words("relatedArticles_by-URLPath2 x").collect();
        assert_eq!(found, ["related", "Articles", "by", "URLPath2", "x"]);
        for name in
            ["relatedPosts", "seo_title", "Navigation", "og:image", "i18n", "_nextI18Next", "metaDescription"]
        {
            assert!(is_other(name), "{name}");
        }
        for name in ["body", "content", "nextjs", "unrelatedness", "text", "", "sections", "metal"] {
            assert!(!is_other(name), "{name}");
        }
        assert!(is_title("post_title") && is_title("Title") && !is_title("subtitle") && !is_title("titles"));
        assert!(is_address("canonical_url") && is_date("publishedAt") && is_author("byline"));
        assert!(
            is_summary("short-description") && is_text("plain_text") && is_id("_id") && is_heading("header")
        );
        assert!(is_other(&"a".repeat(1_000)));
        assert!(OTHER_WORDS.is_sorted());
        assert!(!is_other("adé") && !is_title("titlé"));
    }
}
