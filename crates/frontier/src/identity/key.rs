//! The 64-bit key that identifies a page within a crawl.

use std::fmt;

/// The key of a page in a crawl: the keyed 64-bit hash (SipHash-1-3) of its canonical URL.
///
/// # Collisions
///
/// Two different pages with the same key count as one page: the second is never crawled. For `n` pages in one
/// job the probability of any collision is about `n² / 2⁶⁵`: 1 in 37 million for a million pages, 1 in
/// 370,000 for ten million. Keys are compared within one job only, so jobs do not add to each other's risk.
/// An attacker needs about 2³² tries and the seed to produce a collision, and hides only a page of its own
/// site; see [`Identity::with_seed`](crate::Identity::with_seed). 128 bits would double the memory of every
/// known page, to remove a risk that is far smaller than that of a failed request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(u64);

impl UrlKey {
    /// The key with these bits. A batch, in which URLs may repeat, uses a number for each of its pages.
    #[must_use]
    pub const fn from_raw(bits: u64) -> Self {
        Self(bits)
    }

    /// The bits, for storing.
    #[must_use]
    pub const fn to_raw(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UrlKey({:016x})", self.0)
    }
}
