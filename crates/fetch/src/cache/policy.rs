//! The rules by which one request uses the cache.

use std::time::{Duration, SystemTime};

/// How a request uses the cache. It has no effect in a fetcher without one
/// ([`crate::FetcherBuilder::cache`]).
///
/// ```
/// use std::time::Duration;
/// use gleaner_fetch::{CachePolicy, Request};
///
/// let mut request = Request::get("https://example.com/".parse()?);
/// request.cache = Some(CachePolicy::max_age(Duration::from_secs(2 * 86_400)));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CachePolicy {
    /// A copy younger than this is served; an older one is offered to the server for revalidation. With zero
    /// no copy is served, and the request does not wait for another request for the same page.
    pub max_age: Duration,
    /// Serve only from the cache, and only a copy that is at least this old.
    pub min_age: Option<Duration>,
    /// Whether the answer may be cached.
    pub store: bool,
    /// Serve only from the cache: without a copy of the right age the request fails with
    /// [`crate::ErrorKind::NotCached`] and no traffic.
    pub only: bool,
}

impl CachePolicy {
    /// Serves copies younger than `max_age`, and caches fetched pages.
    #[must_use]
    pub fn max_age(max_age: Duration) -> Self {
        Self { max_age, min_age: None, store: true, only: false }
    }

    /// Whether only a copy is accepted, and no fetch.
    pub(crate) fn is_cache_only(&self) -> bool {
        self.only || self.min_age.is_some()
    }

    /// Whether a copy of this age is accepted. `None` means that the copy is from the future, because the
    /// clock was set back. Its age is unknown, so it is not accepted.
    pub(crate) fn accepts(&self, age: Option<Duration>) -> bool {
        age.is_some_and(|age| age < self.max_age && self.min_age.is_none_or(|least| age >= least))
    }
}

/// What the cache did for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheFacts {
    /// Where the answer came from.
    pub used: CacheUse,
    /// When the answer was cached or last confirmed by the server; `None` if it is not in the cache.
    pub stored_at: Option<SystemTime>,
}

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheUse {
    /// The cache, without traffic of this request: from the store, or from another request for the same page.
    Hit,
    /// The cache, after the server confirmed the copy.
    Revalidated,
    /// The server.
    Miss,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_accepted_within_the_window() {
        let seconds = |n| Some(Duration::from_secs(n));
        let plain = CachePolicy::max_age(Duration::from_secs(10));
        let window = CachePolicy { min_age: seconds(5), ..plain };
        let none = CachePolicy::max_age(Duration::ZERO);
        for (name, policy, age, accepted) in [
            ("new", plain, seconds(0), true),
            ("just in time", plain, seconds(9), true),
            ("at the limit", plain, seconds(10), false),
            ("from the future", plain, None, false),
            ("zero takes none", none, seconds(0), false),
            ("too young", window, seconds(4), false),
            ("old enough", window, seconds(5), true),
            ("too old", window, seconds(10), false),
        ] {
            assert_eq!(policy.accepts(age), accepted, "{name}");
        }
        assert!(window.is_cache_only() && !plain.is_cache_only());
    }
}
