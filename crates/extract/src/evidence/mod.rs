//! What a page says about itself, read once: entities, labelled values and tables, each with its position.
//!
//! The readers do not know the requested fields. They are separate from binding, so that a page is read in
//! one pass whatever the schema, and each reader can be tested and fuzzed alone.

mod item;
mod json_ld;
mod labelled_value;
mod scoped;
mod state;
mod table;

use std::sync::OnceLock;

use url::Url;

pub use state::MAX_STATES;

pub(crate) use item::Item;
pub(crate) use labelled_value::LabelledValue;
pub(crate) use table::Table;

use crate::bind::{NodeNames, TextWords, UnrelatedParts};
use crate::markup::{Kind, NodeId, Tree};
use crate::page::{Page, truncate};
use crate::template::Recurring;

/// Upper bound on the entities of a page; as many as records, since each entity may be a row of a list.
pub const MAX_ITEMS: usize = crate::bind::MAX_RECORDS;
/// Upper bound on the labelled values of a page.
pub const MAX_PAIRS: usize = 20_000;
/// Upper bound on the tables of a page.
pub const MAX_TABLES: usize = 200;
/// Upper bound on the rows of a table.
pub const MAX_TABLE_ROWS: usize = 20_000;
/// Upper bound on the size of a value, in bytes.
pub const MAX_VALUE_BYTES: usize = 20_000;

/// Upper bound on the headings of a level that are rated.
const MAX_HEADINGS: usize = 64;
/// Upper bound on the nodes of a heading that are searched for a link.
const MAX_HEADING_NODES: usize = 24;
/// Longest address in a heading that is read, in bytes.
const MAX_HREF_BYTES: usize = 2_048;
/// How much an `h1` shares with the title at least if it repeats it.
const LIKE_TITLE: f64 = 0.5;
/// The same for an `h2` at least half as long as the title. It is the main heading only if no `h1` is.
const LIKE_TITLE_BELOW: f64 = 0.75;
/// An `h1` with at least this share of its words in the title is preferred to an earlier one.
const SHARES_WITH_TITLE: f64 = 0.25;

/// The `h1` and `h2` headings of a page, in page order.
#[derive(Debug, Default)]
struct Headings {
    first: Vec<NodeId>,
    second: Vec<NodeId>,
}

impl Headings {
    fn add(&mut self, tree: &Tree<'_>, node: NodeId, name: &str) {
        let level = match name {
            "h1" | "H1" => &mut self.first,
            "h2" | "H2" => &mut self.second,
            _ => return,
        };
        if level.len() < MAX_HEADINGS && !tree.is_hidden(node) && !tree.text_of(node).is_empty() {
            level.push(node);
        }
    }

    /// The heading that the title repeats, else the first `h1` outside links and lists. Logos, banners and
    /// teasers are headings too.
    fn main(&self, tree: &Tree<'_>, url: &Url, title: &str) -> Option<NodeId> {
        let title_words = TextWords::new(title);
        let like = |node: NodeId| title_words.overlap(tree.text_of(node));
        let names_site = |node: &NodeId| url.path() != "/" && links_to_start(tree, *node, url);
        let first: Vec<NodeId> = self.first.iter().copied().filter(|node| !names_site(node)).collect();
        let second = |node: NodeId| {
            let is_whole = tree.text_of(node).len() >= title.len() / 2;
            Some(like(node)).filter(|share| is_whole && *share > LIKE_TITLE_BELOW)
        };
        let plain = || first.iter().copied().filter(|node| !is_teaser(tree, *node));
        best(tree, &first, |node| Some(like(node)).filter(|share| *share > LIKE_TITLE))
            .or_else(|| best(tree, &self.second, second))
            .or_else(|| plain().find(|node| like(*node) >= SHARES_WITH_TITLE))
            .or_else(|| plain().next())
            .or_else(|| self.first.iter().copied().find(|node| !is_teaser(tree, *node)))
    }
}

/// The heading with the best rating, of several the longer and then the first one.
fn best(tree: &Tree<'_>, headings: &[NodeId], rate: impl Fn(NodeId) -> Option<f64>) -> Option<NodeId> {
    let longer =
        |node: NodeId| f64::from(u8::try_from(tree.text_of(node).len().min(100)).unwrap_or(100)) / 1_000.0;
    let rated = headings.iter().rev().filter_map(|node| Some((rate(*node)? + longer(*node), *node)));
    rated.max_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, node)| node)
}

/// Whether a heading links to the start page, as the name of a site does.
fn links_to_start(tree: &Tree<'_>, heading: NodeId, url: &Url) -> bool {
    let is_start =
        |link: Url| link.path() == "/" && link.query().is_none() && link.host_str() == url.host_str();
    let around = tree.ancestors(heading).chain(tree.within(heading).take(MAX_HEADING_NODES));
    let links = around.filter(|node| tree.is(*node, &["a"]));
    let mut links = links.filter_map(|node| tree.attribute(node, "href"));
    links.any(|href| href.len() <= MAX_HREF_BYTES && url.join(href.trim()).is_ok_and(is_start))
}

/// Whether a heading is part of a menu or of a list of links, and so about another page.
pub(crate) fn is_teaser(tree: &Tree<'_>, heading: NodeId) -> bool {
    tree.ancestors(heading).any(|above| tree.is(above, &["a", "li", "nav"]))
}

