//! Utility links beside headings, terms, captions and notes: permalinks to the element itself, edit links and
//! backlinks to the text. Readers of Markdown do not need them, and programs would read them as part of the
//! heading or term.

use std::iter::successors;

use super::Writer;
use crate::tree::{Attr, NodeId, Tag};

/// Texts of permalinks.
const SYMBOLS: &[&str] = &["¶", "#", "§", "🔗"];

/// Classes that documentation generators give to permalinks.
const CLASSES: &[&str] =
    &["anchor-link", "anchorlink", "hash-link", "header-anchor", "header-link", "headerlink", "permalink"];

/// Words that are the whole text of a heading's link to itself.
const WORDS: &[&str] = &["link", "permalink", "anchor"];

/// Maximum number of siblings and of ancestors examined. In a long row of links each link would examine all
/// others again.
const MAX_NEIGHBOURS: usize = 4;

impl Writer<'_> {
    /// Is an element (a link or a `span`) a utility link?
    pub(super) fn is_utility_link(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let class = || tree.attribute(node, Attr::Class).unwrap_or_default().split_ascii_whitespace();
        if tree.tag(node) == Tag::Span {
            return class().any(|word| match word {
                "mw-editsection" => self.heading.is_some(),
                "mw-cite-backlink" => true,
                _ => false,
            });
        }
        let Some(href) = tree.attribute(node, Attr::Href).map(str::trim_start) else { return false };
        let Some((page, fragment)) = href.split_once('#') else { return false };
        if self.heading.is_some() && page.is_empty() {
            let text = tree.folded_text(node, 40);
            let is_symbol = !text.contains(char::is_alphanumeric);
            return (is_symbol || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)))
                && !self.is_only_text_of_block(node);
        }
        if fragment.is_empty() {
            return false;
        }
        let named = class().any(|word| CLASSES.contains(&word));
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
