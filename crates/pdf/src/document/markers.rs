//! The markers of list items: bullets, boxes, numbers and letters. Markdown has lists of bullets and of
//! numbers; other markers are labels, which stay in the text of their items.

use super::Item;
use crate::layout::Text;

/// Longest number or letters of a marker.
const MAX_DIGITS: usize = 4;
const MAX_LETTERS: usize = 7;

/// A bullet in the label of an item that the file marks: some writers have no other round one.
const LETTER_BULLET: &str = "o";

/// The marker of an item at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its bytes, with the spaces behind it.
    pub(super) length: usize,
    pub(super) kind: MarkerKind,
}

/// The kind of a marker. Two items of one list have the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// A bullet that is nothing else.
    Bullet,
    /// A tick, cross or box of a question.
    Check,
    /// A box or circle: a bullet, unless there are ticks or other boxes beside it.
    Box(char),
    /// A character that is a bullet only in a list: a dash, a star.
    Dash(char),
    /// A number or letter, with the characters around it.
    Number { value: u64, style: Style },
}

/// How the numbers of a list are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Decimal { close: char, is_open: bool },
    Letter { close: char, is_open: bool },
    Roman { close: char, is_open: bool },
}

/// The marker at the beginning of a text.
pub(super) fn marker(text: &str) -> Option<Marker> {
    let trimmed = text.trim_start();
    let before = text.len() - trimmed.len();
    let first = trimmed.chars().next()?;
    let rest = trimmed.get(first.len_utf8()..)?;
    let spaces = rest.len() - rest.trim_start().len();
    let length = before + first.len_utf8() + spaces;
    let is_alone = rest.trim().is_empty();
    match first {
        '•' | '‣' | '▪' | '◦' | '➢' | '➤' | '◆' | '❖' | '⁃' | '∙' | '\u{25AB}' | '\u{25B8}' | '\u{25BA}' => {
            Some(Marker { length, kind: MarkerKind::Bullet })
        }
        '✓' | '✔' | '✅' | '✗' | '✘' | '❌' | '☐' | '☑' | '☒' | '⌧' | '❏' | '❐' | '❑' | '❒' => {
            Some(Marker { length, kind: MarkerKind::Check })
        }
        '□' | '■' | '▢' | '◻' | '◼' | '⬜' | '⬛' | '○' | '●' | '◯' => {
            Some(Marker { length, kind: MarkerKind::Box(first) })
        }
        '-' | '–' | '—' | '*' | '·' if spaces > 0 && !is_alone => {
            Some(Marker { length, kind: MarkerKind::Dash(first) })
        }
        _ => number(trimmed).map(|(bytes, value, style)| Marker {
            length: before + bytes,
            kind: MarkerKind::Number { value, style },
        }),
    }
}

/// A number of an item: its bytes with the spaces behind it, its value and style.
fn number(text: &str) -> Option<(usize, u64, Style)> {
    let inner = text.strip_prefix('(');
    let is_open = inner.is_some();
    let inner = inner.unwrap_or(text);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric())?;
    let word = inner.get(..end).filter(|word| (1..=MAX_LETTERS).contains(&word.len()))?;
    let rest = inner.get(end..)?;
    let close = rest.chars().next().filter(|c| matches!(c, '.' | ')'))?;
    let behind = rest.get(1..)?;
    let spaces = behind.len() - behind.trim_start().len();
    if spaces == 0 || behind.trim().is_empty() || (is_open && close != ')') {
        return None;
    }
    let first = word.bytes().next()?;
    let (value, style) = if word.bytes().all(|byte| byte.is_ascii_digit()) {
        (word.parse::<u64>().ok().filter(|_| word.len() <= MAX_DIGITS)?, Style::Decimal { close, is_open })
    } else if word.len() == 1 {
        (u64::from(first.to_ascii_lowercase().checked_sub(b'a')?) + 1, Style::Letter { close, is_open })
    } else {
        // In capitals it is a heading.
        let is_heading = first.is_ascii_uppercase() && !behind.chars().any(char::is_lowercase);
        (roman(word).filter(|_| !is_heading)?, Style::Roman { close, is_open })
    };
    Some((text.len() - behind.len() + spaces, value, style))
}

