use std::fmt;

/// A page of a crawl: the keyed 64-bit hash (SipHash-1-3) of its canonical URL.
///
/// # What a collision costs
///
/// Two different pages of one key are taken for one: the second is never crawled. For `n` pages in one job the chance
/// that there is any such pair is about `n² / 2⁶⁵`: 1 in 37 million at a million pages, 1 in 370,000 at ten million.
/// Keys are compared within a job only, so jobs do not add to each other's risk. A site that sets out to produce one
/// needs about 2³² tries and the seed, and hides a page of its own; see
/// [`Identity::with_seed`](crate::Identity::with_seed). 128 bits would double the memory of every page ever seen, to
/// remove a risk far below that of a failed request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(u64);

impl UrlKey {
    /// The key of these bits. A batch, whose URLs may repeat, gives each its own number.
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
