//! Finds the clause around a quote and recognises negations and yes-or-no marks.

use std::ops::Range;

use super::visible_text::widened;

/// Words that negate a statement.
const NEGATIONS: [&str; 51] = [
    "no",
    "not",
    "non",
    "without",
    "never",
    "none",
    "isn't",
    "aren't",
    "doesn't",
    "don't",
    "wasn't",
    "won't",
    "can't",
    "cannot",
    "kein",
    "keine",
    "keinen",
    "nicht",
    "ohne",
    "sans",
    "pas",
    "sin",
    "senza",
    "geen",
    "niet",
    "bez",
    "нет",
    "не",
    "nie",
    "není",
    "nije",
    "não",
    "inte",
    "ikke",
    "nem",
    "nincs",
    "nein",
    "nej",
    "prohibited",
    "forbidden",
    "unavailable",
    "excluded",
    "disallowed",
    "banned",
    "verboten",
    "interdit",
    "interdite",
    "prohibido",
    "prohibida",
    "vietato",
    "vietata",
];

/// Words that mean yes and nothing else.
const AFFIRMATIONS: [&str; 24] = [
    "yes",
    "y",
    "true",
    "x",
    "included",
    "available",
    "free",
    "allowed",
    "permitted",
    "standard",
    "ja",
    "inklusive",
    "vorhanden",
    "erlaubt",
    "oui",
    "inclus",
    "compris",
    "sí",
    "si",
    "incluido",
    "sì",
    "sim",
    "tak",
    "да",
];

/// Marks for no and for yes.
const CROSSES: [char; 6] = ['✗', '✘', '❌', '✕', '✖', '☐'];
const TICKS: [char; 5] = ['✓', '✔', '✅', '☑', '☒'];

/// The clause around a range of the text. It ends with its line, its table cell or its sentence, or at a
/// comma or semicolon.
pub(super) fn clause<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let found = widened(text, range, |found, behind| match found {
        '\n' | '|' | ';' | '!' | '?' | '•' | '。' | '，' | '、' => true,
        // Within a number or a name they are not separators.
        '.' | ',' => behind.is_none_or(char::is_whitespace),
        _ => false,
    });
    text.get(found).unwrap_or_default()
}

/// Whether a text negates what it names.
pub(super) fn is_negated(text: &str) -> bool {
    text.contains(CROSSES) || words(text).iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

fn is_affirmed(text: &str) -> bool {
    text.contains(TICKS) || words(text).iter().any(|word| AFFIRMATIONS.contains(&word.as_str()))
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let parts = lower.split(|found: char| !found.is_alphanumeric() && found != '\'');
    parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The yes or no that stands next to a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AdjacentAnswer {
    /// None: the name is in a sentence or a list of its own.
    Absent,
    /// Yes, or no.
    Answer(bool),
    /// Something that is neither.
    Other,
}

/// The answer to a name in the text: the next cell of its row, or the line below if that is only an answer.
///
/// `| Wifi | No |` does not state wifi, whatever part of it is quoted.
pub(super) fn adjacent_answer(text: &str, range: &Range<usize>) -> AdjacentAnswer {
    let line = widened(text, range, |found, _| found == '\n');
    let (Some(before), Some(after)) = (text.get(line.start..range.start), text.get(range.end..line.end))
    else {
        return AdjacentAnswer::Absent;
    };
    if before.trim_start().starts_with('|') {
        // The cell after the quote's own or, if that is the last one, the cell before.
        let behind = after.split('|').skip(1).map(str::trim).find(|cell| !cell.is_empty());
        let ahead = before.rsplit('|').skip(1).map(str::trim).find(|cell| !cell.is_empty());
        let own = text.get(range.clone()).unwrap_or_default();
        return match behind.or(ahead) {
            None => AdjacentAnswer::Absent,
            Some(_) if own.contains('|') => AdjacentAnswer::Absent,
            Some(cell) if is_negated(cell) => AdjacentAnswer::Answer(false),
            Some(cell) if is_affirmed(cell) => AdjacentAnswer::Answer(true),
            Some(_) => AdjacentAnswer::Other,
        };
    }
    let below = text.get(line.end..).unwrap_or_default().trim_start_matches(['\n', ' ', ':', '\t']);
    let below = below.lines().next().map(|line| crate::page::truncate(line, 60).trim()).unwrap_or_default();
    let found = words(below);
    let answers = |word: &String| {
        let word = word.as_str();
        NEGATIONS.contains(&word) || AFFIRMATIONS.contains(&word)
    };
    let only_marks = found.is_empty() && (below.contains(CROSSES) || below.contains(TICKS));
    if only_marks || (!found.is_empty() && found.iter().all(answers)) {
        return AdjacentAnswer::Answer(!is_negated(below));
    }
    AdjacentAnswer::Absent
}

/// Whether this line of Markdown starts with an unchecked box (GitHub Flavored Markdown 0.29, 5.3).
pub(super) fn is_unchecked(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', '+', ' ']);
    line.starts_with("[ ]") || line.starts_with("\\[ \\]") || line.starts_with("[ \\]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_ends_at_its_separators() {
        let rows = [
            ("Calm rooms. No wifi, free parking", "wifi", "No wifi"),
            ("Calm rooms. No wifi, free parking", "parking", "free parking"),
            ("| Stock | not in stock |", "in stock", "not in stock"),
            ("From 2.5 to 3,5 kg; none left", "to", "From 2.5 to 3,5 kg"),
            ("no\nwifi\nno", "wifi", "wifi"),
        ];
        for (text, quote, expected) in rows {
            let at = text.find(quote).unwrap();
            assert_eq!(clause(text, &(at..at + quote.len())).trim(), expected, "{quote} of {text}");
        }
    }

    #[test]
    fn negations_are_whole_words() {
        let rows =
            [("No wifi", true), ("isn’t included", true), ("Notable rooms", false), ("In stock", false)];
        for (text, denied) in rows {
            assert_eq!(is_negated(text), denied, "{text}");
        }
    }
}
