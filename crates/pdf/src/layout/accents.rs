//! Accents that are drawn over letters of their own: some fonts have no letters with accents, so files draw
//! `´` and then `o` at the same place.

use icu_normalizer::ComposingNormalizer;

use super::token::Token;

/// How far, in sizes of the text, an accent and its letter overlap.
const MIN_OVERLAP: f32 = 0.15;
const MAX_OVERLAP: f32 = 0.9;

/// How far, in sizes of the text, an accent stands above or below its usual place, for example over a capital.
const MAX_RAISE: f32 = 0.35;

/// Longest text, in bytes, that a letter is joined to: each time it is copied.
const MAX_WORD: usize = 256;

/// Joins accents and letters that are drawn one after the other at the same place.
pub(super) fn composed(tokens: Vec<Token>) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        if token.text.chars().nth(1).is_some() && token.text.chars().any(|c| accent(c).is_some()) {
            token.text = within(&token.text);
        }
        let text = all.last().and_then(|last| over(last, &token));
        if let Some(text) = text
            && let Some(last) = all.last_mut()
        {
            if last.text.chars().all(|c| accent(c).is_some()) {
                // The letter stands on the line, the accent may not.
                (last.size, last.base) = (token.size, token.base);
            }
            last.text = text;
            last.left = last.left.min(token.left);
            last.right = last.right.max(token.right);
            last.is_spaced_after = token.is_spaced_after;
        } else {
            all.push(token);
        }
    }
    all
}

/// The text of two tokens, if one ends or begins with an accent over a letter of the other.
fn over(last: &Token, token: &Token) -> Option<String> {
    let (end, start) = (last.text.chars().next_back()?, token.text.chars().next()?);
    let letter = match (accent(end), accent(start)) {
        (Some(mark), None) => with_mark(start, mark),
        (None, Some(mark)) => with_mark(end, mark),
        _ => None,
    }?;
    if last.text.len() > MAX_WORD {
        return None;
    }
    let size = last.size.max(token.size);
    let overlap = last.right - token.left;
    if !(MIN_OVERLAP * size..=MAX_OVERLAP * size).contains(&overlap)
        || (last.base - token.base).abs() > MAX_RAISE * size
    {
        return None;
    }
    let before = last.text.strip_suffix(end)?;
    let after = token.text.strip_prefix(start)?;
    Some(format!("{before}{letter}{after}"))
}

/// A text in which each accent within a word is on its letter.
fn within(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_below = matches!(c, '\u{00B8}' | '\u{02DB}');
        let letter = if is_below { out.chars().next_back() } else { chars.peek().copied() };
        let composed = accent(c)
            .filter(|_| !c.is_ascii())
            .zip(letter)
            .and_then(|(mark, letter)| with_mark(letter, mark));
        match composed {
            Some(composed) if is_below => {
                out.pop();
                out.push(composed);
            }
            Some(composed) => {
                chars.next();
                out.push(composed);
            }
            None => out.push(c),
        }
    }
    out
}

/// The mark on a letter that an accent stands for.
const fn accent(c: char) -> Option<char> {
    Some(match c {
        '`' | '\u{02CB}' => '\u{0300}',
        '\u{00B4}' | '\u{02CA}' => '\u{0301}',
        '^' | '\u{02C6}' => '\u{0302}',
        '~' | '\u{02DC}' => '\u{0303}',
        '\u{00AF}' | '\u{02C9}' => '\u{0304}',
        '\u{02D8}' => '\u{0306}',
        '\u{02D9}' => '\u{0307}',
        '\u{00A8}' => '\u{0308}',
        '\u{02DA}' => '\u{030A}',
        '\u{02DD}' => '\u{030B}',
        '\u{02C7}' => '\u{030C}',
        '\u{00B8}' => '\u{0327}',
        '\u{02DB}' => '\u{0328}',
        _ => return None,
    })
}

/// A letter with a mark, if there is such a letter.
fn with_mark(letter: char, mark: char) -> Option<char> {
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        letter if letter.is_alphabetic() => letter,
        _ => return None,
    };
    let parts: String = [letter, mark].iter().collect();
    let composed = ComposingNormalizer::new_nfc().normalize(&parts);
    let mut chars = composed.chars();
    chars.next().filter(|_| chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::token;
    use super::*;

    fn texts(tokens: Vec<Token>) -> Vec<String> {
        composed(tokens).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn accents_are_put_on_their_letters() {
        // The accent before its letter, the accent behind it, and the accent of a capital.
        let tokens = vec![token("se˜", 0.0, 0.0, 10.0), token("nora", 9.8, 0.0, 10.0)];
        assert_eq!(texts(tokens), ["señora"]);
        let tokens = vec![token("franc", 0.0, 0.0, 10.0), token("¸ais", 20.5, 0.0, 10.0)];
        assert_eq!(texts(tokens), ["français"]);
        let tokens = vec![token("´", 1.0, -2.0, 10.0), token("Etat", 0.0, 0.0, 10.0)];
        assert_eq!(texts(tokens), ["État"]);
        assert_eq!(texts(vec![token("dif´ıcil", 0.0, 0.0, 10.0)]), ["difícil"]);
    }

    #[test]
    fn accents_beside_letters_stay() {
        let tokens = vec![token("a`", 0.0, 0.0, 10.0), token("a", 10.0, 0.0, 10.0)];
        assert_eq!(texts(tokens), ["a`", "a"]);
        assert_eq!(
            texts(vec![token("x^2~y", 0.0, 0.0, 10.0), token("´t", 60.0, 0.0, 10.0)]),
            ["x^2~y", "´t"]
        );
    }
}
