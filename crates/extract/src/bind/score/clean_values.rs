//! Removes what stands beside a value in the same text.

use serde_json::Value;

use crate::bind::target::TargetField;
use crate::bind::{folded, is_known};
use crate::normalise::ValueForm;
use crate::typed::without_binding;

/// Separators behind the name of a publisher: `Holm Press / 2009 / Other`.
const SEPARATORS: [&str; 6] = [" / ", " | ", " · ", " • ", "; ", " – "];

/// Words before the name of an employer.
const PREPOSITIONS: [&str; 7] = ["at", "with", "bei", "chez", "bij", "hos", "presso"];

/// A value without what stands in its text beside it: the binding behind the title of a book, the year and
/// the place behind the name of a publisher, the role behind a name.
pub(super) fn clean(target: &TargetField<'_>, is_of_book: bool, value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let cleaned = match target.form {
        ValueForm::Text if is_of_book && target.has_concept("name") => without_binding(text),
        ValueForm::Text if target.has_concept("publisher") => name_of_publisher(text),
        _ if target.has_concept("company") => without_preposition(text),
        ValueForm::Names => without_role(text),
        _ => return value,
    };
    if cleaned.len() == text.len() { value } else { Value::from(cleaned) }
}

/// Whether the fields beside each other are those of a book.
pub(super) fn asks_for_book(targets: &[TargetField<'_>]) -> bool {
    let of_books =
        |name: &str| matches!(name, "pages" | "binding" | "translator" | "illustrator" | "edition");
    targets.iter().any(|target| {
        target.folded.split(' ').any(|word| word.starts_with("isbn"))
            || target.concept.is_some_and(|concept| of_books(concept.plainest_name()))
            || (target.has_concept("author") && targets.iter().any(|other| other.has_concept("publisher")))
    })
}

/// The name of an employer without the word before it: `at Holm & Sons`.
fn without_preposition(text: &str) -> &str {
    let (first, rest) = text.split_once(' ').unwrap_or_default();
    let starts_name = rest.starts_with(|found: char| found.is_uppercase() || found.is_numeric());
    if PREPOSITIONS.contains(&first) && starts_name { rest } else { text }
}

/// A name without the role behind it, in brackets: `Ada Holm (Author)`.
fn without_role(text: &str) -> &str {
    let parts = text.strip_suffix(')').and_then(|inner| inner.rsplit_once('('));
    match parts {
        Some((name, role)) if !name.trim().is_empty() && is_known(&folded(role)) => name.trim_end(),
        _ => text,
    }
}

fn name_of_publisher(text: &str) -> &str {
    let first = SEPARATORS.iter().filter_map(|separator| text.find(separator)).min();
    let name = first.and_then(|end| text.get(..end)).unwrap_or(text).trim();
    let name = match name.strip_suffix(')').and_then(|inner| inner.rsplit_once('(')) {
        Some((before, inner)) if ends_with_year(inner) => before.trim_end(),
        _ => name,
    };
    let before_year = name.get(..name.len().saturating_sub(4)).unwrap_or_default();
    // `Expo 2020` is a name.
    let without_year = before_year.trim_end().strip_suffix(',').map(str::trim_end);
    match without_year {
        Some(before) if ends_with_year(name) && before.contains(char::is_alphabetic) => before,
        _ => name,
    }
}

/// Whether a text ends with a year, or is one.
fn ends_with_year(text: &str) -> bool {
    let start = text.len().saturating_sub(4);
    let (before, last) = text.split_at_checked(start).unwrap_or_default();
    let is_year = last.len() == 4
        && last.bytes().all(|byte| byte.is_ascii_digit())
        && (last.starts_with("19") || last.starts_with("20") || last.starts_with("18"));
    is_year && !before.ends_with(|found: char| found.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_role_and_no_preposition() {
        assert_eq!(without_role("Ada Holm (Author)"), "Ada Holm");
        assert_eq!(without_role("Ada Holm (Smith)"), "Ada Holm (Smith)");
        assert_eq!(without_preposition("at Holm & Sons"), "Holm & Sons");
        for name in ["At the sea Ltd", "With Intelligence", "at home"] {
            assert_eq!(without_preposition(name), name);
        }
    }

    #[test]
    fn publishers_have_no_year() {
        let rows = [
            ("Holm Press / 2009 / Other", "Holm Press"),
            ("Holm Press, 2009", "Holm Press"),
            ("Holm Press (12 June 2009)", "Holm Press"),
            ("Holm Press; 2nd edition", "Holm Press"),
            ("Expo 2020", "Expo 2020"),
            ("2009", "2009"),
            ("Holm & Sons", "Holm & Sons"),
        ];
        for (text, expected) in rows {
            assert_eq!(name_of_publisher(text), expected, "{text}");
        }
    }
}
