//! Breadcrumb trails: the way from the start page to this one.

use std::ops::Range;

use super::clean::clean;
use super::drafts::{Draft, Drafts};
use super::element_attributes::ElementAttributes;
use super::tag::Tag;
use super::view::View;
use super::{MAX_TEXT_BYTES, Origin};
use crate::markup::{NodeId, Tree};

/// Longest text of a trail with a name, in bytes.
const MAX_TRAIL_BYTES: usize = 600;
/// Longest text of a trail that only its signs tell, in bytes.
const MAX_UNNAMED_BYTES: usize = 300;
/// Upper bound on the steps of a trail.
const MAX_STEPS: usize = 12;
/// Fewest steps of a trail.
const MIN_STEPS: usize = 2;
/// Signs between the steps of a trail.
const ARROWS: [char; 4] = ['›', '»', '→', '❯'];

/// Whether an element with visible text is a breadcrumb trail: it has that name, or it is a list with the
/// signs that only trails have.
pub(super) fn is_trail(
    tree: &Tree<'_>,
    range: &Range<usize>,
    tag: Tag,
    attributes: &ElementAttributes<'_>,
) -> bool {
    if range.len() > MAX_TRAIL_BYTES {
        return false;
    }
    if attributes.is_named_breadcrumb() {
        return true;
    }
    let is_list = matches!(tag, Tag::Nav | Tag::List) && range.len() <= MAX_UNNAMED_BYTES;
    let text = tree.text().get(range.clone()).unwrap_or_default();
    is_list && steps(text, range.start).count() > MIN_STEPS
}

/// The ranges between the signs of a text; `start` is the position of the text.
fn steps(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let mut signs = text.char_indices().filter(move |(at, found)| {
        ARROWS.contains(found) || (matches!(*found, '/' | '>') && is_alone(text, *at))
    });
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let begin = from?;
        let sign = signs.next();
        let end = sign.map_or(text.len(), |(at, _)| at);
        from = sign.map(|(at, found)| at + found.len_utf8());
        Some(start + begin..start + end)
    })
}

/// Whether the ASCII sign at a position has no word directly beside it.
fn is_alone(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let after = text.get(at + 1..).and_then(|after| after.chars().next());
    before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
}

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    for trail in &view.outline.trails {
        if drafts.is_full(Origin::Breadcrumb) {
            return;
        }
        let steps = steps_of(view, *trail);
        let count = steps.len();
        if !(MIN_STEPS..=MAX_STEPS).contains(&count) {
            continue;
        }
        for (at, (node, range)) in steps.into_iter().enumerate() {
            let draft = Draft::visible(node, range, Origin::Breadcrumb);
            drafts.add(Draft { crumb: (at + 1, count - at), ..draft });
        }
    }
}

/// The steps of a trail: its texts, cut at the signs between them.
fn steps_of(view: &View<'_, '_>, trail: NodeId) -> Vec<(NodeId, Range<usize>)> {
    let mut found = Vec::new();
    for run in view.outline.texts_in(&view.tree.text_range(trail)) {
        for part in steps(view.text(&(run.start..run.end)), run.start) {
            let Some(range) = clean(view.tree.text(), part) else { continue };
            let text = view.text(&range);
            if text.len() <= MAX_TEXT_BYTES && text.contains(char::is_alphanumeric) {
                found.push((run.parent, range));
            }
            if found.len() > MAX_STEPS {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_cut_at_signs_and_not_within_words() {
        let rows: [(&str, &[&str]); 4] = [
            ("Home > Cups/Mugs > Red", &["Home", "Cups/Mugs", "Red"]),
            ("Home›Cups", &["Home", "Cups"]),
            ("Home", &["Home"]),
            ("/ Cups", &["", "Cups"]),
        ];
        for (text, expected) in rows {
            let found: Vec<&str> = steps(text, 0).map(|range| text.get(range).unwrap().trim()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
