//! What a line at the edge of a page says, and whether one of its numbers counts pages.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash};

/// The words for a page, and those before the number of pages.
const PAGE_WORDS: [&str; 16] = [
    "page",
    "seite",
    "página",
    "pagina",
    "pág",
    "pag",
    "blatt",
    "strona",
    "strana",
    "stránka",
    "oldal",
    "sivu",
    "side",
    "sida",
    "sayfa",
    "страница",
];
const OF_WORDS: [&str; 10] = ["of", "von", "de", "di", "sur", "van", "z", "ze", "av", "из"];

/// A page of the file shows one or two pages of the document.
const STEPS: [i64; 2] = [1, 2];

/// The digits of the longest number that may count pages.
const MAX_DIGITS: usize = 9;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Piece {
    /// The letters between two numbers, in lower case.
    Word(String),
    Number(i64),
    /// A number that counts pages: what it is on the first page, and its step.
    Counted(i64, i64),
}

/// What a line says, as hashes that are equal on pages that say the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Saying {
    /// Its words and numbers.
    pub(super) exact: u64,
    /// The same if one number counts pages, for each number that may do so.
    pub(super) counted: Vec<u64>,
    pub(super) letters: usize,
    /// It is a number or the number of a page, with nothing else.
    pub(super) is_number: bool,
}

impl Saying {
    /// What a line says on the page of this index; `None` if it has no letters and numbers.
    pub(super) fn of(text: &str, page: usize) -> Option<Self> {
        let pieces = pieces(text);
        if pieces.is_empty() {
            return None;
        }
        let page = i64::try_from(page).unwrap_or(i64::MAX);
        let numbers: Vec<(usize, i64)> = pieces
            .iter()
            .enumerate()
            .filter_map(|(at, piece)| match piece {
                Piece::Number(number) => Some((at, *number)),
                _ => None,
            })
            .collect();
        let mut counted = Vec::new();
        for (nth, (at, number)) in numbers.iter().enumerate() {
            // The number of a page is at the start or at the end, or before the number of pages.
            if nth > 0 && nth + 2 < numbers.len() {
                continue;
            }
            for step in STEPS {
                let mut pieces = pieces.clone();
                if let Some(piece) = pieces.get_mut(*at) {
                    *piece = Piece::Counted(number.wrapping_sub(step.wrapping_mul(page)), step);
                }
                counted.push(hash(&pieces));
            }
        }
        let letters = pieces.iter().map(|piece| match piece {
            Piece::Word(word) => word.chars().count(),
            _ => 0,
        });
        let letters = letters.sum();
        Some(Self { exact: hash(&pieces), counted, letters, is_number: is_number(&pieces) })
    }
}

/// What [`Saying::exact`] of a text is.
pub(super) fn exact(text: &str) -> Option<u64> {
    Some(pieces(text)).filter(|pieces| !pieces.is_empty()).map(|pieces| hash(&pieces))
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

fn pieces(text: &str) -> Vec<Piece> {
    if let Some(number) = roman(text.trim_matches(|c: char| !c.is_alphanumeric())) {
        return vec![Piece::Number(number)];
    }
    let mut pieces = Vec::new();
    let mut digits = String::new();
    for c in text.chars() {
        if c.is_numeric() {
            digits.push(digit(c));
            continue;
        }
        push_number(&mut digits, &mut pieces);
        if c.is_alphabetic() {
            if !matches!(pieces.last(), Some(Piece::Word(_))) {
                pieces.push(Piece::Word(String::new()));
            }
            if let Some(Piece::Word(word)) = pieces.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
    }
    push_number(&mut digits, &mut pieces);
    pieces
}

fn push_number(digits: &mut String, pieces: &mut Vec<Piece>) {
    if !digits.is_empty() {
        let number = digits.parse().ok().filter(|_| digits.len() <= MAX_DIGITS);
        pieces.push(Piece::Number(number.unwrap_or_else(|| hash(digits.as_str()).cast_signed())));
        digits.clear();
    }
}

/// The ASCII digit for a digit of another script; other characters stay.
fn digit(c: char) -> char {
    const ZEROS: [u32; 4] = [0x0660, 0x06F0, 0x0966, 0xFF10];
    let value = ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(*zero).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// The value of a Roman number below 400.
fn roman(text: &str) -> Option<i64> {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    const TENS: [&str; 10] = ["", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"];
    let is_one_case =
        text.chars().all(|c| c.is_ascii_lowercase()) || text.chars().all(|c| c.is_ascii_uppercase());
    if text.is_empty() || text.len() > 12 || !is_one_case {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let rest = text.trim_start_matches('c');
    let hundreds = text.len() - rest.len();
    let below = (0_i64..).zip(TENS).find_map(|(tens, start)| {
        let ones = rest.strip_prefix(start)?;
        (0_i64..).zip(ONES).find(|(_, one)| *one == ones).map(|(one, _)| 10 * tens + one)
    })?;
    (hundreds < 4).then_some(100 * hundreds as i64 + below)
}

/// Whether this is only a number or the number of a page, for example `7`, `7/9` and `Page 7 of 9`.
fn is_number(pieces: &[Piece]) -> bool {
    let rest = match pieces {
        [Piece::Word(word), rest @ ..] if PAGE_WORDS.contains(&word.as_str()) => rest,
        _ => pieces,
    };
    match rest {
        [Piece::Number(_)] | [Piece::Number(_), Piece::Number(_)] => true,
        [Piece::Number(_), Piece::Word(of), Piece::Number(_)] => OF_WORDS.contains(&of.as_str()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saying(text: &str, page: usize) -> Saying {
        Saying::of(text, page).unwrap()
    }

    /// Whether a number of the text counts from one page to the next.
    fn counts(first: &str, second: &str) -> bool {
        let (first, second) = (saying(first, 4), saying(second, 5));
        first.counted.iter().any(|saying| second.counted.contains(saying))
    }

    #[test]
    fn numbers_that_count_pages_are_found() {
        assert!(counts("Page 12 of 30", "PAGE 13 OF 30"));
        assert!(counts("– iv –", "– v –"));
        assert!(counts("2024-05-06 12:30 3/9", "2024-05-06 12:30 4/9"));
        assert!(counts("٣", "٤"));
        assert!(counts("10", "12"));
        assert!(!counts("9928.27", "8341.47"));
        assert!(!counts("Row 50", "Row 100"));
        assert!(!counts("Chapter 3 page 4", "Chapter 4 page 5"));
    }

    #[test]
    fn numbers_of_pages_are_told_from_text() {
        for text in ["7", "vii", "7/9", "7 of 9", "Page 7", "Seite 7 von 9"] {
            assert!(saying(text, 0).is_number, "{text}");
        }
        for text in ["2 of 3 items", "1 of 2 and 3 of 4", "Chapter 1", "civil"] {
            assert!(!saying(text, 0).is_number, "{text}");
        }
    }

    #[test]
    fn roman_numbers_have_one_spelling() {
        assert_eq!(["i", "XIV", "xc", "cxcix"].map(roman), [Some(1), Some(14), Some(90), Some(199)]);
        assert_eq!(["", "iiii", "civil", "Iv", "vx"].map(roman), [None; 5]);
    }
}
