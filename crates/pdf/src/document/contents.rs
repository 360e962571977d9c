//! Entries of a table of contents: leaders of dots and the number of a page end their lines.

/// Fewest dots of leaders.
const MIN_DOTS: usize = 4;

/// Longest number of a page, for example `xxxviii` or `A-12`.
const MAX_CHARS: usize = 8;

/// Whether a line is an entry, or ends one.
pub(super) fn is_entry(text: &str) -> bool {
    let text = text.trim_end();
    let is_number = |c: char| c.is_alphanumeric() || matches!(c, '-' | '–');
    let before = text.trim_end_matches(is_number);
    let number = text.get(before.len()..).unwrap_or_default();
    let is_page = number.chars().count() <= MAX_CHARS
        && (number.chars().any(char::is_numeric)
            || (!number.is_empty() && number.chars().all(|c| "ivxlcIVXLC".contains(c))));
    let title = before.trim_end_matches(|c: char| c.is_whitespace() || dots(c) > 0);
    let leaders = before.get(title.len()..).unwrap_or_default();
    is_page && leaders.chars().map(dots).sum::<usize>() >= MIN_DOTS
}

/// The dots of a character of leaders.
const fn dots(c: char) -> usize {
    match c {
        '.' | '·' | '\u{2024}' | '\u{FF0E}' => 1,
        '\u{2025}' => 2,
        '…' | '⋯' => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_end_with_leaders_and_a_page() {
        for text in [
            "1 Introduction .......... 1",
            "2 The wheels . . . . . . 14",
            "Preface……… vii",
            "Annex....A-12",
            "……… 5",
        ] {
            assert!(is_entry(text), "{text}");
        }
        for text in [
            "",
            "....",
            "1 Introduction 1",
            "Version 1.2",
            "and so on... 5",
            "and so on .... ask",
            "Name ........",
        ] {
            assert!(!is_entry(text), "{text}");
        }
    }
}
