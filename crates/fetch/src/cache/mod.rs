//! Copies of pages that are young enough to be served in place of a fetch.
//!
//! What is young enough is the request's to say ([`CachePolicy::max_age`]), not the server's: whoever asks
//! for a copy of up to two days accepts what has changed since. What may be kept at all is the server's to
//! say as well: an answer with `Cache-Control: no-store` or `private`, or with `Vary: *`, is not kept (RFC
//! 9111 sections 3 and 4.1).
//!
//! - **One key for one variant.** A [`CacheKey`] holds the address and every option that changes the bytes,
//!   all request headers among them. A `Vary` can only name what the key already tells apart, so it needs no
//!   second lookup.
//! - **Nothing personal.** A request that carries credentials or cookies is neither answered from the cache
//!   nor kept in it, and what sets cookies is kept without them.
//! - **Only whole answers.** Kept is what came back complete, with status 200 or 203, at the end of its
//!   redirects ([`storable`]). A partial answer, a broken one, an error and a redirect are not.
//! - **The same rules on a copy.** Each address on the way to it is held against the policy and the caller's
//!   [`crate::RedirectCheck`] again, and its size against the request's limit: a copy never gets past what a
//!   fetch would not.
//! - **One fetch for many.** Requests for the same key wait for the first of them ([`flight`]).
//! - **Asking rather than fetching.** A copy that is too old is offered to the server by its `ETag` or
//!   `Last-Modified`, and stands again where the server answers 304.

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

pub use disk::{DEFAULT_DISK_CACHE_BYTES, DiskCache};
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

/// The cache as a fetcher has it: where copies are kept, and which are being fetched.
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
