//! The memory for the transform of pages, over all jobs.
//!
//! A page gets a grant for its estimated memory before its transform starts, and returns it when the work
//! ends, including by a panic. It waits while there is not enough. Small and large pages have separate
//! shares, which teams and hosts get in turn. Alternatives: in one queue, small pages would wait behind a
//! large one that needs most of the budget. In a queue by size, the large one would starve. A page that needs
//! more than the whole large share gets exactly that share, and the transform drops what does not fit.

use crate::fair_semaphore::{FairPermit, FairSemaphore, SlotOwner};

/// Default memory for pages in work, in bytes: 512 MiB.
pub const DEFAULT_PAGE_MEMORY: u64 = 512 << 20;

/// Memory is granted in units of this many bytes.
const UNIT: usize = 1 << 10;

/// A page is small if at least this many of its size fit the small share.
const MIN_SMALL_PAGES: usize = 4;

/// The division of a memory budget among the pages in work: a quarter for bodies while they are received, a
/// quarter for the transform of small pages, half for the transform of large pages.
///
/// Memory that is bounded elsewhere is not counted: documents before and in the store, the conversion of
/// PDFs, sitemaps, the work of models and extractors, cached copies, browsers, and light pages that are
/// transformed on runtime threads (at most one per thread).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryBudget {
    /// For bodies, from their first byte until they are transformed. Teams take turns.
    pub bodies: u64,
    /// For the transform of small pages.
    pub small: usize,
    /// For the transform of large pages. Also the maximum for one page.
    pub large: usize,
}

impl MemoryBudget {
    /// The shares of a budget of this many bytes.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        let share = |part: u64| usize::try_from(part).unwrap_or(usize::MAX);
        Self { bodies: bytes / 4, small: share(bytes / 4), large: share(bytes / 2) }
    }
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::of(DEFAULT_PAGE_MEMORY)
    }
}

/// The free memory of the shares.
#[derive(Debug)]
pub(crate) struct Memory {
    small: Share,
    large: Share,
}

impl Memory {
    pub(crate) fn new(shares: MemoryBudget) -> Self {
        Self { small: Share::new(shares.small), large: Share::new(shares.large) }
    }

    /// Waits for a grant of this many bytes. Dropping the permit returns them. `None` for 0 bytes.
    pub(crate) async fn grant(&self, owner: &SlotOwner, bytes: usize) -> Option<FairPermit> {
        let units = bytes.div_ceil(UNIT);
        let is_small = units <= self.small.total / MIN_SMALL_PAGES;
        if is_small { self.small.take(owner, units).await } else { self.large.take(owner, units).await }
    }
}

#[derive(Debug)]
struct Share {
    /// In units.
    total: usize,
    free: FairSemaphore,
}

impl Share {
    fn new(bytes: usize) -> Self {
        let total = bytes / UNIT;
        Self { total, free: FairSemaphore::new(total) }
    }

    async fn take(&self, owner: &SlotOwner, units: usize) -> Option<FairPermit> {
        let units = units.min(self.total);
        if units == 0 {
            return None;
        }
        Some(self.free.acquire_many(owner, false, units).await)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MIB: usize = 1 << 20;

    fn owner() -> SlotOwner {
        SlotOwner::new(None, &"https://a.example/".parse().unwrap())
    }

    fn memory() -> Memory {
        Memory::new(MemoryBudget::of(64 << 20))
    }

    #[tokio::test]
    async fn pages_that_do_not_fit_together_wait_in_order() {
        let (memory, owner) = (memory(), owner());
        let first = memory.grant(&owner, 20 * MIB).await.unwrap();
        let mut second = Box::pin(memory.grant(&owner, 20 * MIB));
        assert!(second.as_mut().now_or_never().is_none());
        let mut third = Box::pin(memory.grant(&owner, 5 * MIB));
        assert!(third.as_mut().now_or_never().is_none(), "it would fit, but came later");
        drop(first);
        let second = second.await.unwrap();
        let third = third.await.unwrap();
        assert_eq!((second.slots(), third.slots()), (20 << 10, 5 << 10));
    }

    #[tokio::test]
    async fn small_pages_pass_large_ones() {
        let (memory, owner) = (memory(), owner());
        let _all = memory.grant(&owner, 32 * MIB).await.unwrap();
        let mut waits = Box::pin(memory.grant(&owner, 32 * MIB));
        assert!(waits.as_mut().now_or_never().is_none());
        let small: Vec<_> = (0..4).map(|_| memory.grant(&owner, 4 * MIB).now_or_never()).collect();
        assert!(small.iter().all(Option::is_some), "small pages have their own share");
        assert!(memory.grant(&owner, 4 * MIB).now_or_never().is_none(), "the small share is exhausted");
        drop(small);
        assert!(memory.grant(&owner, 4 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_page_larger_than_the_share_gets_the_whole_share() {
        let (memory, owner) = (memory(), owner());
        let whole = memory.grant(&owner, usize::MAX).await.unwrap();
        assert_eq!(whole.slots(), 32 << 10);
        assert!(memory.grant(&owner, 5 * MIB).now_or_never().is_none());
        drop(whole);
        assert!(memory.grant(&owner, 5 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_cancelled_wait_takes_no_memory() {
        let (memory, owner) = (memory(), owner());
        let first = memory.grant(&owner, 20 * MIB).await.unwrap();
        let mut second = Box::pin(memory.grant(&owner, 32 * MIB));
        assert!(second.as_mut().now_or_never().is_none());
        drop(second);
        drop(first);
        assert!(memory.grant(&owner, 32 * MIB).now_or_never().is_some());
        assert!(memory.grant(&owner, 0).await.is_none(), "0 bytes need no grant");
    }
}
