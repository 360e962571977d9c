//! Marks that programs put beside headings, terms, captions and notes: a sign that leads to where it stands, a link to edit
//! what follows or back to the text. A reader of Markdown has no use for them, and a program takes them for part of the name.

use std::iter::successors;

use super::Writer;
use crate::tree::{Attr, NodeId, Tag};

/// Signs that stand for the place they are at.
const SIGNS: &[&str] = &["¶", "#", "§", "🔗"];

/// What programs that write documentation call such links.
const CLASSES: &[&str] =
    &["anchor-link", "anchorlink", "hash-link", "header-anchor", "header-link", "headerlink", "permalink"];

/// Words that a heading's link to itself consists of.
const WORDS: &[&str] = &["link", "permalink", "anchor"];

/// Neighbours, and elements around, that are looked at: more would be looked at again for each link of a row of them.
const NEAR: usize = 4;

impl Writer<'_> {
    /// Is an element, a link or a `span`, such a mark?
    pub(super) fn is_furniture(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let class = || tree.attribute(node, Attr::Class).unwrap_or_default().split_ascii_whitespace();
        if tree.tag(node) == Tag::Span {
            return class().any(|word| match word {
                "mw-editsection" => self.heading.is_some(),
                // Beside a note.
                "mw-cite-backlink" => true,
                _ => false,
            });
        }
        let Some(href) = tree.attribute(node, Attr::Href).map(str::trim_start) else { return false };
        let Some((page, fragment)) = href.split_once('#') else { return false };
        if self.heading.is_some() && page.is_empty() {
            let text = tree.folded_text(node, 40);
            let sign = !text.contains(char::is_alphanumeric);
            return (sign || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)))
                && !self.is_alone(node);
        }
        if fragment.is_empty() {
            return false;
        }
        let named = class().any(|word| CLASSES.contains(&word));
        let text = tree.folded_text(node, 40);
        if named {
            return !text.contains(char::is_alphanumeric);
        }
        // A sign within the text is part of it (`§ 5`), and numbers of rows stand below a `#`.
        let sign = text.trim_end_matches(['\u{FE0E}', '\u{FE0F}']);
        page.is_empty()
            && SIGNS.contains(&sign)
            && !(sign == "#" && self.in_cell())
            && !self.any_text(successors(tree.next_sibling(node), |node| tree.next_sibling(*node)))
    }

    /// Does a link lead to the page that it stands on?
    pub(super) fn leads_to_page(&self, link: NodeId) -> bool {
        let href = self.tree.attribute(link, Attr::Href);
        !self.options.faithful && href.is_some_and(|href| self.options.resolver.is_same_page(href))
    }

    /// Is a link all the text of its block, as that of a heading that leads to itself is?
    fn is_alone(&self, link: NodeId) -> bool {
        let tree = self.tree;
        let mut node = link;
        for _ in 0..NEAR {
            let before = successors(tree.previous_sibling(node), |node| tree.previous_sibling(*node));
            let after = successors(tree.next_sibling(node), |node| tree.next_sibling(*node));
            if self.any_text(before) || self.any_text(after) {
                return false;
            }
            match tree.parent(node).filter(|parent| !tree.tag(*parent).is_block()) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        true
    }

    /// Has any of the first few nodes a text?
    fn any_text(&self, nodes: impl Iterator<Item = NodeId>) -> bool {
        nodes.take(NEAR).any(|node| !self.tree.folded_text(node, 1).trim().is_empty())
    }
}
