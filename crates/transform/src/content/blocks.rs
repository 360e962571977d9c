//! The text blocks of a page: runs of text between block boundaries, each with the numbers the model looks at.
//!
//! One walk collects the blocks and what surrounds them; features that need the page's totals or a block's neighbours
//! are filled in afterwards. Numbers are shares, counts folded by a logarithm, and distances in elements.

mod collect;
mod features;

pub(super) use collect::collect;

use super::cues::PATHS;
use super::vocabulary::GROUPS;
use crate::tree::{NodeId, Tag};

/// A page is judged by its first so many blocks; what comes after shares the fate of the last one.
pub(crate) const MAX_BLOCKS: usize = 20_000;

/// A distance that means "not there".
const FAR: u16 = 24;

/// A run of text between block boundaries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Its text nodes, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// The innermost block element around it.
    pub(crate) container: Option<NodeId>,
    pub(crate) words: u32,
    letters: u32,
    link_words: u32,
    links: u32,
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
    /// Distances to the nearest element around it with a word of each group.
    groups: Distances,
    /// Distances to the nearest element of each kind in [`AROUND`].
    around: [u8; AROUND.len()],
    kind: u8,
    depth: u16,
    heading: u8,
    hidden: bool,
    signature: u64,
    /// Indices of aggregates: the block's container, and elements further out.
    regions: [u32; REGIONS],
    child_index: u16,
    cues: u32,
    title_words: u32,
    description_words: u32,
}

/// Distances to elements around a block with a word of each group.
#[derive(Debug, Clone, Copy)]
struct Distances([u8; GROUPS]);

impl Default for Distances {
    fn default() -> Self {
        Self([0; GROUPS])
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

/// Elements around a block whose totals count: its container, and 2, 3, 5 and 8 elements further out.
const REGIONS: usize = 5;
const REGION_STEPS: [usize; REGIONS] = [0, 1, 2, 4, 7];

/// Totals of an element.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    words: u32,
    link_words: u32,
    blocks: u32,
    paragraphs: u32,
    paragraph_words: u32,
    headings: u32,
    elements: u32,
    links: u32,
}

/// The blocks of a page and its totals.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) list: Vec<Block>,
    totals: Vec<Totals>,
    page: PageFacts,
}

/// What is true of the whole page.
#[derive(Debug, Clone, Copy, Default)]
struct PageFacts {
    elements: u32,
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
    first_h1: Option<u32>,
    title_hash: u64,
    address: [f32; PATHS + 5],
}
