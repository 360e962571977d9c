//! The memory that pages take while they are transformed, all jobs together.
//!
//! A page is granted what it may take before its transform begins, and gives it back when the work has ended,
//! be it by a panic. It waits where there is none. Small and large pages have a share each, first come, first
//! served: in one queue small pages would wait behind a large one that waits for most of the budget, and in a
//! queue by size the large one would wait for ever. A page that would take more than the whole share of the
//! large ones is granted that share alone, and the transform leaves out what does not fit.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory for the pages under way where nothing else is said, in bytes: 512 MiB.
pub const DEFAULT_PAGE_MEMORY: u64 = 512 << 20;

/// Memory is granted in units of this many bytes.
const UNIT: usize = 1 << 10;

/// A larger share than this counts as this: 128 GiB.
const MOST_UNITS: usize = 1 << 27;

/// A page counts as small if this many like it fit the share of the small ones.
const SMALL_AT_ONCE: u32 = 4;

/// How a budget of memory is divided among the pages under way: a quarter for bodies as they come in, a
/// quarter for the transform of small pages and half of it for that of large ones.
///
/// Not counted are what is bounded elsewhere: documents on their way to the store and in it, the conversion
/// of PDFs, sitemaps, what is read off a page by a model or an extractor, copies that a cache gives, what a
/// browser holds, and small pages that are transformed on the threads of the runtime: one at once on each
/// thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryBudget {
    /// For bodies from the time that they come in until they are transformed.
    pub bodies: u64,
    /// For the transform of small pages.
    pub small: usize,
    /// For the transform of large pages: the most that one page is granted.
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

/// What is left of the shares.
#[derive(Debug)]
pub(crate) struct Memory {
    small: Share,
    large: Share,
}

impl Memory {
    pub(crate) fn new(shares: MemoryBudget) -> Self {
        Self { small: Share::new(shares.small), large: Share::new(shares.large) }
    }

    /// Waits for this many bytes; they are given back when the value is dropped. `None` where none are
    /// needed.
    pub(crate) async fn grant(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let is_small = units <= self.small.all / SMALL_AT_ONCE;
        if is_small { self.small.take(units).await } else { self.large.take(units).await }
    }
}

#[derive(Debug)]
struct Share {
    /// Its size, in units.
    all: u32,
    left: Arc<Semaphore>,
}

impl Share {
    fn new(bytes: usize) -> Self {
        let units = (bytes / UNIT).min(MOST_UNITS);
        Self { all: u32::try_from(units).unwrap_or(u32::MAX), left: Arc::new(Semaphore::new(units)) }
    }

    async fn take(&self, units: u32) -> Option<OwnedSemaphorePermit> {
        let units = units.min(self.all);
        if units == 0 {
            return None;
        }
        // Never closed.
        Arc::clone(&self.left).acquire_many_owned(units).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MIB: usize = 1 << 20;

    fn memory() -> Memory {
        Memory::new(MemoryBudget::of(64 << 20))
    }

    #[tokio::test]
    async fn pages_that_do_not_fit_together_take_turns() {
        let memory = memory();
        let first = memory.grant(20 * MIB).await.unwrap();
        let mut second = Box::pin(memory.grant(20 * MIB));
        assert!(second.as_mut().now_or_never().is_none());
        let mut third = Box::pin(memory.grant(5 * MIB));
        assert!(third.as_mut().now_or_never().is_none(), "it came later, though it would fit");
        drop(first);
        let second = second.await.unwrap();
        let third = third.await.unwrap();
        assert_eq!((second.num_permits(), third.num_permits()), (20 << 10, 5 << 10));
    }

    #[tokio::test]
    async fn small_pages_pass_large_ones() {
        let memory = memory();
        let _all = memory.grant(32 * MIB).await.unwrap();
        let mut waits = Box::pin(memory.grant(32 * MIB));
        assert!(waits.as_mut().now_or_never().is_none());
        let small: Vec<_> = (0..4).map(|_| memory.grant(4 * MIB).now_or_never()).collect();
        assert!(small.iter().all(Option::is_some), "a share of their own");
        assert!(memory.grant(4 * MIB).now_or_never().is_none(), "which has an end");
        drop(small);
        assert!(memory.grant(4 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_page_larger_than_the_share_is_alone() {
        let memory = memory();
        let whole = memory.grant(usize::MAX).await.unwrap();
        assert_eq!(whole.num_permits(), 32 << 10);
        assert!(memory.grant(5 * MIB).now_or_never().is_none());
        drop(whole);
        assert!(memory.grant(5 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_takes_nothing() {
        let memory = memory();
        let first = memory.grant(20 * MIB).await.unwrap();
        let mut second = Box::pin(memory.grant(32 * MIB));
        assert!(second.as_mut().now_or_never().is_none());
        drop(second);
        drop(first);
        assert!(memory.grant(32 * MIB).now_or_never().is_some());
        assert!(memory.grant(0).await.is_none(), "nothing is asked for");
    }
}
