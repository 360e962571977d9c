//! The numbers of ordered lists that are no decimals: letters and Roman numbers.
//!
//! Markdown numbers items with decimals only. Other parts of a text refer to "point (b)", so such an item
//! begins with its number as text.

use crate::tree::{Attr, NodeId, Tree};

/// How the items of a list are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    Decimal,
    Letters { upper: bool },
    Roman { upper: bool },
}

/// Roman numbers, largest first.
const ROMAN: [(u64, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

/// The largest Roman number.
const MAX_ROMAN: u64 = 3_999;

impl Numbering {
    /// The numbering of a list by its style or its type (HTML Standard, 4.4.5).
    pub(super) fn of(tree: &Tree, list: NodeId) -> Self {
        let style = tree.attribute(list, Attr::Style).unwrap_or_default();
        let declared = style.split(';').filter_map(|declaration| declaration.split_once(':'));
        let mut declared = declared.filter(|(property, _)| {
            ["list-style-type", "list-style"].iter().any(|name| property.trim().eq_ignore_ascii_case(name))
        });
        let by_style = declared.find_map(|(_, value)| value.split_whitespace().find_map(by_style_type));
        by_style.unwrap_or_else(|| match tree.attribute(list, Attr::Type).map(str::trim) {
            Some("a") => Self::Letters { upper: false },
            Some("A") => Self::Letters { upper: true },
            Some("i") => Self::Roman { upper: false },
            Some("I") => Self::Roman { upper: true },
            _ => Self::Decimal,
        })
    }

    /// The number of an item as text; `None` for decimals.
    pub(super) fn label(self, number: u64) -> Option<String> {
        let (label, upper) = match self {
            Self::Letters { upper } if number > 0 => (letters(number), upper),
            Self::Roman { upper } if (1..=MAX_ROMAN).contains(&number) => (roman(number), upper),
            Self::Decimal => return None,
            _ => (number.to_string(), false),
        };
        Some(if upper { label.to_ascii_uppercase() } else { label } + ".")
    }
}

fn by_style_type(name: &str) -> Option<Numbering> {
    match name.to_ascii_lowercase().as_str() {
        "lower-alpha" | "lower-latin" => Some(Numbering::Letters { upper: false }),
        "upper-alpha" | "upper-latin" => Some(Numbering::Letters { upper: true }),
        "lower-roman" => Some(Numbering::Roman { upper: false }),
        "upper-roman" => Some(Numbering::Roman { upper: true }),
        "decimal" => Some(Numbering::Decimal),
        _ => None,
    }
}

/// `a` to `z`, then `aa`.
fn letters(number: u64) -> String {
    let mut left = number;
    let mut letters = Vec::new();
    while left > 0 {
        left -= 1;
        letters.push(char::from(b'a' + u8::try_from(left % 26).unwrap_or_default()));
        left /= 26;
    }
    letters.iter().rev().collect()
}

fn roman(number: u64) -> String {
    let mut left = number;
    let mut out = String::new();
    for (value, digits) in ROMAN {
        while left >= value {
            out.push_str(digits);
            left -= value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_a_browser_shows_them() {
        let rows = [
            (Numbering::Letters { upper: false }, 1, "a."),
            (Numbering::Letters { upper: true }, 26, "Z."),
            (Numbering::Letters { upper: false }, 28, "ab."),
            (Numbering::Letters { upper: false }, 0, "0."),
            (Numbering::Roman { upper: false }, 4, "iv."),
            (Numbering::Roman { upper: true }, 1994, "MCMXCIV."),
            (Numbering::Roman { upper: true }, 4000, "4000."),
        ];
        for (numbering, number, expected) in rows {
            assert_eq!(numbering.label(number).as_deref(), Some(expected));
        }
        assert_eq!(Numbering::Decimal.label(3), None);
    }
}
