//! The words and the signs of a text, read in one pass.

use crate::page::truncate;
use crate::typed::is_currency_sign;

/// The start of a text that is read, in bytes.
const MAX_READ_BYTES: usize = 600;
/// Upper bound on the words of a text that are compared with those of others.
const MAX_WORDS: usize = 12;
/// Upper bound on the words of a [`WordSet`].
const MAX_SET_WORDS: usize = 64;
/// Shortest word that can be what two texts share, in bytes. Shorter ones are articles and numbers.
const MIN_SHARED_BYTES: usize = 3;

/// Adds a byte to a hash (FNV-1a, 64 bit). The hashes only compare texts of one page.
pub(super) const fn mix(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

/// The hash of no bytes.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// What can be counted in a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wording {
    pub(super) chars: usize,
    pub(super) words: usize,
    pub(super) letters: usize,
    pub(super) digits: usize,
    pub(super) capitals: usize,
    /// Characters that are neither letters, digits nor white space.
    pub(super) signs: usize,
    /// Words with a capital first.
    pub(super) capitalised: usize,
    /// Words with a small letter first.
    pub(super) small: usize,
    pub(super) starts_with_capital: bool,
    pub(super) ends_sentence: bool,
    pub(super) has_currency: bool,
    pub(super) has_colon: bool,
    pub(super) has_percent: bool,
    /// The hash of its words in lower case; 0 if it has none.
    pub(super) hash: u64,
    /// The hashes of its first words; 0 for those it does not have and for short ones.
    hashes: [u64; MAX_WORDS],
}

impl Wording {
    pub(super) fn read(text: &str) -> Self {
        let text = truncate(text, MAX_READ_BYTES);
        if text.is_ascii() {
            return Self::read_ascii(text);
        }
        let mut found = Self::default();
        let mut last = ' ';
        let mut word = Word::default();
        for character in text.chars() {
            found.chars += 1;
            if character.is_alphanumeric() {
                found.count_alphanumeric(character, word.bytes == 0);
                word.push(character);
            } else {
                found.end_word(&mut word);
                found.count_sign(character);
            }
            if !character.is_whitespace() {
                last = character;
            }
        }
        found.end_word(&mut word);
        found.ends_sentence = matches!(last, '.' | '!' | '?' | '…' | '。' | '！' | '？');
        found
    }

    /// The same as for any text, without the tables of Unicode.
    fn read_ascii(text: &str) -> Self {
        let mut found = Self { chars: text.len(), ..Self::default() };
        let mut last = b' ';
        let mut word = Word::default();
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() {
                if byte.is_ascii_digit() {
                    found.digits += 1;
                } else {
                    found.count_letter(byte.is_ascii_uppercase(), byte.is_ascii_lowercase(), word.bytes == 0);
                }
                word.push_bytes(&[byte.to_ascii_lowercase()]);
            } else {
                found.end_word(&mut word);
                found.count_sign(char::from(byte));
            }
            if !byte.is_ascii_whitespace() {
                last = byte;
            }
        }
        found.end_word(&mut word);
        found.ends_sentence = matches!(last, b'.' | b'!' | b'?');
        found
    }

    fn count_alphanumeric(&mut self, character: char, is_first: bool) {
        if character.is_numeric() {
            self.digits += 1;
            return;
        }
        self.count_letter(character.is_uppercase(), character.is_lowercase(), is_first);
    }

    fn count_letter(&mut self, is_capital: bool, is_small: bool, is_first: bool) {
        self.letters += 1;
        self.capitals += usize::from(is_capital);
        if is_first {
            self.capitalised += usize::from(is_capital);
            self.small += usize::from(is_small);
            self.starts_with_capital |= is_capital && self.words == 0;
        }
    }

    fn count_sign(&mut self, character: char) {
        if character.is_whitespace() {
            return;
        }
        self.signs += 1;
        match character {
            ':' | '：' => self.has_colon = true,
            '%' | '％' => self.has_percent = true,
            _ => self.has_currency |= is_currency_sign(character),
        }
    }

    fn end_word(&mut self, word: &mut Word) {
        let Word { hash, bytes } = std::mem::take(word);
        if bytes == 0 {
            return;
        }
        self.hash = self.hash.rotate_left(7) ^ hash;
        if let Some(slot) = self.hashes.get_mut(self.words).filter(|_| bytes >= MIN_SHARED_BYTES) {
            *slot = hash;
        }
        self.words += 1;
    }

    /// The share of its longer words that a set has, 0 to 1.
    pub(super) fn share_in(&self, set: &WordSet) -> f32 {
        let own = || self.hashes.iter().filter(|hash| **hash != 0);
        let shared = own().filter(|hash| set.contains(**hash)).count();
        share(shared, own().count())
    }

    /// Whether it has one of the longer words of another text.
    pub(super) fn shares_word(&self, other: &Self) -> bool {
        other.hashes.iter().any(|hash| *hash != 0 && self.hashes.contains(hash))
    }

    /// Whether its words all start with a capital.
    pub(super) const fn is_capitalised(&self) -> bool {
        self.capitalised > 0 && self.small == 0
    }

    /// Whether its letters are all capitals.
    pub(super) const fn is_all_capitals(&self) -> bool {
        self.capitals > 1 && self.capitals == self.letters
    }
}