/// The value of a Roman number up to 39.
fn roman(word: &str) -> Option<u64> {
    let is_small = word.starts_with(char::is_lowercase);
    if word.chars().any(|c| c.is_lowercase() != is_small) {
        return None;
    }
    let value = |c: char| match c.to_ascii_lowercase() {
        'i' => Some(1),
        'v' => Some(5),
        'x' => Some(10),
        _ => None,
    };
    let digits: Vec<u64> = word.chars().map(value).collect::<Option<_>>()?;
    let mut sum = 0;
    for (at, digit) in digits.iter().enumerate() {
        let next = digits.get(at + 1).copied().unwrap_or(0);
        if *digit < next {
            sum += next - digit;
        } else if at.checked_sub(1).and_then(|before| digits.get(before)).is_none_or(|before| before >= digit)
        {
            sum += digit;
        }
    }
    Some(sum)
}

impl MarkerKind {
    /// Whether an item with the other marker may be a neighbour in the same list.
    pub(super) fn is_beside(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number { value: a, style: x }, Self::Number { value: b, style: y }) if x == y => {
                a.abs_diff(b) == 1
            }
            (Self::Number { .. }, Self::Number { .. }) => {
                self.roman().zip(other.roman()).is_some_and(|((a, x), (b, y))| x == y && a.abs_diff(b) == 1)
            }
            (a, b) => a == b,
        }
    }

    /// Its value as a Roman number, and the characters around it. `i`, `v` and `x` may be letters.
    fn roman(self) -> Option<(u64, (char, bool))> {
        let Self::Number { value, style } = self else { return None };
        match style {
            Style::Decimal { .. } => None,
            Style::Roman { close, is_open } => Some((value, (close, is_open))),
            Style::Letter { close, is_open } => {
                let value = match value {
                    9 => 1,
                    22 => 5,
                    24 => 10,
                    _ => return None,
                };
                Some((value, (close, is_open)))
            }
        }
    }

    /// The number and the character behind it, if Markdown has lists of them.
    const fn number(self) -> Option<(u64, char)> {
        match self {
            Self::Number { value, style: Style::Decimal { close, is_open: false } } => Some((value, close)),
            _ => None,
        }
    }

    /// Whether it says more than a bullet, and Markdown has no list of it.
    const fn is_label(self) -> bool {
        match self {
            Self::Check => true,
            Self::Number { .. } => self.number().is_none(),
            Self::Bullet | Self::Box(_) | Self::Dash(_) => false,
        }
    }
}

impl Marker {
    /// The item whose text begins with this marker.
    pub(super) fn item(self, text: &Text, depth: usize) -> Item {
        let text = if self.kind.is_label() { text.clone() } else { text.without_start(self.length) };
        Item { depth, number: self.kind.number(), text }
    }
}

/// The item of a text whose label the file marks; the label may be empty.
pub(super) fn labelled(label: &str, text: Text, depth: usize) -> Item {
    if label.is_empty() {
        return match marker(text.as_str()) {
            Some(marker) => marker.item(&text, depth),
            None => Item { depth, number: None, text },
        };
    }
    if let Some(value) = label.parse::<u64>().ok().filter(|_| label.len() <= MAX_DIGITS) {
        return Item { depth, number: Some((value, '.')), text };
    }
    let is_label = match marker(&format!("{label} -")) {
        Some(Marker { kind, .. }) if !kind.is_label() => {
            return Item { depth, number: kind.number(), text };
        }
        Some(_) => true,
        None => label.chars().any(char::is_alphanumeric) && label != LETTER_BULLET,
    };
    let text = if is_label { text.behind(label) } else { text };
    Item { depth, number: None, text }
}

/// Makes boxes that have ticks, or other boxes, beside them answers, and others bullets. With each marker
/// goes the left edge of its line.
pub(super) fn settle_boxes(markers: &mut [(f32, Option<Marker>)]) {
    let mut boxes: Vec<(f32, char)> = Vec::new();
    let mut has_checks = false;
    for (left, marker) in markers.iter() {
        match marker.map(|marker| marker.kind) {
            Some(MarkerKind::Box(c)) => boxes.push((*left, c)),
            Some(MarkerKind::Check) => has_checks = true,
            _ => {}
        }
    }
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Bullets of inner lists are others, but further right.
    let differ = |pair: &[(f32, char)]| match pair {
        [a, b] => a.1 != b.1 && b.0 - a.0 <= 1.0,
        _ => false,
    };
    let kind =
        if has_checks || boxes.windows(2).any(differ) { MarkerKind::Check } else { MarkerKind::Bullet };
    for marker in markers.iter_mut().filter_map(|(_, marker)| marker.as_mut()) {
        if matches!(marker.kind, MarkerKind::Box(_)) {
            marker.kind = kind;
        }
    }
}

