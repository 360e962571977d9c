//! The limits of an engine, as a group.

use std::time::Duration;

use super::EngineBuilder;
use crate::extract::Budgets;

/// Lower bound of [`Limits::page_memory`], in bytes: 64 MiB.
pub const MIN_PAGE_MEMORY: u64 = 64 << 20;

/// What pages and jobs may take at most, for [`EngineBuilder::limits`]. What is not set keeps its default.
///
/// ```
/// use gleaner::{Engine, Limits};
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let limits = Limits::new().max_body(10 << 20).page_memory(256 << 20); // bytes
/// let engine = Engine::builder().limits(limits).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Limits {
    max_body: Option<u64>,
    max_timeout: Option<Duration>,
    page_memory: Option<u64>,
    /// Set in the module `extract`.
    pub(crate) budgets: Budgets,
}

impl Limits {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum size of a page's body in bytes, as sent and as decoded. Default: 50 MiB. A page with
    /// a larger body fails with [`ScrapeBodyTooLarge`](crate::ErrorCode::ScrapeBodyTooLarge).
    /// robots.txt and sitemaps have limits of their own, because a crawl needs all of their rules and links.
    #[must_use]
    pub fn max_body(mut self, bytes: u64) -> Self {
        self.max_body = Some(bytes);
        self
    }

    /// Sets the maximum `timeout` of a request. Default: 300 seconds, which is the bound of the contract.
    /// Less counts as that, and more than an hour as an hour.
    ///
    /// A page in work counts as lost after three times this time, so a longer bound delays the recovery from
    /// a crash of the worker. A [`store`](EngineBuilder::store) has a lease time of its own, which should be
    /// as long.
    #[must_use]
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.max_timeout = Some(timeout);
        self
    }

    /// Sets the maximum memory of all pages in work together, in bytes: from the arrival of their bodies
    /// until their documents are complete. Default: 512 MiB; at least
    /// [`MIN_PAGE_MEMORY`](crate::MIN_PAGE_MEMORY). Pages wait for free memory, and small pages do not wait
    /// for large ones. One page takes at most half of it: the rest of a larger page is left out, and the
    /// document's `warning` says so.
    ///
    /// The first 256 KiB of each body are not counted, and one body at a time may exceed its share.
    /// [`MemoryBudget`](crate::MemoryBudget) lists what else is not counted.
    #[must_use]
    pub fn page_memory(mut self, bytes: u64) -> Self {
        self.page_memory = Some(bytes);
        self
    }
}

impl EngineBuilder {
    /// Sets what pages and jobs may take at most. What `limits` does not set stays as it is.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        if let Some(bytes) = limits.max_body {
            self.fetcher = self.fetcher.max_body(bytes);
        }
        if let Some(timeout) = limits.max_timeout {
            self.bounds = self.bounds.with_timeout(timeout);
        }
        self.page_memory = limits.page_memory.or(self.page_memory);
        self.extract.set_budgets(limits.budgets);
        self
    }
}
