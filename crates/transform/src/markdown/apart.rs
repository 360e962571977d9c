//! Elements that stand apart on the page although nothing in the source says so between them: cells, rows and items by
//! their role, what a style makes a block. Their words must not run into one another.
//!
//! Why not tables and lists of them: roles are put on whole parts of a page (a list of cards, a grid of pictures), and
//! what comes out as cells of one line would be unreadable.

use super::Writer;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Walk};

/// How an element stands to what is beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// As its tag says.
    No,
    /// On the same line.
    Words,
    /// On a line of its own.
    Line,
}

/// Values of `display` that make a block.
const BLOCKS: &[&str] = &["block", "flex", "flow-root", "grid", "list-item", "table"];

/// Edges of the tree that are looked at to tell whether an element holds several words.
const EDGES: usize = 24;

impl Writer<'_> {
    /// How an element stands to what is beside it, where it is not a block by its tag.
    pub(super) fn apart(&self, node: NodeId, tag: Tag) -> Apart {
        if self.options.faithful || tag.is_block() || tag == Tag::Img {
            return Apart::No;
        }
        let tree = self.tree;
        match tree.attribute(node, Attr::Role) {
            Some("row") => return Apart::Line,
            Some("cell" | "gridcell" | "columnheader" | "rowheader" | "listitem") => return Apart::Words,
            _ => {}
        }
        if tree.attribute(node, Attr::Style).is_some_and(is_block)
            || (tag == Tag::Span && self.in_any_link() && self.is_title_or_text(node))
        {
            Apart::Words
        } else {
            Apart::No
        }
    }

    /// Is a block a cell by its role? Cells of a row stand on one line.
    pub(super) fn is_cell_by_role(&self, node: NodeId) -> bool {
        let role = |node| self.tree.attribute(node, Attr::Role);
        !self.options.faithful
            && matches!(role(node), Some("cell" | "gridcell" | "columnheader" | "rowheader"))
            && self.tree.parent(node).and_then(role) == Some("row")
    }

    /// Puts an element's start or end apart from what is before it.
    pub(super) fn set_apart(&mut self, apart: Apart) {
        match apart {
            Apart::No => {}
            Apart::Line if self.in_cell() => self.break_in_cell(),
            Apart::Line if self.heading.is_none() && !self.in_any_link() => self.flush(),
            Apart::Line | Apart::Words => self.inline.space(),
        }
    }

    fn in_any_link(&self) -> bool {
        self.inline.in_link() || self.block_link.is_some()
    }

    /// Is a `span` one of two that follow each other in a link without a space between, each of several words, the second
    /// beginning like a sentence? So look a title and the text below it, whose style stands elsewhere.
    fn is_title_or_text(&self, node: NodeId) -> bool {
        let Some(before) = self.tree.previous_sibling(node) else { return false };
        self.tree.tag(before) == Tag::Span
            && self.opens_with_words(before).is_some()
            && self.opens_with_words(node).is_some_and(|first| !first.is_lowercase())
    }

    /// The first letter of a text that begins with several words and no space.
    fn opens_with_words(&self, node: NodeId) -> Option<char> {
        let text = Walk::new(self.tree, node).take(EDGES).find_map(|edge| match edge {
            Edge::Enter(node) if self.tree.kind(node) == Kind::Text => Some(self.tree.text(node)),
            _ => None,
        })?;
        let several = text.trim_end().contains(char::is_whitespace);
        text.chars().next().filter(|first| several && first.is_alphanumeric())
    }
}

/// Does an element's own style make it a block?
fn is_block(style: &str) -> bool {
    // Most styles say nothing of it: found out without taking them apart.
    if !style.contains("isplay") && !style.contains("ISPLAY") {
        return false;
    }
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        property.trim().eq_ignore_ascii_case("display")
            && BLOCKS
                .iter()
                .any(|block| value.split('!').next().unwrap_or_default().trim().eq_ignore_ascii_case(block))
    })
}
