//! The headings of a page by rank, to find those above a list.

use std::ops::Range;

use crate::markup::{NodeId, Tree};

/// Upper bound on the headings of a page that are known.
const MAX_HEADINGS: usize = 5_000;
/// Upper bound on the headings above a node that are followed.
const MAX_ABOVE: usize = 6;
/// Longest heading or label, in bytes.
const MAX_LABEL_BYTES: usize = 160;

/// A heading of a page.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) node: NodeId,
    /// 1 for `h1` to 6 for `h6`.
    pub(super) rank: usize,
    /// Its range in [`Tree::text`].
    pub(super) text: Range<usize>,
    /// The position of the nearest heading before it with a higher rank.
    above: Option<usize>,
}

/// The headings of a page, in order.
#[derive(Debug, Default)]
pub(super) struct Outline {
    headings: Vec<Heading>,
}

/// The rank of a heading; `None` for other elements.
pub(super) fn rank(tree: &Tree<'_>, node: NodeId) -> Option<usize> {
    match tree.name(node).as_bytes() {
        [b'h' | b'H', digit @ b'1'..=b'6'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

impl Outline {
    pub(super) fn read(tree: &Tree<'_>) -> Self {
        let mut headings: Vec<Heading> = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for node in tree.nodes() {
            let Some(rank) = rank(tree, node).filter(|_| !tree.is_hidden(node)) else { continue };
            let length = tree.text_of(node).len();
            if length == 0 || length > MAX_LABEL_BYTES {
                continue;
            }
            if headings.len() >= MAX_HEADINGS {
                break;
            }
            while open.last().is_some_and(|(above, _)| *above >= rank) {
                open.pop();
            }
            let above = open.last().map(|(_, at)| *at);
            open.push((rank, headings.len()));
            headings.push(Heading { node, rank, text: trimmed(tree, tree.text_range(node)), above });
        }
        Self { headings }
    }

    /// The headings that a node stands under, nearest first.
    pub(super) fn above(&self, node: NodeId) -> impl Iterator<Item = &Heading> {
        let nearest = self.headings.partition_point(|heading| heading.node < node).checked_sub(1);
        let heading = |at: usize| self.headings.get(at);
        std::iter::successors(nearest.and_then(heading), move |below| below.above.and_then(heading))
            .take(MAX_ABOVE)
    }
}

/// A range of the visible text without white space at its ends.
pub(super) fn trimmed(tree: &Tree<'_>, range: Range<usize>) -> Range<usize> {
    let text = tree.text().get(range.clone()).unwrap_or_default();
    let start = range.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// The visible text at a range.
pub(super) fn text_at<'t>(tree: &'t Tree<'_>, range: &Range<usize>) -> &'t str {
    tree.text().get(range.clone()).unwrap_or_default().trim()
}

/// What stands before a position of the visible text: the start of its line or, if there is none, the line
/// above. `None` if it is longer than a label.
pub(super) fn label_before<'t>(tree: &'t Tree<'_>, at: usize) -> Option<&'t str> {
    let before = tree.text().get(..at)?.trim_end();
    let mut from = before.len().saturating_sub(MAX_LABEL_BYTES);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let window = before.get(from..)?;
    let line = match window.rfind('\n') {
        Some(end) => window.get(end + 1..)?,
        None if from == 0 => window,
        None => return None,
    };
    Some(line.trim()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_types::Interrupt;

    #[test]
    fn headings_and_labels_above_a_node_are_found() {
        let html = "<h1>Pie</h1><h2>Zutaten</h2><h3>Teig</h3><p>Für den Teig:<ul><li>x</ul>\
                    <h2>Tags</h2><p>Tags: <b>y</b>";
        let tree = Tree::parse(html, &Interrupt::never());
        let outline = Outline::read(&tree);
        let above = |name: &str| -> Vec<&str> {
            let node = tree.nodes().find(|node| tree.is(*node, &[name])).unwrap();
            outline.above(node).map(|heading| text_at(&tree, &heading.text)).collect()
        };
        assert_eq!(above("li"), ["Teig", "Zutaten", "Pie"]);
        assert_eq!(above("b"), ["Tags", "Pie"]);
        let label = |name: &str| {
            let node = tree.nodes().find(|node| tree.is(*node, &[name])).unwrap();
            label_before(&tree, tree.text_range(node).start)
        };
        assert_eq!(label("li"), Some("Für den Teig:"));
        assert_eq!(label("b"), Some("Tags:"));
    }
}
