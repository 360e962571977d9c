//! Keeps the numbers of paragraphs, points and steps with the text that they number.
//!
//! Laws, contracts, standards and recipes put a number into an element of its own: before its paragraph, or
//! in a column beside it. The model drops it for its one word, but other parts of the text refer to it. A
//! number in the form of one (`1.`, `(a)`, `§ 3`) is kept with the block that it stands next to. A number
//! alone, in parentheses or after a word (`1`, `(1)`, `Step 1`) may be a date or a count, so it must be one
//! of a series. The lead of numbered points is kept with them.

use std::collections::HashMap;

use super::{Block, Blocks};
use crate::label::{self, Label};
use crate::tree::Tree;

/// Upper bound on the text of a block that is read, in bytes. White space of the source is a part of it.
const MAX_BLOCK_BYTES: usize = 400;

/// Upper bound on the words of a label. Scripts without spaces have more.
const MAX_LABEL_WORDS: u32 = 4;

/// Upper bound on the distance of a label to the element that also contains its text, in elements.
const MAX_LABEL_DEPTH: usize = 3;

/// The same for its text.
const MAX_TEXT_DEPTH: usize = 6;

/// Upper bound on the blocks of a row that a label ends.
const MAX_ROW_BLOCKS: u32 = 6;

impl Blocks {
    /// Keeps the labels of kept blocks.
    pub(crate) fn keep_labels(&self, tree: &Tree, kept: &mut [bool]) {
        let mut series: HashMap<(u64, String), Vec<(usize, u32)>> = HashMap::new();
        let mut last_number = None;
        // From the end, because a number may be followed by that of a point: `1.`, `(a)`.
        for (at, block) in self.list.iter().enumerate().rev() {
            let is_short = block.words <= MAX_LABEL_WORDS;
            let is_candidate = is_short || block.has_colon_end;
            if !is_candidate
                || block.hidden
                || block.is_navigation_or_footer()
                || !self.is_beside_text(at, block, kept)
            {
                continue;
            }
            let text = if is_short { self.short_text(tree, block) } else { None };
            let is_kept = match text.as_deref().and_then(label::read) {
                Some(Label::Number) => {
                    last_number = Some(at);
                    true
                }
                Some(Label::Counted { value, around }) => {
                    series.entry((block.signature, around)).or_default().push((at, value));
                    false
                }
                // The lead of numbered points.
                None => block.has_colon_end && block.links == 0 && last_number == Some(at + 1),
            };
            if let Some(kept) = kept.get_mut(at) {
                *kept |= is_kept;
            }
        }
        for labels in series.values() {
            for pair in labels.windows(2) {
                if let [(later, next), (earlier, value)] = pair
                    && *next == value + 1
                {
                    for at in [*later, *earlier] {
                        if let Some(kept) = kept.get_mut(at) {
                            *kept = true;
                        }
                    }
                }
            }
        }
    }

    /// True if the block after a label is kept and near, or if the label ends a row with a kept block.
    fn is_beside_text(&self, at: usize, label: &Block, kept: &[bool]) -> bool {
        let kept_at = |at: usize| self.list.get(at).filter(|_| kept.get(at) == Some(&true));
        if kept_at(at + 1).is_some_and(|text| self.row(label, text).is_some()) {
            return true;
        }
        let row = at.checked_sub(1).and_then(kept_at).and_then(|text| self.row(label, text));
        row.and_then(|row| self.elements.get(row as usize).map(|element| (row, element))).is_some_and(
            |(row, element)| {
                let follows =
                    self.list.get(at + 1).is_some_and(|next| (row..element.end).contains(&next.element));
                element.totals.blocks <= MAX_ROW_BLOCKS && !follows
            },
        )
    }

    /// The innermost element that contains a label and a text, if it is near both.
    fn row(&self, label: &Block, text: &Block) -> Option<u32> {
        let around = |block: &Block| {
            let parent = |number: &u32| self.elements.get(*number as usize).map(|element| element.parent);
            std::iter::successors(Some(block.element), parent)
        };
        around(label)
            .take(MAX_LABEL_DEPTH)
            .find(|number| around(text).take(MAX_TEXT_DEPTH).any(|other| other == *number))
    }

    /// The text of a block, if it is short.
    fn short_text(&self, tree: &Tree, block: &Block) -> Option<String> {
        let mut text = String::new();
        for node in self.nodes_of(block) {
            text.push_str(tree.text(*node));
            if text.len() > MAX_BLOCK_BYTES {
                return None;
            }
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    #[test]
    fn labels_are_kept_with_their_text() {
        // Blocks that begin with a capital are kept before. `+` marks a block that is kept afterwards.
        let rows = [
            ("before a paragraph", "<div><span>1.</span><div>Text</div></div>", "++"),
            ("in a column", "<div><div><span>(a)</span></div><div><p>Text</p></div></div>", "++"),
            (
                "in a column after it",
                "<main><div><div><p>Text</p></div><div>3)</div></div><p>x</main>",
                "++-",
            ),
            ("two labels", "<div><div>1.</div><div><div>(a)</div><div>Text</div></div></div>", "+++"),
            ("a lead", "<div><p>where it is thin:</p><div><div>(a)</div><p>Text</div></div>", "+++"),
            ("steps", "<div><b>1</b><p>Text</div><div><b>2</b><p>Text</div>", "++++"),
            (
                "steps with a word",
                "<div><i>step 1</i><h3>Text</h3></div><div><i>step 2</i><h3>Text</h3></div>",
                "++++",
            ),
            ("points", "<div><i>(1)</i><p>Text</div><div><i>(2)</i><p>Text</div>", "++++"),
            ("a number of reviews", "<div><i>(836)</i><p>Text</div>", "-+"),
            ("a single number", "<div><b>7</b><p>Text</div>", "-+"),
            ("counts", "<div><b>7</b><p>Text</div><div><b>3</b><p>Text</div>", "-+-+"),
            ("of dropped text", "<div><span>1.</span><div>text</div></div>", "--"),
            ("far away", "<div><div><div><div><b>1.</b></div></div></div></div><p>Text", "-+"),
            (
                "at the end of a text",
                "<main><p>Text<p>Text<p>Text<p>Text<p>Text<p>Text<p>3)</main>",
                "++++++-",
            ),
        ];
        for (name, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.keep_labels(&tree, &mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, expected, "{name}");
        }
    }
}
