//! Trims separators around a value.

use std::ops::Range;

/// Signs between values.
const SEPARATORS: [char; 9] = [',', ';', '|', '·', '•', '›', '»', '→', '¦'];
/// Signs that separate values only beside white space: `-5` is a number, and `5,–` an amount.
const DASHES: [char; 5] = ['-', '–', '—', '/', '>'];

/// A range of the text without white space and separators around it; `None` if nothing else is left.
pub(super) fn clean(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = text.get(range.clone())?;
    let inner = without_leading(found);
    let start = range.start + (found.len() - inner.len());
    let inner = without_trailing(inner);
    (!inner.is_empty()).then(|| start..start + inner.len())
}

fn without_leading(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return rest };
        let after = chars.as_str();
        let separates = SEPARATORS.contains(&first)
            || matches!(first, ':' | '：' | ')')
            || (DASHES.contains(&first) && (after.is_empty() || after.starts_with(char::is_whitespace)));
        if !separates {
            return rest;
        }
        rest = after.trim_start();
    }
}

fn without_trailing(text: &str) -> &str {
    let mut rest = text.trim_end();
    loop {
        let mut chars = rest.chars();
        let Some(last) = chars.next_back() else { return rest };
        let before = chars.as_str();
        let separates = SEPARATORS.contains(&last)
            || last == '('
            || (DASHES.contains(&last) && (before.is_empty() || before.ends_with(char::is_whitespace)));
        if !separates {
            return rest;
        }
        rest = before.trim_end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_around_a_value_are_no_part_of_it() {
        let rows = [
            (", 4 May |", Some("4 May")),
            (": Acme", Some("Acme")),
            ("- Paris", Some("Paris")),
            ("-5 °C", Some("-5 °C")),
            ("5,–", Some("5,–")),
            ("Brand:", Some("Brand:")),
            ("Cup (", Some("Cup")),
            (" / ", None),
            ("", None),
        ];
        for (text, expected) in rows {
            let found = clean(text, 0..text.len()).map(|range| text.get(range).unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }
}
