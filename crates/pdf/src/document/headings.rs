//! Finds headings: short paragraphs in larger or bolder letters than the text, and those in the outline.

use std::collections::HashMap;

use super::contents::is_entry;
use super::style::Usual;
use super::{Entry, Kind, Part};
use crate::layout::{Text, key};

/// A paragraph in letters of at least this many usual sizes is a heading.
const LARGE: f32 = 1.17;

/// Longest heading.
const MAX_CHARS: usize = 200;
const MAX_LINES: usize = 4;

/// Longest heading in letters of the usual size.
const MAX_BOLD_CHARS: usize = 120;

/// The names below a title are smaller than this many usual sizes.
const MAX_BYLINE: f32 = 1.35;

/// Most paragraphs of names and dates below a title.
const MAX_BYLINES: usize = 3;

/// Most parts before the title.
const MAX_BEFORE_TITLE: usize = 4;

/// The lowest level of a heading.
const MAX_LEVEL: u8 = 6;

/// How a heading is set: its size in steps, and whether it is bold.
type Look = (i32, bool);

/// Marks the headings among the parts.
pub(super) fn find(parts: &mut [Part], usual: &Usual, outline: &[Entry]) {
    if parts.iter().any(|part| matches!(part.kind, Kind::Heading(..))) {
        mark_title(parts, usual);
        return;
    }
    let mut listed = listed(parts, outline);
    let mut found: Vec<bool> = (0..parts.len())
        .map(|at| {
            parts.get(at).is_some_and(|part| {
                let next = parts.get(at + 1);
                listed.contains_key(&at) || is_heading(part, next, usual)
            })
        })
        .collect();
    // A document of headings has none.
    let all = found.iter().filter(|found| **found).count();
    if all * 10 > parts.len() * 8 && all > 3 {
        return;
    }
    drop_bylines(parts, &mut found, &listed, usual);
    join_labels(parts, &mut found);
    lower_listed(parts, &found, &mut listed, usual);
    let levels = levels(parts, &found, &listed);
    for (at, part) in parts.iter_mut().enumerate() {
        if !found.get(at).copied().unwrap_or(false) {
            continue;
        }
        let level = listed.get(&at).copied().or_else(|| levels.get(&look(part)).copied()).unwrap_or(2);
        if let Kind::Paragraph(text) = &part.kind {
            part.kind = Kind::Heading(level.clamp(1, MAX_LEVEL), text.clone());
        }
    }
}

/// Marks the title of a file that marks its headings but not its title. The other headings are below it.
fn mark_title(parts: &mut [Part], usual: &Usual) {
    let is_heading = |part: &Part| matches!(part.kind, Kind::Heading(..));
    let largest = parts.iter().filter(|&part| is_heading(part)).map(|part| part.size).fold(0.0_f32, f32::max);
    let is_title = |part: &Part| {
        matches!(&part.kind, Kind::Paragraph(text) if text.as_str().chars().count() <= MAX_CHARS)
            && part.size >= LARGE * usual.size
            && part.size > 1.05 * largest
    };
    let before = parts.iter().take(MAX_BEFORE_TITLE).take_while(|&part| !is_heading(part));
    let Some(at) = before.zip(0_usize..).find(|&(part, _)| is_title(part)).map(|(_, at)| at) else { return };
    for part in parts.iter_mut() {
        if let Kind::Heading(level, _) = &mut part.kind {
            *level = level.saturating_add(1).min(MAX_LEVEL);
        }
    }
    if let Some(part) = parts.get_mut(at)
        && let Kind::Paragraph(text) = &mut part.kind
    {
        part.kind = Kind::Heading(1, std::mem::take(text));
    }
}

fn look(part: &Part) -> Look {
    ((part.size * 2.0).round() as i32, part.is_bold)
}

