//! Bloom filters of the words by which a page describes itself: its title, its description, and its JSON-LD
//! texts.
//!
//! The description of a product or the body of an article is often repeated in `application/ld+json`. Blocks
//! that share three words in a row with these texts are likely content, in every language. The sets are bit
//! filters of fixed size, whatever the page contains; a few per cent of false positives do no harm.

use std::borrow::Cow;

use memchr::memmem;

use super::words::{WORD, hash_word, mix};
use crate::tree::{Attr, Kind, Tag, Tree, decode_references};

/// Upper bound on the words of a title or description that are stored.
const MAX_FILTER_WORDS: usize = 200;

/// Upper bound on the bytes of JSON-LD texts that are stored.
const MAX_TEXT_BYTES: usize = 200_000;

/// A small set of words.
#[derive(Debug)]
pub(super) struct WordFilter {
    bits: [u64; 128],
    words: usize,
}

impl Default for WordFilter {
    fn default() -> Self {
        Self { bits: [0; 128], words: 0 }
    }
}

impl WordFilter {
    /// Adds the words of three bytes or more.
    pub(super) fn insert(&mut self, text: &str) {
        for word in text.split_ascii_whitespace().filter(|word| word.len() > 2) {
            if self.words >= MAX_FILTER_WORDS {
                return;
            }
            self.words += 1;
            let (hash, _) = hash_word(word.as_bytes());
            if let Some(bits) = self.bits.get_mut((hash >> 51) as usize & 127) {
                *bits |= 1 << (hash >> 58 & 63);
            }
        }
    }

    /// True if the word was added (or for a false positive).
    pub(super) fn contains(&self, hash: u64) -> bool {
        self.bits.get((hash >> 51) as usize & 127).is_some_and(|bits| bits >> (hash >> 58 & 63) & 1 == 1)
    }
}

/// A set of the word trigrams in a page's JSON-LD texts.
#[derive(Debug, Default)]
pub(super) struct TrigramFilter {
    bits: Vec<u64>,
    pub(super) words: u32,
}

/// 64 Ki bits, or 8 KiB. They are allocated only if the page has such a text.
const TRIGRAM_FILTER_LEN: usize = 1024;

impl TrigramFilter {
    /// True if the texts contain these three words in a row.
    pub(super) fn contains(&self, first: u64, second: u64, third: u64) -> bool {
        if self.bits.is_empty() {
            return false;
        }
        let (word, bit) = Self::slot(first, second, third);
        self.bits.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }

    fn slot(first: u64, second: u64, third: u64) -> (usize, u64) {
        let hash = mix(mix(mix(0, first), second), third);
        ((hash >> 40) as usize % TRIGRAM_FILTER_LEN, hash >> 58)
    }

    fn insert(&mut self, text: &str) {
        if self.bits.is_empty() {
            self.bits = vec![0; TRIGRAM_FILTER_LEN];
        }
        let (mut older, mut newest) = (0, 0);
        // Some texts contain markup: words within tags do not count.
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

/// JSON-LD properties whose texts the page shows.
const TEXTS: [&str; 4] = ["\"articleBody\"", "\"description\"", "\"text\"", "\"reviewBody\""];

/// JSON-LD types that tell the type of the page.
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

/// Reads the JSON-LD of a page: the types it names (one bit each) and its texts. A search for property names
/// replaces a JSON parser.
pub(super) fn read(tree: &Tree) -> (u32, TrigramFilter) {
    let mut described = TrigramFilter::default();
    let mut types = 0;
    let mut left = MAX_TEXT_BYTES;
    for node in tree.elements_with_tag(Tag::Script) {
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
                let Some(text) = value.strip_prefix('"').map(json_string_content) else { continue };
                if text.len() < 20 || text.len() > left {
                    continue;
                }
                left -= text.len();
                described.insert(&unescape_json(text));
            }
        }
    }
    (types, described)
}

/// The part of a text before the quote that ends a JSON string.
fn json_string_content(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Decodes the escapes of a JSON string, as far as words need it.
fn unescape_json(text: &str) -> Cow<'_, str> {
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
    fn json_ld_texts_are_found_by_their_trigrams() {
        let html = r#"<script type="application/ld+json">{"@type":["Product"],"description":"A \"fine\" <b>oak<\/b> t\u00e4ble\nfor&nbsp;four"}</script>"#;
        let (types, described) = read(&parse(html, ParseOptions::default()));
        assert_eq!(types, 1);
        let hash = |word: &str| hash_word(word.as_bytes()).0;
        assert!(described.contains(hash("fine"), hash("oak"), hash("täble")));
        assert!(!described.contains(hash("oak"), hash("fine"), hash("täble")));
        assert_eq!(json_string_content("open end"), "");
    }
}
