//! A cache of the resolver's answers.
//!
//! Answers are cached before the policy checks them: the policy checks every use of an answer, so with and
//! without the cache only checked addresses are dialled.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::BoxFuture;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::cache::flight::{FlightRole, Flights};
use crate::resolve::{DnsAnswer, LookupResult, MAX_ANSWERS, Resolve};
use crate::transport::kind_of;

/// Shortest time that an answer is kept, whatever its TTL: one page opens several connections, and with a TTL
/// of zero each of them would need a lookup.
pub const MIN_DNS_TTL: Duration = Duration::from_secs(5);
/// Longest time that an answer is kept, whatever its TTL, so that a site that moves is found again.
pub const MAX_DNS_TTL: Duration = Duration::from_secs(600);
/// How long an answer without a TTL is kept. The system's resolver gives none.
pub const DEFAULT_DNS_TTL: Duration = Duration::from_secs(60);
/// How long a missing name is cached. Short, because the name may be added soon. A failure of the resolver is
/// not cached.
pub const NEGATIVE_DNS_TTL: Duration = Duration::from_secs(5);
/// A failed lookup is repeated once after this pause, whatever the failure: resolvers sometimes report a
/// missing name when they only failed, and one such answer would fail every page of its host for a while.
pub const DNS_RETRY_PAUSE: Duration = Duration::from_millis(200);
/// Most names whose answers are kept. Beyond it the least used are evicted.
pub const MAX_DNS_ENTRIES: u64 = 10_000;

/// A resolver that caches the answers of another one. Concurrent lookups of the same name share one lookup.
#[derive(Debug)]
pub(crate) struct CachedResolver {
    inner: Arc<dyn Resolve>,
    entries: Cache<Box<str>, Entry>,
    flights: Flights<Box<str>, LookupResult>,
}

#[derive(Debug, Clone)]
struct Entry {
    result: LookupResult,
    until: Instant,
}

impl CachedResolver {
    pub(crate) fn new(inner: Arc<dyn Resolve>) -> Self {
        Self { inner, entries: Cache::new(MAX_DNS_ENTRIES), flights: Flights::default() }
    }

    /// The cached result if it is still valid. By tokio's clock, because that of the map cannot be paused.
    fn cached(&self, host: &str) -> Option<LookupResult> {
        self.entries.get(host).filter(|entry| Instant::now() < entry.until).map(|entry| entry.result)
    }

    /// One lookup. An answer without addresses counts as a missing name.
    async fn look_up_once(&self, host: &str) -> Result<(Arc<[IpAddr]>, Duration), io::ErrorKind> {
        let DnsAnswer { mut addresses, ttl } =
            self.inner.resolve_with_ttl(host).await.map_err(|error| kind_of(&error))?;
        if addresses.is_empty() {
            return Err(io::ErrorKind::NotFound);
        }
        // One more than the limit still shows that there are too many.
        addresses.truncate(MAX_ANSWERS + 1);
        Ok((addresses.into(), ttl.unwrap_or(DEFAULT_DNS_TTL).clamp(MIN_DNS_TTL, MAX_DNS_TTL)))
    }

    async fn look_up(&self, host: &str) -> LookupResult {
        if let Some(result) = self.cached(host) {
            return result;
        }
        let name = Box::from(host);
        let leader = match self.flights.join(&name).await {
            FlightRole::Landed(result) => return result,
            FlightRole::Leader(leader) => Some(leader),
            FlightRole::Released => None,
        };
        let mut answer = self.look_up_once(host).await;
        if answer.is_err() {
            tokio::time::sleep(DNS_RETRY_PAUSE).await;
            answer = self.look_up_once(host).await;
        }
        let (result, ttl) = match answer {
            Ok((addresses, ttl)) => (Ok(addresses), ttl),
            Err(kind) => (Err(kind), NEGATIVE_DNS_TTL),
        };
        if matches!(result, Ok(_) | Err(io::ErrorKind::NotFound)) {
            self.entries.insert(name, Entry { result: result.clone(), until: Instant::now() + ttl });
        }
        if let Some(leader) = leader {
            leader.land(result.clone());
        }
        result
    }
}

