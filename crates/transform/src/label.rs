//! Labels: the numbers of paragraphs, points and steps, read from the text alone.

/// Upper bound on the length of a label, in bytes.
pub(crate) const MAX_LABEL_BYTES: usize = 24;

/// Upper bound on the digits of a number.
const MAX_DIGITS: usize = 3;

/// Upper bound on the levels of a number such as `2.1.3`.
const MAX_LEVELS: usize = 6;

/// What may stand before and after a number. A space may stand between them.
const OPENING: [char; 5] = ['(', '[', '（', '§', '¶'];
const CLOSING: [char; 8] = ['.', ')', ']', ':', '．', '、', '）', '：'];

/// Digits of Chinese and Japanese.
const HAN_DIGITS: &str = "一二三四五六七八九十百";

/// A text that may number another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Label {
    /// Its form is that of a number of a paragraph or a point.
    Number,
    /// A number alone or after a word, and what is around it.
    Counted { value: u32, around: String },
}

/// Reads a text as a label.
pub(crate) fn read(text: &str) -> Option<Label> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_LABEL_BYTES {
        return None;
    }
    // The number of reviews stands in parentheses too.
    let may_count = text.starts_with(['(', '（']) && text.contains(char::is_numeric);
    if is_number(text) && !may_count { Some(Label::Number) } else { counted(text) }
}

/// True for a number in the form of a list: `1.`, `(a)`, `iv)`, `§ 3`, `2.1.`, `（一）`.
pub(crate) fn is_number(text: &str) -> bool {
    let core = text.trim_start_matches(OPENING).trim_start();
    let core = core.trim_end_matches(CLOSING).trim_end();
    let levels = core.split('.').count();
    let is_marked = core.len() < text.len();
    let has_digits = levels == 1 || core.contains(char::is_numeric);
    is_marked && has_digits && levels <= MAX_LEVELS && core.split('.').all(is_level)
}

/// True for one level of a number: digits with at most two letters, a letter, a letter twice, or a Roman or
/// Chinese number.
fn is_level(level: &str) -> bool {
    let letters = level.trim_start_matches(char::is_numeric);
    let digits = level.chars().count() - letters.chars().count();
    let mut characters = letters.chars();
    let (first, second) = (characters.next(), characters.next());
    if digits > 0 {
        return digits <= MAX_DIGITS
            && characters.next().is_none()
            && letters.chars().all(char::is_alphabetic);
    }
    let is_roman = |case: &str| letters.len() <= 6 && letters.chars().all(|letter| case.contains(letter));
    match (first, second) {
        (Some(first), None) => first.is_alphabetic(),
        (Some(_), Some(_)) if is_roman("ivxlcdm") || is_roman("IVXLCDM") => true,
        (Some(_), Some(_)) if letters.chars().all(|letter| HAN_DIGITS.contains(letter)) => true,
        (Some(first), Some(second)) => {
            first.is_alphabetic() && first == second && characters.next().is_none()
        }
        (None, _) => false,
    }
}

/// Reads a number alone, in parentheses, after other levels, or beside a word: `1`, `(1)`, `2.1`, `Step 1`.
fn counted(text: &str) -> Option<Label> {
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (head, after) = text.split_at_checked(end)?;
    let before = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = head.get(before.len()..)?;
    let value = digits.parse().ok().filter(|_| digits.len() <= MAX_DIGITS)?;
    let is_levels = |c: char| c.is_ascii_digit() || c == '.';
    if before.contains(char::is_numeric) && !before.chars().all(is_levels) {
        return None;
    }
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    (words <= 1).then(|| Label::Counted { value, around: format!("{before}\n{after}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lists_are_known_by_their_form() {
        let numbers = [
            "1.",
            "1. ",
            "12)",
            "(a)",
            "a)",
            "aa)",
            "iv.",
            "XII.",
            "§ 3",
            "[4]",
            "2.1.3.",
            "A.1.",
            "1a.",
            "（一）",
            "三、",
            "1、",
            "b.",
            "٣.",
        ];
        for text in numbers {
            assert_eq!(read(text), Some(Label::Number), "{text}");
        }
        for text in ["1", "(1)", "4.5", "2.1.3", "(836)", "Step 1", "Schritt 12:", "第1步", "№ 7", "May 5"]
        {
            assert!(matches!(read(text), Some(Label::Counted { .. })), "{text}");
        }
        for text in
            ["", "One", "a", "U.S.", "10:30", "5 March 2024", "2026.", "No. 7 of 12", "Read more.", "…"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
