//! Values with the labels that the page gives them.

use std::ops::Range;

use super::clean::clean;
use super::drafts::{Draft, Drafts, Mark};
use super::paragraphs::{MAX_LONG_BYTES, MIN_LONG_BYTES};
use super::tag::Tag;
use super::view::View;
use super::{Label, LabelKind, MAX_LABEL_BYTES, MAX_TEXT_BYTES, Origin};
use crate::bind::folded;
use crate::evidence::LabelledValue;
use crate::markup::NodeId;
use crate::page::{Method, tail};

/// Longest text whose label is also that of the texts in it, if no colon separates them, in bytes.
const MAX_SHARED_BYTES: usize = 120;
/// Upper bound on the labelled texts around a segment that are compared with it.
const MAX_AROUND: usize = 4;
/// Longest text that the words before it can label, in bytes.
const MAX_INLINE_BYTES: usize = 120;
/// Bytes before a text that are searched for such words.
const MAX_BEFORE_BYTES: usize = 64;
/// Upper bound on the words before a text that label it.
const MAX_BEFORE_WORDS: usize = 4;

/// Adds the labelled values of the page. Values of several lines are also texts of paragraphs.
pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    for pair in view.evidence.pairs.iter().filter(|pair| pair.method != Method::Meta) {
        if view.tree.interrupt().spend(1) {
            return;
        }
        if pair.label == pair.value || pair.label.len() > MAX_LABEL_BYTES {
            continue;
        }
        let Some((node, range)) = value_of(view, pair) else { continue };
        if view.outline.facts(node).is_inside(Tag::Control) {
            continue;
        }
        let words = folded(&pair.label);
        if words.is_empty() {
            continue;
        }
        let label = Label { words, kind: kind_of(view, pair, &range) };
        if range.len() >= MIN_LONG_BYTES {
            let long = Draft::visible(node, range.clone(), Origin::Paragraphs);
            drafts.add(long.with_label(Some(label.clone())));
        }
        if range.len() <= MAX_TEXT_BYTES {
            drafts.add(Draft::visible(node, range, Origin::AfterLabel).with_label(Some(label)));
        }
    }
}

/// The element and the range of a labelled value.
fn value_of(view: &View<'_, '_>, pair: &LabelledValue) -> Option<(NodeId, Range<usize>)> {
    let range = match (&pair.text, pair.node) {
        // The text may start with the label.
        (Some(line), _) => {
            let at = line.start + view.text(line).rfind(pair.value.as_str())?;
            at..at + pair.value.len()
        }
        (None, Some(node)) => view.tree.text_range(node),
        (None, None) => return None,
    };
    if range.len() > MAX_LONG_BYTES {
        return None;
    }
    let range = clean(view.tree.text(), range)?;
    let node = view.outline.element_of(view.tree, &range).or(pair.node)?;
    Some((node, range))
}

fn kind_of(view: &View<'_, '_>, pair: &LabelledValue, value: &Range<usize>) -> LabelKind {
    match pair.method {
        Method::DefinitionList | Method::Table => LabelKind::Term,
        _ if pair.text.is_none() => LabelKind::Sibling,
        _ => {
            let before = view.tree.text().get(..value.start).unwrap_or_default().trim_end_matches(' ');
            if before.ends_with('\n') { LabelKind::LineAbove } else { LabelKind::Colon }
        }
    }
}

/// Gives labels to the segments that have none: that of the text around them, or the few words before them on
/// their line.
pub(super) fn complete(view: &View<'_, '_>, drafts: &mut Drafts) {
    let mut labelled: Vec<(Range<usize>, Label)> = drafts
        .iter()
        .filter(|draft| draft.comes_from(Origin::AfterLabel))
        .filter_map(|draft| Some((draft.range.clone()?, draft.label.clone()?)))
        .filter(|(range, label)| label.kind != LabelKind::Sibling || range.len() <= MAX_SHARED_BYTES)
        .collect();
    labelled.sort_by_key(|(range, _)| range.start);
    for draft in drafts.iter_mut() {
        if view.tree.interrupt().spend(1) {
            return;
        }
        if draft.label.is_some() || draft.origin == Origin::Paragraphs {
            continue;
        }
        let Some(range) = &draft.range else { continue };
        if let Some(label) = label_around(&labelled, range) {
            draft.label = Some(label.clone());
            draft.mark(Mark::SharedLabel);
        } else if range.len() <= MAX_INLINE_BYTES {
            draft.label = label_before(view, range);
        }
    }
}

/// The label of the smallest labelled text around a range.
fn label_around<'l>(labelled: &'l [(Range<usize>, Label)], range: &Range<usize>) -> Option<&'l Label> {
    let before = labelled.partition_point(|(around, _)| around.start <= range.start);
    let candidates = labelled.get(before.saturating_sub(MAX_AROUND)..before)?;
    candidates.iter().rev().find(|(around, _)| range.end <= around.end).map(|(_, label)| label)
}

/// The few words before a text on its line: `Updated` in `Home | Updated 4 May`.
fn label_before(view: &View<'_, '_>, range: &Range<usize>) -> Option<Label> {
    let line = view.lines.range(view.lines.number(range.start));
    let before = view.text(&(line.start..range.start)).trim_end();
    let near = tail(before, MAX_BEFORE_BYTES);
    let words = near.trim_end_matches([':', '：', ' ']);
    let kind = if words.len() < near.len() { LabelKind::Colon } else { LabelKind::Inline };
    let begin = words.rfind(is_break).map(|at| words.get(at..).unwrap_or_default());
    // Without a sign in reach, the words are the start of the line, or too many.
    let words = if near.len() == before.len() { begin.unwrap_or(words) } else { begin? };
    if words.contains(|found: char| found.is_numeric()) || words.split_whitespace().count() > MAX_BEFORE_WORDS
    {
        return None;
    }
    let words = folded(words);
    (!words.is_empty()).then_some(Label { words, kind })
}

/// Whether a sign ends what is said before it.
const fn is_break(found: char) -> bool {
    matches!(
        found,
        ',' | ';' | '|' | '·' | '•' | '(' | ')' | '/' | '>' | '›' | '»' | '–' | '—' | '!' | '?' | ':' | '"'
    )
}