fn is_heading(part: &Part, next: Option<&Part>, usual: &Usual) -> bool {
    let Kind::Paragraph(text) = &part.kind else { return false };
    let text = text.as_str().trim();
    let (chars, letters) = (text.chars().count(), text.chars().filter(|c| c.is_alphabetic()).count());
    if letters < 2 || letters * 3 < chars || chars > MAX_CHARS || part.lines > MAX_LINES || is_entry(text) {
        return false;
    }
    if text.ends_with([',', ';']) || (text.ends_with('.') && chars > 60) {
        return false;
    }
    if part.size >= LARGE * usual.size {
        return true;
    }
    // Letters of the usual size: bold or in capitals, alone before a text.
    let is_before_text = next.is_some_and(|next| {
        let is_text = !matches!(next.kind, Kind::Heading(..));
        is_text && (next.lines > 1 || !next.is_bold || part.size > 1.05 * next.size)
    });
    let is_usual = part.size >= 0.95 * usual.size && part.lines <= 2 && chars <= MAX_BOLD_CHARS;
    let is_capitals = letters >= 4
        && part.lines == 1
        && chars <= 60
        && !text.chars().any(char::is_lowercase)
        && text.chars().any(char::is_uppercase)
        && next.is_some_and(|next| next.lines > 1);
    is_usual
        && is_before_text
        && !text.ends_with(['.', ':'])
        && ((part.is_bold && !usual.is_bold) || is_capitals)
}

/// Takes the names and dates below a title out of the headings: a look of plain letters, little larger than
/// the text, that stands only below larger headings.
fn drop_bylines(parts: &[Part], found: &mut [bool], listed: &HashMap<usize, u8>, usual: &Usual) {
    let is_found = |at: usize| found.get(at).copied().unwrap_or(false);
    let may_be = |at: usize, part: &Part| {
        let is_numbered =
            matches!(&part.kind, Kind::Paragraph(text) if text.as_str().starts_with(char::is_numeric));
        let before = at.checked_sub(1).filter(|before| is_found(*before));
        let is_below = before.and_then(|before| parts.get(before)).is_some_and(|before| {
            before.size > 1.1 * part.size || (look(before) == look(part) && at.checked_sub(2).is_some())
        });
        is_below
            && !part.is_bold
            && part.size < MAX_BYLINE * usual.size
            && !is_numbered
            && !listed.contains_key(&at)
    };
    let mut looks: HashMap<Look, (usize, bool)> = HashMap::new();
    for (at, part) in parts.iter().enumerate().filter(|(at, _)| is_found(*at)) {
        let (count, all) = looks.entry(look(part)).or_insert((0, true));
        *count += 1;
        *all = *all && may_be(at, part);
    }
    for (found, part) in found.iter_mut().zip(parts) {
        let (count, all) = looks.get(&look(part)).copied().unwrap_or_default();
        *found = *found && !(all && count <= MAX_BYLINES);
    }
}

/// Joins a label, for example `Chapter 1`, and the heading below it.
fn join_labels(parts: &mut [Part], found: &mut [bool]) {
    for at in 1..parts.len() {
        let (Some([label, heading]), Some([is_label, true])) =
            (parts.get_mut(at - 1..=at), found.get_mut(at - 1..=at))
        else {
            continue;
        };
        if let (Kind::Paragraph(first), Kind::Paragraph(text)) = (&mut label.kind, &mut heading.kind)
            && *is_label
            && is_numbered_word(first.as_str())
            && !is_numbered_word(text.as_str())
            && heading.size >= 0.9 * label.size
        {
            let mut joined = std::mem::take(first);
            joined.push_line(text);
            *text = joined;
            *is_label = false;
        }
    }
}

/// Whether a text is a word and its number.
fn is_numbered_word(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    let [word, number] = words.as_slice() else { return false };
    word.chars().all(char::is_alphabetic)
        && number.chars().count() <= 4
        && (number.chars().all(|c| c.is_ascii_digit()) || number.chars().all(|c| "IVXLC".contains(c)))
}

