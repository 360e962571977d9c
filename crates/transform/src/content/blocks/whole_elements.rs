//! Completes elements that are useless in part: tables and their rows, quotes, images with captions, short
//! items.
//!
//! The model rates each block alone, and a header cell or the source of a quote looks unlikely by itself. If
//! half of the words of such an element are kept (a third for lists), the rest is kept too: a table without
//! its header cells, or with every other cell blank, is of no use to readers.

use std::ops::Range;

use super::{ANCESTOR_TAGS, Block, Blocks, MAX_DISTANCE};
use crate::tree::Tag;

/// Upper bound on the words of a table cell. A table with a longer block or with a heading is a layout table
/// and is not completed.
const MAX_CELL_WORDS: u32 = 40;

/// A kind of element that is kept whole.
#[derive(Debug, Clone, Copy)]
struct WholeElement {
    tag: Tag,
    /// Upper bound on its blocks. A longer item is a record of several parts; a longer quote is a post.
    max_blocks: usize,
    /// It is completed if at least one in this many of its words is kept.
    part: u32,
}

impl WholeElement {
    const fn by_half(tag: Tag, max_blocks: usize) -> Self {
        Self { tag, max_blocks, part: 2 }
    }
}

/// Elements that are kept whole. Inner elements come before those that contain them.
const WHOLE_ELEMENTS: [WholeElement; 8] = [
    WholeElement::by_half(Tag::Tr, usize::MAX),
    WholeElement::by_half(Tag::Table, usize::MAX),
    WholeElement::by_half(Tag::Li, 2),
    // Of thirty similar links the model keeps some and drops others at random.
    WholeElement { tag: Tag::Ul, max_blocks: usize::MAX, part: 3 },
    WholeElement { tag: Tag::Ol, max_blocks: usize::MAX, part: 3 },
    WholeElement::by_half(Tag::Blockquote, 2),
    WholeElement::by_half(Tag::Figure, 6),
    WholeElement::by_half(Tag::Details, usize::MAX),
];

impl Blocks {
    /// Keeps the rest of elements that are kept in part, except for hidden blocks and blocks beside the text.
    pub(crate) fn complete_elements(&self, kept: &mut [bool]) {
        let holds_table = self.holding_tables();
        for WholeElement { tag, max_blocks, part } in WHOLE_ELEMENTS {
            for Range { start, end } in self.runs_within(tag, &holds_table) {
                let (Some(blocks), Some(kept)) = (self.list.get(start..end), kept.get_mut(start..end)) else {
                    continue;
                };
                let is_code = |block: &Block| block.is_in(&[Tag::Pre]);
                let is_text =
                    |block: &Block| block.heading > 0 || (block.words > MAX_CELL_WORDS && !is_code(block));
                let is_layout = matches!(tag, Tag::Tr | Tag::Table) && blocks.iter().any(is_text);
                // Code beside its line numbers, and below its title: no part stands without the code.
                let part = if tag == Tag::Table && blocks.iter().any(is_code) { u32::MAX } else { part };
                let records = matches!(tag, Tag::Ul | Tag::Ol) && blocks.len() > 2 * self.items(blocks);
                if blocks.len() <= max_blocks && !is_layout && !records && is_kept_in_part(blocks, kept, part)
                {
                    for (block, kept) in blocks.iter().zip(kept) {
                        *kept |= !block.is_beside();
                    }
                }
            }
        }
    }

