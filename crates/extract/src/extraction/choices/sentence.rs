//! Splits the Markdown of a page into sentences and words.

use std::ops::Range;

use super::function_words::is_function_word;
use crate::page::truncate;
use crate::typed::is_currency_sign;

/// The start of a page's Markdown that is searched for candidates, in bytes.
const MAX_READ_BYTES: usize = 32 << 10;
/// Upper bound on the words of a sentence; a longer one is cut.
const MAX_SENTENCE_WORDS: usize = 80;
/// Upper bound on the words of all sentences of a page.
const MAX_PAGE_WORDS: usize = 6_000;
/// Longest word, in bytes. Longer runs of letters separate like a mark.
const MAX_WORD_BYTES: usize = 64;
/// A full stop after a word of at most this many characters belongs to an abbreviation: `J. R. Tolkien`.
const MAX_ABBREVIATION: usize = 2;

/// A word of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its range in the Markdown.
    pub(super) range: Range<usize>,
    pub(super) lower: String,
    pub(super) is_capitalised: bool,
    pub(super) is_function: bool,
    /// Whether a mark such as a comma separates it from the word before.
    pub(super) is_separated: bool,
}

/// A sentence of running text, or a line.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// Its range in the Markdown.
    pub(super) range: Range<usize>,
    /// Never empty.
    pub(super) words: Vec<Word>,
}

/// The sentences of a page's Markdown, without its headings. The cost is linear in the text.
pub(super) fn sentences(markdown: &str) -> Vec<Sentence> {
    let mut reader =
        Reader { markdown, out: Vec::new(), words: Vec::new(), all_words: 0, is_separated: false };
    let mut at = 0;
    for line in truncate(markdown, MAX_READ_BYTES).split_inclusive('\n') {
        if reader.all_words >= MAX_PAGE_WORDS {
            break;
        }
        if !line.trim_start().starts_with('#') {
            reader.line(line, at);
        }
        at += line.len();
    }
    reader.out
}

struct Reader<'m> {
    markdown: &'m str,
    out: Vec<Sentence>,
    /// The words of the sentence that is being read.
    words: Vec<Word>,
    all_words: usize,
    /// Whether a mark stands behind the last word.
    is_separated: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, offset: usize) {
        let mut word: Option<Range<usize>> = None;
        let mut before = ' ';
        let mut chars = line.char_indices().peekable();
        while let Some((at, found)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let end = at + found.len_utf8();
            if found.is_alphanumeric() || (word.is_some() && joins(before, found, next)) {
                word = Some(word.map_or(at, |word| word.start)..end);
                before = found;
                continue;
            }
            before = found;
            if let Some(word) = word.take() {
                self.word(offset + word.start..offset + word.end);
            }
            match found {
                // The address of a link is no text.
                ']' if next == Some('(') => {
                    while chars.next_if(|(_, found)| *found != ')').is_some() {}
                    chars.next();
                }
                '.' | '!' | '?' | '…' if next.is_none_or(char::is_whitespace) => {
                    if found != '.' || !self.ends_in_abbreviation() {
                        self.end_sentence();
                    }
                }
                '。' | '！' | '？' => self.end_sentence(),
                '*' | '_' | '`' | '\\' | '[' | ']' | '%' | '°' | '&' => {}
                found if found.is_whitespace() || is_currency_sign(found) => {}
                _ => self.is_separated = true,
            }
        }
        if let Some(word) = word.take() {
            self.word(offset + word.start..offset + word.end);
        }
        self.end_sentence();
    }

    fn word(&mut self, range: Range<usize>) {
        let text = self.markdown.get(range.clone()).unwrap_or_default();
        if text.len() > MAX_WORD_BYTES || self.words.len() >= MAX_SENTENCE_WORDS {
            self.end_sentence();
        }
        if text.len() > MAX_WORD_BYTES || self.all_words >= MAX_PAGE_WORDS {
            return;
        }
        self.all_words += 1;
        let lower = text.to_lowercase();
        self.words.push(Word {
            is_capitalised: text.starts_with(char::is_uppercase),
            is_function: is_function_word(&lower),
            is_separated: std::mem::take(&mut self.is_separated),
            range,
            lower,
        });
    }

    /// Whether the last word is a number or an abbreviation, whose full stop ends no sentence.
    fn ends_in_abbreviation(&self) -> bool {
        let last = self.words.last().map_or("", |word| word.lower.as_str());
        let is_number = !last.is_empty() && last.chars().all(char::is_numeric);
        is_number || (1..=MAX_ABBREVIATION).contains(&last.chars().count())
    }

    fn end_sentence(&mut self) {
        self.is_separated = false;
        let words = std::mem::take(&mut self.words);
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            self.out.push(Sentence { range: first.range.start..last.range.end, words });
        }
    }
}

/// Whether a sign within a word belongs to it: `bread-maker`, `1.5`, `ada@mill.example`.
fn joins(before: char, found: char, next: Option<char>) -> bool {
    let Some(next) = next.filter(|next| next.is_alphanumeric()) else { return false };
    match found {
        '\'' | '’' | '-' | '‑' | '.' | '@' => true,
        ',' | ':' => before.is_numeric() && next.is_numeric(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_their_marks_and_not_at_abbreviations() {
        let markdown =
            "# Head\n\nMade by J. R. Holm. It [weighs](/p/9) 1.5 kg, *oiled*! Ab 1. April.\n- a@b.example\n";
        let found: Vec<&str> = sentences(markdown)
            .iter()
            .map(|sentence| markdown.get(sentence.range.clone()).unwrap())
            .collect();
        assert_eq!(
            found,
            ["Made by J. R. Holm", "It [weighs](/p/9) 1.5 kg, *oiled", "Ab 1. April", "a@b.example"]
        );
        let weight = &sentences(markdown)[1];
        let words: Vec<(&str, bool)> =
            weight.words.iter().map(|word| (word.lower.as_str(), word.is_separated)).collect();
        assert_eq!(words, [("it", false), ("weighs", false), ("1.5", false), ("kg", false), ("oiled", true)]);
    }

    #[test]
    fn hostile_texts_are_read_within_bounds() {
        let texts = ["a ".repeat(100_000), "x".repeat(100_000), "](".repeat(50_000), "1.".repeat(50_000)];
        for text in texts {
            let words: usize = sentences(&text).iter().map(|sentence| sentence.words.len()).sum();
            assert!(words <= MAX_PAGE_WORDS);
        }
    }
}
