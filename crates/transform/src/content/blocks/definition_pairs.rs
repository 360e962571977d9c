//! Groups the labels and values of definition lists: a `dt` and the `dd` elements after it.
//!
//! The model rates each block alone, and rates a short value ("2 kg") lower than its label. Neither is useful
//! without the other, so they are kept or dropped together.

use std::ops::Range;

use super::{Block, Blocks, MAX_DISTANCE};
use crate::tree::Tag;

/// The position of a block in a definition list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    /// The index of the list's element.
    list: u32,
    is_value: bool,
}

impl Blocks {
    /// The runs of blocks that form one label, or several in a row, with its values.
    pub(crate) fn definition_pairs(&self) -> Vec<Range<usize>> {
        let mut pairs = Vec::new();
        // The open run: its start, and the position of its last block.
        let mut open: Option<(usize, Position)> = None;
        let mut close = |open: &mut Option<(usize, Position)>, end: usize| {
            // Labels without a value are not a pair.
            pairs.extend(open.take().filter(|(_, last)| last.is_value).map(|(start, _)| start..end));
        };
        for (at, block) in self.list.iter().enumerate() {
            let position = self.place_in_list(block);
            let continues = match (&open, position) {
                (Some((_, last)), Some(position)) => {
                    last.list == position.list && (position.is_value || !last.is_value)
                }
                _ => false,
            };
            if !continues {
                close(&mut open, at);
                open = position.filter(|position| !position.is_value).map(|position| (at, position));
            } else if let (Some((_, last)), Some(position)) = (&mut open, position) {
                *last = position;
            }
        }
        close(&mut open, self.list.len());
        pairs
    }

    fn place_in_list(&self, block: &Block) -> Option<Position> {
        if !block.is_in(&[Tag::Dl]) {
            return None;
        }
        let (mut number, mut is_value) = (block.element, None);
        for _ in 0..MAX_DISTANCE {
            let element = self.elements.get(number as usize)?;
            if element.tag == Tag::Dl as u8 {
                return Some(Position { list: number, is_value: is_value? });
            }
            if element.tag == Tag::Dt as u8 || element.tag == Tag::Dd as u8 {
                is_value = is_value.or(Some(element.tag == Tag::Dd as u8));
            }
            number = element.parent;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// Name, page, and the pairs of blocks in it.
    type Row = (&'static str, &'static str, &'static [(usize, usize)]);

    #[test]
    fn labels_are_grouped_with_their_values() {
        let rows: [Row; 6] = [
            ("pairs", "<p>x<dl><dt>a<dd>1<dt>b<dd>2</dl>", &[(1, 3), (3, 5)]),
            ("several labels, several values", "<dl><dt>a<dt>b<dd>1<dd><p>2<p>3</dl><p>x", &[(0, 5)]),
            (
                "wrapped",
                "<dl><div><dt>a</dt><dd>1</dd></div><div><dt>b</dt><dd>2</dd></div></dl>",
                &[(0, 2), (2, 4)],
            ),
            ("two lists", "<dl><dt>a</dl><dl><dd>1</dl>", &[]),
            ("a value without a label", "<dl><dd>1<dt>b<dd>2</dl>", &[(1, 3)]),
            ("no list", "<p>a<p>b", &[]),
        ];
        for (name, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let pairs = collect(&tree, &View::whole(&tree), &url).definition_pairs();
            let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|pair| (pair.start, pair.end)).collect();
            assert_eq!(pairs, expected, "{name}");
        }
    }
}
