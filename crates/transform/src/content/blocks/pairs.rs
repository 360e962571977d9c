//! Labels and values of definition lists: `dt` and the `dd` that follow it.
//!
//! The model judges each by itself and is less sure of a short value ("2 kg") than of its label. Neither says anything
//! without the other, so they are kept or left out together.

use std::ops::Range;

use super::{Block, Blocks, FAR};
use crate::tree::Tag;

/// Where a block stands in a definition list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The number of the list's element.
    list: u32,
    is_value: bool,
}

impl Blocks {
    /// The runs of blocks that are one label (or several in a row) with its values.
    pub(crate) fn pairs(&self) -> Vec<Range<usize>> {
        let mut pairs = Vec::new();
        // The open run: where it began, and its last place.
        let mut open: Option<(usize, Place)> = None;
        let mut close = |open: &mut Option<(usize, Place)>, end: usize| {
            // Labels alone are no pair.
            pairs.extend(open.take().filter(|(_, last)| last.is_value).map(|(start, _)| start..end));
        };
        for (at, block) in self.list.iter().enumerate() {
            let place = self.place_in_list(block);
            let goes_on = match (&open, place) {
                (Some((_, last)), Some(place)) => {
                    last.list == place.list && (place.is_value || !last.is_value)
                }
                _ => false,
            };
            if !goes_on {
                close(&mut open, at);
                open = place.filter(|place| !place.is_value).map(|place| (at, place));
            } else if let (Some((_, last)), Some(place)) = (&mut open, place) {
                *last = place;
            }
        }
        close(&mut open, self.list.len());
        pairs
    }

    fn place_in_list(&self, block: &Block) -> Option<Place> {
        if !block.is_in(&[Tag::Dl]) {
            return None;
        }
        let (mut number, mut is_value) = (block.element, None);
        for _ in 0..FAR {
            let element = self.elements.get(number as usize)?;
            if element.tag == Tag::Dl as u8 {
                return Some(Place { list: number, is_value: is_value? });
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
    fn labels_go_with_their_values() {
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
            let pairs = collect(&tree, &View::whole(&tree), &url).pairs();
            let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|pair| (pair.start, pair.end)).collect();
            assert_eq!(pairs, expected, "{name}");
        }
    }
}