impl Resolve for CachedResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            self.look_up(host).await.map(|addresses| addresses.to_vec()).map_err(io::Error::from)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[derive(Debug)]
    struct Counting {
        calls: AtomicUsize,
        ttl: Option<Duration>,
        fails: Option<io::ErrorKind>,
        /// This many first calls fail.
        failures: usize,
    }

    impl Resolve for Counting {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            Box::pin(async move {
                let call = self.calls.fetch_add(1, SeqCst);
                tokio::time::sleep(Duration::from_millis(1)).await;
                if let Some(kind) = self.fails.filter(|_| call < self.failures) {
                    return Err(io::Error::new(kind, "secret"));
                }
                Ok(vec![IpAddr::from([192, 0, 2, u8::try_from(call % 256).unwrap()])])
            })
        }

        fn resolve_with_ttl<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<DnsAnswer>> {
            Box::pin(async move { Ok(DnsAnswer { addresses: self.resolve(host).await?, ttl: self.ttl }) })
        }
    }

    fn counting(ttl: Option<Duration>, fails: Option<io::ErrorKind>) -> (Arc<Counting>, CachedResolver) {
        failing(ttl, fails, usize::MAX)
    }

    fn failing(
        ttl: Option<Duration>,
        fails: Option<io::ErrorKind>,
        failures: usize,
    ) -> (Arc<Counting>, CachedResolver) {
        let counting = Arc::new(Counting { calls: AtomicUsize::new(0), ttl, fails, failures });
        (Arc::clone(&counting), CachedResolver::new(counting))
    }

    #[tokio::test(start_paused = true)]
    async fn answers_are_cached_within_bounds() {
        let seconds = Duration::from_secs;
        for (name, ttl, fails, kept) in [
            ("no TTL", None, None, DEFAULT_DNS_TTL),
            ("zero", Some(seconds(0)), None, MIN_DNS_TTL),
            ("between", Some(seconds(100)), None, seconds(100)),
            ("for ever", Some(Duration::MAX), None, MAX_DNS_TTL),
            ("no such name", None, Some(io::ErrorKind::NotFound), NEGATIVE_DNS_TTL),
        ] {
            let (counting, cached) = counting(ttl, fails);
            // A failed lookup is made twice.
            let each = if fails.is_some() { 2 } else { 1 };
            let first = cached.resolve("a.example").await.ok();
            tokio::time::advance(kept - Duration::from_millis(10)).await;
            assert_eq!(cached.resolve("a.example").await.ok(), first, "{name}");
            assert_eq!(counting.calls.load(SeqCst), each, "{name}");
            tokio::time::advance(Duration::from_millis(10)).await;
            let second = cached.resolve("a.example").await.ok();
            assert_eq!(counting.calls.load(SeqCst), 2 * each, "{name}");
            assert!(fails.is_some() || second != first, "{name}");
            let _ = cached.resolve("b.example").await;
            assert_eq!(counting.calls.load(SeqCst), 3 * each, "{name}: another name is another lookup");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn resolver_failures_are_not_cached() {
        let (counting, cached) = counting(None, Some(io::ErrorKind::Other));
        for lookups in 1..=3 {
            assert_eq!(cached.resolve("a.example").await.unwrap_err().kind(), io::ErrorKind::Other);
            assert_eq!(counting.calls.load(SeqCst), 2 * lookups);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_single_failure_is_retried() {
        for kind in [io::ErrorKind::NotFound, io::ErrorKind::Other, io::ErrorKind::TimedOut] {
            let (counting, cached) = failing(None, Some(kind), 1);
            let cached = Arc::new(cached);
            let tasks: Vec<_> = (0..40)
                .map(|_| {
                    let cached = Arc::clone(&cached);
                    tokio::spawn(async move { cached.resolve("a.example").await })
                })
                .collect();
            for task in tasks {
                assert_eq!(task.await.unwrap().unwrap(), [IpAddr::from([192, 0, 2, 1])], "{kind:?}");
            }
            assert_eq!(counting.calls.load(SeqCst), 2, "{kind:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_request_repeats_a_failed_lookup() {
        let (counting, cached) = failing(None, Some(io::ErrorKind::Other), 3);
        assert!(cached.resolve("a.example").await.is_err());
        assert!(cached.resolve("a.example").await.is_ok(), "at once, not after a time to live");
        assert_eq!(counting.calls.load(SeqCst), 4);
    }

    /// Answers every name without an address.
    #[derive(Debug)]
    struct Nothing(AtomicUsize);

    impl Resolve for Nothing {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            Box::pin(async move {
                self.0.fetch_add(1, SeqCst);
                Ok(Vec::new())
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_addresses_is_cached_like_a_missing_name() {
        let nothing = Arc::new(Nothing(AtomicUsize::new(0)));
        let cached = CachedResolver::new(Arc::clone(&nothing) as Arc<dyn Resolve>);
        for lookups in 1..=2 {
            let error = cached.resolve("a.example").await.unwrap_err();
            assert_eq!((error.kind(), nothing.0.load(SeqCst)), (io::ErrorKind::NotFound, 2 * lookups));
            tokio::time::advance(NEGATIVE_DNS_TTL).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn concurrent_lookups_of_a_name_share_one() {
        let (counting, cached) = counting(None, None);
        let cached = Arc::new(cached);
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let cached = Arc::clone(&cached);
                tokio::spawn(async move { cached.resolve("a.example").await.unwrap() })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), [IpAddr::from([192, 0, 2, 0])]);
        }
        assert_eq!(counting.calls.load(SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn entries_are_bounded() {
        let (_, cached) = counting(None, Some(io::ErrorKind::NotFound));
        for name in 0..MAX_DNS_ENTRIES + 2000 {
            let _ = cached.resolve(&name.to_string()).await;
        }
        cached.entries.run_pending_tasks();
        assert!(cached.entries.entry_count() <= MAX_DNS_ENTRIES, "{}", cached.entries.entry_count());
    }
}
