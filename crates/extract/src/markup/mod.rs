//! A page as a flat tree: what the readers of evidence walk.
//!
//! Why not `scraper`: two things it cannot give are needed here. A quote must be a span of the page's own bytes, which
//! html5ever does not tell; and a page of 100 KB of nested tags or of attributes of one tag takes its tree builder
//! seconds, as both are quadratic there. Evidence needs no exact tree construction: this one is linear, and nothing in
//! it is deeper than [`MAX_DEPTH`].

mod attribute;
mod build;
mod reference;
mod token;
mod tree;

pub(crate) use attribute::Attributes;
pub(crate) use reference::decode;
pub(crate) use tree::{Kind, NodeId, Tree};

/// Elements nested deeper than this become siblings of the deepest.
pub(crate) const MAX_DEPTH: usize = 256;
/// Nodes kept of a page; the rest of it is left unread.
pub(crate) const MAX_NODES: usize = 1_000_000;
/// Attributes read of one tag.
pub(crate) const MAX_ATTRIBUTES: usize = 128;
