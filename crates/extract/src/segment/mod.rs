//! Segments: the clean values of a page, each with where it stands.
//!
//! They are read once per page, whatever the fields of the schema. What a segment says of itself (its words,
//! its type) and of its place (its element, its label, its distance from the heading) becomes numbers, which
//! a learned model compares. So no reader here decides what a value means.

mod address;
mod address_of_image;
mod attribute_values;
mod breadcrumbs;
mod clean;
mod codes;
mod drafts;
mod element_attributes;
mod figures;
mod labels;
mod lines;
mod outline;
mod paragraphs;
mod place;
mod prefixes;
mod site_key;
mod site_names;
mod site_wording;
mod tag;
mod titles;
mod typed_spans;
mod view;
mod visible;
mod wording;

use std::ops::Range;

pub(crate) use address_of_image::is_image_address;
pub(crate) use place::{PLACE_FEATURES, Places, TextShape, Types};
pub(crate) use typed_spans::ValueType;

use self::drafts::Drafts;
use self::view::View;
use crate::evidence::Evidence;
use crate::markup::NodeId;

/// Upper bound on the segments of a page.
pub(crate) const MAX_SEGMENTS: usize = 4_000;
/// Longest text of a segment that is not made of paragraphs, in bytes.
const MAX_TEXT_BYTES: usize = 300;
/// Longest label, in bytes.
const MAX_LABEL_BYTES: usize = 80;

/// A clean value of the page, with where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// The clean text: without its label, prefix, suffix; white space folded. Only paragraphs keep their
    /// line breaks.
    pub(crate) text: String,
    /// The smallest element that contains it, or the element whose attribute states it. Of elements with the
    /// same text, this is the innermost.
    pub(crate) node: NodeId,
    /// Its range in `Tree::text()`; `None` if an attribute or the title states it.
    pub(crate) range: Option<Range<usize>>,
    pub(crate) origin: Origin,
    /// The label the page gives it.
    pub(crate) label: Option<Label>,
    /// The types of values in its text.
    pub(crate) types: Types,
    /// Where [`Places`] has it. Copies share it.
    pub(crate) described_at: usize,
}

/// How a segment is cut out of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The whole text of an element.
    Element,
    /// A text beside elements in the same parent.
    TextNode,
    /// A line of several inline elements.
    Line,
    /// The value after a label.
    AfterLabel,
    /// A text without words such as `by` before it.
    AfterPrefix,
    /// A part of the title or of the heading.
    TitlePart,
    /// A date, an amount or another typed value in a longer text.
    Typed,
    /// The value of an attribute.
    Attribute,
    /// A step of the breadcrumb trail.
    Breadcrumb,
    /// One or more paragraphs, the only segments longer than a line or two.
    Paragraphs,
    /// A name of the site that no single text need state.
    SiteName,
}

impl Origin {
    /// The number of origins.
    const COUNT: usize = 11;

    const fn index(self) -> usize {
        self as usize
    }
}

/// A label with how it stands to its value.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    /// In folded words.
    pub(crate) words: String,
    pub(crate) kind: LabelKind,
}

/// How a label stands to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelKind {
    /// Before it on the same line, with a colon.
    Colon,
    /// A `dt` or the first cell of a row.
    Term,
    /// The first of two elements that have all the text of their parent.
    Sibling,
    /// The line above, which ends with a colon.
    LineAbove,
    /// The heading of its section.
    HeadingAbove,
    /// The `alt`, the `aria-label` or the name of the attribute.
    Attribute,
    /// The few words before it, or its name behind it, on the same line and without a colon: `Updated 4 May`,
    /// `288 pages`.
    Inline,
}

/// All segments of a page, in page order, at most [`MAX_SEGMENTS`]; and their places.
pub(crate) fn read<'e, 'a>(evidence: &'e Evidence<'a>) -> (Vec<Segment>, Places<'e, 'a>) {
    let mut view = View::read(evidence);
    let mut drafts = Drafts::default();
    attribute_values::collect(&mut view, &mut drafts);
    visible::collect(&view, &mut drafts);
    paragraphs::collect(&view, &mut drafts);
    labels::collect(&view, &mut drafts);
    codes::collect(&view, &mut drafts);
    figures::collect(&view, &mut drafts);
    titles::collect(&view, &mut drafts);
    breadcrumbs::collect(&view, &mut drafts);
    site_names::collect(&view, &mut drafts);
    typed_spans::collect(&view, &mut drafts);
    prefixes::collect(&view, &mut drafts);
    labels::complete(&view, &mut drafts);
    place::describe(view, drafts.in_page_order())
}

#[cfg(test)]
mod tests;
