//! Near-duplicate detection: soft 404s, the empty days of a calendar, one listing in several orders.
//!
//! A fingerprint is a SimHash (Charikar 2002; for pages, Manku, Jain and Das Sarma 2007): each shingle of
//! words votes on each of 64 bits, so pages that share most of their words share most of their bits. A plain
//! hash changes completely with the one word that names the day.

/// Words per shingle. Single words show the topic of a page; shingles show its text.
const SHINGLE_WORDS: usize = 3;

/// A text with fewer words gets no fingerprint: it is too short to compare.
pub const MIN_FINGERPRINT_WORDS: usize = 8;

/// Only this many words of a text are used. They are enough to distinguish real pages; more would cost time
/// without changing the result.
pub const MAX_FINGERPRINT_WORDS: usize = 512;

/// Only this many characters of a text are read, because a text may contain no words.
const MAX_CHARS: usize = 64 << 10;

/// Pages whose fingerprints differ in at most this many bits are near-duplicates.
pub const NEAR_BITS: u32 = 12;

/// The text of a page, reduced to 64 bits. Pages with nearly the same text have nearly the same bits.
///
/// ```
/// use gleaner_frontier::Fingerprint;
///
/// let page = |day: u32| {
///     let rest = "There are no events on this day. Have a look at the other months of the year, or \
///                 write to us to have an event of your own listed in the calendar of the town, free of \
///                 charge.";
///     Fingerprint::of(&format!("{day} May 2031. {rest}")).expect("enough words")
/// };
/// assert!(page(3).is_near(page(24)));
/// let other = "The quick brown fox jumps over the lazy dog, and then it sleeps until noon.";
/// let other = Fingerprint::of(other);
/// assert!(!other.expect("enough words").is_near(page(3)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of the text of a page, preferably its main content without menus. `None` if the text
    /// has fewer than [`MIN_FINGERPRINT_WORDS`] words.
    ///
    /// Letter case, digits and punctuation are ignored, because near-duplicates differ in numbers. Time is
    /// linear in the first 65,536 characters of the text; memory is constant.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut shingles = Shingles::default();
        let mut word = None;
        for c in text.chars().take(MAX_CHARS) {
            if c.is_ascii_alphabetic() {
                word = Some(extend_word_hash(word, c.to_ascii_lowercase()));
            } else if !c.is_ascii() && c.is_alphabetic() {
                word = c.to_lowercase().fold(word, |word, c| Some(extend_word_hash(word, c)));
            } else if let Some(word) = word.take() {
                shingles.push(word);
                if shingles.words == MAX_FINGERPRINT_WORDS {
                    break;
                }
            }
        }
        word.into_iter().for_each(|word| shingles.push(word));
        (shingles.words >= MIN_FINGERPRINT_WORDS).then(|| Self(shingles.votes.majority()))
    }

    /// Restores a fingerprint from its stored bits.
    #[must_use]
    pub const fn from_raw(bits: u64) -> Self {
        Self(bits)
    }

    /// The bits, for storing.
    #[must_use]
    pub const fn to_raw(self) -> u64 {
        self.0
    }

    /// The number of bits in which two fingerprints differ, 0 to 64. About 32 for unrelated pages.
    #[must_use]
    pub const fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }

    /// True if the pages have nearly the same text: at most [`NEAR_BITS`] bits differ.
    #[must_use]
    pub const fn is_near(self, other: Self) -> bool {
        self.distance(other) <= NEAR_BITS
    }
}

