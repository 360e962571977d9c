//! The text blocks of a page: runs of text between block boundaries, and the features that the model reads.
//!
//! One walk collects the blocks and their ancestor elements ([`collect`]). Features that need the page's
//! totals, the neighbours of a block or the records around it are computed afterwards ([`features`]).
//! Features are raw counts, shares and distances in elements: decision trees only compare values, so no
//! logarithm is needed.

mod alike;
mod boxes;
mod collect;
mod definition_pairs;
mod features;
mod furniture;
mod gaps;
mod labels;
mod opening;
mod pictures;
mod surroundings;
mod whole_elements;
mod word_filters;
mod words;

pub(super) use collect::collect;
#[cfg(test)]
pub(super) use features::WIDTH;
pub(super) use features::{Features, PAGE_FEATURES_START};

use std::ops::Range;

use super::vocabulary::GROUPS;
use crate::tree::{NodeId, Tag};

/// Upper bound on the blocks of a page. Later text is kept or dropped with the last block, and the page's
/// warning says so. A block takes about 300 bytes of memory with its totals, and a few microseconds. Blocks
/// also take at most half of the memory that the tree leaves.
pub(crate) const MAX_BLOCKS: usize = 100_000;

/// Upper bound on the elements of a page; later ones count as part of their ancestors. Elements also take at
/// most a quarter of the memory that the tree leaves.
const MAX_ELEMENTS: usize = 400_000;

/// Bytes that a block takes.
const BLOCK_BYTES: usize = 336;

/// Bytes that an element takes, with its run and its records.
const ELEMENT_BYTES: usize = 96;

/// The distance that means "no such ancestor". Also the number of ancestors that are read.
const MAX_DISTANCE: u8 = 24;

/// A run of text between block boundaries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    /// The range of its text nodes in [`Blocks::nodes`].
    pub(crate) nodes: (u32, u32),
    pub(crate) words: u32,
    letters: u32,
    link_words: u32,
    links: u32,
    /// Links within the page.
    fragment_links: u32,
    /// Links to other hosts.
    outside_links: u32,
    sentences: u32,
    commas: u32,
    capitals: u32,
    digits: u32,
    emphasis_words: u32,
    ends_sentence: bool,
    starts_capital: bool,
    has_colon_end: bool,
    images_before: u32,
    hash: u64,
    /// Hashes of the last two words, newest first.
    recent: [u64; 2],
    /// The innermost block element, as an index in [`Blocks::elements`].
    element: u32,
    /// For each group of names, the distance to the nearest ancestor with a name of the group.
    groups: Distances,
    /// For each tag in [`ANCESTOR_TAGS`], the distance to the nearest ancestor with that tag.
    ancestor_tags: [u8; ANCESTOR_TAGS.len()],
    /// Its container, and the ancestors further out by [`REGION_STEPS`].
    regions: [u32; REGIONS],
    /// The nearest ancestor of each kind of landmark; 0 if there is none.
    landmarks: [u32; LANDMARKS],
    kind: u8,
    depth: u16,
    heading: u8,
    hidden: bool,
    /// It is inside one of [`Blocks::invisible`].
    pub(crate) invisible: bool,
    signature: u64,
    child_index: u16,
    price: bool,
    title_words: u32,
    description_words: u32,
    json_ld_words: u32,
}

impl Block {
    fn is_in(&self, wanted: &[Tag]) -> bool {
        ANCESTOR_TAGS
            .iter()
            .zip(self.ancestor_tags)
            .any(|(tag, distance)| wanted.contains(tag) && distance < MAX_DISTANCE)
    }

    /// True if an ancestor hides it, at least until a script shows it.
    pub(crate) const fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The level of the heading that contains the block; 0 outside headings.
    pub(crate) const fn heading(&self) -> u8 {
        self.heading
    }

    /// True inside `main` or `article`.
    pub(crate) fn is_in_text(&self) -> bool {
        self.is_in(&[Tag::Main, Tag::Article])
    }

    /// True inside `aside`.
    pub(crate) fn is_aside(&self) -> bool {
        self.is_in(&[Tag::Aside])
    }

    /// True inside `nav` or `footer`.
    pub(crate) fn is_navigation_or_footer(&self) -> bool {
        self.is_in(&[Tag::Nav, Tag::Footer])
    }

