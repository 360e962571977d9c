//! The port for caches, with its contract.

use std::fmt;
use std::io;
use std::sync::Arc;

use gleaner_types::BoxFuture;

use super::{CacheEntry, CacheKey};

/// A store of copies. [`crate::MemoryCache`] and [`crate::DiskCache`] are two; implement it to keep copies
/// elsewhere.
///
/// A store is trusted only to keep its bound. The key of a returned entry is checked, and failures are logged
/// and count as a missing entry, so no request fails because of its cache. A store that keeps bytes should
/// keep those of [`CacheEntry::encode`], which have a checksum.
///
/// The contract:
///
/// - `get` after `put` of the same key gives that entry, an older one of the same key, or none; never
///   another's.
/// - `put` replaces. It may drop any entry, the new one included, to stay within the store's bound.
/// - All may be called from many tasks at once, and may be cancelled at every await.
pub trait CacheStore: Send + Sync + fmt::Debug {
    /// The entry under `key`, of any age.
    ///
    /// # Errors
    ///
    /// Any failure of the store, including a damaged entry.
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>>;

    /// Keeps `entry` under [`CacheEntry::key`].
    ///
    /// # Errors
    ///
    /// Any failure of the store.
    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>>;

    /// Removes the entry under `key`.
    ///
    /// # Errors
    ///
    /// Any failure of the store.
    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>>;
}
