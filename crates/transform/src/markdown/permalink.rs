//! Marks that programs put beside headings, terms, captions and notes: a sign that leads to where it stands, a link to edit
//! what follows or back to the text. A reader of Markdown has no use for them, and a program takes them for part of the name.

use super::Writer;
use crate::tree::{Attr, NodeId, Tag};

/// Signs that stand for the place they are at.
const SIGNS: &[&str] = &["¶", "#", "§", "🔗"];

/// What programs that write documentation call such links.
const CLASSES: &[&str] =
    &["anchor-link", "anchorlink", "hash-link", "header-anchor", "header-link", "headerlink", "permalink"];

/// Words that a heading's link to itself consists of.
const WORDS: &[&str] = &["link", "permalink", "anchor"];

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
            return !text.contains(char::is_alphanumeric)
                || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
        }
        if fragment.is_empty() {
            return false;
        }
        let named = class().any(|word| CLASSES.contains(&word));
        let text = tree.folded_text(node, 40);
        if named {
            return !text.contains(char::is_alphanumeric);
        }
        // Numbers of rows stand below a `#`.
        let sign = text.trim_end_matches(['\u{FE0E}', '\u{FE0F}']);
        SIGNS.contains(&sign) && !(sign == "#" && self.in_cell())
    }
}
