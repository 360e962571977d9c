//! Longer texts: the main text of the page, its first paragraph, the text below each heading, and elements
//! that are named as texts.

use hashbrown::HashMap;
use std::ops::Range;

use super::clean::clean;
use super::drafts::{Draft, Drafts, Mark};
use super::element_attributes::ElementAttributes;
use super::outline::Heading;
use super::tag::Tag;
use super::view::View;
use super::{Label, LabelKind, MAX_LABEL_BYTES, Origin};
use crate::bind::folded;
use crate::markup::NodeId;
use crate::page::truncate;

/// Longest text, in bytes; the main text is cut there.
pub(super) const MAX_LONG_BYTES: usize = 20_000;
/// Upper bound on the bytes of all texts of a page: those of sections within sections repeat.
const MAX_ALL_BYTES: usize = 200_000;
/// Shortest labelled value that is also a text, and shortest first paragraph, in bytes.
pub(super) const MIN_LONG_BYTES: usize = 60;
/// Shortest text below a heading, in bytes.
const MIN_SECTION_BYTES: usize = 20;
/// Shortest paragraph that the main part is found by, and shortest text of an element with such a name, in
/// bytes.
pub(super) const MIN_PARAGRAPH_BYTES: usize = 40;
/// Upper bound on the elements that are named as texts.
pub(super) const MAX_NAMED_TEXTS: usize = 24;
/// Upper bound on the sections of a page.
const MAX_SECTIONS: usize = 60;
/// Lines after the heading that are searched for the first paragraph.
const MAX_LINES: usize = 400;
/// Upper bound on the elements between a line and its paragraph.
const MAX_CLIMB: usize = 4;

/// Words in the names of elements that contain a text.
const TEXT_WORDS: [&str; 22] = [
    "description",
    "desc",
    "beschreibung",
    "descripcion",
    "descrizione",
    "descricao",
    "omschrijving",
    "beskrivning",
    "beskrivelse",
    "popis",
    "opis",
    "articlebody",
    "body",
    "content",
    "text",
    "summary",
    "abstract",
    "excerpt",
    "synopsis",
    "intro",
    "bio",
    "biography",
];

/// Whether an element with this visible text is named as a text.
pub(super) fn is_named_text(range: &Range<usize>, attributes: &ElementAttributes<'_>) -> bool {
    (MIN_PARAGRAPH_BYTES..=MAX_LONG_BYTES).contains(&range.len())
        && attributes.name_words().any(|word| TEXT_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let mut texts = Texts { view, drafts, left: MAX_ALL_BYTES };
    if let Some((node, range)) = main_text(view) {
        texts.add(node, range, Mark::MainText, None);
    }
    if let Some((node, range)) = first_paragraph(view) {
        texts.add(node, range, Mark::FirstParagraph, None);
    }
    for (heading, range) in sections(view) {
        let words = folded(truncate(view.text(&heading.range), MAX_LABEL_BYTES));
        if !words.is_empty() && range.len() >= MIN_SECTION_BYTES {
            let label = Label { words, kind: LabelKind::HeadingAbove };
            texts.add(heading.node, range, Mark::Section, Some(label));
        }
    }
    for node in &view.outline.named_texts {
        texts.add(*node, view.tree.trimmed_range(*node), Mark::NamedText, None);
    }
}

/// The texts of a page as they are added.
struct Texts<'v, 'e, 'a> {
    view: &'v View<'e, 'a>,
    drafts: &'v mut Drafts,
    /// The bytes that may still be added.
    left: usize,
}

impl Texts<'_, '_, '_> {
    /// Adds a text; `node` is its element, if no smaller one contains it.
    fn add(&mut self, node: NodeId, range: Range<usize>, mark: Mark, label: Option<Label>) {
        let text = truncate(self.view.text(&range), MAX_LONG_BYTES);
        let Some(range) = clean(self.view.tree.text(), range.start..range.start + text.len()) else { return };
        let Some(left) = self.left.checked_sub(range.len()) else { return };
        self.left = left;
        let node = self.view.outline.element_of(self.view.tree, &range).unwrap_or(node);
        self.drafts.add(Draft::visible(node, range, Origin::Paragraphs).with_label(label).with_mark(mark));
    }
}

/// Paragraphs of one part of the page.
#[derive(Debug)]
struct Part {
    node: NodeId,
    /// The bytes of its paragraphs; those one level further down count half.
    bytes: usize,
    range: Range<usize>,
}

