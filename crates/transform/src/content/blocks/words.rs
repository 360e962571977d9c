//! Reads the words of a text in one pass over its bytes.

use super::Block;
use super::word_filters::{TrigramFilter, WordFilter};
use crate::words::quarters_of_word;

/// Classes of bytes, one bit each.
pub(super) const WORD: u8 = 1;
const DIGIT: u8 = 2;
const UPPER: u8 = 4;
const WIDE: u8 = 8;
const SIGN: u8 = 16;
const SPACE: u8 = 32;
/// Ends a sentence.
const STOP: u8 = 64;
/// Ends a part of a sentence.
const PAUSE: u8 = 128;

const CLASSES: [u8; 256] = {
    let mut classes = [0_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = match byte as u8 {
            b'0'..=b'9' => WORD | DIGIT,
            b'A'..=b'Z' => WORD | UPPER,
            b'a'..=b'z' => WORD,
            b'$' => SIGN,
            b' ' | b'\t' | b'\n' | b'\x0C' | b'\r' => SPACE,
            b'.' | b'!' | b'?' => STOP,
            b',' | b';' => PAUSE,
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

fn class_of(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// For the first word of a text: a hash without case and punctuation, the classes of its bytes, and its
/// length.
fn hash_first(text: &[u8]) -> (u64, u8, usize) {
    let (mut hash, mut classes, mut length) = (0xCBF2_9CE4_8422_2325_u64, 0, 0);
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    for byte in text {
        let class = class_of(*byte);
        // Nearly every byte is a lower-case letter.
        if class == WORD {
            hash = add(hash, *byte);
        } else if class & SPACE != 0 {
            break;
        } else if class & WORD != 0 {
            hash = add(hash, byte | 0x20);
        }
        classes |= class;
        length += 1;
    }
    (hash, classes, length)
}

/// A hash of a word without case and punctuation, and the classes of its bytes.
pub(super) fn hash_word(word: &[u8]) -> (u64, u8) {
    let (hash, classes, _) = hash_first(word);
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

/// Marks that end a sentence in scripts without a space after them: those of Chinese and Japanese, also in
/// vertical form, of Khmer, Burmese and Tibetan.
const WIDE_STOPS: [char; 11] = ['。', '！', '？', '．', '｡', '︒', '︕', '︖', '។', '။', '།'];

/// Marks that end a part of a sentence in these scripts.
const WIDE_PAUSES: [char; 9] = ['、', '，', '；', '､', '﹐', '︐', '︑', '︔', '၊'];

/// Marks that end a sentence before a space: those of Latin and related scripts, Arabic, Urdu, Hindi,
/// Amharic and Armenian.
const SPACED_STOPS: [char; 10] = ['.', '!', '?', '…', '؟', '۔', '।', '॥', '።', '։'];

/// Marks that end a part of a sentence before a space.
const SPACED_PAUSES: [char; 5] = [',', ';', '،', '؛', '፣'];

/// The ideographic space.
const WIDE_SPACE: char = '\u{3000}';

/// Filters of the page's own descriptions, which every word of a block is looked up in.
#[derive(Debug, Default)]
pub(super) struct PageFilters {
    /// The words of the page's title.
    pub(super) title: WordFilter,
    /// The words of its description.
    pub(super) description: WordFilter,
    /// The texts of its JSON-LD.
    pub(super) json_ld: TrigramFilter,
}

impl Block {
    /// Adds a text to the block, and returns the number of its words.
    pub(super) fn read(&mut self, text: &str, filters: &PageFilters) -> u32 {
        let bytes = text.as_bytes();
        let before = self.words;
        let (mut all, mut sign) = (0, false);
        let mut at = 0;
        while let Some(first) = bytes.get(at) {
            if class_of(*first) & SPACE != 0 {
                at += 1;
                continue;
            }
            let start = at;
            let (hash, classes, length) = hash_first(bytes.get(start..).unwrap_or_default());
            at += length;
            all |= classes;
            if classes & WORD == 0 {
                continue;
            }
            if classes & WIDE == 0 {
                if self.words == 0 {
                    self.starts_capital = first.is_ascii_uppercase();
                }
                self.words += 1;
                self.letters += u32::try_from(length).unwrap_or(u32::MAX);
                self.read_word_end(bytes, at);
            } else {
                sign |= self.wide_word(text.get(start..at).unwrap_or_default());
            }
            self.capitals += u32::from(first.is_ascii_uppercase());
            self.digits += u32::from(classes & DIGIT != 0);
            self.sentences += u32::from(self.ends_sentence);
            self.hash = mix(self.hash, hash);
            self.title_words += u32::from(filters.title.contains(hash));
            self.description_words += u32::from(filters.description.contains(hash));
            if filters.json_ld.words > 0 {
                let [newest, older] = self.recent;
                self.json_ld_words += u32::from(filters.json_ld.contains(older, newest, hash));
                self.recent = [hash, newest];
            }
        }
        self.price |= (sign || all & SIGN != 0) && all & DIGIT != 0;
        self.words - before
    }

    /// Reads how the ASCII word before `end` ends.
    fn read_word_end(&mut self, bytes: &[u8], end: usize) {
        let before = |steps: usize| bytes.get(end.wrapping_sub(steps)).copied().unwrap_or_default();
        let last = before(1);
        (self.ends_sentence, self.has_colon_end) = (false, false);
        let class = class_of(last);
        if class & WORD == 0 {
            self.ends_sentence = class & STOP != 0 || (matches!(last, b'"' | b')') && before(2) == b'.');
            self.commas += u32::from(class & PAUSE != 0);
            self.has_colon_end = last == b':';
        }
    }

    /// Counts a run of text that is not all ASCII: one word, or several in scripts without spaces. True if it
    /// has a currency sign.
    #[cold]
    fn wide_word(&mut self, run: &str) -> bool {
        if self.words == 0 {
            self.starts_capital = run.chars().next().is_some_and(char::is_uppercase);
        }
        let (mut letters, mut quarters, mut pieces, mut stops, mut sign) = (0, 0, 0, 0, false);
        let mut apart = true;
        for c in run.chars() {
            if c == WIDE_SPACE {
                apart = true;
                continue;
            }
            pieces += u32::from(std::mem::take(&mut apart));
            letters += 1;
            quarters += quarters_of_word(c);
            stops += u32::from(WIDE_STOPS.contains(&c));
            self.commas += u32::from(WIDE_PAUSES.contains(&c));
            sign |= matches!(c, '€' | '£' | '¥' | '₹');
        }
        self.words += pieces + quarters / 4;
        self.letters += letters;
        let run = run.trim_end_matches(WIDE_SPACE);
        let unquoted = run.trim_end_matches(['」', '』', '）', '”', '’', '﹂', '﹄', '︶']);
        let ends_wide = unquoted.ends_with(WIDE_STOPS);
        // The last sentence of the run is counted by `ends_sentence`.
        self.sentences += stops - u32::from(ends_wide);
        self.ends_sentence = ends_wide || run.ends_with(SPACED_STOPS) || run.ends_with(".”");
        self.commas += u32::from(run.ends_with(SPACED_PAUSES));
        self.has_colon_end = run.ends_with([':', '：']);
        sign
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_in_scripts_without_spaces() {
        // Words, sentences, commas, and whether a sentence ends.
        let rows = [
            ("One, two; three. Four!", (4, 2, 2, true)),
            ("窯は熱い。土は、冷たい。", (5, 2, 1, true)),
            ("「窯は熱い。」", (3, 1, 0, true)),
            ("窯は熱い。土は", (4, 1, 0, false)),
            ("窯の温度\u{3000}土の温度", (6, 0, 0, false)),
            ("가마 온도", (2, 0, 0, false)),
            ("﹁窯は熱い︒﹂土は︑冷たい︒", (5, 2, 1, true)),
            ("เตาเผาร้อนมาก", (4, 0, 0, false)),
            ("ឡក្តៅ។ដីត្រជាក់។", (5, 2, 0, true)),
            ("እቶኑ ሞቋል፣ ጭቃው ቀዝቅዟል።", (4, 1, 1, true)),
            ("بھٹی گرم ہے، مٹی ٹھنڈی ہے۔", (6, 1, 1, true)),
            ("Où est-il ? À Genève, bien sûr…", (6, 1, 1, true)),
        ];
        for (text, expected) in rows {
            let mut block = Block::default();
            block.read(text, &PageFilters::default());
            assert_eq!((block.words, block.sentences, block.commas, block.ends_sentence), expected, "{text}");
        }
    }
}
