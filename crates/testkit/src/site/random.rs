//! A small seeded random number generator.
//!
//! SplitMix64 (Steele, Lea, Flood 2014): eight bytes of state, and the same numbers on every platform and in
//! every release. The `rand` crates do not guarantee stable numbers across releases, but a site must keep its
//! bytes when a dependency is updated.

/// A stream of numbers that depends only on its seed.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// A stream of `seed`; `stream` selects one of its independent streams.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_add(1).wrapping_mul(STEP));
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    /// One word of a list that is not empty.
    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_are_stable() {
        let mut random = Random::new(1, 0);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [0x382f_f84c_b272_81e9, 0x6d1d_b36c_cba9_82d2, 0xb4a0_472e_5780_69ae]);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(Random::new(1, 0).next(), Random::new(1, 1).next());
        assert_ne!(Random::new(1, 0).next(), Random::new(2, 0).next());
    }

    #[test]
    fn below_respects_its_bound() {
        let mut random = Random::new(7, 7);
        assert!((0..1000).all(|_| random.below(13) < 13));
        assert_eq!(random.below(0), 0);
    }
}
