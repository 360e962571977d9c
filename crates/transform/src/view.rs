//! The part of a tree that is written out: some roots without the nodes hidden below them.

use crate::notice::NoscriptWords;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::words::count;

/// A set of nodes, one bit each.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeSet {
    bits: Vec<u64>,
}

impl NodeSet {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { bits: vec![0; tree.len().div_ceil(64)] }
    }

    pub(crate) fn insert(&mut self, node: NodeId) {
        if let Some(word) = self.bits.get_mut(node.index() / 64) {
            *word |= 1 << (node.index() % 64);
        }
    }

    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.bits.get(node.index() / 64).is_some_and(|word| word & (1 << (node.index() % 64)) != 0)
    }
}

/// The part of a tree that is written out.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// In document order; none is inside another.
    pub(crate) roots: Vec<NodeId>,
    /// Nodes left out, with everything below them.
    pub(crate) hidden: NodeSet,
    /// The content of `noscript` is part of the page ([`has_noscript_content`]).
    pub(crate) noscript: bool,
}

impl View {
    pub(crate) fn whole(tree: &Tree) -> Self {
        Self {
            roots: vec![NodeId::DOCUMENT],
            hidden: NodeSet::new(tree),
            noscript: has_noscript_content(tree),
        }
    }

    /// True if an element is left out with everything below it: it is hidden, or browsers never show its
    /// kind.
    pub(crate) fn skips(&self, tree: &Tree, node: NodeId) -> bool {
        (tree.is_unshown(node) && !(tree.tag(node) == Tag::Noscript && self.noscript))
            || self.hidden.contains(node)
    }
}

/// A `noscript` with fewer words than this only asks for JavaScript or holds a tracking pixel.
const MIN_NOSCRIPT_WORDS: usize = 40;

/// True if a page has more words in its `noscript` elements than outside them, without notices that ask for
/// JavaScript. Some sites serve the whole text there and an empty page around it, for readers without
/// scripts. Where a browser has run the scripts, it has hidden these elements.
fn has_noscript_content(tree: &Tree) -> bool {
    // On most pages no `noscript` has enough words: this check needs no walk over the whole page.
    let nested = |noscript| tree.ancestors(noscript).take(8).any(|around| tree.tag(around) == Tag::Noscript);
    let hidden = |noscript| tree.attribute(noscript, Attr::Hidden).is_some();
    let has_text = |noscript| {
        let mut texts = Walk::new(tree, noscript).filter_map(|edge| match edge {
            Edge::Enter(node) if tree.kind(node) == Kind::Text => Some(tree.text(node)),
            _ => None,
        });
        let mut words = 0;
        // Counting stops at the threshold.
        let mut reaches_threshold = || {
            texts.any(|text| {
                words += count(text);
                words >= MIN_NOSCRIPT_WORDS
            })
        };
        !nested(noscript) && !hidden(noscript) && reaches_threshold()
    };
    if !tree.elements_with_tag(Tag::Noscript).any(has_text) {
        return false;
    }
    let (mut inside, mut outside) = (0_usize, 0_usize);
    let mut current: Option<(NodeId, NoscriptWords)> = None;
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node) if tree.kind(node) == Kind::Text => match &mut current {
                Some((_, words)) => words.add(tree.text(node)),
                None => outside += count(tree.text(node)),
            },
            Edge::Enter(node) if tree.tag(node) == Tag::Noscript && !hidden(node) => {
                if current.is_none() {
                    current = Some((node, NoscriptWords::default()));
                }
            }
            Edge::Enter(node) if tree.tag(node).is_invisible() && tree.tag(node) != Tag::Head => {
                walk.skip_children();
            }
            Edge::Leave(node) => {
                if let Some((_, words)) = current.take_if(|(noscript, _)| *noscript == node) {
                    let words = words.of_content();
                    inside += if words >= MIN_NOSCRIPT_WORDS { words } else { 0 };
                }
            }
            Edge::Enter(_) => {}
        }
    }
    inside > outside
}
