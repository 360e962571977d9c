//! The forms in which names and texts are compared: by their words ([`folded`]), or by their letters alone
//! ([`letters`]).
//!
//! Three other forms are for other purposes. `typed::words::fold` also drops accents, for the words of
//! tables. `normalise::fold_spaces` changes white space only, for values that people read.
//! `ground::FoldedText` keeps the position of each character, for quotes.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::page::truncate;

/// Longest name that is split, in characters; the rest is left out.
const MAX_CHARS: usize = 200;

/// Splits a name into lower-case words: `productID`, `product_id` and `product-id` are all `product id`.
pub(crate) fn words(name: &str) -> Vec<String> {
    if !name.is_ascii() {
        return unicode_folded(name).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    }
    let mut out = Vec::new();
    split_ascii(name, |word| out.push(word.to_ascii_lowercase()));
    out
}

/// The words of a name, joined by spaces.
pub(crate) fn folded(name: &str) -> String {
    if !name.is_ascii() {
        return unicode_folded(name);
    }
    let mut out = String::with_capacity(name.len().min(MAX_CHARS));
    split_ascii(name, |word| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().map(|found| found.to_ascii_lowercase()));
    });
    out
}

fn unicode_folded(name: &str) -> String {
    let mut out = String::with_capacity(name.len().min(4 * MAX_CHARS));
    let mut is_within = false;
    let mut before: Option<char> = None;
    let mut chars = name.chars().take(MAX_CHARS).peekable();
    while let Some(found) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let turns = found.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || before.is_ascii_digit() || (before.is_uppercase() && next_is_lower)
            });
        let is_part = found.is_alphanumeric();
        if is_part && (turns || !is_within) && !out.is_empty() {
            out.push(' ');
        }
        match found {
            // Its lower case would be two characters, of which nobody writes the second.
            'İ' => out.push('i'),
            _ if is_part => out.extend(found.to_lowercase()),
            _ => {}
        }
        is_within = is_part;
        before = Some(found);
    }
    out
}

/// The words of a name of ASCII, without the tables of Unicode and as they are written.
fn split_ascii(name: &str, mut add: impl FnMut(&str)) {
    let name = truncate(name, MAX_CHARS);
    let bytes = name.as_bytes();
    let mut end_word = |range: Range<usize>| {
        if let Some(word) = name.get(range).filter(|word| !word.is_empty()) {
            add(word);
        }
    };
    let mut start = 0;
    for (at, found) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let turns = found.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && next_is_lower)
            });
        if !found.is_ascii_alphanumeric() {
            end_word(start..at);
            start = at + 1;
        } else if turns {
            end_word(start..at);
            start = at;
        }
    }
    end_word(start..name.len());
}

/// Like [`words`], but `pricenew` and `ourprice` become two words each, as style sheets write them.
pub(crate) fn class_words(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in words(name) {
        let parts = ["price", "stock", "brand"].into_iter().find_map(|stem| {
            let before = word.strip_suffix(stem).filter(|rest| !rest.is_empty()).map(|rest| (rest, stem));
            let after = word.strip_prefix(stem).filter(|rest| !rest.is_empty()).map(|rest| (stem, rest));
            before.or(after).map(|(one, two)| [one.to_owned(), two.to_owned()])
        });
        match parts {
            Some(parts) => out.extend(parts),
            None => out.push(word),
        }
    }
    out
}

/// Words joined by spaces, in a buffer if there are several.
pub(crate) fn joined<'w>(words: &'w [String], buffer: &'w mut String) -> &'w str {
    if let [only] = words {
        return only;
    }
    buffer.clear();
    for word in words {
        if !buffer.is_empty() {
            buffer.push(' ');
        }
        buffer.push_str(word);
    }
    buffer
}

/// The letters and digits of a text in lower case, with nothing between them, for texts that differ only in
/// their spaces and signs: `T-Shirt`, `t shirt` and `TShirt` are all `tshirt`. [`folded`] keeps the words.
pub(crate) fn letters(text: &str) -> String {
    if text.is_ascii() {
        let known = text.bytes().filter(u8::is_ascii_alphanumeric);
        return known.map(|found| char::from(found.to_ascii_lowercase())).collect();
    }
    text.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The different words of a text, for comparing it with several others.
#[derive(Debug, Default)]
pub(crate) struct TextWords(BTreeSet<String>);

impl TextWords {
    pub(crate) fn new(text: &str) -> Self {
        Self(words(text).into_iter().collect())
    }

    /// Share of the words of the shorter text that the longer one also has, 0 to 1.
    pub(crate) fn overlap(&self, text: &str) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.overlap_of(&Self::new(text)) }
    }

    /// Like [`overlap`](Self::overlap).
    pub(crate) fn overlap_of(&self, other: &Self) -> f64 {
        let least = self.0.len().min(other.0.len());
        if least == 0 {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "names have at most 200 words")]
        let share = self.0.intersection(&other.0).count() as f64 / least as f64;
        share
    }
}

/// Share of the words of the shorter text that the longer one also has, 0 to 1.
pub(crate) fn overlap(left: &str, right: &str) -> f64 {
    TextWords::new(left).overlap(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split() {
        let rows = [
            ("productID", "product id"),
            ("product_id", "product id"),
            ("gtin13", "gtin13"),
            ("HTMLPage", "html page"),
            ("price (EUR)", "price eur"),
            ("Цена товара", "цена товара"),
            ("İsim", "isim"),
            (" Ä-B ", "ä b"),
            ("x2Y", "x2 y"),
        ];
        for (name, expected) in rows {
            assert_eq!(folded(name), expected, "{name}");
            assert_eq!(unicode_folded(name), expected, "{name}");
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
        assert_eq!(folded(&"ab ".repeat(100)).len(), 200);
        assert!(overlap("Red Cup 5", "red cup") > 0.99);
    }
}
