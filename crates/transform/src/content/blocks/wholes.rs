//! Things of which a part says little: tables and their rows, quotes, pictures with captions, short items.
//!
//! The model judges block by block, and a heading cell or a "who said so" under a quote is no likely content by itself.
//! Where half of the words of such a thing are kept (a third of a list's), the rest is: a table without its heading cells, or with every other
//! cell blank, tells its reader nothing.

use std::ops::Range;

use super::{AROUND, Block, Blocks, FAR};
use crate::tree::Tag;

/// A table with a longer block, in words, or with a heading, lays out a page: it is not kept for the half of it that is
/// the page's text.
const CELL_WORDS: u32 = 40;

/// A kind of thing that is kept whole.
#[derive(Debug, Clone, Copy)]
struct Whole {
    tag: Tag,
    /// Upper bound on its blocks: a longer item is a record of several parts, and a longer quote a post.
    blocks: usize,
    /// It is kept where one in this many of its words is.
    part: u32,
}

impl Whole {
    const fn by_half(tag: Tag, blocks: usize) -> Self {
        Self { tag, blocks, part: 2 }
    }
}

/// Things that are kept whole. An element stands before those that hold it.
const WHOLES: [Whole; 8] = [
    Whole::by_half(Tag::Tr, usize::MAX),
    Whole::by_half(Tag::Table, usize::MAX),
    Whole::by_half(Tag::Li, 2),
    // Of thirty alike links the model keeps some and leaves others by chance.
    Whole { tag: Tag::Ul, blocks: usize::MAX, part: 3 },
    Whole { tag: Tag::Ol, blocks: usize::MAX, part: 3 },
    Whole::by_half(Tag::Blockquote, 2),
    Whole::by_half(Tag::Figure, 6),
    Whole::by_half(Tag::Details, usize::MAX),
];

impl Blocks {
    /// Keeps the rest of what is kept in part, but for what is not shown or stands beside the text.
    pub(crate) fn keep_wholes(&self, kept: &mut [bool]) {
        let holds_table = self.holding_tables();
        for Whole { tag, blocks: most, part } in WHOLES {
            for Range { start, end } in self.within(tag, &holds_table) {
                let (Some(blocks), Some(kept)) = (self.list.get(start..end), kept.get_mut(start..end)) else {
                    continue;
                };
                let lays_out = matches!(tag, Tag::Tr | Tag::Table)
                    && blocks.iter().any(|block| block.heading > 0 || block.words > CELL_WORDS);
                let records = matches!(tag, Tag::Ul | Tag::Ol) && blocks.len() > 2 * self.items(blocks);
                if blocks.len() <= most && !lays_out && !records && is_kept_in_part(blocks, kept, part) {
                    for (block, kept) in blocks.iter().zip(kept) {
                        *kept |= !block.is_beside();
                    }
                }
            }
        }
    }

    /// The runs of blocks within one element of a tag, the innermost; of tables those alone that hold no other.
    fn within(&self, tag: Tag, holds_table: &[bool]) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut last = None;
        // Most blocks are in none: that is seen by the distances they know.
        let known = if tag == Tag::Tr { Tag::Table } else { tag };
        let known = AROUND.iter().position(|around| *around == known).unwrap_or_default();
        for (at, block) in self.list.iter().enumerate() {
            let is_in = block.around.get(known).is_some_and(|distance| *distance < FAR);
            let around = if is_in { self.innermost(block, tag) } else { None };
            let around = around.filter(|number| !holds_table.get(*number as usize).copied().unwrap_or(false));
            match runs.last_mut() {
                Some(run) if around.is_some() && around == last => run.end = at + 1,
                _ => runs.extend(around.map(|_| at..at + 1)),
            }
            last = around;
        }
        runs
    }

    /// The list items that some blocks stand in.
    fn items(&self, blocks: &[Block]) -> usize {
        let mut items: Vec<Option<u32>> = blocks.iter().map(|block| self.innermost(block, Tag::Li)).collect();
        items.dedup();
        items.len()
    }

    fn innermost(&self, block: &Block, tag: Tag) -> Option<u32> {
        let mut number = block.element;
        for _ in 0..FAR {
            let element = self.elements.get(number as usize)?;
            if element.tag == tag as u8 {
                return Some(number);
            }
            number = element.parent;
        }
        None
    }

    /// Which elements are tables that hold tables: those lay out a page.
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
            if let Some(slot) = open.last().and_then(|(around, _)| holds.get_mut(*around)) {
                *slot = true;
            }
            open.push((number, element.end));
        }
        holds
    }
}

/// Is at least one in `part` words of some blocks kept?
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
    fn the_rest_of_what_is_kept_in_part_is_kept() {
        let long = "word ".repeat(50);
        // Blocks that begin with a capital are kept before; `+` stands for a block that is kept after.
        let rows: &[(&str, String, &str)] = &[
            ("heading cells", "<table><tr><th>a<th>b<tr><td>A<td>B<tr><td>C<td>D</table>".into(), "++++++"),
            (
                "a row of a table",
                "<table><tr><td>A<td>b<tr><td>c<td>d<tr><td>e<td>f</table>".into(),
                "++----",
            ),
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
            ("a quote and who said it", "<blockquote><p>Said</p>one</blockquote>".into(), "++"),
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
            ("none", "<table><tr><td>a<td>b</table>".into(), "--"),
        ];
        for (name, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.keep_wholes(&mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, *expected, "{name}");
        }
    }
}