/// Whether a text begins with the number of an inner clause, for example `2.1`.
pub(super) fn is_clause(text: &str) -> bool {
    let Some((number, rest)) = text.split_once(char::is_whitespace) else { return false };
    let mut parts = number.trim_end_matches('.').split('.');
    let is_number =
        |part: &str| (1..=MAX_DIGITS).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    parts.clone().count() >= 2 && parts.all(is_number) && rest.trim_start().starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_recognised() {
        for (text, rest) in [
            ("• item", "item"),
            ("•item", "item"),
            ("- item", "item"),
            ("1. item", "item"),
            ("(12) item", "item"),
            ("iv) item", "item"),
            ("b. item", "item"),
        ] {
            let marker = marker(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(text.get(marker.length..), Some(rest), "{text}");
        }
        for text in [
            "",
            "item",
            "-item",
            "1.5 metres",
            "2024) ",
            "(see) that",
            "e.g. this",
            "-",
            "(Vi) a",
            "20240. a",
            "II. A B",
        ] {
            assert_eq!(marker(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_one_list_follow_each_other() {
        let kind = |text: &str| marker(text).unwrap().kind;
        assert!(kind("1. a").is_beside(kind("2. b")));
        assert!(kind("iii) a").is_beside(kind("iv) b")));
        assert!(!kind("1. a").is_beside(kind("2) b")));
        assert!(!kind("1. a").is_beside(kind("5. b")));
        assert!(kind("• a").is_beside(kind("• b")));
        for (first, second) in
            [("(h) a", "(i) b"), ("(i) a", "(ii) b"), ("iv. a", "v. b"), ("I. a", "II. B b")]
        {
            assert!(kind(first).is_beside(kind(second)), "{first} {second}");
        }
        assert!(!kind("(i) a").is_beside(kind("ii) b")));
    }

    #[test]
    fn labels_that_markdown_has_no_list_of_stay_in_their_texts() {
        let item = |text: &str| {
            let item = marker(text).unwrap().item(&Text::plain(text), 1);
            (item.number, item.text.as_str().to_owned())
        };
        for text in ["(a) one", "a) one", "A. one", "iv. one", "(1) one", "✔ one", "☐ one"] {
            assert_eq!(item(text), (None, text.to_owned()));
        }
        assert_eq!(item("3. one"), (Some((3, '.')), "one".to_owned()));
        assert_eq!(item("3) one"), (Some((3, ')')), "one".to_owned()));
        assert_eq!(item("• one"), (None, "one".to_owned()));
    }

    #[test]
    fn labels_that_the_file_marks_are_kept() {
        for (label, number, text) in [
            ("1.", Some((1, '.')), "one"),
            ("12", Some((12, '.')), "one"),
            ("2.1", None, "2.1 one"),
            ("(a)", None, "(a) one"),
            ("Art. 5", None, "Art. 5 one"),
            ("✓", None, "✓ one"),
            ("•", None, "one"),
            ("o", None, "one"),
            ("", None, "one"),
        ] {
            let item = labelled(label, Text::plain("one"), 1);
            assert_eq!((item.number, item.text.as_str()), (number, text), "{label}");
        }
    }

    #[test]
    fn boxes_are_answers_beside_other_boxes() {
        let kinds = |texts: &[(&str, f32)]| {
            let mut markers: Vec<(f32, Option<Marker>)> =
                texts.iter().map(|(text, left)| (*left, marker(text))).collect();
            settle_boxes(&mut markers);
            markers.iter().filter_map(|(_, marker)| marker.map(|marker| marker.kind)).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&[("□ a", 0.0), ("□ b", 0.0)]), [MarkerKind::Bullet; 2]);
        assert_eq!(kinds(&[("● a", 0.0), ("○ b", 20.0)]), [MarkerKind::Bullet; 2]);
        assert_eq!(kinds(&[("● a", 0.0), ("○ b", 0.0)]), [MarkerKind::Check; 2]);
        assert_eq!(kinds(&[("□ a", 0.0), ("✓ b", 20.0)]), [MarkerKind::Check; 2]);
    }

    #[test]
    fn numbers_of_inner_clauses_are_recognised() {
        for text in ["2.1 Payment is made", "2.1.3. Payment"] {
            assert!(is_clause(text), "{text}");
        }
        for text in ["2.1 metres", "2. Payment", "2.1", "Payment", "2..1 Payment"] {
            assert!(!is_clause(text), "{text}");
        }
    }
}
