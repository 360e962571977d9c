//! Codes with the words before them on their line, without a colon between: `SKU 4711-B`, `Art.1049084`.

use std::ops::Range;

use super::drafts::{Draft, Drafts};
use super::tag::Tag;
use super::view::View;
use super::{Label, LabelKind, Origin};
use crate::bind::{concept_name, folded};

/// Longest line that is searched, in bytes. In running text, numbers are about other things.
const MAX_LINE_BYTES: usize = 160;
/// Upper bound on the lines that are searched, those near the heading first.
const MAX_LINES: usize = 1_500;
/// Upper bound on the codes of a line.
const MAX_PER_LINE: usize = 3;
/// Upper bound on the words of a label.
const MAX_LABEL_WORDS: usize = 3;
/// Lengths of a code, in bytes.
const CODE_BYTES: std::ops::RangeInclusive<usize> = 3..=40;
/// Fewest digits of a code.
const MIN_DIGITS: usize = 2;

/// The concepts whose values are codes of things for sale.
const CONCEPTS: [&str; 3] = ["sku", "mpn", "gtin"];
/// Words that mean a code only before one, in folded words.
const SHORT_LABELS: [&str; 18] = [
    "art",
    "article",
    "artikel",
    "арт",
    "item",
    "ref",
    "réf",
    "pn",
    "code",
    "cod",
    "cód",
    "código",
    "codice",
    "kod",
    "kód",
    "код",
    "κωδικός",
    "šifra",
];

/// Adds the codes that have such words before them.
pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let tree = view.tree;
    let has_digit = |line: &str| line.bytes().any(|byte| byte.is_ascii_digit());
    let lines = view.lines.numbers_from(view.first_position()).map(|number| view.lines.range(number));
    let short = lines.filter(|range| range.len() <= MAX_LINE_BYTES);
    for range in short.filter(|range| has_digit(view.text(range))).take(MAX_LINES) {
        if tree.interrupt().spend(1 + range.len() / 8) {
            return;
        }
        for found in labelled_codes(view.text(&range)) {
            let code = range.start + found.code.start..range.start + found.code.end;
            let Some(node) = view.outline.element_of(tree, &code) else { continue };
            if view.outline.facts(node).is_inside(Tag::Control) {
                continue;
            }
            drafts.add(Draft::visible(node, code, Origin::AfterLabel).with_label(Some(found.label)));
        }
    }
}

/// A code in a line, with its label.
#[derive(Debug)]
struct LabelledCode {
    label: Label,
    code: Range<usize>,
}

/// The codes of a line that have a label before them.
fn labelled_codes(line: &str) -> Vec<LabelledCode> {
    let mut found = Vec::new();
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for part in line.split_inclusive(char::is_whitespace) {
        let word = at..at + part.trim_end().len();
        at += part.len();
        if word.is_empty() {
            continue;
        }
        if found.len() < MAX_PER_LINE
            && let Some(code) = code_in(line, &word)
            && let Some(label) = label_before(line, &words, word.start..code.start)
        {
            found.push(LabelledCode { label, code });
        }
        words.push(word);
    }
    found
}

/// The code at the end of a word, without a label that a sign separates from it and signs around it.
fn code_in(line: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let text = line.get(word.clone())?;
    let end = text.trim_end_matches(|found: char| !found.is_alphanumeric()).len();
    let digit = text.find(|found: char| found.is_ascii_digit())?;
    let is_separator = |found: char| matches!(found, '.' | ':' | '：' | '#' | '№' | '°' | '(' | '[');
    let start = if text.get(..digit)?.ends_with(is_separator) {
        digit
    } else {
        text.len() - text.trim_start_matches(|found: char| !found.is_alphanumeric()).len()
    };
    let code = text.get(start..end)?;
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let is_code = CODE_BYTES.contains(&code.len())
        && digits >= MIN_DIGITS
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'));
    is_code.then(|| word.start + start..word.start + end)
}

/// The label that the last words before a code make, with the start of its own word.
fn label_before(line: &str, words: &[Range<usize>], own: Range<usize>) -> Option<Label> {
    let text = |from: usize| line.get(from..own.end).unwrap_or_default();
    // The words after the last sign that ends a thought, or after the last number.
    let ends = |word: &&Range<usize>| {
        let word = line.get((*word).clone()).unwrap_or_default();
        word.ends_with([',', ';', '!', '?', ')', '|']) || word.contains(|found: char| found.is_ascii_digit())
    };
    let near: Vec<usize> = words.iter().rev().take_while(|word| !ends(word)).map(|word| word.start).collect();
    let first = near.last().copied().unwrap_or(own.start);
    let starts = near.iter().take(MAX_LABEL_WORDS).rev().copied();
    starts.chain([own.start]).find_map(|start| {
        let words = folded(text(start));
        // `Promo code SAVE20` is no code of a thing.
        let is_alone = start == first || start == own.start;
        let is_label = (is_alone && SHORT_LABELS.contains(&words.as_str()))
            || concept_name(&words).is_some_and(|concept| CONCEPTS.contains(&concept));
        let kind =
            if text(start).trim_end().ends_with([':', '：']) { LabelKind::Colon } else { LabelKind::Inline };
        is_label.then_some(Label { words, kind })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_words_before_them_as_labels() {
        let rows = [
            ("SKU MKI6IKW1N4", Some(("sku", "MKI6IKW1N4"))),
            ("Art.1049084", Some(("art", "1049084"))),
            ("Bestellnummer 79961", Some(("bestellnummer", "79961"))),
            ("Red cup, item no. #55-201", Some(("item no", "55-201"))),
            ("Brand Acme Artikel-Nr. 4711.", Some(("artikel nr", "4711"))),
            ("EAN 4006381333931 (boxed)", Some(("ean", "4006381333931"))),
            ("Ref: AB/204", Some(("ref", "AB/204"))),
            ("Promo code SAVE20", None),
            ("Only 120 left", None),
            ("Since 1998, item of the year 2020", None),
            ("SKU", None),
            ("", None),
        ];
        for (line, expected) in rows {
            let found = labelled_codes(line);
            let first = found.first().map(|found| {
                let code = line.get(found.code.clone()).unwrap();
                (found.label.words.as_str(), code)
            });
            assert_eq!(first, expected, "{line}");
        }
    }
}
