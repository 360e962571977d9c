//! What an engine keeps, as a group.

use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::CacheStore;

use super::{EngineBuilder, PageCache};

/// What an engine keeps of pages and jobs, for [`EngineBuilder::storage`]: copies of pages, results and their
/// time. What is not set keeps its default. Where jobs are kept is a setting of the builder itself:
/// [`store`](EngineBuilder::store), `store_at` or `store_in_database`.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use gleaner::{DiskCache, Engine, Storage};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cache = DiskCache::open("copies", 1 << 30)?; // at most 1 GiB
/// let engine = Engine::builder().storage(Storage::new().cache(Arc::new(cache))).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Storage {
    cache: Option<PageCache>,
    retained: Option<(usize, u64)>,
    result_retention: Option<Duration>,
    /// Maximum size of the file of jobs. Set in the module `sqlite`.
    pub(crate) store_bound: Option<u64>,
}

impl Storage {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where copies of fetched pages are kept, for requests with `max_age`, `min_age` or `lockdown`. A
    /// typed request that sets none of them fetches its page. Default: at most 4 MiB in memory. A
    /// [`MemoryCache`](crate::MemoryCache) can hold more, a [`DiskCache`](crate::DiskCache) survives a
    /// restart, and a [`CacheStore`] of your own keeps them where you like.
    #[must_use]
    pub fn cache(mut self, store: Arc<dyn CacheStore>) -> Self {
        self.cache = Some(PageCache::Store(store));
        self
    }

    /// Keeps no copies of pages. Every request fetches, and requests that accept only copies are refused.
    #[must_use]
    pub fn no_cache(mut self) -> Self {
        self.cache = Some(PageCache::None);
        self
    }

    /// Sets the capacity for results of all jobs together, in bytes: in memory (default
    /// [`DEFAULT_ALL_RETAINED_BYTES`](crate::store::DEFAULT_ALL_RETAINED_BYTES), 256 MiB), and for the rest
    /// in temporary files (default [`DEFAULT_SPILLED_BYTES`](crate::store::DEFAULT_SPILLED_BYTES), 64 GiB).
    /// No stored result is dropped: a job fails with an error if its next document fits in neither.
    #[must_use]
    pub fn retained_results(mut self, in_memory: usize, on_disk: u64) -> Self {
        self.retained = Some((in_memory, on_disk));
        self
    }

    /// Sets how long an ended job and its results are kept. Default: a day. With [`Duration::MAX`], they are
    /// kept until the job is removed. The `expiresAt` of the HTTP API is a day after the end in any case.
    #[must_use]
    pub fn result_retention(mut self, time: Duration) -> Self {
        self.result_retention = Some(time);
        self
    }
}

impl EngineBuilder {
    /// Sets what the engine keeps of pages and jobs. What `storage` does not set stays as it is.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.cache = storage.cache.unwrap_or(self.cache);
        self.retained = storage.retained.or(self.retained);
        self.result_retention = storage.result_retention.or(self.result_retention);
        self.file.set_bound(storage.store_bound);
        self
    }
}
