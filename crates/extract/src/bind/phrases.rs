use aho_corasick::AhoCorasick;
use hashbrown::HashMap;

use super::words::words;

/// Longest line that is searched for phrases, in bytes.
const MAX_LINE_BYTES: usize = 80;

/// A set of phrases that can be searched for in one line.
#[derive(Debug)]
pub(super) struct PhraseSet {
    /// Phrases by their first word.
    by_word: HashMap<&'static str, Vec<&'static str>>,
    /// Finds the first words of the phrases. Lines of ASCII without any of them are not split into words.
    search: Option<AhoCorasick>,
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
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(by_word.keys()).ok();
        Self { by_word, search, unspaced }
    }

    /// Whether the line contains one of the phrases and has at most `max_words` words.
    pub(super) fn matches(&self, line: &str, max_words: usize) -> bool {
        if line.is_empty() || line.len() > MAX_LINE_BYTES || line.contains('\n') {
            return false;
        }
        if line.is_ascii() && self.search.as_ref().is_some_and(|search| !search.is_match(line)) {
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
            }) || (is_unspaced(line) && self.unspaced.iter().any(|phrase| line.contains(phrase))))
    }
}

/// Whether the text is in a script that writes no blanks between words.
fn is_unspaced(text: &str) -> bool {
    text.chars().any(|found| found >= '\u{3000}')
}
