//! Keeps the boxes of a text: callouts, and asides between its paragraphs.
//!
//! An `aside` is a side column on one page, and a note, a pull quote or a quoted post on another (HTML
//! Standard, 4.3.5). Its place tells them apart: a box of the text stands among the paragraphs in the same
//! element, next to one that is kept, and a side column stands beside the element of the text. A teaser or a
//! form may stand there too, so a box has few links and no form. The model drops such boxes because most
//! asides of its training data are side columns.

use std::collections::HashMap;
use std::ops::Range;

use super::super::vocabulary::groups;
use super::{Blocks, Element, MAX_DISTANCE};
use crate::markdown::is_callout;
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};
use crate::unseen;

/// Lower bound on the kept words of the text around an aside, in its own element.
const MIN_TEXT_WORDS: u32 = 10;

/// In an aside of a text at most one in this many words is in a link.
const MIN_WORDS_PER_LINK_WORD: u32 = 4;

/// Groups of the vocabulary that name asides which are no part of a text: navigation, cookies, sharing,
/// related pages, comments, advertisements, newsletters, authors, search, accounts and carts.
const OTHER_GROUPS: [usize; 11] = [0, 5, 6, 7, 8, 9, 10, 15, 19, 20, 21];

/// A box with its blocks.
#[derive(Debug)]
struct TextBox {
    /// Its index in [`Blocks::elements`].
    number: u32,
    blocks: Range<usize>,
}

impl Blocks {
    /// Keeps the boxes that stand in the kept text.
    pub(crate) fn keep_boxes(&self, tree: &Tree, kept: &mut [bool]) {
        let boxes = self.text_boxes(tree);
        if boxes.is_empty() {
            return;
        }
        let texts = self.texts(tree, &boxes, kept);
        let is_found = |found: &&TextBox| self.is_in_text(tree, found, &texts, kept).unwrap_or(false);
        let found: Vec<Range<usize>> =
            boxes.iter().filter(is_found).map(|found| found.blocks.clone()).collect();
        for at in found.into_iter().flatten() {
            if let Some(kept) = kept.get_mut(at) {
                *kept |= self.is_shown(tree, at);
            }
        }
    }

    /// The outermost boxes with text, in order.
    fn text_boxes(&self, tree: &Tree) -> Vec<TextBox> {
        let mut boxes: Vec<TextBox> = Vec::new();
        let mut end = 0;
        for (number, element) in (0_u32..).zip(&self.elements) {
            if number >= end && is_box(tree, element) {
                end = element.end;
                boxes.push(TextBox { number, blocks: 0..0 });
            }
        }
        if !boxes.is_empty() {
            for (at, block) in self.list.iter().enumerate() {
                let before = boxes.partition_point(|known| known.number <= block.element);
                let Some(around) = before.checked_sub(1).and_then(|index| boxes.get_mut(index)) else {
                    continue;
                };
                let end = self.elements.get(around.number as usize).map_or(0, |element| element.end);
                if block.element < end {
                    let start = if around.blocks.is_empty() { at } else { around.blocks.start };
                    around.blocks = start..at + 1;
                }
            }
        }
        boxes.retain(|found| !found.blocks.is_empty());
        boxes
    }

    /// The kept words outside boxes and headings, by the element that holds the text.
    fn texts(&self, tree: &Tree, boxes: &[TextBox], kept: &[bool]) -> HashMap<u32, u32> {
        let mut texts = HashMap::new();
        let mut boxes = boxes.iter().peekable();
        for ((at, block), kept) in self.list.iter().enumerate().zip(kept) {
            while boxes.next_if(|passed| passed.blocks.end <= at).is_some() {}
            let is_boxed = boxes.peek().is_some_and(|next| next.blocks.contains(&at));
            if *kept && !is_boxed && block.heading == 0 {
                let words = texts.entry(self.holder(tree, block.element)).or_insert(0_u32);
                *words = words.saturating_add(block.words);
            }
        }
        texts
    }

    /// The innermost element around a part of a text that is no part of a text itself.
    fn holder(&self, tree: &Tree, number: u32) -> u32 {
        let mut at = number;
        for _ in 0..MAX_DISTANCE {
            match self.elements.get(at as usize) {
                Some(element) if is_part(tree, element) => at = element.parent,
                _ => break,
            }
        }
        at
    }

    /// True if a box stands in a kept text.
    fn is_in_text(
        &self,
        tree: &Tree,
        found: &TextBox,
        texts: &HashMap<u32, u32>,
        kept: &[bool],
    ) -> Option<bool> {
        let element = self.elements.get(found.number as usize)?;
        // Wrappers of the box alone are part of it.
        let mut around = element.parent;
        for _ in 0..MAX_DISTANCE {
            let wrapper = self.elements.get(around as usize)?;
            if wrapper.totals.blocks > element.totals.blocks || around == 0 {
                break;
            }
            around = wrapper.parent;
        }
        let words = texts.get(&self.holder(tree, around)).copied()?;
        let is_kept = |at: usize| kept.get(at) == Some(&true);
        let is_heading = |at: usize| self.list.get(at).is_some_and(|block| block.heading > 0);
        let (before, after) = (found.blocks.start.checked_sub(1), found.blocks.end);
        let list = self.list.get(found.blocks.clone())?;
        if self.is_in_navigation(element.parent) {
            return None;
        }
        if element.tag != Tag::Aside as u8 {
            // A callout, by its name.
            let is_text = list.iter().all(|block| block.is_in_text() && !block.is_named_boilerplate());
            return Some(is_text && before.is_some_and(|at| is_kept(at) || is_heading(at)));
        }
        let is_next = before.is_some_and(is_kept) || (is_kept(after) && !is_heading(after));
        let totals = element.totals;
        let has_few_links = totals.link_words.saturating_mul(MIN_WORDS_PER_LINK_WORD) <= totals.words;
        Some(words >= MIN_TEXT_WORDS && is_next && has_few_links && !self.is_other(tree, found.number))
    }

