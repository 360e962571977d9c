//! The text blocks of a page: runs of text between block boundaries, each with the numbers the model looks at.
//!
//! One walk collects the blocks and the elements around them ([`collect`]); what needs the page's totals, a block's
//! neighbours or the records it stands among is filled in afterwards ([`features`]). Numbers are counts, shares and
//! distances in elements, as they are: trees only compare them, so no logarithm is taken.

mod between;
mod collect;
mod described;
mod features;
mod pairs;
mod surroundings;
mod wholes;
mod words;

pub(super) use collect::collect;
#[cfg(test)]
pub(super) use features::WIDTH;
pub(super) use features::{Features, SHARED};

use std::ops::Range;

use super::vocabulary::GROUPS;
use crate::tree::{NodeId, Tag};

/// A page is judged by its first so many blocks; what comes after shares the fate of the last one, and the page's warning
/// says so. Each takes some 300 bytes of memory with what is added up around it, and a few microseconds. A page that may
/// take less memory has fewer: they take at most half of what its tree leaves.
pub(crate) const MAX_BLOCKS: usize = 100_000;

/// Elements around blocks, the same: those that come later are not told apart. They take at most a quarter of what the tree
/// leaves.
const MAX_ELEMENTS: usize = 400_000;

/// Bytes that a block takes, and an element with its run and its records.
const BLOCK_BYTES: usize = 336;
const ELEMENT_BYTES: usize = 96;

/// A distance that means "not there"; also how far up elements are looked at.
const FAR: u8 = 24;

/// A run of text between block boundaries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    /// Its text nodes: where they begin and end in [`Blocks::nodes`].
    pub(crate) nodes: (u32, u32),
    pub(crate) words: u32,
    letters: u32,
    link_words: u32,
    links: u32,
    /// Links to places on the same page, and to other hosts.
    fragment_links: u32,
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
    /// Hashes of its last two words, newest first.
    recent: [u64; 2],
    /// The innermost block element around it, as a number in [`Blocks::elements`].
    element: u32,
    /// Distances to the nearest element around it with a word of each group.
    groups: Distances,
    /// Distances to the nearest element of each kind in [`AROUND`].
    around: [u8; AROUND.len()],
    /// Numbers of elements around it: its container, and those further out by [`REGION_STEPS`].
    regions: [u32; REGIONS],
    /// The nearest element around it of each kind of landmark; 0 where there is none.
    landmarks: [u32; LANDMARKS],
    kind: u8,
    depth: u16,
    heading: u8,
    hidden: bool,
    /// It stands in one of [`Blocks::unseen`].
    pub(crate) unseen: bool,
    signature: u64,
    child_index: u16,
    price: bool,
    title_words: u32,
    description_words: u32,
    described: u32,
}

impl Block {
    fn is_in(&self, wanted: &[Tag]) -> bool {
        AROUND.iter().zip(self.around).any(|(tag, distance)| wanted.contains(tag) && distance < FAR)
    }

    /// Do its elements say that it is not shown, now at least?
    pub(crate) const fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The level of the heading that the block is in; 0 outside of headings.
    pub(crate) const fn heading(&self) -> u8 {
        self.heading
    }

    /// Does the block stand in `main` or `article`?
    pub(crate) fn is_in_text(&self) -> bool {
        self.is_in(&[Tag::Main, Tag::Article])
    }

    /// Does the block stand in an `blocking`?
    pub(crate) fn is_aside(&self) -> bool {
        self.is_in(&[Tag::Aside])
    }

    /// Does the block stand in the navigation or the footer?
    pub(crate) fn is_framing(&self) -> bool {
        self.is_in(&[Tag::Nav, Tag::Footer])
    }

    /// Does the block stand beside the text of a page, by the elements around it: in its navigation, header, footer or
    /// aside, and not in the header of an article? Or is it not shown?
    pub(crate) fn is_beside(&self) -> bool {
        self.hidden
            || self.is_framing()
            || self.is_aside()
            || (self.is_in(&[Tag::Header]) && !self.is_in_text())
    }
}

/// Distances to elements around a block with a word of each group.
#[derive(Debug, Clone, Copy)]
struct Distances([u8; GROUPS]);

impl Default for Distances {
    fn default() -> Self {
        Self([FAR; GROUPS])
    }
}

/// Kinds of elements around a block whose distance counts.
const AROUND: [Tag; 26] = [
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

/// How many kinds of elements around a block are looked at as a whole: `article`, `section`, a list or table, and one
/// whose name says that it is the content.
const LANDMARKS: usize = 4;

/// Elements around a block whose totals count: its container, and 1, 2, 4 and 7 elements further out.
const REGIONS: usize = 5;
const REGION_STEPS: [usize; REGIONS] = [0, 1, 2, 4, 7];

/// Totals of an element, or of several.
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
    parent: u32,
    /// The number after the last element inside.
    end: u32,
    /// The run of alike neighbours that it belongs to.
    run: u32,
    /// Its place in that run.
    place: u32,
    tag: u8,
    totals: Totals,
}

/// Neighbours that look alike: the records of a list, the rows of a table, the posts of a thread.
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
    /// Elements that are hidden, and nothing can show them; none inside another.
    pub(crate) unseen: Vec<NodeId>,
    elements: Vec<Element>,
    runs: Vec<Run>,
    /// The elements `main` (by role too) and `article` that are shown, as numbers in [`Blocks::elements`].
    mains: Vec<u32>,
    articles: Vec<u32>,
    page: PageFacts,
    /// There were more than [`MAX_BLOCKS`].
    pub(super) cut: bool,
}

impl Blocks {
    /// The text nodes of a block.
    pub(crate) fn nodes_of(&self, block: &Block) -> &[NodeId] {
        self.nodes.get(block.nodes.0 as usize..block.nodes.1 as usize).unwrap_or_default()
    }

    /// The blocks that a page calls its main content: those of its one `main`, or else of its one `article`, or else all.
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

/// What is true of the whole page.
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
    structured: u32,
    described: u32,
    first_h1: Option<u32>,
    title_hash: u64,
    address: [f32; super::address::FACTS],
}
