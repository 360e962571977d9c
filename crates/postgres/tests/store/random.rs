//! A seeded generator of random numbers for tests.

use gleaner_testkit::scattered;

/// A sequence of numbers that its seed determines.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    seed: u64,
    at: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, at: 0 }
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.at += 1;
        scattered(self.seed.wrapping_mul(0x0100_0001).wrapping_add(self.at * self.at), end)
    }

    pub(crate) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap()
    }
}
