//! The parts of a page that all readers of segments share.

use std::ops::Range;

use super::lines::Lines;
use super::outline::Outline;
use super::site_names::SiteNames;
use super::titles::Titles;
use super::typed_spans::TypedSpans;
use crate::evidence::Evidence;
use crate::markup::Tree;

/// Bytes of text before the main heading that are read before all others: the date and the author often stand
/// there.
const BYTES_BEFORE_HEADING: usize = 1_000;

/// A page as the readers of segments see it.
#[derive(Debug)]
pub(super) struct View<'e, 'a> {
    pub(super) evidence: &'e Evidence<'a>,
    pub(super) tree: &'e Tree<'a>,
    pub(super) outline: Outline,
    pub(super) lines: Lines,
    pub(super) spans: TypedSpans,
    pub(super) titles: Titles,
    pub(super) site: SiteNames,
    /// The range of the main heading in the visible text.
    pub(super) heading: Option<Range<usize>>,
}

impl<'e, 'a> View<'e, 'a> {
    pub(super) fn read(evidence: &'e Evidence<'a>) -> Self {
        let tree = &evidence.tree;
        let lines = Lines::read(tree);
        let heading = evidence.heading.map(|node| tree.trimmed_range(node));
        let first = first_position(heading.as_ref());
        let outline = Outline::read(tree);
        Self {
            evidence,
            tree,
            site: SiteNames::read(evidence, &outline, &lines),
            outline,
            spans: TypedSpans::read(tree, &lines, first),
            lines,
            titles: Titles::read(evidence),
            heading,
        }
    }

    /// The visible text of a range.
    pub(super) fn text(&self, range: &Range<usize>) -> &'e str {
        self.tree.text().get(range.clone()).unwrap_or_default()
    }

    /// Where readers begin, if they may not reach the end: shortly before the main heading.
    pub(super) fn first_position(&self) -> usize {
        first_position(self.heading.as_ref())
    }

    /// Where the main heading starts; 0 without one.
    pub(super) fn heading_start(&self) -> usize {
        self.heading.as_ref().map_or(0, |range| range.start)
    }
}

fn first_position(heading: Option<&Range<usize>>) -> usize {
    heading.map_or(0, |range| range.start.saturating_sub(BYTES_BEFORE_HEADING))
}
