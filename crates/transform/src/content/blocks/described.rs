//! What a page says of itself in words: its title, its description, and the texts in its JSON-LD.
//!
//! A product's description or an article's body often stands a second time in `application/ld+json`. Blocks whose
//! words are found there, three in a row, are likely content in every language. Sets are filters of bits: a few per
//! cent of false hits cost nothing, and they are of one size whatever the page holds.

use std::borrow::Cow;

use memchr::memmem;

use super::words::{WORD, hash_word, mix};
use crate::tree::{Attr, Kind, Tag, Tree, decode_references};

/// Words of a title or description that are remembered.
const MAX_KNOWN_WORDS: usize = 200;

/// Bytes of JSON-LD texts that are remembered.
const MAX_DESCRIBED_BYTES: usize = 200_000;

/// A small set of words.
#[derive(Debug)]
pub(super) struct Known {
    bits: [u64; 128],
    words: usize,
}

impl Default for Known {
    fn default() -> Self {
        Self { bits: [0; 128], words: 0 }
    }
}

impl Known {
    /// Remembers words of three bytes or more.
    pub(super) fn remember(&mut self, text: &str) {
        for word in text.split_ascii_whitespace().filter(|word| word.len() > 2) {
            if self.words >= MAX_KNOWN_WORDS {
                return;
            }
            self.words += 1;
            let (hash, _) = hash_word(word.as_bytes());
            if let Some(bits) = self.bits.get_mut((hash >> 51) as usize & 127) {
                *bits |= 1 << (hash >> 58 & 63);
            }
        }
    }

    /// Was a word remembered?
    pub(super) fn contains(&self, hash: u64) -> bool {
        self.bits.get((hash >> 51) as usize & 127).is_some_and(|bits| bits >> (hash >> 58 & 63) & 1 == 1)
    }
}

/// The runs of three words in a page's JSON-LD texts.
#[derive(Debug, Default)]
pub(super) struct Described {
    bits: Vec<u64>,
    pub(super) words: u32,
}

/// 64 K bits: 8 KB, and only where there is such a text.
const FILTER_WORDS: usize = 1024;

impl Described {
    /// Do these three words stand in a row?
    pub(super) fn contains(&self, first: u64, second: u64, third: u64) -> bool {
        if self.bits.is_empty() {
            return false;
        }
        let (word, bit) = Self::slot(first, second, third);
        self.bits.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }

    fn slot(first: u64, second: u64, third: u64) -> (usize, u64) {
        let hash = mix(mix(mix(0, first), second), third);
        ((hash >> 40) as usize % FILTER_WORDS, hash >> 58)
    }

    fn remember(&mut self, text: &str) {
        if self.bits.is_empty() {
            self.bits = vec![0; FILTER_WORDS];
        }
        let (mut older, mut newest) = (0, 0);
        // Some texts hold markup: what stands in a tag is no word.
        let pieces = text.split('<').enumerate().map(|(at, piece)| {
            let inside = if at == 0 { None } else { piece.split_once('>') };
            inside.map_or(piece, |(_, after)| after)
        });
        for word in pieces.flat_map(str::split_whitespace) {
            let (hash, classes) = hash_word(word.as_bytes());
            if classes & WORD == 0 {
                continue;
            }
            let (word, bit) = Self::slot(older, newest, hash);
            if let Some(bits) = self.bits.get_mut(word) {
                *bits |= 1 << bit;
            }
            self.words += 1;
            (older, newest) = (newest, hash);
        }
    }
}

/// Names of texts in JSON-LD that readers see on the page.
const TEXTS: [&str; 4] = ["\"articleBody\"", "\"description\"", "\"text\"", "\"reviewBody\""];

/// Types of things that tell what kind of page it is.
const TYPES: [&str; 10] = [
    "\"Product\"",
    "Article\"",
    "BlogPosting\"",
    "DiscussionForumPosting\"",
    "QAPage\"",
    "ItemList\"",
    "CollectionPage\"",
    "FAQPage\"",
    "Service\"",
    "WebPage\"",
];

/// Reads the JSON-LD of a page: the types it names, one bit each, and its texts. Not parsed: what looks like a text
/// of the right name is one.
pub(super) fn read(tree: &Tree) -> (u32, Described) {
    let mut described = Described::default();
    let mut types = 0;
    let mut left = MAX_DESCRIBED_BYTES;
    for node in tree.all(Tag::Script) {
        if !tree.attribute(node, Attr::Type).is_some_and(|kind| kind.contains("ld+json")) {
            continue;
        }
        let Some(data) = tree.first_child(node).filter(|text| tree.kind(*text) == Kind::Text) else {
            continue;
        };
        let data = tree.text(data);
        for at in memmem::find_iter(data.as_bytes(), "\"@type\"").take(200) {
            let value = data.get(at + 7..).unwrap_or_default();
            let end = value.bytes().take(120).position(|byte| matches!(byte, b',' | b'}')).unwrap_or(0);
            let value = value.get(..end).unwrap_or_default();
            for (bit, name) in TYPES.iter().enumerate() {
                types |= u32::from(value.contains(name)) << bit;
            }
        }
        for name in TEXTS {
            for at in memmem::find_iter(data.as_bytes(), name).take(50) {
                let value = data
                    .get(at + name.len()..)
                    .unwrap_or_default()
                    .trim_start_matches([' ', ':', '\n', '\t']);
                let Some(text) = value.strip_prefix('"').map(string) else { continue };
                if text.len() < 20 || text.len() > left {
                    continue;
                }
                left -= text.len();
                described.remember(&plain(text));
            }
        }
    }
    (types, described)
}

/// What stands before the quote that ends a JSON string.
fn string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// A JSON string's escapes undone, as far as words go.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return decode_references(text, false);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut characters = after.chars();
        match characters.next() {
            Some('u') => {
                let digits = after.get(1..5).unwrap_or_default();
                out.push(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).unwrap_or(' '));
                characters = after.get(5..).unwrap_or_default().chars();
            }
            Some(quoted @ ('"' | '/' | '\\')) => out.push(quoted),
            _ => out.push(' '),
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    Cow::Owned(decode_references(&out, false).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn texts_of_linked_data_are_known_by_three_words() {
        let html = r#"<script type="application/ld+json">{"@type":["Product"],"description":"A \"fine\" <b>oak<\/b> t\u00e4ble\nfor&nbsp;four"}</script>"#;
        let (types, described) = read(&parse(html, ParseOptions::default()));
        assert_eq!(types, 1);
        let hash = |word: &str| hash_word(word.as_bytes()).0;
        assert!(described.contains(hash("fine"), hash("oak"), hash("täble")));
        assert!(!described.contains(hash("oak"), hash("fine"), hash("täble")));
        assert_eq!(string("open end"), "");
    }
}
