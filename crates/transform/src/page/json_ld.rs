//! Reads headline, authors, dates and text from the JSON-LD of a page.

use serde_json::Value;

use crate::tree::{Attr, Tag, Tree};

/// Upper bound on the length of a JSON-LD block, in bytes. Larger blocks are ignored.
const MAX_BLOCK_BYTES: usize = 1_000_000;

/// Upper bound on the length of all blocks of a page, in bytes.
const MAX_BYTES: usize = 4_000_000;

/// Upper bound on the memory of a parsed block, in bytes. Empty objects take hundreds of times their length.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// A text longer than this, in bytes, can stand for a page that shows almost no text.
const MIN_TEXT_BYTES: usize = 600;

/// Memory of a parsed object, in bytes.
const OBJECT_BYTES: usize = 700;

/// Memory of a parsed value, in bytes.
const VALUE_BYTES: usize = 40;

/// The JSON-LD properties of the page's main entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct JsonLd {
    pub(super) headline: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    /// The longest text.
    pub(super) text: Option<String>,
}

impl JsonLd {
    /// Does it hold the text of the page, so that a page with almost no text of its own needs no more?
    pub(super) fn has_long_text(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.len() > MIN_TEXT_BYTES)
    }
}

/// Reads the JSON-LD of a page, block by block.
#[derive(Debug, Default)]
pub(super) struct JsonLdReader {
    pub(super) found: JsonLd,
    /// The best rank so far.
    best: u8,
    /// Bytes read so far.
    read: usize,
}

impl JsonLdReader {
    /// Reads a block. A block that is not JSON or exceeds a bound is ignored.
    pub(super) fn add(&mut self, text: &str) {
        if text.len() > MAX_BLOCK_BYTES
            || text.len() > MAX_BYTES.saturating_sub(self.read)
            || parsed_bytes(text) > MAX_PARSED_BYTES
        {
            return;
        }
        self.read += text.len();
        if let Some(value) = parse_block(text) {
            read_entities(&value, &mut self.found, &mut self.best);
        }
    }
}

/// An estimate of the memory of a parsed text without its strings, in bytes.
pub(super) fn parsed_bytes(text: &str) -> usize {
    let objects = memchr::memchr_iter(b'{', text.as_bytes()).count();
    let values = memchr::memchr2_iter(b',', b'[', text.as_bytes()).count();
    objects * OBJECT_BYTES + values * VALUE_BYTES
}

/// Reads all JSON-LD of a page.
pub(super) fn read(tree: &Tree) -> JsonLd {
    let mut blocks = JsonLdReader::default();
    for node in tree.elements_with_tag(Tag::Script) {
        let linked_data = tree.attribute(node, Attr::Type).is_some_and(|kind| kind.contains("ld+json"));
        if linked_data && let Some(text) = tree.first_child(node) {
            blocks.add(tree.text(text));
        }
    }
    blocks.found
}

/// The longest text of the page's main entity in JSON-LD, if it is long enough to stand for the page.
pub(crate) fn main_text(tree: &Tree) -> Option<String> {
    read(tree).text.filter(|text| text.len() > MIN_TEXT_BYTES)
}

/// Parses a block. Many templates put newlines into strings, which JSON does not allow (RFC 8259, 7). If a
/// block does not parse, its control characters are replaced by spaces, which is harmless between values.
fn parse_block(text: &str) -> Option<Value> {
    let text = text.trim();
    serde_json::from_str(text).ok().or_else(|| {
        let control = |c: char| c < ' ';
        text.contains(control).then(|| serde_json::from_str(&text.replace(control, " ")).ok())?
    })
}

/// How likely an entity of this type is the main entity of the page; 0 for types that say nothing about the
/// page.
fn rank(kind: &str) -> u8 {
    match kind {
        _ if kind.ends_with("Article")
            || kind == "article"
            || kind.ends_with("Posting")
            || kind == "Report"
            || kind == "ScholarlyArticle" =>
        {
            4
        }
        "Recipe" | "HowTo" | "VideoObject" | "Course" | "QAPage" | "Question" | "Book" | "Event"
        | "PodcastEpisode" => 3,
        "Product" | "ProductGroup" => 3,
        _ if kind.ends_with("Page") => 2,
        "CreativeWork" => 2,
        _ => 0,
    }
}

