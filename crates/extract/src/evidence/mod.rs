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

use crate::bind::{NodeNames, UnrelatedParts, overlap};
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

/// Upper bound on the `h1` headings that are rated.
const MAX_HEADINGS: usize = 64;

/// The heading that the title repeats, else the first one outside links and lists. Logos and teasers are
/// headings too.
fn main_heading(tree: &Tree<'_>, headings: &[NodeId], title: &str) -> Option<NodeId> {
    let rate = |node: NodeId| {
        let text = tree.text_of(node);
        let longer = f64::from(u8::try_from(text.len().min(100)).unwrap_or(100)) / 1_000.0;
        let like = overlap(text, title);
        if like > 0.5 { like + longer } else { 0.0 }
    };
    let best = headings.iter().copied().rev().max_by(|left, right| rate(*left).total_cmp(&rate(*right)));
    let best = best.filter(|node| rate(*node) > 0.0);
    // Without a heading that resembles the title: the first outside menus and teasers.
    best.or_else(|| headings.iter().copied().find(|node| !is_teaser(tree, *node)))
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
    /// The `h1` that the title repeats, or the first.
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
        let mut headings = Vec::new();
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
                Some(Kind::Element { name, .. })
                    if name.eq_ignore_ascii_case("h1")
                        && !tree.is_hidden(node)
                        && headings.len() < MAX_HEADINGS
                        && !tree.text_of(node).is_empty() =>
                {
                    headings.push(node);
                }
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
        let heading = main_heading(&tree, &headings, &title);
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
