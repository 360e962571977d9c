//! Answers of the resolver, kept for a while.
//!
//! Kept as they came, before the policy looks at them: it judges every use of an answer, not every answer, so that what
//! is dialled is what was checked, with the cache as without it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::cache::flight::{FlightRole, Flights};
use crate::resolve::{Answers, Found, MAX_ANSWERS, Resolve};

/// An answer is kept at least so long, whatever its TTL: one page opens several connections, and a TTL of zero would
/// have each of them resolve anew.
pub const MIN_DNS_TTL: Duration = Duration::from_secs(5);
/// An answer is kept no longer than this, whatever its TTL, so that a site that moves is found again.
pub const MAX_DNS_TTL: Duration = Duration::from_secs(600);
/// How long an answer is kept whose TTL the resolver does not tell, as that of the system does not.
pub const DEFAULT_DNS_TTL: Duration = Duration::from_secs(60);
/// How long it is remembered that there is no such name. Short, since it may be about to come. That the resolver failed is
/// not remembered.
pub const NEGATIVE_DNS_TTL: Duration = Duration::from_secs(5);
/// After this a look-up that failed is made once more, whatever the failure: resolvers say now and then that a name is not
/// there when they cannot tell, and one such answer would fail every page of its host for a while.
pub const DNS_RETRY_PAUSE: Duration = Duration::from_millis(200);
/// Most names whose answers are kept; of more, those go that are asked for least.
pub const MAX_DNS_ENTRIES: u64 = 10_000;

/// A resolver that remembers what another one said. Of many who ask for the same name at once, one asks.
#[derive(Debug)]
pub(crate) struct CachedResolver {
    inner: Arc<dyn Resolve>,
    known: Cache<Box<str>, Known>,
    flights: Flights<Box<str>, Found>,
}

#[derive(Debug, Clone)]
struct Known {
    found: Found,
    until: Instant,
}

impl CachedResolver {
    pub(crate) fn new(inner: Arc<dyn Resolve>) -> Self {
        Self { inner, known: Cache::new(MAX_DNS_ENTRIES), flights: Flights::default() }
    }

    /// What is known and still holds. The time is tokio's, not that of the map, which cannot be paused.
    fn known(&self, host: &str) -> Option<Found> {
        self.known.get(host).filter(|known| Instant::now() < known.until).map(|known| known.found)
    }

    /// One look-up. An answer without an address is one that the name is not there.
    async fn ask(&self, host: &str) -> Result<(Arc<[IpAddr]>, Duration), io::ErrorKind> {
        let Answers { mut addresses, ttl } =
            self.inner.resolve_with_ttl(host).await.map_err(|error| error.kind())?;
        if addresses.is_empty() {
            return Err(io::ErrorKind::NotFound);
        }
        // One more than is looked at still says that there are too many.
        addresses.truncate(MAX_ANSWERS + 1);
        Ok((addresses.into(), ttl.unwrap_or(DEFAULT_DNS_TTL).clamp(MIN_DNS_TTL, MAX_DNS_TTL)))
    }

    async fn found(&self, host: &str) -> Found {
        if let Some(found) = self.known(host) {
            return found;
        }
        let name = Box::from(host);
        let leader = match self.flights.join(&name).await {
            FlightRole::Landed(found) => return found,
            FlightRole::Leader(leader) => Some(leader),
            FlightRole::Released => None,
        };
        let mut answered = self.ask(host).await;
        if answered.is_err() {
            tokio::time::sleep(DNS_RETRY_PAUSE).await;
            answered = self.ask(host).await;
        }
        let (found, ttl) = match answered {
            Ok((addresses, ttl)) => (Ok(addresses), ttl),
            Err(kind) => (Err(kind), NEGATIVE_DNS_TTL),
        };
        if matches!(found, Ok(_) | Err(io::ErrorKind::NotFound)) {
            self.known.insert(name, Known { found: found.clone(), until: Instant::now() + ttl });
        }
        if let Some(leader) = leader {
            leader.land(found.clone());
        }
        found
    }
}

#[async_trait]
impl Resolve for CachedResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.found(host).await.map(|addresses| addresses.to_vec()).map_err(io::Error::from)
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
        /// The first calls fail, this many of them.
        failures: usize,
    }

    #[async_trait]
    impl Resolve for Counting {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            let call = self.calls.fetch_add(1, SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let Some(kind) = self.fails.filter(|_| call < self.failures) {
                return Err(io::Error::new(kind, "secret"));
            }
            Ok(vec![IpAddr::from([192, 0, 2, u8::try_from(call % 256).unwrap()])])
        }

        async fn resolve_with_ttl(&self, host: &str) -> io::Result<Answers> {
            Ok(Answers { addresses: self.resolve(host).await?, ttl: self.ttl })
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
    async fn answers_are_kept_within_bounds() {
        let seconds = Duration::from_secs;
        for (name, ttl, fails, kept) in [
            ("no TTL", None, None, DEFAULT_DNS_TTL),
            ("zero", Some(seconds(0)), None, MIN_DNS_TTL),
            ("between", Some(seconds(100)), None, seconds(100)),
            ("for ever", Some(Duration::MAX), None, MAX_DNS_TTL),
            ("no such name", None, Some(io::ErrorKind::NotFound), NEGATIVE_DNS_TTL),
        ] {
            let (counting, cached) = counting(ttl, fails);
            // What fails is asked twice.
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
            assert_eq!(counting.calls.load(SeqCst), 3 * each, "{name}: another name is another question");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn that_the_resolver_failed_is_not_remembered() {
        let (counting, cached) = counting(None, Some(io::ErrorKind::Other));
        for asked in 1..=3 {
            assert_eq!(cached.resolve("a.example").await.unwrap_err().kind(), io::ErrorKind::Other);
            assert_eq!(counting.calls.load(SeqCst), 2 * asked);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_hiccup_fails_nobody() {
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
    async fn a_resolver_that_fails_for_long_is_asked_again_by_who_comes_next() {
        let (counting, cached) = failing(None, Some(io::ErrorKind::Other), 3);
        assert!(cached.resolve("a.example").await.is_err());
        assert!(cached.resolve("a.example").await.is_ok(), "at once, and not after a time to live");
        assert_eq!(counting.calls.load(SeqCst), 4);
    }

    /// Knows every name and no address.
    #[derive(Debug)]
    struct Nothing(AtomicUsize);

    #[async_trait]
    impl Resolve for Nothing {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            self.0.fetch_add(1, SeqCst);
            Ok(Vec::new())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_an_address_is_kept_no_longer_than_a_failure() {
        let nothing = Arc::new(Nothing(AtomicUsize::new(0)));
        let cached = CachedResolver::new(Arc::clone(&nothing) as Arc<dyn Resolve>);
        for asked in 1..=2 {
            let error = cached.resolve("a.example").await.unwrap_err();
            assert_eq!((error.kind(), nothing.0.load(SeqCst)), (io::ErrorKind::NotFound, 2 * asked));
            tokio::time::advance(NEGATIVE_DNS_TTL).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_asks_once() {
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
    async fn names_are_bounded() {
        let (_, cached) = counting(None, Some(io::ErrorKind::NotFound));
        for name in 0..MAX_DNS_ENTRIES + 2000 {
            let _ = cached.resolve(&name.to_string()).await;
        }
        cached.known.run_pending_tasks();
        assert!(cached.known.entry_count() <= MAX_DNS_ENTRIES, "{}", cached.known.entry_count());
    }
}
