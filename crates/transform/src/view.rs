//! The part of a tree that is written out: some roots, with some of what is below them left out.

use crate::tree::{Edge, Kind, NodeId, Tag, Tree, Walk};

/// A set of nodes, one bit each.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeSet {
    bits: Vec<u64>,
}

impl NodeSet {
    /// The empty set for a tree.
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { bits: vec![0; tree.len().div_ceil(64)] }
    }

    /// Adds a node.
    pub(crate) fn insert(&mut self, node: NodeId) {
        if let Some(word) = self.bits.get_mut(node.index() / 64) {
            *word |= 1 << (node.index() % 64);
        }
    }

    /// Is the node in the set?
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.bits.get(node.index() / 64).is_some_and(|word| word & (1 << (node.index() % 64)) != 0)
    }
}

/// The part of a tree that is written out.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// In document order, none inside another.
    pub(crate) roots: Vec<NodeId>,
    /// Left out, with all below.
    pub(crate) hidden: NodeSet,
    /// What stands in `noscript` is part of the page ([`speaks_without_scripts`]).
    pub(crate) noscript: bool,
}

impl View {
    /// All of a tree.
    pub(crate) fn whole(tree: &Tree) -> Self {
        Self {
            roots: vec![NodeId::DOCUMENT],
            hidden: NodeSet::new(tree),
            noscript: speaks_without_scripts(tree),
        }
    }

    /// Is an element left out with all below, because it is hidden or of a kind that nobody sees?
    pub(crate) fn skips(&self, tree: &Tree, node: NodeId) -> bool {
        let tag = tree.tag(node);
        (tag.is_invisible() && !(tag == Tag::Noscript && self.noscript)) || self.hidden.contains(node)
    }
}

/// A `noscript` with fewer words than this asks for JavaScript or holds a counter's picture.
const SPEAKING_WORDS: usize = 40;

/// Does a page say more in its `noscript` elements than outside of them? Some programs serve the whole text there and
/// an empty page around it; we are a reader without scripts, so it is meant for us.
fn speaks_without_scripts(tree: &Tree) -> bool {
    // Most pages have none that says anything: found out without a walk over all of the page.
    let nested = |noscript| tree.ancestors(noscript).take(8).any(|around| tree.tag(around) == Tag::Noscript);
    let speaks = |noscript| {
        let texts = Walk::new(tree, noscript).filter_map(|edge| match edge {
            Edge::Enter(node) if tree.kind(node) == Kind::Text => Some(tree.text(node)),
            _ => None,
        });
        // No further than it takes to know.
        let words = texts.flat_map(str::split_ascii_whitespace).take(SPEAKING_WORDS);
        !nested(noscript) && words.count() >= SPEAKING_WORDS
    };
    if !tree.all(Tag::Noscript).any(speaks) {
        return false;
    }
    let (mut inside, mut outside) = (0_usize, 0_usize);
    let mut current: Option<(NodeId, usize)> = None;
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node) if tree.kind(node) == Kind::Text => {
                let words = tree.text(node).split_ascii_whitespace().count();
                match &mut current {
                    Some((_, count)) => *count += words,
                    None => outside += words,
                }
            }
            Edge::Enter(node) if tree.tag(node) == Tag::Noscript => {
                if current.is_none() {
                    current = Some((node, 0));
                }
            }
            Edge::Enter(node) if tree.tag(node).is_invisible() && tree.tag(node) != Tag::Head => {
                walk.skip_children();
            }
            Edge::Leave(node) => {
                if let Some((noscript, words)) = current
                    && noscript == node
                {
                    inside += if words >= SPEAKING_WORDS { words } else { 0 };
                    current = None;
                }
            }
            Edge::Enter(_) => {}
        }
    }
    inside > outside
}