/// Extends the hash of a word by one letter. It is cheap because it runs for every letter; [`mix`]
/// spreads the bits at the end of the word.
fn extend_word_hash(word: Option<u64>, letter: char) -> u64 {
    (word.unwrap_or(0).rotate_left(5) ^ u64::from(letter)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Collects the words of a text and the votes of their shingles.
#[derive(Debug, Default)]
struct Shingles {
    words: usize,
    last: [u64; SHINGLE_WORDS],
    votes: Votes,
}

impl Shingles {
    fn push(&mut self, word: u64) {
        self.last.rotate_left(1);
        if let Some(last) = self.last.last_mut() {
            *last = mix(word);
        }
        self.words += 1;
        if self.words >= SHINGLE_WORDS {
            self.votes.add(mix(self.last.iter().fold(0, |hash: u64, word| hash.rotate_left(17) ^ word)));
        }
    }
}

/// Binary digits needed to count [`MAX_FINGERPRINT_WORDS`] votes.
const DIGITS: usize = MAX_FINGERPRINT_WORDS.ilog2() as usize + 1;

/// The number of votes for each of 64 bits, stored bit-sliced: digit `n` of all counters is one number, so
/// one addition with carry updates 64 counters at once. 64 separate counters cost several times as much.
#[derive(Debug, Default)]
struct Votes {
    digits: [u64; DIGITS],
    cast: u32,
}

impl Votes {
    fn add(&mut self, mut carry: u64) {
        self.cast += 1;
        for digit in &mut self.digits {
            let full = *digit & carry;
            *digit ^= carry;
            carry = full;
            if carry == 0 {
                return;
            }
        }
    }

    /// The bits with votes from more than half of the shingles.
    fn majority(&self) -> u64 {
        let votes_for = |bit: u32| {
            let digits = self.digits.iter().zip(0_u32..);
            digits
                .fold(0_u32, |votes, (digit, position)| votes | u32::from(digit >> bit & 1 == 1) << position)
        };
        (0..u64::BITS).filter(|bit| 2 * votes_for(*bit) > self.cast).fold(0, |bits, bit| bits | 1 << bit)
    }
}

/// The finalizer of SplitMix64.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "\
        The county almanac lists the markets of the year by town and by month. Bread is sold on Mondays near \
        the bridge, cattle on the first Friday behind the church, and cloth whenever the weavers have \
        finished a piece. Visitors who come by train should walk along the river, where the path is dry in \
        all but the wettest weeks.";

    fn of(text: &str) -> Fingerprint {
        Fingerprint::of(text).unwrap()
    }

    #[test]
    fn near_duplicates_are_detected() {
        let soft = |path: &str| {
            format!(
                "Sorry, nothing was found at {path}. The page may have moved. Try the search above or go \
                 back home."
            )
        };
        let changed = PROSE.replace("bridge", "mill");
        let other = "Rivers carry silt to the sea, and where the current slows the silt sinks and builds a \
                     delta. Farmers have used this ground since there were farmers, for it is flat and black \
                     and needs little.";
        for (name, one, two, near) in [
            ("itself", PROSE.to_owned(), PROSE.to_owned(), true),
            ("case and punctuation", PROSE.to_owned(), PROSE.to_uppercase().replace(',', " -"), true),
            ("numbers", format!("1 {PROSE} 2"), format!("33 {PROSE} 2031"), true),
            ("one word of many", PROSE.to_owned(), changed, true),
            ("soft 404s", soft("/x/12"), soft("/y/345"), true),
            ("other prose", PROSE.to_owned(), other.to_owned(), false),
            (
                "half and half",
                PROSE.to_owned(),
                format!("{} {other}", PROSE.split_at(PROSE.len() / 2).0),
                false,
            ),
        ] {
            let distance = of(&one).distance(of(&two));
            assert_eq!(of(&one).is_near(of(&two)), near, "{name}: {distance} bits");
        }
    }

    #[test]
    fn short_texts_have_no_fingerprint() {
        assert_eq!(Fingerprint::of(""), None);
        assert_eq!(Fingerprint::of("Page 12 of 99: next"), None);
        assert!(Fingerprint::of(&"word ".repeat(MIN_FINGERPRINT_WORDS)).is_some());
        assert!(Fingerprint::of(&"word ".repeat(3 * MAX_FINGERPRINT_WORDS)).is_some());
        let after_digits = |digits: usize| Fingerprint::of(&format!("{}{PROSE}", "1".repeat(digits)));
        assert!(after_digits(MAX_CHARS / 2).is_some() && after_digits(MAX_CHARS).is_none());
    }

    #[test]
    fn bit_sliced_counters_count_votes() {
        let mut votes = Votes::default();
        // Bit `n` gets `8 * n` of 504 votes, so those from 32 on have more than half.
        for vote in 0..504 {
            votes.add((0..64).filter(|bit| vote < 8 * bit).fold(0, |bits, bit| bits | 1 << bit));
        }
        assert_eq!(votes.majority(), u64::MAX << 32);
    }

    #[test]
    fn a_stored_fingerprint_is_restored_unchanged() {
        // Stored crawls compare fingerprints, so the values must never change.
        assert_eq!(Fingerprint::from_raw(of(PROSE).to_raw()), of(PROSE));
    }
}