    /// True if an element is in the navigation or the footer, or is one of them.
    fn is_in_navigation(&self, number: u32) -> bool {
        let mut at = number;
        for _ in 0..MAX_DISTANCE {
            let Some(element) = self.elements.get(at as usize) else { return false };
            if element.tag == Tag::Nav as u8 || element.tag == Tag::Footer as u8 {
                return true;
            }
            at = element.parent;
        }
        false
    }

    /// True if an aside has a form, or the name of what is no part of a text.
    fn is_other(&self, tree: &Tree, number: u32) -> bool {
        let Some(element) = self.elements.get(number as usize) else { return false };
        let named = [Attr::Class, Attr::Id, Attr::Role, Attr::AriaLabel]
            .into_iter()
            .filter_map(|name| tree.attribute(element.node, name))
            .fold(0, |all, name| all | groups(names::prefix(name)));
        let inside = self.elements.get(number as usize..element.end as usize).unwrap_or_default();
        let is_form = |inner: &Element| inner.tag == Tag::Form as u8 || inner.tag == Tag::Input as u8;
        OTHER_GROUPS.iter().any(|group| named >> group & 1 == 1) || inside.iter().any(is_form)
    }

    /// True if a block is on the page before a script changes it. The title of a box may be hidden from
    /// assistive technology alone, because the name of the box says the same.
    fn is_shown(&self, tree: &Tree, at: usize) -> bool {
        let Some(block) = self.list.get(at) else { return false };
        let text = self.nodes_of(block).first();
        let is_hidden = |text: &NodeId| {
            tree.ancestors(*text)
                .take(usize::from(MAX_DISTANCE))
                .any(|around| unseen::is_hidden(tree, around))
        };
        !(block.invisible || block.hidden && text.is_some_and(is_hidden))
    }
}

fn is_box(tree: &Tree, element: &Element) -> bool {
    element.tag == Tag::Aside as u8 || is_callout(tree, element.node)
}

/// True for an element that is a part of a text: a paragraph, an item, a cell, a part of a line. A `div` with
/// one block is a paragraph.
fn is_part(tree: &Tree, element: &Element) -> bool {
    let tag = tree.tag(element.node);
    !tag.is_block()
        || tag.heading_level().is_some()
        || (tag == Tag::Div && element.totals.blocks <= 1)
        || matches!(
            tag,
            Tag::P
                | Tag::Ul
                | Tag::Ol
                | Tag::Menu
                | Tag::Li
                | Tag::Dl
                | Tag::Dt
                | Tag::Dd
                | Tag::Pre
                | Tag::Blockquote
                | Tag::Table
                | Tag::Caption
                | Tag::Thead
                | Tag::Tbody
                | Tag::Tfoot
                | Tag::Tr
                | Tag::Td
                | Tag::Th
                | Tag::Figure
                | Tag::Figcaption
                | Tag::Details
                | Tag::Summary
        )
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    #[test]
    fn boxes_among_the_paragraphs_of_a_text_are_kept() {
        let text = "<p>Text of the page that is long enough to be one of its paragraphs</p>";
        // Blocks that begin with a capital are kept before. `+` marks a block that is kept afterwards.
        let rows = [
            ("between two paragraphs", format!("<main>{text}<aside>note</aside>{text}</main>"), "+++"),
            ("at the end", format!("<main>{text}<aside><p>one<p>two</aside></main>"), "+++"),
            ("before the first paragraph", format!("<div><aside><p>said</aside>{text}</div>"), "++"),
            ("in a wrapper", format!("<main>{text}<div><div><aside>note</aside></div></div></main>"), "++"),
            ("after a list", format!("<div><ul><li>{text}</ul><aside>note</aside></div>"), "++"),
            (
                "paragraphs that are divisions",
                format!("<div><div>{text}</div><aside>note</aside><div>{text}</div></div>"),
                "+++",
            ),
            (
                "with a title for the eye alone",
                format!("<div>{text}<aside><p aria-hidden=true>note<p>two</aside></div>"),
                "+++",
            ),
            (
                "an aside with the name of a callout",
                format!(
                    "<main>{text}<aside class='starlight-aside starlight-aside--tip'>note</aside></main>"
                ),
                "++",
            ),
            ("a callout", format!("<main>{text}<div class='admonition note'>note</div></main>"), "++"),
            (
                "a side column",
                format!("<main><article>{text}{text}</article><aside>note</aside></main>"),
                "++-",
            ),
            (
                "a side column before the title",
                format!("<main><aside>note</aside><h1>Title</h1>{text}</main>"),
                "-++",
            ),
            ("links", format!("<main>{text}<aside><a href=/a>one</a> two</aside>{text}</main>"), "+-+"),
            ("a form", format!("<main>{text}<aside>mail <form><input></form></aside>{text}</main>"), "+-+"),
            (
                "named as another thing",
                format!("<main>{text}<aside class=newsletter>mail</aside>{text}</main>"),
                "+-+",
            ),
            ("hidden", format!("<main>{text}<aside hidden id=a>note</aside>{text}</main>"), "+-+"),
            (
                "a quote with its source",
                format!(
                    "<main>{text}<aside><blockquote>said<footer>one</footer></blockquote></aside>{text}</main>"
                ),
                "++++",
            ),
            ("of a card", "<div><p>Title</p><aside>note</aside></div>".to_owned(), "+-"),
        ];
        for (name, html, expected) in rows {
            let tree = parse(&html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.keep_boxes(&tree, &mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, expected, "{name}");
        }
    }
}