    /// True if the block is hidden, or if its ancestors place it beside the page's text: in `nav`, `footer`,
    /// `aside`, or a `header` outside `main` and `article`.
    pub(crate) fn is_beside(&self) -> bool {
        self.hidden
            || self.is_navigation_or_footer()
            || self.is_aside()
            || (self.is_in(&[Tag::Header]) && !self.is_in_text())
    }
}

/// For each group of names, the distance to the nearest ancestor with a name of the group.
#[derive(Debug, Clone, Copy)]
struct Distances([u8; GROUPS]);

impl Default for Distances {
    fn default() -> Self {
        Self([MAX_DISTANCE; GROUPS])
    }
}

/// Tags of ancestors whose distance is a feature.
const ANCESTOR_TAGS: [Tag; 26] = [
    Tag::Main,
    Tag::Article,
    Tag::Section,
    Tag::Nav,
    Tag::Header,
    Tag::Footer,
    Tag::Aside,
    Tag::Form,
    Tag::Ul,
    Tag::Ol,
    Tag::Li,
    Tag::Table,
    Tag::Td,
    Tag::Blockquote,
    Tag::Figure,
    Tag::Figcaption,
    Tag::Dl,
    Tag::Button,
    Tag::Dialog,
    Tag::Details,
    Tag::Label,
    Tag::Pre,
    Tag::A,
    Tag::H2,
    Tag::Time,
    Tag::Noscript,
];

/// The number of kinds of ancestors whose totals are features: `article`, `section`, a list or table, and an
/// element named as content.
const LANDMARKS: usize = 4;

/// The number of ancestors at fixed distances whose totals are features.
const REGIONS: usize = 5;

/// Their distances: the container itself, and 1, 2, 4 and 7 elements further out.
const REGION_STEPS: [usize; REGIONS] = [0, 1, 2, 4, 7];

/// Totals over the blocks of one or more elements.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    words: u32,
    link_words: u32,
    blocks: u32,
    paragraphs: u32,
    paragraph_words: u32,
    headings: u32,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.blocks += other.blocks;
        self.paragraphs += other.paragraphs;
        self.paragraph_words += other.paragraph_words;
        self.headings += other.headings;
    }
}

/// An element, in document order.
#[derive(Debug, Clone, Copy, Default)]
struct Element {
    node: NodeId,
    parent: u32,
    /// The index after its last descendant.
    end: u32,
    /// The run of similar siblings that it belongs to.
    run: u32,
    /// Its position in that run.
    position: u32,
    tag: u8,
    totals: Totals,
}

/// Consecutive similar siblings: the records of a list, the rows of a table, the posts of a thread.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    count: u32,
    totals: Totals,
}

/// The blocks of a page and its totals.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) list: Vec<Block>,
    /// The text nodes of all blocks, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// Hidden elements that no script can show; none is inside another.
    pub(crate) invisible: Vec<NodeId>,
    elements: Vec<Element>,
    runs: Vec<Run>,
    /// The visible `main` elements (also by role) and `article` elements, as indices in [`Blocks::elements`].
    mains: Vec<u32>,
    articles: Vec<u32>,
    page: PageFacts,
    /// The page has more blocks or elements than allowed.
    pub(super) cut: bool,
}

impl Blocks {
    /// The text nodes of a block.
    pub(crate) fn nodes_of(&self, block: &Block) -> &[NodeId] {
        self.nodes.get(block.nodes.0 as usize..block.nodes.1 as usize).unwrap_or_default()
    }

    /// The blocks that the page marks as main content: those of its only `main`, else of its only `article`,
    /// else all.
    pub(crate) fn region(&self) -> Range<usize> {
        let one = |numbers: &[u32]| match numbers {
            [one] => Some(*one),
            _ => None,
        };
        let number = if self.mains.is_empty() { one(&self.articles) } else { one(&self.mains) };
        let found = number.and_then(|number| {
            let end = self.elements.get(number as usize)?.end;
            let is_in = |block: &Block| (number..end).contains(&block.element);
            Some(self.list.iter().position(is_in)?..self.list.iter().rposition(is_in)? + 1)
        });
        found.unwrap_or(0..self.list.len())
    }
}

/// Facts about the whole page.
#[derive(Debug, Clone, Copy, Default)]
struct PageFacts {
    forms: u32,
    articles: u32,
    mains: u32,
    tables: u32,
    images: u32,
    prices: u32,
    pres: u32,
    items: u32,
    times: u32,
    og_article: bool,
    og_product: bool,
    json_ld_types: u32,
    json_ld_words: u32,
    first_h1: Option<u32>,
    title_hash: u64,
    url_features: [f32; super::url_features::COUNT],
}