/// The paragraphs that are entries of the outline, and the level of each. The entries are searched in their
/// order, each after the one before.
fn listed(parts: &[Part], outline: &[Entry]) -> HashMap<usize, u8> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        if let Kind::Paragraph(text) = &part.kind
            && part.lines <= MAX_LINES
            && text.as_str().chars().count() <= MAX_CHARS
            && !is_entry(text.as_str())
        {
            places.entry(title(text)).or_default().push(at);
        }
    }
    let mut found = HashMap::new();
    let mut after = 0;
    for entry in outline {
        let wanted = key(&entry.title);
        let Some(places) = places.get(wanted.trim_start_matches('#')).filter(|_| !wanted.is_empty()) else {
            continue;
        };
        let next = places.partition_point(|place| *place < after);
        if let Some(place) = places.get(next) {
            found.insert(*place, entry.depth.clamp(1, MAX_LEVEL));
            after = place + 1;
        }
    }
    found
}

/// Lowers what the outline lists by one level, if a title that it does not list stands before it.
fn lower_listed(parts: &[Part], found: &[bool], listed: &mut HashMap<usize, u8>, usual: &Usual) {
    let Some(first) = listed.keys().min().copied() else { return };
    let is_title = |at: &usize| {
        let is_found = found.get(*at).copied().unwrap_or(false);
        let is_large = |part: &Part| {
            let is_listed = |at: &usize| parts.get(*at).is_some_and(|other| look(other) == look(part));
            part.size >= LARGE * usual.size && !listed.keys().any(is_listed)
        };
        is_found && parts.get(*at).is_some_and(is_large)
    };
    let chapters = listed.values().filter(|level| **level == 1).count();
    if chapters >= 2
        && let Some(title) = (0..first.min(MAX_BEFORE_TITLE)).find(is_title)
    {
        for level in listed.values_mut() {
            *level = level.saturating_add(1).min(MAX_LEVEL);
        }
        listed.insert(title, 1);
    }
}

/// A heading without its number, for comparisons.
fn title(text: &Text) -> String {
    key(text.as_str()).trim_start_matches('#').to_owned()
}

