//! Elements, texts beside elements, and lines.

use std::ops::Range;

use super::clean::clean;
use super::drafts::{Draft, Drafts};
use super::tag::Tag;
use super::view::View;
use super::{MAX_TEXT_BYTES, Origin};
use crate::markup::{Kind, NodeId};

/// Upper bound on the line breaks in the text of an element that is a segment.
const MAX_BREAKS: usize = 2;
/// Separators and white space that a text may have around it, in bytes.
const MAX_MARGIN_BYTES: usize = 16;
/// Distance from the main heading from which texts without a digit are left out in parts about other things:
/// menus, teasers and footers. Their labelled values, their names of the site and their trails have readers
/// of their own.
const MAX_UNRELATED_BYTES: usize = 600;
/// Nodes before the main heading that are read before all others.
const NODES_BEFORE_HEADING: usize = 300;

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    elements(view, drafts);
    lines(view, drafts);
}

/// Reads from shortly before the heading to the end, then from the start: of too many elements, those of a
/// large menu at the top are left out.
fn elements(view: &View<'_, '_>, drafts: &mut Drafts) {
    let tree = view.tree;
    let first = view.evidence.heading.map_or(0, NodeId::index).saturating_sub(NODES_BEFORE_HEADING);
    for node in tree.nodes().skip(first).chain(tree.nodes().take(first)) {
        let (element, origin) = match tree.kind(node) {
            Some(Kind::Element { .. }) if !tree.is_hidden(node) => (node, Origin::Element),
            Some(Kind::Text { .. }) => (tree.parent(node).unwrap_or(node), Origin::TextNode),
            _ => continue,
        };
        let facts = view.outline.facts(element);
        if drafts.is_full(Origin::Element) && drafts.is_full(Origin::TextNode) {
            return;
        }
        let range = tree.text_range(node);
        if range.len() > MAX_TEXT_BYTES + MAX_MARGIN_BYTES
            || facts.is_inside(Tag::Control)
            || (origin == Origin::Element && facts.tag == Tag::Root)
        {
            continue;
        }
        if is_furniture(view, element, &range) {
            continue;
        }
        // An only text is its element.
        if origin == Origin::TextNode
            && view.text(&range).trim() == tree.text_of(element)
            && facts.tag != Tag::Root
        {
            continue;
        }
        if let Some(range) = value_range(view, range) {
            drafts.add(Draft::visible(element, range, origin));
        }
    }
}

/// Whether a text is far from the main heading, in a part about other things, and states no figure.
fn is_furniture(view: &View<'_, '_>, element: NodeId, range: &Range<usize>) -> bool {
    view.heading_start().abs_diff(range.start) > MAX_UNRELATED_BYTES
        && (view.outline.facts(element).is_inside(Tag::Nav) || view.evidence.unrelated().contains(element))
        && !view.text(range).contains(|found: char| found.is_numeric() || found == '@')
}

/// The clean range of a value; `None` if it is no value or too long.
fn value_range(view: &View<'_, '_>, range: Range<usize>) -> Option<Range<usize>> {
    let range = clean(view.tree.text(), range)?;
    let text = view.text(&range);
    let is_value = text.len() <= MAX_TEXT_BYTES
        && text.bytes().filter(|byte| *byte == b'\n').count() <= MAX_BREAKS
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    is_value.then_some(range)
}

/// Lines of several text nodes. A line of one is its element.
fn lines(view: &View<'_, '_>, drafts: &mut Drafts) {
    let tree = view.tree;
    for number in view.lines.numbers_from(view.first_position()) {
        if drafts.is_full(Origin::Line) || tree.interrupt().spend(1) {
            return;
        }
        let range = view.lines.range(number);
        if range.len() > MAX_TEXT_BYTES + MAX_MARGIN_BYTES || view.outline.texts_in(&range).len() < 2 {
            continue;
        }
        let Some(range) = value_range(view, range) else { continue };
        let Some(node) = view.outline.element_of(tree, &range) else { continue };
        if !view.outline.facts(node).is_inside(Tag::Control) && !is_furniture(view, node, &range) {
            drafts.add(Draft::visible(node, range, Origin::Line));
        }
    }
}