/// The share of a part in a whole, 0 to 1; 0 of nothing.
pub(super) fn share(part: usize, whole: usize) -> f32 {
    let number = |count: usize| f32::from(u16::try_from(count).unwrap_or(u16::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

/// A word while it is read.
#[derive(Debug)]
struct Word {
    hash: u64,
    bytes: usize,
}

impl Default for Word {
    fn default() -> Self {
        Self { hash: EMPTY, bytes: 0 }
    }
}

impl Word {
    fn push(&mut self, character: char) {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.push_bytes(&[byte.to_ascii_lowercase()]),
            _ => {
                for lower in character.to_lowercase() {
                    self.push_bytes(lower.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.hash = bytes.iter().fold(self.hash, |hash, byte| mix(hash, *byte));
        self.bytes += bytes.len();
    }
}

/// The longer words of a text, for looking up those of others.
#[derive(Debug, Default)]
pub(super) struct WordSet {
    /// Sorted.
    hashes: Vec<u64>,
}

impl WordSet {
    pub(super) fn read(text: &str) -> Self {
        let words = text.split(|found: char| !found.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut hashes: Vec<u64> = words
            .filter(|word| word.len() >= MIN_SHARED_BYTES)
            .take(MAX_SET_WORDS)
            .map(|word| Wording::read(word).hash)
            .collect();
        hashes.sort_unstable();
        Self { hashes }
    }

    fn contains(&self, hash: u64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }

    /// How many of its words a text has, as a share of them, 0 to 1.
    pub(super) fn share_in(&self, text: &Wording) -> f32 {
        let shared = self.hashes.iter().filter(|hash| text.hashes.contains(hash)).count();
        share(shared, self.hashes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_signs_are_counted() {
        let found = Wording::read("Ada LOVELACE, born 1815!");
        assert_eq!((found.words, found.letters, found.digits, found.signs), (4, 15, 4, 2));
        assert!(found.starts_with_capital && found.ends_sentence && !found.is_capitalised());
        assert_eq!(found.hash, Wording::read("ada lovelace born (1815)").hash);
        assert_ne!(found.hash, Wording::read("lovelace ada born 1815").hash);
        assert!(Wording::read("Élan Vital").is_capitalised() && Wording::read("ÉLAN").is_all_capitals());
        assert!(Wording::read("5 €").has_currency && Wording::read("5 %").has_percent);
    }

    #[test]
    fn shared_words_are_found_in_any_case() {
        let set = WordSet::read("Red Cup of Steel");
        assert!((Wording::read("RED mug").share_in(&set) - 0.5).abs() < 1e-6);
        assert!((set.share_in(&Wording::read("a red steel cup")) - 1.0).abs() < 1e-6);
        let person = Wording::read("Ada Lovelace");
        assert!(person.shares_word(&Wording::read("/people/ada-lovelace")));
        assert!(!person.shares_word(&Wording::read("/people/babbage")));
    }
}
