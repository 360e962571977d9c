//! Searches lines for known words and phrases, in any case.

use aho_corasick::AhoCorasick;
use hashbrown::HashMap;

use super::words::words;

/// Longest line that is searched for phrases, in bytes.
const MAX_LINE_BYTES: usize = 80;

/// Capitals that are not the upper case of their lower case: of `i` (see `words`), `k`, `å`, `ω` and `ß`.
const OTHER_CAPITALS: [char; 5] = ['İ', '\u{212A}', '\u{212B}', '\u{2126}', 'ẞ'];
/// A word is searched for by at most this many first letters.
const START_CHARS: usize = 4;

/// Tells whether a text may have one of some words, without splitting it.
#[derive(Debug)]
pub(super) struct WordSearch(Option<AhoCorasick>);

impl WordSearch {
    /// The words are in lower case.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let starts = words.flat_map(starts_in_any_case);
        Self(AhoCorasick::builder().ascii_case_insensitive(true).build(starts).ok())
    }

    /// If false, the text has none of the words.
    pub(super) fn may_have(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|search| search.is_match(text))
            || (!text.is_ascii() && text.contains(OTHER_CAPITALS))
    }
}

/// The first letters of a word, with each letter that is not of ASCII in lower and in upper case.
fn starts_in_any_case(word: &str) -> Vec<String> {
    let mut starts = vec![String::new()];
    for letter in word.chars().take(START_CHARS) {
        let cases = [letter.to_string(), letter.to_uppercase().to_string()];
        let count = if letter.is_ascii() { 1 } else { cases.len() };
        let longer = |start: &String| cases.iter().take(count).map(|case| format!("{start}{case}")).collect();
        starts = starts.iter().flat_map::<Vec<String>, _>(longer).collect();
    }
    starts
}

/// A set of phrases that can be searched for in one line.
#[derive(Debug)]
pub(super) struct PhraseSet {
    /// Phrases by their first word.
    by_word: HashMap<&'static str, Vec<&'static str>>,
    /// Lines without a first word of the phrases are not split into words.
    first_words: WordSearch,
    /// Phrases of scripts that write no blanks between words.
    unspaced: Vec<&'static str>,
}

impl PhraseSet {
    pub(super) fn new(phrases: &'static [&'static str]) -> Self {
        let (unspaced, spaced): (Vec<_>, Vec<_>) =
            phrases.iter().copied().partition(|phrase| is_unspaced(phrase));
        let mut by_word: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for phrase in spaced {
            let first = phrase.split(' ').next().unwrap_or_default();
            by_word.entry(first).or_default().push(phrase);
        }
        let first_words = WordSearch::new(by_word.keys().copied());
        Self { by_word, first_words, unspaced }
    }

    /// Whether the line contains one of the phrases and has at most `max_words` words.
    pub(super) fn matches(&self, line: &str, max_words: usize) -> bool {
        if line.is_empty() || line.len() > MAX_LINE_BYTES || line.contains('\n') {
            return false;
        }
        let has_unspaced = || is_unspaced(line) && self.unspaced.iter().any(|phrase| line.contains(phrase));
        if !self.first_words.may_have(line) && !has_unspaced() {
            return false;
        }
        let found = words(line);
        let starts_at = |at: usize, phrase: &str| {
            let mut own = found.iter().skip(at);
            phrase.split(' ').all(|word| own.next().is_some_and(|own| own == word))
        };
        found.len() <= max_words
            && (found.iter().enumerate().any(|(at, word)| {
                let known = self.by_word.get(word.as_str()).into_iter().flatten();
                known.copied().any(|phrase| starts_at(at, phrase))
            }) || has_unspaced())
    }
}

/// Whether the text is in a script that writes no blanks between words.
fn is_unspaced(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|found| found >= '\u{3000}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case_and_script() {
        let phrases = PhraseSet::new(&["also bought", "ähnliche", "похожие", "ilgili ürünler", "関連商品"]);
        let found = [
            "Customers ALSO Bought",
            "ÄHNLICHE Artikel",
            "Похожие товары",
            "İlgili Ürünler",
            "関連商品はこちら",
        ];
        assert_eq!(found.map(|line| phrases.matches(line, 9)), [true; 5]);
        let others = [
            "Bought also",
            "unähnliche Artikel",
            "непохожие",
            "ilgili",
            "関連",
            "a b c d e f g h i also bought",
        ];
        assert_eq!(others.map(|line| phrases.matches(line, 9)), [false; 6]);
    }
}
