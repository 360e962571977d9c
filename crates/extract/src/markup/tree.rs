//! The tree of a page: nodes, attributes, and the range of each node in the visible text.

use std::borrow::Cow;
use std::ops::Range;

use gleaner_types::Interrupt;

use super::reference::decode;
use crate::page::trimmed;

/// Bytes per unit of work.
pub(super) const UNIT_BYTES: usize = 64;

/// The index of a node in its [`Tree`]; nodes are in page order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind<'a> {
    /// An element with its name as written.
    Element { name: &'a str },
    /// A script, style, title or similar element, with its raw text.
    Raw { name: &'a str, text: &'a str },
    /// Text; `at..end` is its range in the page.
    Text { at: usize, end: usize },
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) parent: u32,
    /// The first node after all its descendants.
    pub(super) end: u32,
    /// The range of its visible text.
    pub(super) text: Range<u32>,
    /// The range of its attributes.
    pub(super) attributes: Range<u32>,
    /// Whether nothing in it is visible.
    pub(super) hidden: bool,
}

/// A page: its nodes in document order, and all its visible text in one buffer with white space folded.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// The attributes of all nodes: name and value, both as written.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    pub(super) text: String,
    /// Interrupts the work on the page. Each visited node counts as one unit of work; once the interrupt is
    /// raised, no further node is visited.
    pub(super) interrupt: Interrupt,
}

impl<'a> Tree<'a> {
    /// All nodes in document order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.until_interrupted((0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId))
    }

    /// The interrupt of the work on the page.
    pub(crate) const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    fn until_interrupted(&self, nodes: impl Iterator<Item = NodeId>) -> impl Iterator<Item = NodeId> {
        nodes.take_while(|_| !self.interrupt.spend(1))
    }

    /// The descendants of a node, in document order.
    pub(crate) fn within(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes.get(node.index()).map_or(0, |found| found.end);
        self.until_interrupted((node.0 + 1..end).map(NodeId))
    }

    /// The children of a node.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(node);
        let mut next = NodeId(node.0 + 1);
        std::iter::from_fn(move || {
            if next >= end || self.interrupt.spend(1) {
                return None;
            }
            let child = next;
            next = self.end(child);
            Some(child)
        })
    }

    /// The first node after a node and all its descendants.
    pub(crate) fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.nodes.get(node.index()).map_or(u32::MAX, |found| found.end))
    }

    pub(crate) fn kind(&self, node: NodeId) -> Option<Kind<'a>> {
        self.nodes.get(node.index()).map(|found| found.kind)
    }

    /// The name of an element as written; empty for text.
    pub(crate) fn name(&self, node: NodeId) -> &'a str {
        match self.kind(node) {
            Some(Kind::Element { name, .. } | Kind::Raw { name, .. }) => name,
            _ => "",
        }
    }

    /// Whether the element has one of these names.
    pub(crate) fn is(&self, node: NodeId, names: &[&str]) -> bool {
        let name = self.name(node);
        !name.is_empty() && names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    pub(crate) fn is_hidden(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|found| found.hidden)
    }

    /// The attributes of an element: name and value, both as written.
    pub(crate) fn attributes(&self, node: NodeId) -> &[(&'a str, &'a str)] {
        let range = self.nodes.get(node.index()).map_or(0..0, |found| found.attributes.clone());
        let found = self.attributes.get(range.start as usize..range.end as usize).unwrap_or_default();
        let bytes = found.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        self.interrupt.spend(bytes / UNIT_BYTES);
        found
    }

    /// The value of the first attribute with this lower-case name.
    pub(crate) fn attribute(&self, node: NodeId, name: &str) -> Option<Cow<'a, str>> {
        let mut attributes = self.attributes(node).iter();
        attributes.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| decode(value))
    }

    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes.get(node.index())?.parent;
        (parent != u32::MAX).then_some(NodeId(parent))
    }

    /// The ancestors of a node, nearest first.
    pub(crate) fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
    }

    /// The range of a node's visible text in [`Tree::text`].
    pub(crate) fn text_range(&self, node: NodeId) -> Range<usize> {
        self.nodes.get(node.index()).map_or(0..0, |found| found.text.start as usize..found.text.end as usize)
    }

    /// The range of a node's visible text in [`Tree::text`], without the white space around it.
    pub(crate) fn trimmed_range(&self, node: NodeId) -> Range<usize> {
        trimmed(&self.text, self.text_range(node))
    }

    /// The visible text of a node: blocks on lines of their own, white space folded.
    pub(crate) fn text_of(&self, node: NodeId) -> &str {
        self.text.get(self.text_range(node)).unwrap_or_default().trim()
    }

    /// All visible text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}
