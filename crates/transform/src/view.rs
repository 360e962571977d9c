//! The part of a tree that is written out: some roots, with some of what is below them left out.

use crate::tree::{NodeId, Tree};

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

    /// Takes a node out.
    pub(crate) fn remove(&mut self, node: NodeId) {
        if let Some(word) = self.bits.get_mut(node.index() / 64) {
            *word &= !(1 << (node.index() % 64));
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
}

impl View {
    /// All of a tree.
    pub(crate) fn whole(tree: &Tree) -> Self {
        Self { roots: vec![NodeId::DOCUMENT], hidden: NodeSet::new(tree) }
    }
}
