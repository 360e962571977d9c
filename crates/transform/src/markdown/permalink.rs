//! Utility links beside headings, terms, captions and notes: permalinks to the element itself, edit links,
//! buttons and backlinks to the text. Readers of Markdown do not need them, and programs would read them as
//! part of the heading or term.

use std::iter::successors;

use super::Writer;
use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// Texts of permalinks.
const SYMBOLS: &[&str] = &["¶", "#", "§", "🔗"];

/// Classes that documentation generators give to permalinks.
const CLASSES: &[&str] =
    &["anchor-link", "anchorlink", "hash-link", "header-anchor", "header-link", "headerlink", "permalink"];

/// Classes that wikis give to the edit link of a section and to the backlinks of a note.
const WIKI_CLASSES: &[&str] = &["mw-editsection", "editsection", "secedit", "mw-cite-backlink"];

/// Parts of the addresses of edit links in wikis.
const EDIT_ADDRESSES: &[&str] = &["action=edit", "do=edit"];

/// Words that are the whole text of a heading's link to itself.
const WORDS: &[&str] = &["link", "permalink", "anchor"];

/// Starts of the text of a heading's link to itself.
const WORD_STARTS: &[&str] =
    &["anchor link", "copy link", "direct link", "link for", "link to", "permalink", "permanent link"];

/// Maximum number of siblings and of ancestors examined. In a long row of links each link would examine all
/// others again.
const MAX_NEIGHBOURS: usize = 4;

/// Maximum number of tree edges of a heading that are examined for text.
const MAX_HEADING_EDGES: usize = 200;

impl Writer<'_> {
    /// Is an element a utility link or another control beside the content?
    pub(super) fn is_utility_link(&self, node: NodeId) -> bool {
        let tree = self.tree;
        match tree.tag(node) {
            _ if self.heading_has_text && self.heading.is_some() && is_control(tree, node) => true,
            Tag::A => self.is_permalink(node) || self.is_edit_link(node),
            Tag::Span | Tag::Div => names::has_class(tree, node, WIKI_CLASSES),
            _ => false,
        }
    }

    /// Has a heading letters outside its buttons? If not, a button is the heading, such as that of a fold.
    pub(super) fn has_text_beside_controls(&self, heading: NodeId) -> bool {
        let tree = self.tree;
        let mut walk = Walk::new(tree, heading);
        for _ in 0..MAX_HEADING_EDGES {
            match walk.next() {
                Some(Edge::Enter(node)) if tree.kind(node) == Kind::Text => {
                    if tree.text(node).contains(char::is_alphabetic) {
                        return true;
                    }
                }
                Some(Edge::Enter(node)) if is_control(tree, node) || self.view.skips(tree, node) => {
                    walk.skip_children();
                }
                Some(_) => {}
                None => break,
            }
        }
        false
    }

    /// Is a link a permalink to the element that it is in or beside?
    fn is_permalink(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let Some(href) = tree.attribute(node, Attr::Href).map(str::trim_start) else { return false };
        let Some((page, fragment)) = href.split_once('#') else { return false };
        if self.heading.is_some() && (page.is_empty() || self.is_self_link(node)) {
            let text = tree.folded_text(node, 40);
            let is_symbol = !text.contains(char::is_alphanumeric);
            return (is_symbol || is_permalink_text(&text) || has_only_hidden_text(tree, node))
                && !self.is_only_text_of_block(node);
        }
        if fragment.is_empty() {
            return false;
        }
        if page.is_empty() && self.is_beside_heading(node, |heading| is_id(tree, heading, fragment)) {
            return true;
        }
        let named = names::has_class(tree, node, CLASSES);
        let text = tree.folded_text(node, 40);
        if named {
            return !text.contains(char::is_alphanumeric);
        }
        // A symbol before more text is part of the text (`§ 5`), and `#` in a cell is the header of a number
        // column.
        let symbol = text.trim_end_matches(['\u{FE0E}', '\u{FE0F}']);
        page.is_empty()
            && SYMBOLS.contains(&symbol)
            && !(symbol == "#" && self.in_cell())
            && !self.any_has_text(successors(tree.next_sibling(node), |node| tree.next_sibling(*node)))
    }

    /// Is a link in or beside a heading one for editing the section?
    fn is_edit_link(&self, link: NodeId) -> bool {
        let href = self.tree.attribute(link, Attr::Href).map(names::prefix).unwrap_or_default();
        EDIT_ADDRESSES.iter().any(|part| href.contains(part))
            && if self.heading.is_some() {
                !self.is_only_text_of_block(link)
            } else {
                self.is_beside_heading(link, |_| true)
            }
    }

    /// Is an element a near sibling of a wanted heading?
    fn is_beside_heading(&self, node: NodeId, wanted: impl Fn(NodeId) -> bool) -> bool {
        let tree = self.tree;
        let before = successors(tree.previous_sibling(node), |node| tree.previous_sibling(*node));
        let after = successors(tree.next_sibling(node), |node| tree.next_sibling(*node));
        before
            .take(MAX_NEIGHBOURS)
            .chain(after.take(MAX_NEIGHBOURS))
            .any(|sibling| tree.tag(sibling).heading_level().is_some() && wanted(sibling))
    }

    /// Does a link lead to its own page?
    pub(super) fn is_self_link(&self, link: NodeId) -> bool {
        let href = self.tree.attribute(link, Attr::Href);
        !self.options.faithful && href.is_some_and(|href| self.options.resolver.is_same_page(href))
    }

    /// Is a link the whole text of its block, such as a heading that links to itself?
    fn is_only_text_of_block(&self, link: NodeId) -> bool {
        let tree = self.tree;
        let mut node = link;
        for _ in 0..MAX_NEIGHBOURS {
            let before = successors(tree.previous_sibling(node), |node| tree.previous_sibling(*node));
            let after = successors(tree.next_sibling(node), |node| tree.next_sibling(*node));
            if self.any_has_text(before) || self.any_has_text(after) {
                return false;
            }
            match tree.parent(node).filter(|parent| !tree.tag(*parent).is_block()) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        true
    }

    /// Does any of the first few nodes have text?
    fn any_has_text(&self, nodes: impl Iterator<Item = NodeId>) -> bool {
        nodes.take(MAX_NEIGHBOURS).any(|node| !self.tree.folded_text(node, 1).trim().is_empty())
    }
}

/// Is an element a button that opens nothing? The button of a fold has the text of its heading.
fn is_control(tree: &Tree, node: NodeId) -> bool {
    (tree.tag(node) == Tag::Button || tree.attribute(node, Attr::Role) == Some("button"))
        && !tree.has(node, Attr::AriaExpanded)
}

fn is_permalink_text(text: &str) -> bool {
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        || WORD_STARTS
            .iter()
            .any(|start| text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

/// Is all text of a link hidden from view, as beside an icon?
fn has_only_hidden_text(tree: &Tree, link: NodeId) -> bool {
    let mut written = tree
        .children(link)
        .take(MAX_NEIGHBOURS)
        .filter(|child| !tree.tag(*child).is_invisible() && !tree.folded_text(*child, 1).trim().is_empty());
    written.next().is_some_and(|first| names::is_visually_hidden(tree, first)) && written.next().is_none()
}

/// Has an element this id? The fragment may be escaped.
fn is_id(tree: &Tree, node: NodeId, fragment: &str) -> bool {
    let Some(id) = tree.attribute(node, Attr::Id) else { return false };
    id == fragment || percent_encoding::percent_decode_str(fragment).eq(id.bytes())
}
