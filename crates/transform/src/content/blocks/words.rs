//! Reading the words of a text, in one pass over its bytes.

use super::Block;
use super::described::{Described, Known};

/// Classes of bytes, one bit each.
pub(super) const WORD: u8 = 1;
const DIGIT: u8 = 2;
const UPPER: u8 = 4;
const WIDE: u8 = 8;
const SIGN: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = match byte as u8 {
            b'0'..=b'9' => WORD | DIGIT,
            b'A'..=b'Z' => WORD | UPPER,
            b'a'..=b'z' => WORD,
            b'$' => SIGN,
            0x80..=0xFF => WORD | WIDE,
            _ => 0,
        };
        #[expect(clippy::indexing_slicing, reason = "within the array, and checked when compiled")]
        {
            classes[byte] = class;
        }
        byte += 1;
    }
    classes
};

/// A hash of a word without case and punctuation, and the classes of its bytes.
pub(super) fn hash_word(word: &[u8]) -> (u64, u8) {
    let (mut hash, mut classes) = (0xCBF2_9CE4_8422_2325_u64, 0);
    for byte in word {
        let class = CLASSES.get(usize::from(*byte)).copied().unwrap_or(0);
        classes |= class;
        if class & WORD != 0 {
            hash = (hash ^ u64::from(byte | 0x20)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    (hash, classes)
}

/// Adds a value to a hash.
pub(super) const fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

/// A hash of the words of a text.
pub(super) fn hash_text(text: &str) -> u64 {
    text.split_ascii_whitespace()
        .map(|word| hash_word(word.as_bytes()))
        .fold(0, |hash, (word, classes)| if classes & WORD == 0 { hash } else { mix(hash, word) })
}

/// How many characters of a word belong to a script that puts no spaces between words.
fn unspaced(word: &str) -> usize {
    word.chars()
        .filter(|c| matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{E00}'..='\u{E7F}'))
        .count()
}

impl Block {
    /// Adds a text to the block; gives the number of its words.
    pub(super) fn read(
        &mut self,
        text: &str,
        title: &Known,
        description: &Known,
        described: &Described,
    ) -> u32 {
        let mut words = 0;
        let (mut sign, mut digit) = (false, false);
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() {
            let end = rest.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = after.trim_ascii_start();
            let bytes = word.as_bytes();
            let (hash, classes) = hash_word(bytes);
            sign |= classes & SIGN != 0 || (classes & WIDE != 0 && word.contains(['€', '£', '¥', '₹']));
            digit |= classes & DIGIT != 0;
            if classes & WORD == 0 {
                continue;
            }
            let mut count = 1;
            let mut letters = bytes.len();
            if classes & WIDE != 0 {
                // Scripts without spaces between words count a word for every two characters.
                count += u32::try_from(unspaced(word) / 2).unwrap_or(0);
                letters = word.chars().count();
                self.ends_sentence =
                    word.ends_with(['.', '!', '?', '…', '。', '！', '？', '؟', '।']) || word.ends_with(".”");
                self.commas += u32::from(word.ends_with([',', ';', '、', '，', '،']));
            } else {
                self.ends_sentence = matches!(bytes, [.., b'.' | b'!' | b'?'] | [.., b'.', b'"' | b')']);
                self.commas += u32::from(matches!(bytes, [.., b',' | b';']));
            }
            if self.words == 0 {
                self.starts_capital = word.chars().next().is_some_and(char::is_uppercase);
            }
            words += count;
            self.words += count;
            self.letters += u32::try_from(letters).unwrap_or(u32::MAX);
            self.capitals += u32::from(bytes.first().is_some_and(u8::is_ascii_uppercase));
            self.digits += u32::from(classes & DIGIT != 0);
            self.has_colon_end = bytes.last() == Some(&b':');
            self.sentences += u32::from(self.ends_sentence);
            self.hash = mix(self.hash, hash);
            self.title_words += u32::from(title.contains(hash));
            self.description_words += u32::from(description.contains(hash));
            let [newest, older] = self.recent;
            self.described += u32::from(described.contains(older, newest, hash));
            self.recent = [hash, newest];
        }
        self.price |= sign && digit;
        words
    }
}