/// The element with most text in paragraphs that contains the heading or follows it, with the range from its
/// first paragraph to its last.
fn main_text(view: &View<'_, '_>) -> Option<(NodeId, Range<usize>)> {
    let tree = view.tree;
    let mut by_node: HashMap<NodeId, usize> = HashMap::new();
    let mut parts: Vec<Part> = Vec::new();
    for node in &view.outline.paragraphs {
        let facts = view.outline.facts(*node);
        let elsewhere = [Tag::Nav, Tag::Footer, Tag::Aside, Tag::Form];
        if elsewhere.into_iter().any(|tag| facts.is_inside(tag)) || view.evidence.unrelated().contains(*node)
        {
            continue;
        }
        let range = tree.trimmed_range(*node);
        for (level, above) in tree.ancestors(*node).take(2).enumerate() {
            if view.evidence.heading.is_some_and(|heading| tree.end(above) <= heading) {
                continue;
            }
            let bytes = range.len() >> level;
            let next = parts.len();
            let at = *by_node.entry(above).or_insert(next);
            match parts.get_mut(at) {
                Some(part) => {
                    part.bytes += bytes;
                    part.range.end = part.range.end.max(range.end);
                }
                None => parts.push(Part { node: above, bytes, range: range.clone() }),
            }
        }
    }
    // Between equals the first wins.
    let best = parts.into_iter().rev().max_by_key(|part| part.bytes)?;
    Some((best.node, best.range))
}

/// The first paragraph after the heading, outside links and menus.
fn first_paragraph(view: &View<'_, '_>) -> Option<(NodeId, Range<usize>)> {
    let first = view.heading.as_ref().map_or(0, |heading| view.lines.number(heading.end) + 1);
    for number in (first..view.lines.len()).take(MAX_LINES) {
        if view.tree.interrupt().spend(1) {
            return None;
        }
        let range = view.lines.range(number);
        if range.len() < MIN_LONG_BYTES {
            continue;
        }
        let Some(range) = clean(view.tree.text(), range).filter(|range| range.len() >= MIN_LONG_BYTES) else {
            continue;
        };
        let Some(node) = view.outline.element_of(view.tree, &range) else { continue };
        let facts = view.outline.facts(node);
        let elsewhere = [Tag::Link, Tag::Nav, Tag::Footer, Tag::Aside, Tag::Control, Tag::Button];
        if elsewhere.into_iter().any(|tag| facts.is_inside(tag)) {
            continue;
        }
        let mut around = std::iter::once(node).chain(view.tree.ancestors(node)).take(MAX_CLIMB);
        let paragraph = around.find(|node| view.outline.facts(*node).tag == Tag::Paragraph);
        return Some(paragraph.map_or((node, range), |node| (node, view.tree.trimmed_range(node))));
    }
    None
}

/// The sections of the page, those after the main heading first: each from the end of its heading to the
/// next heading of its level or above, within the element that contains both the heading and text after it.
fn sections<'v>(view: &'v View<'_, '_>) -> Vec<(&'v Heading, Range<usize>)> {
    let mut ends: Vec<usize> = vec![view.tree.text().len(); view.outline.headings.len()];
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (at, heading) in view.outline.headings.iter().enumerate() {
        while let Some((known, _)) = open.pop_if(|(_, level)| *level >= heading.level) {
            if let Some(end) = ends.get_mut(known) {
                *end = heading.range.start;
            }
        }
        open.push((at, heading.level));
    }
    let own = view.heading_start();
    let in_order = view.outline.headings.iter().zip(ends);
    let (mut after, before): (Vec<_>, Vec<_>) = in_order
        .filter(|(heading, _)| {
            let facts = view.outline.facts(heading.node);
            heading.level > 1 && !facts.is_inside(Tag::Nav) && !facts.is_inside(Tag::Footer)
        })
        .partition(|(heading, _)| heading.range.start >= own);
    after.extend(before);
    after
        .into_iter()
        .take(MAX_SECTIONS)
        .map(|(heading, end)| {
            let start = heading.range.end;
            (heading, start..end.min(part_end(view, heading)).max(start))
        })
        .collect()
}

/// The end of the smallest element that contains a heading and text after it.
fn part_end(view: &View<'_, '_>, heading: &Heading) -> usize {
    let mut ends = view.tree.ancestors(heading.node).map(|node| view.tree.trimmed_range(node).end);
    ends.find(|end| *end > heading.range.end).unwrap_or(view.tree.text().len())
}
