//! A cache in memory, bounded in bytes.

use std::io;
use std::sync::Arc;

use gleaner_types::BoxFuture;
use moka::sync::Cache;

use super::{CacheEntry, CacheKey, CacheStore};

/// Most bytes that a [`MemoryCache`] holds by default: 4 MiB, some hundred pages, so that a crawl needs
/// little memory.
pub const DEFAULT_MEMORY_CACHE_BYTES: u64 = 4 << 20;

/// Copies in memory, bounded in bytes. Beyond the bound the least frequently used are evicted (moka's
/// TinyLFU).
#[derive(Debug, Clone)]
pub struct MemoryCache {
    entries: Cache<CacheKey, Arc<CacheEntry>>,
}

impl MemoryCache {
    /// A cache of at most this many bytes: bodies, headers, URLs and an estimated overhead.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let entries = Cache::builder()
            .max_capacity(max_bytes)
            .weigher(|_: &CacheKey, entry: &Arc<CacheEntry>| {
                u32::try_from(entry.weight()).unwrap_or(u32::MAX)
            })
            .build();
        Self { entries }
    }
}

impl Default for MemoryCache {
    fn default() -> Self {
        Self::new(DEFAULT_MEMORY_CACHE_BYTES)
    }
}

impl CacheStore for MemoryCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        Box::pin(async move { Ok(self.entries.get(key)) })
    }

    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.entries.insert(entry.key().clone(), entry);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.entries.invalidate(key);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    #[tokio::test]
    async fn entries_are_kept_replaced_and_removed() {
        let cache = MemoryCache::default();
        let (one, other) = (Arc::new(entry("/1", b"one")), Arc::new(entry("/2", b"other")));
        cache.put(Arc::clone(&one)).await.unwrap();
        cache.put(Arc::clone(&other)).await.unwrap();
        assert_eq!(cache.get(one.key()).await.unwrap().unwrap().body(), &b"one"[..]);
        let newer = Arc::new(entry("/1", b"newer"));
        cache.put(newer).await.unwrap();
        assert_eq!(cache.get(one.key()).await.unwrap().unwrap().body(), &b"newer"[..]);
        cache.remove(one.key()).await.unwrap();
        assert!(cache.get(one.key()).await.unwrap().is_none());
        assert!(cache.get(other.key()).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn bytes_are_bounded() {
        let cache = MemoryCache::new(1_000_000);
        for page in 0..500 {
            cache.put(Arc::new(entry(&format!("/{page}"), &[b'x'; 20_000]))).await.unwrap();
        }
        cache.entries.run_pending_tasks();
        let bytes = cache.entries.weighted_size();
        assert!(bytes <= 1_000_000 && bytes > 500_000, "{bytes}");
    }
}
