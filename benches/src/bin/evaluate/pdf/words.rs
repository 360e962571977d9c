//! Words and letters of text, in one form for files and truths.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The number of times that each word occurs.
pub(super) type Counts = HashMap<String, usize>;

/// NFKC without invisible characters, in lower case.
fn characters(text: &str) -> impl Iterator<Item = char> {
    let visible = text.nfkc().filter(|c| !is_invisible(*c));
    visible.flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c })
}

/// Zero-width characters, marks of direction, soft hyphens, and the stroke that stretches Arabic words.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{640}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}')
}

fn is_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric() && !is_combining_mark(c)
}

/// Scripts without spaces between words: Thai, Lao, Kana, Han.
const fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The letters.
pub(super) fn letters(text: &str) -> String {
    characters(text).filter(|c| c.is_alphabetic() && !is_combining_mark(*c)).collect()
}

/// The letters and digits. Cells with the same key are equal.
pub(super) fn key(text: &str) -> String {
    characters(text).filter(|c| is_letter_or_digit(*c)).collect()
}

/// Runs of letters and digits.
pub(super) fn runs(text: &str) -> Vec<String> {
    split(text, |_| false)
}

/// Runs of letters and digits; each letter of a script without spaces is a word.
pub(super) fn words(text: &str) -> Vec<String> {
    split(text, is_without_spaces)
}

fn split(text: &str, is_word: impl Fn(char) -> bool) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    for c in characters(text) {
        if is_letter_or_digit(c) && !is_word(c) {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_letter_or_digit(c) {
            words.push(c.to_string());
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

pub(super) fn count(words: impl IntoIterator<Item = String>) -> Counts {
    let mut counts = Counts::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// How many words two counts share, with repeats.
pub(super) fn common(one: &Counts, other: &Counts) -> usize {
    one.iter().map(|(word, count)| (*count).min(other.get(word).copied().unwrap_or(0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(words("Ef\u{fb01}cient, co\u{ad}op 7.5 %"), ["efficient", "coop", "7", "5"]);
        assert_eq!(words("在1605年 コ"), ["在", "1605", "年", "コ"]);
        assert_eq!(runs("在1605年"), ["在1605年"]);
        assert_eq!(letters("Ὀδός 12"), letters("ὈΔΌΣ"));
        assert_eq!(key("1,605 kg"), "1605kg");
    }

    #[test]
    fn shared_words_count_with_repeats() {
        let counts = |text: &str| count(runs(text));
        assert_eq!(common(&counts("a a b"), &counts("a a a c")), 2);
        assert_eq!(common(&counts(""), &counts("a")), 0);
    }
}
