//! Copies of pages that are young enough to be served instead of a fetch.
//!
//! The request decides which age is young enough ([`CachePolicy::max_age`]), not the server: a request that
//! accepts a copy of up to two days accepts changes since then. The server can forbid caching: an answer with
//! `Cache-Control: no-store` or `private`, or with `Vary: *`, is not kept (RFC 9111 sections 3 and 4.1).
//!
//! - **One key for one variant.** A [`CacheKey`] holds the URL and every option that changes the bytes,
//!   including all request headers. The key already distinguishes everything that `Vary` can name, so `Vary`
//!   needs no second lookup.
//! - **Nothing personal.** A request with credentials or cookies is neither answered from the cache nor kept
//!   in it, and an answer that sets cookies is kept without them.
//! - **Only whole answers.** Only a complete answer with status 200 or 203 at the end of its redirects is
//!   kept ([`storable`]), never a partial answer, a broken one, an error or a redirect.
//! - **The same rules for a copy.** Each URL of its redirects is checked again against the policy and the
//!   caller's [`crate::RedirectCheck`], and its size against the request's limit: a copy passes only where a
//!   fetch would.
//! - **One fetch for many.** Requests for the same key wait for the first of them ([`flight`]).
//! - **Revalidation.** A copy that is too old is offered to the server by its `ETag` or `Last-Modified`, and
//!   is used again if the server answers 304.

#[cfg(feature = "testing")]
pub(crate) mod conformance;
mod disk;
mod encoding;
mod entry;
pub(crate) mod flight;
mod key;
mod memory;
mod policy;
pub(crate) mod serve;
mod storable;
mod store;

pub use disk::DiskCache;
pub use encoding::CorruptEntry;
pub(crate) use encoding::sealed;
pub use entry::CacheEntry;
pub(crate) use entry::Validators;
pub use key::CacheKey;
pub use memory::{DEFAULT_MEMORY_CACHE_BYTES, MemoryCache};
pub use policy::{CacheFacts, CachePolicy, CacheUse};
pub use serve::STORE_TIMEOUT;
pub use storable::MAX_CACHED_BODY;
pub use store::CacheStore;

/// The cache of a fetcher: its store, and the fetches in progress.
#[derive(Debug)]
pub(crate) struct Cache {
    pub(crate) store: std::sync::Arc<dyn CacheStore>,
    pub(crate) flights: flight::Flights<CacheKey, std::sync::Arc<CacheEntry>>,
    pub(crate) digest: key::LastDigest,
}

impl Cache {
    pub(crate) fn new(store: std::sync::Arc<dyn CacheStore>) -> Self {
        Self { store, flights: flight::Flights::default(), digest: key::LastDigest::default() }
    }
}
