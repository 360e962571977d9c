use std::fmt;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;

use super::{CacheEntry, CacheKey};

/// Where copies are kept. [`crate::MemoryCache`] and [`crate::DiskCache`] are two; implement it to keep them
/// elsewhere.
///
/// A store is trusted with nothing but its bound: what it returns is checked against the key that was asked
/// for, and its failures are logged and count as "not there", so that no request fails because of its cache.
/// One that keeps bytes should keep those of [`CacheEntry::encode`], which carry a checksum.
///
/// The contract:
///
/// - `get` after `put` of the same key gives that entry, an older one of the same key, or none; never
///   another's.
/// - `put` replaces. It may drop any entry, the new one included, to stay within the store's bound.
/// - All may be called from many tasks at once, and may be cancelled at every await.
#[async_trait]
pub trait CacheStore: Send + Sync + fmt::Debug {
    /// The entry under `key`, of whatever age.
    ///
    /// # Errors
    ///
    /// Whatever kept the store from answering, a damaged entry included.
    async fn get(&self, key: &CacheKey) -> io::Result<Option<Arc<CacheEntry>>>;

    /// Keeps `entry` under [`CacheEntry::key`].
    ///
    /// # Errors
    ///
    /// Whatever kept the store from keeping it.
    async fn put(&self, entry: Arc<CacheEntry>) -> io::Result<()>;

    /// Forgets what is under `key`.
    ///
    /// # Errors
    ///
    /// Whatever kept the store from it.
    async fn remove(&self, key: &CacheKey) -> io::Result<()>;
}