    /// The runs of blocks whose innermost ancestor with a tag is the same. Tables that contain tables are
    /// left out.
    fn runs_within(&self, tag: Tag, holds_table: &[bool]) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut last = None;
        // Most blocks have no such ancestor; their stored distances tell this quickly.
        let outer = if tag == Tag::Tr { Tag::Table } else { tag };
        let index = ANCESTOR_TAGS.iter().position(|listed| *listed == outer).unwrap_or_default();
        for (at, block) in self.list.iter().enumerate() {
            let is_in = block.ancestor_tags.get(index).is_some_and(|distance| *distance < MAX_DISTANCE);
            let element = if is_in { self.innermost(block, tag) } else { None };
            let element =
                element.filter(|number| !holds_table.get(*number as usize).copied().unwrap_or(false));
            match runs.last_mut() {
                Some(run) if element.is_some() && element == last => run.end = at + 1,
                _ => runs.extend(element.map(|_| at..at + 1)),
            }
            last = element;
        }
        runs
    }

    /// The number of list items that contain some blocks.
    fn items(&self, blocks: &[Block]) -> usize {
        let mut items: Vec<Option<u32>> = blocks.iter().map(|block| self.innermost(block, Tag::Li)).collect();
        items.dedup();
        items.len()
    }

    pub(super) fn innermost(&self, block: &Block, tag: Tag) -> Option<u32> {
        let mut number = block.element;
        for _ in 0..MAX_DISTANCE {
            let element = self.elements.get(number as usize)?;
            if element.tag == tag as u8 {
                return Some(number);
            }
            number = element.parent;
        }
        None
    }

    /// For each element, whether it is a table that contains a table: a layout table.
    fn holding_tables(&self) -> Vec<bool> {
        let mut holds = vec![false; self.elements.len()];
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (number, element) in self.elements.iter().enumerate() {
            if element.tag != Tag::Table as u8 {
                continue;
            }
            while open.last().is_some_and(|(_, end)| *end as usize <= number) {
                open.pop();
            }
            if let Some(slot) = open.last().and_then(|(outer, _)| holds.get_mut(*outer)) {
                *slot = true;
            }
            open.push((number, element.end));
        }
        holds
    }
}

/// True if at least one in `part` words of some blocks is kept.
fn is_kept_in_part(blocks: &[Block], kept: &[bool], part: u32) -> bool {
    let words = |blocks: &mut dyn Iterator<Item = &Block>| -> u32 { blocks.map(|block| block.words).sum() };
    let all = words(&mut blocks.iter());
    let own = words(&mut blocks.iter().zip(kept).filter(|(_, kept)| **kept).map(|(block, _)| block));
    kept.contains(&true) && own.saturating_mul(part) >= all
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    #[test]
    fn elements_kept_in_part_are_completed() {
        let long = "word ".repeat(50);
        // Blocks that begin with a capital are kept before. `+` marks a block that is kept afterwards.
        let rows: &[(&str, String, &str)] = &[
            ("header cells", "<table><tr><th>a<th>b<tr><td>A<td>B<tr><td>C<td>D</table>".into(), "++++++"),
            (
                "a row of a table",
                "<table><tr><td>A<td>b<tr><td>c<td>d<tr><td>e<td>f</table>".into(),
                "++----",
            ),
            ("code and its title", "<table><tr><th>A<tr><td><pre>int a; int b</pre></table>".into(), "++"),
            ("less than half", "<table><tr><td>A<td>b<td>c</table>".into(), "+--"),
            (
                "a table for layout",
                format!("<table><tr><td>a<td>{}<tr><td>b<td>c</table>", long.replacen('w', "W", 1)),
                "-+--",
            ),
            (
                "a table around others",
                "<table><tr><td>a<td><table><tr><td>B<td>C</table></table>".into(),
                "-++",
            ),
            ("a quote and its source", "<blockquote><p>Said</p>one</blockquote>".into(), "++"),
            ("a caption and its credit", "<figure><img><figcaption>Said<p>one</figure>".into(), "++"),
            (
                "a fold and its label",
                "<details><summary>more</summary><p>Text and text</details>".into(),
                "++",
            ),
            ("an item", "<ul><li><p>Text</p><p>more</ul>".into(), "++"),
            ("a record", "<ul><li><p>Text</p><p>More<p>Text<p>buy</ul>".into(), "+++-"),
            ("a third of a list", "<ul><li>Text<li>text<li>text</ul>".into(), "+++"),
            ("a quarter of a list", "<ul><li>Text<li>text<li>text<li>text</ul>".into(), "+---"),
            ("hidden", "<table><tr><td>A<td hidden>b</table>".into(), "+-"),
            ("nothing kept", "<table><tr><td>a<td>b</table>".into(), "--"),
        ];
        for (name, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.complete_elements(&mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, *expected, "{name}");
        }
    }
}