fn read_entities(value: &Value, found: &mut JsonLd, best: &mut u8) {
    // The parser refuses values nested more than 128 deep.
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Object(object) => {
                let kinds = match object.get("@type") {
                    Some(Value::String(kind)) => vec![kind.as_str()],
                    Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
                    _ => Vec::new(),
                };
                let rank = kinds.iter().map(|kind| rank(kind)).max().unwrap_or(0);
                if rank > 0 {
                    let text = |name: &str| {
                        object
                            .get(name)
                            .and_then(Value::as_str)
                            .map(str::trim)
                            .filter(|text| !text.is_empty())
                            .map(str::to_owned)
                    };
                    let better = rank > *best;
                    let set = |slot: &mut Option<String>, value: Option<String>| {
                        if value.is_some() && (better || slot.is_none()) {
                            *slot = value;
                        }
                    };
                    set(
                        &mut found.headline,
                        text("headline").or_else(|| if rank == 3 { text("name") } else { None }),
                    );
                    set(
                        &mut found.published,
                        text("datePublished")
                            .or_else(|| text("uploadDate"))
                            .or_else(|| if rank == 4 { text("dateCreated") } else { None }),
                    );
                    set(&mut found.modified, text("dateModified"));
                    // The description of a `WebPage` often describes the site.
                    let longest = ["articleBody", "text", "description"]
                        .iter()
                        .filter(|name| rank > 2 || **name != "description")
                        .filter_map(|name| object.get(*name).and_then(Value::as_str).map(str::trim))
                        .max_by_key(|text| text.len());
                    if let Some(text) = longest
                        && text.len() > found.text.as_ref().map_or(0, String::len)
                    {
                        found.text = Some(text.to_owned());
                    }
                    let authors = object.get("author").map(author_names).unwrap_or_default();
                    if !authors.is_empty() && (better || found.authors.is_empty()) {
                        found.authors = authors;
                    }
                    *best = rank.max(*best);
                }
                stack.extend(
                    ["@graph", "mainEntity", "mainEntityOfPage", "itemReviewed"]
                        .iter()
                        .filter_map(|name| object.get(*name)),
                );
            }
            _ => {}
        }
    }
}

/// The names of one or more authors.
fn author_names(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items.iter().take(20) {
        let name = match item {
            Value::String(name) => Some(name.as_str()),
            Value::Object(person) => person.get("name").and_then(|name| match name {
                Value::Array(names) => names.first().and_then(Value::as_str),
                name => name.as_str(),
            }),
            _ => None,
        };
        if let Some(name) = name.map(str::trim)
            && !name.is_empty()
            && name.len() <= 200
            && !name.starts_with("http")
            && !names.iter().any(|earlier| earlier == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn the_article_ranks_above_its_page() {
        let html = r#"<script type="application/ld+json">{"@graph":[
            {"@type":"WebPage","datePublished":"2020-01-01","author":{"name":"Site"}},
            {"@type":["NewsArticle"],"headline":"H","datePublished":"2024-05-01T10:00:00Z",
             "author":[{"@type":"Person","name":"Ann"},{"@type":"Person","name":"Bob"}]}]}</script>
            <script type="application/ld+json">{broken</script>"#;
        let found = read(&parse(html, ParseOptions::default()));
        assert_eq!(found.headline.as_deref(), Some("H"));
        assert_eq!(found.published.as_deref(), Some("2024-05-01T10:00:00Z"));
        assert_eq!(found.authors, ["Ann", "Bob"]);
    }

    #[test]
    fn newlines_in_strings_are_accepted() {
        let html =
            "<script type='application/ld+json'>{\"@type\":\"article\",\n\"headline\":\"a\tb\nc\"}</script>";
        assert_eq!(read(&parse(html, ParseOptions::default())).headline.as_deref(), Some("a b c"));
    }

    #[test]
    fn deep_nesting_is_ignored() {
        let html = format!("<script type='application/ld+json'>{}</script>", "[".repeat(100_000));
        assert_eq!(read(&parse(&html, ParseOptions::default())), JsonLd::default());
    }
}