/// All evidence of one page.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    pub(crate) url: &'a Url,
    pub(crate) html: &'a str,
    pub(crate) tree: Tree<'a>,
    /// Entities of JSON-LD, microdata and RDFa.
    pub(crate) items: Vec<Item>,
    /// Number of entities beyond [`MAX_ITEMS`], which are dropped.
    pub(crate) items_cut: usize,
    /// JSON values in scripts.
    pub(crate) state: Vec<serde_json::Value>,
    pub(crate) pairs: Vec<LabelledValue>,
    pub(crate) tables: Vec<Table>,
    /// The `title` element.
    pub(crate) title: String,
    /// The `h1` or `h2` that the title repeats, or the first `h1`.
    pub(crate) heading: Option<NodeId>,
    /// Read when they are first needed, by [`Self::names`].
    names: OnceLock<NodeNames>,
    /// Read when they are first needed, by [`Self::unrelated`].
    unrelated: OnceLock<UnrelatedParts>,
    /// What other pages of the template say about the texts of the page, if they are known.
    pub(crate) recurring: Option<Recurring>,
}

impl<'a> Evidence<'a> {
    pub(crate) fn read(page: &'a Page) -> Self {
        let html = page.html();
        let tree = Tree::parse(html, &page.interrupt);
        let mut items = Vec::new();
        let mut items_cut = 0;
        let mut state = Vec::new();
        let mut title = String::new();
        let mut headings = Headings::default();
        for node in tree.nodes() {
            match tree.kind(node) {
                Some(Kind::Raw { name, text, .. }) if name.eq_ignore_ascii_case("script") => {
                    let kind = tree.attribute(node, "type").unwrap_or_default().to_ascii_lowercase();
                    if kind.contains("ld+json") {
                        items_cut += json_ld::read(text, &mut items);
                    } else {
                        state::read(text, &kind, &mut state);
                    }
                }
                Some(Kind::Raw { name, text, .. })
                    if title.is_empty() && name.eq_ignore_ascii_case("title") =>
                {
                    title = crate::markup::decode(truncate(text, MAX_VALUE_BYTES)).trim().to_owned();
                }
                Some(Kind::Element { name, .. }) => headings.add(&tree, node, name),
                _ => {}
            }
        }
        items_cut += scoped::read(&tree, &scoped::MICRODATA, &mut items);
        items_cut += scoped::read(&tree, &scoped::RDFA, &mut items);
        items_cut += items.len().saturating_sub(MAX_ITEMS);
        items.truncate(MAX_ITEMS);
        let tables = table::read(&tree);
        let pairs = labelled_value::read(&tree, &tables);
        if title.is_empty() {
            title = page.title.clone().unwrap_or_default();
        }
        let heading = headings.main(&tree, &page.url, &title);
        Self {
            url: &page.url,
            html,
            tree,
            items,
            items_cut,
            state,
            pairs,
            tables,
            title,
            heading,
            names: OnceLock::new(),
            unrelated: OnceLock::new(),
            recurring: None,
        }
    }

    /// The names of the page's elements.
    pub(crate) fn names(&self) -> &NodeNames {
        self.names.get_or_init(|| NodeNames::read(&self.tree))
    }

    /// The parts of the page about other things than its main entity.
    pub(crate) fn unrelated(&self) -> &UnrelatedParts {
        self.unrelated.get_or_init(|| UnrelatedParts::read(self))
    }

    /// The text of the main heading, else the title.
    pub(crate) fn headline(&self) -> &str {
        self.heading.map_or(self.title.as_str(), |node| self.tree.text_of(node))
    }

    /// The range of a node's text in the HTML, from its first text to its last.
    pub(crate) fn html_range_of(&self, node: NodeId) -> Option<std::ops::Range<usize>> {
        let mut range: Option<std::ops::Range<usize>> = None;
        for inner in std::iter::once(node).chain(self.tree.within(node)).take(2_000) {
            if let Some(Kind::Text { at, end }) = self.tree.kind(inner) {
                let start = range.map_or(at, |known| known.start);
                range = Some(start..end);
            }
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_heading_is_neither_logo_nor_banner() {
        let rows = [
            (
                "Blue cups, red cups | Acme",
                "<h1><a href=/>Acme</a></h1><h1>Red cups and blue cups</h1>",
                "Red cups and blue cups",
            ),
            ("How to glue a cup", "<h1>Our blog</h1><h2>How to glue a cup!</h2>", "How to glue a cup!"),
            ("How to glue a cup", "<h1>Gluing for beginners</h1><h2>Cup</h2>", "Gluing for beginners"),
            (
                "Tips for a good cup | Acme",
                "<h1>The Blog</h1><h1>Ten tips on how to buy a cup</h1>",
                "Ten tips on how to buy a cup",
            ),
            ("Acme", "<h1><a href='https://site.example/'>Acme</a></h1><p>x", "Acme"),
        ];
        for (title, html, expected) in rows {
            let html = format!("<title>{title}</title>{html}");
            let page = Page::new("https://site.example/cups".parse().unwrap(), html);
            assert_eq!(Evidence::read(&page).headline(), expected, "{title}");
        }
    }
}
