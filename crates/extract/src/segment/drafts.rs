//! Collects the segments of a page within quotas, before their places are described.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::ops::Range;

use super::{Label, MAX_SEGMENTS, Origin};
use crate::markup::NodeId;

/// Upper bound on the segments of each origin, in the order of [`Origin`]; together
/// [`MAX_SEGMENTS`]. So a page with thousands of elements keeps room for the others.
const QUOTAS: [usize; Origin::COUNT] = [1_532, 500, 400, 500, 250, 24, 400, 200, 24, 162, 8];

/// A segment before its place is described.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) node: NodeId,
    pub(super) range: Option<Range<usize>>,
    /// The text, if it is not that of the range.
    pub(super) stated: Option<String>,
    /// Where it stands in the visible text.
    pub(super) anchor: usize,
    pub(super) origin: Origin,
    pub(super) label: Option<Label>,
    /// The bits of all its origins: several readers may find the same range.
    pub(super) origins: u16,
    /// The bits of its marks.
    pub(super) marks: u16,
    /// Its steps from the start and from the end of a breadcrumb trail, from 1; 0 outside a trail.
    pub(super) crumb: (usize, usize),
    /// Its number among the parts of the title, from 1; 0 if it is none.
    pub(super) title_part: usize,
}

/// What a reader says of a segment in addition to its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Words before or after its value could be cut off.
    Affixed,
    /// Its label is that of a longer text.
    SharedLabel,
    /// The paragraphs of the page's main part.
    MainText,
    /// The first paragraph after the heading.
    FirstParagraph,
    /// The text below a heading.
    Section,
    /// The text of an element whose name says that it is a text.
    NamedText,
    /// A join of parts of the title.
    TitleJoin,
}

impl Draft {
    /// A part of the visible text.
    pub(super) const fn visible(node: NodeId, range: Range<usize>, origin: Origin) -> Self {
        let anchor = range.start;
        Self::new(node, Some(range), None, anchor, origin)
    }

    /// A text that an attribute or the title states; `anchor` is where its element stands.
    pub(super) const fn stated(node: NodeId, anchor: usize, text: String, origin: Origin) -> Self {
        Self::new(node, None, Some(text), anchor, origin)
    }

    const fn new(
        node: NodeId,
        range: Option<Range<usize>>,
        stated: Option<String>,
        anchor: usize,
        origin: Origin,
    ) -> Self {
        let origins = 1 << origin.index();
        Self {
            node,
            range,
            stated,
            anchor,
            origin,
            label: None,
            origins,
            marks: 0,
            crumb: (0, 0),
            title_part: 0,
        }
    }

    pub(super) fn with_label(self, label: Option<Label>) -> Self {
        Self { label, ..self }
    }

    pub(super) fn with_mark(mut self, mark: Mark) -> Self {
        self.mark(mark);
        self
    }

    pub(super) const fn mark(&mut self, mark: Mark) {
        self.marks |= 1 << (mark as u16);
    }

    pub(super) const fn has(&self, mark: Mark) -> bool {
        self.marks & (1 << (mark as u16)) != 0
    }

    pub(super) const fn comes_from(&self, origin: Origin) -> bool {
        self.origins & (1 << origin.index()) != 0
    }

    /// The end of its range, or its anchor.
    pub(super) fn end(&self) -> usize {
        self.range.as_ref().map_or(self.anchor, |range| range.end)
    }

    /// Adds what another reader says of the same range.
    fn merge(&mut self, other: Self) {
        // An inner element comes later on the page.
        if self.origin == Origin::Element && other.origin == Origin::Element {
            self.node = self.node.max(other.node);
        }
        if precedence(other.origin) > precedence(self.origin) {
            self.origin = other.origin;
        }
        self.origins |= other.origins;
        self.marks |= other.marks;
        self.label = self.label.take().or(other.label);
        if other.crumb.0 > 0 {
            self.crumb = other.crumb;
        }
        if other.title_part > 0 {
            self.title_part = other.title_part;
        }
    }
}

/// The origin that says most about a segment counts.
const fn precedence(origin: Origin) -> u8 {
    match origin {
        Origin::Typed => 0,
        Origin::Line => 1,
        Origin::TextNode => 2,
        Origin::Element => 3,
        Origin::AfterPrefix => 4,
        Origin::TitlePart => 5,
        Origin::Paragraphs | Origin::Attribute | Origin::AfterLabel | Origin::SiteName => 6,
        Origin::Breadcrumb => 7,
    }
}

/// The drafts of a page: one for each range, but paragraphs apart from shorter segments.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    list: Vec<Draft>,
    /// By start, end and whether it is made of paragraphs.
    by_range: HashMap<(usize, usize, bool), usize>,
    counts: [usize; Origin::COUNT],
}

impl Drafts {
    /// Adds a draft, unless there are too many of its origin.
    pub(super) fn add(&mut self, draft: Draft) {
        let is_long = draft.origin == Origin::Paragraphs;
        let key = draft.range.as_ref().map(|range| (range.start, range.end, is_long));
        let known = key.and_then(|key| self.by_range.get(&key)).and_then(|at| self.list.get_mut(*at));
        if let Some(known) = known {
            known.merge(draft);
            return;
        }
        if self.is_full(draft.origin) {
            return;
        }
        if let Some(count) = self.counts.get_mut(draft.origin.index()) {
            *count += 1;
        }
        if let Some(key) = key {
            self.by_range.insert(key, self.list.len());
        }
        self.list.push(draft);
    }

    /// Whether no new range of this origin is taken.
    pub(super) fn is_full(&self, origin: Origin) -> bool {
        self.counts.get(origin.index()) >= QUOTAS.get(origin.index())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Draft> {
        self.list.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Draft> {
        self.list.iter_mut()
    }

    /// In page order: what starts first comes first, then what is longer.
    pub(super) fn in_page_order(self) -> Vec<Draft> {
        let mut list = self.list;
        list.sort_by_key(|draft| (draft.anchor, Reverse(draft.end()), draft.origin.index()));
        list.truncate(MAX_SEGMENTS);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_the_origins_make_up_the_bound_of_the_page() {
        assert_eq!(QUOTAS.iter().sum::<usize>(), MAX_SEGMENTS);
    }

    #[test]
    fn readers_that_find_the_same_range_share_a_draft() {
        let mut drafts = Drafts::default();
        let label = Label { words: "brand".to_owned(), kind: super::super::LabelKind::Term };
        drafts.add(Draft::visible(NodeId(1), 3..7, Origin::Element));
        drafts.add(Draft::visible(NodeId(2), 3..7, Origin::Element));
        drafts.add(Draft::visible(NodeId(1), 3..7, Origin::AfterLabel).with_label(Some(label)));
        drafts.add(Draft::visible(NodeId(1), 3..7, Origin::Paragraphs));
        let list = drafts.in_page_order();
        assert_eq!(list.len(), 2, "paragraphs are apart");
        assert_eq!((list[0].node, list[0].origin), (NodeId(2), Origin::AfterLabel));
        assert!(list[0].comes_from(Origin::Element) && list[0].label.is_some());
    }
}
