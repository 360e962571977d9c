//! Which pages say the same: soft 404s, the empty days of a calendar, a listing sorted otherwise.
//!
//! A fingerprint is a SimHash (Charikar 2002; for pages, Manku, Jain and Das Sarma 2007): each run of words votes on each
//! of 64 bits, and pages that share most of their words share most of their bits. A plain hash, the obvious alternative,
//! differs with the one word that names the day.

/// So many words in a row are one vote: single words tell what a page is about, runs tell what it says.
const RUN: usize = 3;

/// Fewer words than this say too little to compare pages by.
pub const MIN_FINGERPRINT_WORDS: usize = 8;

/// Words beyond this many are not looked at: these are enough to tell pages apart that have anything to say, and looking
/// at more would cost more than a crawl has to gain by it.
pub const MAX_FINGERPRINT_WORDS: usize = 512;

/// Characters beyond this many are not looked at either: a text may have no words at all.
const MAX_CHARS: usize = 64 << 10;

/// Pages whose fingerprints differ in at most so many bits are near-duplicates.
pub const NEAR_BITS: u32 = 12;

/// What a page says, in 64 bits. Pages that say nearly the same have nearly the same bits.
///
/// ```
/// use gleaner_frontier::Fingerprint;
///
/// let page = |day: u32| {
///     let rest = "There are no events on this day. Have a look at the other months of the year, or write to us to \
///                 have an event of your own listed in the calendar of the town, free of charge.";
///     Fingerprint::of(&format!("{day} May 2031. {rest}")).expect("enough words")
/// };
/// assert!(page(3).is_near(page(24)));
/// let other = Fingerprint::of("The quick brown fox jumps over the lazy dog, and then it sleeps until noon.");
/// assert!(!other.expect("enough words").is_near(page(3)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of a page's text (its main content, best without menus). `None` where there are fewer than
    /// [`MIN_FINGERPRINT_WORDS`] words.
    ///
    /// Letter case, digits and punctuation do not count: numbers are what near-duplicates differ in. Time is linear in the
    /// first 65,536 characters of the text, and memory is constant.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut runs = Runs::default();
        let mut word = None;
        for c in text.chars().take(MAX_CHARS) {
            if c.is_ascii_alphabetic() {
                word = Some(spell(word, c.to_ascii_lowercase()));
            } else if !c.is_ascii() && c.is_alphabetic() {
                word = c.to_lowercase().fold(word, |word, c| Some(spell(word, c)));
            } else if let Some(word) = word.take() {
                runs.push(word);
                if runs.words == MAX_FINGERPRINT_WORDS {
                    break;
                }
            }
        }
        word.into_iter().for_each(|word| runs.push(word));
        (runs.words >= MIN_FINGERPRINT_WORDS).then(|| Self(runs.votes.majority()))
    }

    /// The fingerprint of these bits, as a store has kept them.
    #[must_use]
    pub const fn from_raw(bits: u64) -> Self {
        Self(bits)
    }

    /// The bits, for storing.
    #[must_use]
    pub const fn to_raw(self) -> u64 {
        self.0
    }

    /// In how many bits two fingerprints differ, 0 to 64. About 32 for pages that have nothing in common.
    #[must_use]
    pub const fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }

    /// True for pages that say nearly the same: at most [`NEAR_BITS`] differ.
    #[must_use]
    pub const fn is_near(self, other: Self) -> bool {
        self.distance(other) <= NEAR_BITS
    }
}

/// The hash of a word that goes on with this letter. For the many, cheap letters; [`mix`] makes up for it at its end.
fn spell(word: Option<u64>, letter: char) -> u64 {
    (word.unwrap_or(0).rotate_left(5) ^ u64::from(letter)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The words of a text as they come, and what their runs vote.
#[derive(Debug, Default)]
struct Runs {
    words: usize,
    last: [u64; RUN],
    votes: Votes,
}

impl Runs {
    fn push(&mut self, word: u64) {
        self.last.rotate_left(1);
        if let Some(last) = self.last.last_mut() {
            *last = mix(word);
        }
        self.words += 1;
        if self.words >= RUN {
            self.votes.add(mix(self.last.iter().fold(0, |hash: u64, word| hash.rotate_left(17) ^ word)));
        }
    }
}

/// Enough binary digits to count [`MAX_FINGERPRINT_WORDS`] votes.
const DIGITS: usize = MAX_FINGERPRINT_WORDS.ilog2() as usize + 1;

/// How many voted for each of 64 bits. The counts lie across: digit `n` of all of them is one number, so that one
/// addition with carry counts 64 votes at once. 64 counters, the obvious alternative, cost several times as much.
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

    /// The bits that more than half voted for.
    fn majority(&self) -> u64 {
        let votes_for = |bit: u32| {
            let digits = self.digits.iter().zip(0_u32..);
            digits.fold(0_u32, |votes, (digit, place)| votes | u32::from(digit >> bit & 1 == 1) << place)
        };
        (0..u64::BITS).filter(|bit| 2 * votes_for(*bit) > self.cast).fold(0, |bits, bit| bits | 1 << bit)
    }
}

/// The finaliser of SplitMix64.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "The county almanac lists the markets of the year by town and by month. Bread is sold on Mondays \
                         near the bridge, cattle on the first Friday behind the church, and cloth whenever the weavers \
                         have finished a piece. Visitors who come by train should walk along the river, where the \
                         path is dry in all but the wettest weeks.";

    fn of(text: &str) -> Fingerprint {
        Fingerprint::of(text).unwrap()
    }

    #[test]
    fn what_counts_as_the_same() {
        let soft = |path: &str| {
            format!(
                "Sorry, nothing was found at {path}. The page may have moved. Try the search above or go back home."
            )
        };
        let changed = PROSE.replace("bridge", "mill");
        let other = "Rivers carry silt to the sea, and where the current slows the silt sinks and builds a delta. \
                     Farmers have used this ground since there were farmers, for it is flat and black and needs little.";
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
    fn too_few_words_have_none() {
        assert_eq!(Fingerprint::of(""), None);
        assert_eq!(Fingerprint::of("Page 12 of 99: next"), None);
        assert!(Fingerprint::of(&"word ".repeat(MIN_FINGERPRINT_WORDS)).is_some());
        assert!(Fingerprint::of(&"word ".repeat(3 * MAX_FINGERPRINT_WORDS)).is_some());
        let behind_digits = |digits: usize| Fingerprint::of(&format!("{}{PROSE}", "1".repeat(digits)));
        assert!(behind_digits(MAX_CHARS / 2).is_some() && behind_digits(MAX_CHARS).is_none());
    }

    #[test]
    fn counts_that_lie_across_are_counts() {
        let mut votes = Votes::default();
        // Bit `n` gets `8 * n` of 504 votes, so those from 32 on have more than half.
        for vote in 0..504 {
            votes.add((0..64).filter(|bit| vote < 8 * bit).fold(0, |bits, bit| bits | 1 << bit));
        }
        assert_eq!(votes.majority(), u64::MAX << 32);
    }

    #[test]
    fn stored_fingerprints_are_found_again() {
        // A stored crawl compares with these: they may never change.
        assert_eq!(Fingerprint::from_raw(of(PROSE).to_raw()), of(PROSE));
    }
}