/// The level of each look: the largest letters first. Looks of the outline have its levels.
fn levels(parts: &[Part], found: &[bool], listed: &HashMap<usize, u8>) -> HashMap<Look, u8> {
    let mut looks: Vec<Look> =
        parts.iter().zip(found).filter(|(_, found)| **found).map(|(part, _)| look(part)).collect();
    looks.sort_by_key(|(size, is_bold)| (std::cmp::Reverse(*size), !is_bold));
    looks.dedup();
    let mut levels: HashMap<Look, u8> = HashMap::new();
    let mut level = 0_u8;
    let mut last: Option<Look> = None;
    for look in looks {
        // Sizes that hardly differ are one level.
        let is_same = last.is_some_and(|last| last.1 == look.1 && last.0 - look.0 <= 1);
        if !is_same {
            level = level.saturating_add(1);
        }
        last = Some(look);
        levels.insert(look, level.clamp(1, MAX_LEVEL));
    }
    let mut in_outline: HashMap<Look, HashMap<u8, usize>> = HashMap::new();
    for (at, level) in listed {
        if let Some(part) = parts.get(*at) {
            *in_outline.entry(look(part)).or_default().entry(*level).or_default() += 1;
        }
    }
    for (look, counts) in in_outline {
        if let Some((level, _)) =
            counts.into_iter().max_by_key(|(level, count)| (*count, std::cmp::Reverse(*level)))
        {
            levels.insert(look, level);
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Usual = Usual { size: 10.0, leading: 1.2, is_bold: false, is_mono: false };

    fn part(text: &str, size: f32, is_bold: bool) -> Part {
        let lines = if text.len() > 40 { 2 } else { 1 };
        Part { kind: Kind::Paragraph(Text::plain(text)), size, is_bold, lines }
    }

    const TEXT: &str = "Some text that is longer than a heading, with a full stop at its end.";

    fn found(mut parts: Vec<Part>, outline: &[Entry]) -> Vec<(u8, String)> {
        find(&mut parts, &USUAL, outline);
        parts
            .into_iter()
            .filter_map(|part| match part.kind {
                Kind::Heading(level, text) => Some((level, text.as_str().to_owned())),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn large_and_bold_paragraphs_are_headings() {
        let parts = vec![
            part("A Title", 20.0, true),
            part(TEXT, 10.0, false),
            part("1 Chapter", 14.0, true),
            part(TEXT, 10.0, false),
            part("A section", 10.0, true),
            part(TEXT, 10.0, false),
            part("Plain words", 10.0, false),
            part(TEXT, 10.0, false),
        ];
        let expected = [(1, "A Title"), (2, "1 Chapter"), (3, "A section")];
        assert_eq!(found(parts, &[]), expected.map(|(level, text)| (level, text.to_owned())));
    }

    #[test]
    fn the_outline_finds_headings_in_plain_letters() {
        let entry = |title: &str, depth| Entry { title: title.to_owned(), depth };
        let parts = vec![
            part("Introduction", 10.0, false),
            part(TEXT, 10.0, false),
            part("1.1 Aims", 10.0, false),
            part(TEXT, 10.0, false),
        ];
        let outline = [entry("Introduction", 1), entry("Aims", 2), entry("Missing", 1)];
        let expected = [(1, "Introduction".to_owned()), (2, "1.1 Aims".to_owned())];
        assert_eq!(found(parts, &outline), expected);
    }

    #[test]
    fn a_title_that_the_outline_does_not_list_is_above_it() {
        let entry = |title: &str| Entry { title: title.to_owned(), depth: 1 };
        let parts = vec![
            part("A Title", 17.0, false),
            part("Introduction", 14.0, true),
            part(TEXT, 10.0, false),
            part("Methods", 14.0, true),
            part(TEXT, 10.0, false),
        ];
        let expected = [(1, "A Title"), (2, "Introduction"), (2, "Methods")];
        let outline = [entry("Introduction"), entry("Methods")];
        assert_eq!(found(parts, &outline), expected.map(|(level, text)| (level, text.to_owned())));
    }

    #[test]
    fn a_title_above_marked_headings_is_one() {
        let heading = Part { kind: Kind::Heading(1, Text::plain("First")), ..part("", 14.0, true) };
        let parts = vec![part("A Title", 20.0, true), heading, part(TEXT, 10.0, false)];
        let expected = [(1, "A Title"), (2, "First")];
        assert_eq!(found(parts, &[]), expected.map(|(level, text)| (level, text.to_owned())));
    }

    #[test]
    fn names_below_the_title_are_no_headings() {
        let parts = vec![
            part("A Title", 17.0, false),
            part("Jane Doe", 12.0, false),
            part("May 2024", 12.0, false),
            part("1 Introduction", 14.0, true),
            part(TEXT, 10.0, false),
        ];
        let expected = [(1, "A Title"), (2, "1 Introduction")];
        assert_eq!(found(parts, &[]), expected.map(|(level, text)| (level, text.to_owned())));
        // The same letters before text are those of headings.
        let parts = vec![
            part("A Title", 17.0, false),
            part("Introduction", 12.0, false),
            part(TEXT, 10.0, false),
            part("Methods", 12.0, false),
            part(TEXT, 10.0, false),
        ];
        assert_eq!(found(parts, &[]).len(), 3);
    }

    #[test]
    fn a_label_and_its_title_are_one_heading() {
        let parts = vec![
            part("Chapter 1", 20.0, true),
            part("The Beginning", 24.0, true),
            part(TEXT, 10.0, false),
            part(TEXT, 10.0, false),
        ];
        assert_eq!(found(parts, &[]), [(1, "Chapter 1 The Beginning".to_owned())]);
    }

    #[test]
    fn numbers_and_long_texts_are_no_headings() {
        let parts =
            vec![part("2024", 20.0, true), part(&TEXT.repeat(5), 20.0, true), part(TEXT, 10.0, false)];
        assert!(found(parts, &[]).is_empty());
    }
}
