//! Inline elements that a browser shows separately although the source has no space between them: cells, rows
//! and items by role, and elements whose style makes them blocks. Their words must not run together.
//!
//! They do not become tables and lists: pages put these roles on whole sections (a list of cards, a grid of
//! pictures), and such content is unreadable in cells of one line.

use super::Writer;
use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// How an element is separated from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separation {
    /// By its tag only.
    None,
    /// By a space on the same line.
    Space,
    /// By a line of its own.
    Line,
}

/// Values of `display` that make a block.
const BLOCK_DISPLAYS: &[&str] = &["block", "flex", "flow-root", "grid", "list-item", "table"];

/// Maximum number of tree edges examined to find the text of an element.
const MAX_EDGES: usize = 24;

impl Writer<'_> {
    /// How an element that is not a block by its tag is separated from its neighbours.
    fn separation(&self, node: NodeId, tag: Tag) -> Separation {
        if self.options.faithful || tag.is_block() || tag == Tag::Img {
            return Separation::None;
        }
        let tree = self.tree;
        if tag == Tag::Cite && self.is_source_of_quote(node) {
            return Separation::Line;
        }
        match tree.attribute(node, Attr::Role) {
            Some("row") => return Separation::Line,
            Some("cell" | "gridcell" | "columnheader" | "rowheader" | "listitem") => {
                return Separation::Space;
            }
            _ => {}
        }
        if is_control(tree, node, tag)
            || names::is_visually_hidden(tree, node)
            || tree.attribute(node, Attr::Style).is_some_and(is_block)
            || (tag == Tag::Span && self.in_any_link() && self.is_title_text_pair(node))
        {
            Separation::Space
        } else {
            Separation::None
        }
    }

    /// Separates the start of an element from the content before it.
    pub(super) fn separate_start(&mut self, node: NodeId, tag: Tag) {
        let separation = self.separation(node, tag);
        let before = |node| self.tree.previous_sibling(node).map(|before| self.tree.text(before));
        let is_open = separation == Separation::Space
            && before(node).is_some_and(|text| text.ends_with(['(', '[', '“', '„', '«', '‘']));
        if !is_open {
            self.separate(separation);
        }
    }

    /// Separates the end of an element from the content after it.
    pub(super) fn separate_end(&mut self, node: NodeId, tag: Tag) {
        match self.separation(node, tag) {
            Separation::Space => self.separate_after(node),
            separation => self.separate(separation),
        }
    }

    /// Writes a space after an element, unless punctuation follows.
    pub(super) fn separate_after(&mut self, node: NodeId) {
        let after = self.tree.next_sibling(node).map(|after| self.tree.text(after)).unwrap_or_default();
        if !after.starts_with(['.', ',', ';', ':', '!', '?', ')', ']', '…', '”', '»', '’', '、', '。', '，'])
        {
            self.inline.space();
        }
    }

    /// Is a block a cell by its role? Cells of a row are written on one line.
    pub(super) fn is_cell_by_role(&self, node: NodeId) -> bool {
        let role = |node| self.tree.attribute(node, Attr::Role);
        !self.options.faithful
            && matches!(role(node), Some("cell" | "gridcell" | "columnheader" | "rowheader"))
            && self.tree.parent(node).and_then(role) == Some("row")
    }

    /// Separates what comes next from the content before it.
    fn separate(&mut self, separation: Separation) {
        match separation {
            Separation::None => {}
            Separation::Line if self.in_cell() => self.break_in_cell(),
            Separation::Line if self.heading.is_none() && !self.in_any_link() => self.flush(),
            Separation::Line | Separation::Space => self.inline.space(),
        }
    }

    fn in_any_link(&self) -> bool {
        self.inline.in_link() || self.block_link.is_some()
    }

    /// Is a `cite` the source of the quote around it: at its end, after a whole sentence?
    fn is_source_of_quote(&self, cite: NodeId) -> bool {
        const ENDS: [char; 12] = ['.', '!', '?', '…', '"', '”', '“', '»', '’', '。', '」', '』'];
        let tree = self.tree;
        let is_written = |node: &NodeId| tree.is_element(*node) || !tree.text(*node).trim().is_empty();
        let mut before =
            std::iter::successors(tree.previous_sibling(cite), |node| tree.previous_sibling(*node));
        let mut after = std::iter::successors(tree.next_sibling(cite), |node| tree.next_sibling(*node));
        tree.parent(cite).is_some_and(|parent| tree.tag(parent) == Tag::Blockquote)
            && !after.any(|node| is_written(&node))
            && before.find(is_written).is_some_and(|node| tree.text(node).trim_end().ends_with(ENDS))
    }

    /// Is a `span` the second of two in a link without a space between them, both with several words, and the
    /// second not beginning in lower case? This is the form of a title and a text below it that a style sheet
    /// separates.
    fn is_title_text_pair(&self, node: NodeId) -> bool {
        let Some(before) = self.tree.previous_sibling(node) else { return false };
        self.tree.tag(before) == Tag::Span
            && self.first_of_words(before).is_some()
            && self.first_of_words(node).is_some_and(|first| !first.is_lowercase())
    }

    /// The first letter of an element whose first text has several words and no leading space.
    fn first_of_words(&self, node: NodeId) -> Option<char> {
        let text = Walk::new(self.tree, node).take(MAX_EDGES).find_map(|edge| match edge {
            Edge::Enter(node) if self.tree.kind(node) == Kind::Text => Some(self.tree.text(node)),
            _ => None,
        })?;
        let several = text.trim_end().contains(char::is_whitespace);
        text.chars().next().filter(|first| several && first.is_alphanumeric())
    }
}

/// Is an element a control, which browsers draw as a box of its own?
fn is_control(tree: &Tree, node: NodeId, tag: Tag) -> bool {
    match tag {
        Tag::Button | Tag::Select | Tag::Textarea | Tag::Meter | Tag::Progress => true,
        Tag::Input => {
            tree.attribute(node, Attr::Type).is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden"))
        }
        _ => false,
    }
}

/// Does the style attribute of an element make it a block? A position out of the flow does too (CSS 2.2,
/// 9.7).
fn is_block(style: &str) -> bool {
    // Most styles have neither: a quick check avoids parsing them.
    if !["isplay", "ISPLAY", "osition", "OSITION"].iter().any(|name| style.contains(name)) {
        return false;
    }
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let is_property = |name: &str| property.trim().eq_ignore_ascii_case(name);
        let value = value.split('!').next().unwrap_or_default().trim();
        let is_one_of = |values: &[&str]| values.iter().any(|one| value.eq_ignore_ascii_case(one));
        (is_property("display") && is_one_of(BLOCK_DISPLAYS))
            || (is_property("position") && is_one_of(&["absolute", "fixed"]))
    })
}
