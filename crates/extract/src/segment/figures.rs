//! Numbers with their names behind them: `288 pages`, `3 bedrooms`.

use std::ops::Range;

use super::drafts::{Draft, Drafts};
use super::tag::Tag;
use super::view::View;
use super::{Label, LabelKind, Origin};
use crate::bind::{folded, is_number_name};
use crate::page::truncate;
use crate::typed::{NumberStyle, amounts};

/// Longest line that is searched, in bytes.
const MAX_LINE_BYTES: usize = 240;
/// Upper bound on the numbers of a line that are looked at.
const MAX_PER_LINE: usize = 12;
/// Upper bound on the numbers of a page that are found.
const MAX_FOUND: usize = 120;
/// Longest text behind a number that may be its name, in bytes.
const MAX_NAME_BYTES: usize = 40;
/// Bytes of a line for one unit of work, as several names may be looked up.
const BYTES_PER_UNIT: usize = 4;
/// Upper bound on the words of such a name.
const MAX_NAME_WORDS: usize = 2;

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let mut found = 0;
    for number in view.lines.numbers_from(view.first_position()) {
        let line = view.lines.range(number);
        if found >= MAX_FOUND || view.tree.interrupt().spend(1 + line.len() / BYTES_PER_UNIT) {
            return;
        }
        if line.len() > MAX_LINE_BYTES {
            continue;
        }
        for (own, words) in named_numbers(view.text(&line)) {
            let range = line.start + own.start..line.start + own.end;
            let Some(node) = view.outline.element_of(view.tree, &range) else { continue };
            let facts = view.outline.facts(node);
            if facts.is_inside(Tag::Control) || facts.is_inside(Tag::Nav) {
                continue;
            }
            found += 1;
            let label = Label { words, kind: LabelKind::Inline };
            drafts.add(Draft::visible(node, range, Origin::AfterLabel).with_label(Some(label)));
        }
    }
}

/// The numbers of a line with their names in folded words.
fn named_numbers(line: &str) -> Vec<(Range<usize>, String)> {
    let numbers = amounts(line, NumberStyle::Prose).take(MAX_PER_LINE);
    let named = numbers.filter_map(|number| {
        // A part of a code, a date, a time or a range is no number of its own.
        let before = line.get(..number.range.start)?.chars().next_back();
        let is_part =
            |found: char| found.is_alphanumeric() || matches!(found, '-' | '–' | '/' | ':' | '.' | '#');
        let name = name_at_start(line.get(number.range.end..)?).filter(|_| !before.is_some_and(is_part))?;
        Some((number.range, name))
    });
    named.collect()
}

/// The name of a number at the start of a text, of up to two words; the longer one counts.
fn name_at_start(text: &str) -> Option<String> {
    let text = truncate(text, MAX_NAME_BYTES);
    if !text.trim_start_matches([' ', '-']).starts_with(char::is_alphabetic) {
        return None;
    }
    let end = text.find(|found: char| !found.is_alphabetic() && !matches!(found, ' ' | '-' | '\''));
    let words = folded(text.get(..end.unwrap_or(text.len()))?);
    let ends = words.match_indices(' ').map(|(at, _)| at).chain([words.len()]).take(MAX_NAME_WORDS);
    let mut names: Vec<&str> = ends.filter_map(|end| words.get(..end)).collect();
    names.reverse();
    names.into_iter().find(|name| is_number_name(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_behind_a_number_is_known() {
        let rows: [(&str, &[(&str, &str)]); 9] = [
            ("Jun 10, 2025 | 288 Pages | 6 x 9", &[("288", "pages")]),
            ("328 pp., 24 b&w illus.", &[("328", "pp")]),
            ("쪽수 296쪽 | 382g", &[("296", "쪽")]),
            ("3 bedrooms, 2 bathrooms", &[("3", "bedrooms"), ("2", "bathrooms")]),
            ("1,204 reviews", &[("1,204", "reviews")]),
            ("1 204 reviews", &[("1 204", "reviews")]),
            ("pages 3-288 pages", &[]),
            ("1 author and 12 friends", &[]),
            ("AB12 pages", &[]),
        ];
        for (line, expected) in rows {
            let found = named_numbers(line);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|(range, words)| (line.get(range.clone()).unwrap(), words.as_str()))
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
