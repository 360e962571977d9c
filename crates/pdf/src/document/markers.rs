//! The markers of list items: bullets and numbers.

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
        '•' | '‣' | '▪' | '●' | '◦' | '○' | '■' | '□' | '➢' | '➤' | '✓' | '✔' | '◆' | '❖' | '⁃' | '∙'
        | '\u{25AB}' | '\u{25B8}' | '\u{25BA}' => Some(Marker { length, kind: MarkerKind::Bullet }),
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
    let word = inner.get(..end).filter(|word| (1..=4).contains(&word.len()))?;
    let rest = inner.get(end..)?;
    let close = rest.chars().next().filter(|c| matches!(c, '.' | ')'))?;
    let behind = rest.get(1..)?;
    let spaces = behind.len() - behind.trim_start().len();
    if spaces == 0 || behind.trim().is_empty() || (is_open && close != ')') {
        return None;
    }
    let (value, style) = if word.bytes().all(|byte| byte.is_ascii_digit()) {
        (word.parse().ok()?, Style::Decimal { close, is_open })
    } else if let Some(value) = roman(word) {
        (value, Style::Roman { close, is_open })
    } else {
        let letter = word.bytes().next().filter(|byte| word.len() == 1 && byte.is_ascii_alphabetic())?;
        (u64::from(letter.to_ascii_lowercase() - b'a') + 1, Style::Letter { close, is_open })
    };
    Some((text.len() - behind.len() + spaces, value, style))
}

/// The value of a roman number of small letters, up to 39. A letter that could also stand for itself is one
/// only if it is `i`.
fn roman(word: &str) -> Option<u64> {
    if word.len() == 1 {
        return (word == "i").then_some(1);
    }
    let value = |c: char| match c {
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
            (Self::Number { value: a, style: x }, Self::Number { value: b, style: y }) => {
                x == y && a.abs_diff(b) == 1
            }
            (a, b) => a == b,
        }
    }
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
        for text in ["", "item", "-item", "1.5 metres", "2024) ", "(see) that", "e.g. this", "-"] {
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
    }
}
