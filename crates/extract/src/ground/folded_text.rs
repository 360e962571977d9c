//! Finds a quote in a page despite differences in white space, marks and case.

use std::ops::Range;

use memchr::memmem;

use super::link_address::address_end;
use crate::page::char_boundary;

/// A normalised text in which quotes are searched for: white space folded, Markdown marks and link addresses
/// removed, letters in lower case. Each byte keeps its position in the source.
#[derive(Debug)]
pub(crate) struct FoldedText {
    text: String,
    /// For each byte of `text`, its position in the source.
    origin: Vec<u32>,
    /// For each byte of `text`, the length of its character in the source.
    lengths: Vec<u8>,
}

impl FoldedText {
    pub(crate) fn new(source: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(source.len()),
            origin: Vec::with_capacity(source.len()),
            lengths: Vec::with_capacity(source.len()),
        };
        let mut chars = source.char_indices().peekable();
        while let Some((at, found)) = chars.next() {
            match found {
                ']' => {
                    let end = address_end(source, at).unwrap_or(at);
                    while chars.next_if(|(next, _)| *next < end).is_some() {}
                }
                '*' | '_' | '`' | '\\' | '[' | '#' | '>' | '~' => {}
                '|' => folded.push(' ', at, found),
                '“' | '”' | '„' | '«' | '»' => folded.push('"', at, found),
                '‘' | '’' | '‚' => folded.push('\'', at, found),
                '–' | '—' | '−' => folded.push('-', at, found),
                found if found.is_whitespace() => folded.push(' ', at, found),
                found => {
                    for lower in found.to_lowercase() {
                        folded.push(lower, at, found);
                    }
                }
            }
        }
        folded
    }

    fn push(&mut self, found: char, at: usize, written: char) {
        if found == ' ' && (self.text.ends_with(' ') || self.text.is_empty()) {
            return;
        }
        self.text.push(found);
        let origin = u32::try_from(at).unwrap_or(u32::MAX);
        self.origin.extend(std::iter::repeat_n(origin, found.len_utf8()));
        let length = u8::try_from(written.len_utf8()).unwrap_or_default();
        self.lengths.extend(std::iter::repeat_n(length, found.len_utf8()));
    }

    /// The range of a quote in the source: the first at or after `from` (a byte of the source), else the
    /// first anywhere. Only whole words match: `5` is not in `15`.
    pub(crate) fn find(&self, quote: &str, from: usize) -> Option<Range<usize>> {
        let needle = Self::new(quote);
        let needle = needle.text.trim();
        if !needle.chars().any(char::is_alphanumeric) {
            return None;
        }
        let start = self.origin.partition_point(|origin| (*origin as usize) < from);
        self.find_from(needle, start).or_else(|| if start > 0 { self.find_from(needle, 0) } else { None })
    }

    fn find_from(&self, needle: &str, start: usize) -> Option<Range<usize>> {
        let text = self.text.as_bytes();
        let mut at = start;
        let edge = |text: &str, last: bool| {
            let found = if last { text.chars().next_back() } else { text.chars().next() };
            found.is_some_and(char::is_alphanumeric)
        };
        // A short quote may occur within words many times, so the search ends after this number of attempts.
        for _ in 0..1_000 {
            let found = at + memmem::find(text.get(at..)?, needle.as_bytes())?;
            let end = found + needle.len();
            let before = self.text.get(..found).is_some_and(|text| edge(text, true));
            let after = self.text.get(end..).is_some_and(|text| edge(text, false));
            let cuts_a_word = (before && edge(needle, false)) || (after && edge(needle, true));
            if !cuts_a_word {
                let first = *self.origin.get(found)? as usize;
                // The range ends with the last character. A link's address may follow, which is not part of
                // the quote.
                let last = *self.origin.get(end - 1)? as usize + usize::from(*self.lengths.get(end - 1)?);
                return Some(first..last);
            }
            at = char_boundary(&self.text, found + 1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_despite_their_marks() {
        let source = "# Cup\n\nThe **red** [cup](https://x.example/a(b) costs “5 €”.\n| a | 15 |";
        let folded = FoldedText::new(source);
        let rows = [
            ("the red cup", true),
            ("The *red* cup", true),
            ("costs \"5 €\"", true),
            ("a 15", true),
            ("1", false),
            ("5", true),
            ("the blue cup", false),
            ("...", false),
            ("", false),
        ];
        for (quote, found) in rows {
            assert_eq!(folded.find(quote, 0).is_some(), found, "{quote}");
        }
        let span = folded.find("red", 0).unwrap();
        assert!(source.get(span).is_some_and(|text| text.starts_with("red")));
    }

    #[test]
    fn a_span_ends_with_the_quote() {
        let source = "[Red cup](/p/1299) costs **5 €**";
        let folded = FoldedText::new(source);
        for (quote, words) in [("red cup", "Red cup"), ("5 €", "5 €"), ("cup costs", "cup](/p/1299) costs")]
        {
            assert_eq!(folded.find(quote, 0).and_then(|span| source.get(span)), Some(words), "{quote}");
        }
    }

    #[test]
    fn the_next_occurrence_is_found() {
        let folded = FoldedText::new("5 cups, 5 pots");
        assert_eq!(folded.find("5", 0).map(|span| span.start), Some(0));
        assert_eq!(folded.find("5", 1).map(|span| span.start), Some(8));
        assert_eq!(folded.find("5", 9).map(|span| span.start), Some(0));
    }
}
