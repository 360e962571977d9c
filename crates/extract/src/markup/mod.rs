//! A page as a flat tree, which the readers of evidence traverse.
//!
//! Alternative: `scraper`. It lacks two things. A quote must be a span of the page's own bytes, which
//! html5ever does not report. And its tree builder takes seconds for a page of 100 KB of nested tags or of
//! attributes of one tag, as both are quadratic there. Evidence needs no exact tree construction: this one is
//! linear, and nothing in it is deeper than [`MAX_DEPTH`].

mod attribute;
mod build;
mod reference;
mod token;
mod tree;

pub(crate) use reference::decode;
pub(crate) use tree::{Kind, NodeId, Tree};

/// Upper bound on the nesting; deeper elements become siblings of the deepest.
pub(crate) const MAX_DEPTH: usize = 256;
/// Upper bound on the nodes of a page; the rest is not read.
pub(crate) const MAX_NODES: usize = 1_000_000;
/// Upper bound on the attributes of one tag.
pub(crate) const MAX_ATTRIBUTES: usize = 128;
/// Upper bound on the attributes of a page, but for those of one tag. Later elements have none, and scripts of
/// theirs no type.
const MAX_PAGE_ATTRIBUTES: usize = 1_000_000;

/// A name in lower case, without allocating; empty if it is longer than the buffer.
pub(crate) fn lower_case<'b>(name: &str, buffer: &'b mut [u8]) -> &'b [u8] {
    let Some(lower) = buffer.get_mut(..name.len()) else { return &[] };
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    lower
}
