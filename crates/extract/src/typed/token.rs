//! Texts cut into numbers, words and marks.

use super::words::{fold, is_invisible};

/// Longest word that is looked up in a table, in bytes.
const MAX_WORD_BYTES: usize = 64;
/// About the bytes of a token with the space behind it.
const BYTES_PER_TOKEN: usize = 5;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of digits. Values above `u32::MAX` saturate.
    Number { value: u32, digits: usize },
    /// A run of letters.
    Word,
    /// Any other visible character.
    Mark(char),
}

/// A number, a word or a mark, with its range in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether white space or the start of the text precedes it.
    pub(super) is_spaced: bool,
}

/// The tokens of a text.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / BYTES_PER_TOKEN + 1);
        let mut is_spaced = true;
        for (start, found) in text.char_indices() {
            if !found.is_ascii() && is_invisible(found) {
                continue;
            }
            if found.is_whitespace() {
                is_spaced = true;
                continue;
            }
            let end = start + found.len_utf8();
            let kind = match digit_value(found) {
                Some(value) => Kind::Number { value, digits: 1 },
                None if is_letter(found) => Kind::Word,
                None => Kind::Mark(found),
            };
            if let Some(last) = tokens.last_mut()
                && !is_spaced
                && let Some(joined) = joined(last.kind, kind)
            {
                last.kind = joined;
                last.end = end;
            } else {
                tokens.push(Token { kind, start, end, is_spaced });
            }
            is_spaced = false;
        }
        Self { text, tokens }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.get(at).map(|token| token.kind)
    }

    /// The value of a number and its count of digits.
    pub(super) fn number(&self, at: usize) -> Option<(u32, usize)> {
        match self.kind(at)? {
            Kind::Number { value, digits } => Some((value, digits)),
            _ => None,
        }
    }

    /// The value of two digits below sixty right behind a mark, such as the minutes of a clock.
    pub(super) fn sixty(&self, at: usize) -> Option<u32> {
        let (value, digits) = self.number(at).filter(|_| self.is_attached(at))?;
        (digits == 2 && value < 60).then_some(value)
    }

    pub(super) fn mark(&self, at: usize) -> Option<char> {
        match self.kind(at)? {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    /// A word as written.
    pub(super) fn word(&self, at: usize) -> Option<&'t str> {
        let token = self.get(at).filter(|token| token.kind == Kind::Word)?;
        self.text.get(token.start..token.end)
    }

    /// A word in the form of the tables; `None` for words that are too long for a table.
    pub(super) fn folded(&self, at: usize) -> Option<String> {
        self.word(at).filter(|word| word.len() <= MAX_WORD_BYTES).map(fold)
    }

    /// Whether this is one of these words, in the form of the tables.
    pub(super) fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.folded(at).is_some_and(|word| words.contains(&word.as_str()))
    }

    /// Whether the token follows the one before it without white space.
    pub(super) fn is_attached(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| !token.is_spaced)
    }

    /// The position in the text behind a token; of the text's end if there is no such token.
    pub(super) fn end_of(&self, at: usize) -> usize {
        self.get(at).map_or(self.text.len(), |token| token.end)
    }

    /// Whether a number starts here: it is neither the fraction of another number nor part of a name such as
    /// `A4`.
    pub(super) fn starts_number(&self, at: usize) -> bool {
        if !self.is_attached(at) {
            return true;
        }
        let Some(before) = at.checked_sub(1) else { return true };
        match self.kind(before) {
            // Scripts without blanks put words right before numbers.
            Some(Kind::Word) => {
                let last = self.word(before).and_then(|word| word.chars().next_back());
                last.is_some_and(|last| last >= '\u{590}')
            }
            Some(Kind::Mark('.' | ',' | ':' | '/' | '\'')) => {
                let number = before.checked_sub(1).and_then(|at| self.number(at));
                !(self.is_attached(before) && number.is_some())
            }
            _ => true,
        }
    }
}

/// The kind of a token that a character extends; `None` if the character starts a token.
fn joined(last: Kind, next: Kind) -> Option<Kind> {
    match (last, next) {
        (Kind::Word, Kind::Word) => Some(Kind::Word),
        (Kind::Number { value, digits }, Kind::Number { value: digit, .. }) => {
            let value = value.saturating_mul(10).saturating_add(digit);
            Some(Kind::Number { value, digits: digits + 1 })
        }
        _ => None,
    }
}

/// The start of a text: at most this many characters.
pub(super) fn first_chars(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// The end of a text: at most this many characters.
pub(super) fn last_chars(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().take(chars).last().map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or_default()
}

/// The value of a decimal digit of the scripts that pages write dates in.
pub(super) fn digit_value(found: char) -> Option<u32> {
    if found.is_ascii() {
        return found.to_digit(10);
    }
    let zero = match found {
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{e50}'..='\u{e59}' => '\u{e50}',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        _ => return None,
    };
    u32::from(found).checked_sub(u32::from(zero))
}

/// Whether a character is part of a word. Some signs of Hindi, Thai, Hebrew and Arabic are not letters by
/// themselves.
pub(super) fn is_letter(found: char) -> bool {
    if found.is_ascii() {
        return found.is_ascii_alphabetic();
    }
    found.is_alphabetic()
        || matches!(found,
            '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{652}' | '\u{93c}' | '\u{94d}'
            | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_numbers_words_and_marks() {
        let tokens = Tokens::new("4th März, 2021年３月 ม.ค. 99999999999");
        let parts: Vec<&str> = tokens
            .tokens
            .iter()
            .map(|token| tokens.text.get(token.start..token.end).unwrap_or_default())
            .collect();
        assert_eq!(
            parts,
            ["4", "th", "März", ",", "2021", "年", "３", "月", "ม", ".", "ค", ".", "99999999999"]
        );
        assert_eq!(tokens.number(6), Some((3, 1)));
        assert_eq!(tokens.number(12), Some((u32::MAX, 11)));
        assert!(tokens.is_attached(1) && !tokens.is_attached(2));
        assert_eq!(tokens.folded(2).as_deref(), Some("marz"));
    }

    #[test]
    fn fractions_and_names_do_not_start_a_number() {
        let rows = [("2.5", 2, false), ("A4", 1, false), ("発売2021", 1, true), ("x, 5", 2, true)];
        for (text, at, expected) in rows {
            assert_eq!(Tokens::new(text).starts_number(at), expected, "{text}");
        }
    }
}
