//! Walks a tree in document order without recursion or a stack, by the links between nodes.

use super::{NodeId, Tree};

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// A node begins.
    Enter(NodeId),
    /// A node ends. Text nodes end too.
    Leave(NodeId),
}

/// A walk over a node and its descendants.
#[derive(Debug)]
pub(crate) struct Walk<'t> {
    tree: &'t Tree,
    root: NodeId,
    upcoming: Option<Edge>,
    last: Option<Edge>,
}

impl<'t> Walk<'t> {
    /// Starts before `root`.
    pub(crate) fn new(tree: &'t Tree, root: NodeId) -> Self {
        Self { tree, root, upcoming: Some(Edge::Enter(root)), last: None }
    }

    /// Skips the descendants of the node entered last. Its end is still reported.
    pub(crate) fn skip_children(&mut self) {
        if let Some(Edge::Enter(node)) = self.last {
            self.upcoming = Some(Edge::Leave(node));
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let edge = self.upcoming?;
        self.upcoming = match edge {
            Edge::Enter(node) => {
                self.tree.spend_text(node);
                Some(self.tree.first_child(node).map_or(Edge::Leave(node), Edge::Enter))
            }
            Edge::Leave(node) if node == self.root => None,
            Edge::Leave(node) => match self.tree.next_sibling(node) {
                Some(next) => Some(Edge::Enter(next)),
                None => self.tree.parent(node).map(Edge::Leave),
            },
        };
        self.last = Some(edge);
        Some(edge)
    }
}
