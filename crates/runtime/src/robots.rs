//! The cache of robots.txt: one per origin, fetched once for all jobs and kept for a day (RFC 9309, 2.4).
//!
//! All jobs share the result, so no job's options decide how robots.txt is fetched: no user headers, no
//! emulation, any certificate, the default route. If that fails and the job uses another route (the stealth
//! proxies, another country), it is fetched once more over that route, and the result is kept for jobs with
//! the same route. Alternatives: with the options of the first job, one broken proxy would close a site for
//! all jobs. With the default route alone, sites that only another route reaches would be closed.
//!
//! 4xx and endless redirects mean that there is no robots.txt, so everything is allowed (2.3.1.2, 2.3.1.3).
//! Any other failure means that nothing is allowed for now (2.3.1.4); it is fetched again soon. The pages of
//! the site then fail with the cause, because no rule forbids them.
//!
//! A fetch continues while at least one caller waits for it. A caller with a short timeout stops waiting
//! earlier and treats robots.txt as unreadable; the result still reaches the other callers and the cache.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Shared, WeakShared};
use gleaner_frontier::RobotsPolicy;
use gleaner_types::{BoxFuture, ErrorCode, PageError};
use tokio::sync::watch;
use tokio::time::Instant;
use url::{Position, Url};

use crate::limits::{EXHAUSTED_PAUSE, RETRY_PAUSE};
use crate::route::RouteKey;

/// How long a robots.txt is cached: the longest time that RFC 9309 recommends.
pub const ROBOTS_LIFETIME: Duration = Duration::from_secs(24 * 3_600);
/// How long after a 5xx answer or a timeout robots.txt is fetched again. After another failure it is
/// [`RETRY_PAUSE`].
pub const ROBOTS_RETRY: Duration = Duration::from_secs(5);
/// Timeout for a fetch of robots.txt, independent of the timeouts of jobs and of how slowly bytes arrive. A
/// job with a shorter timeout waits for its own timeout only.
pub const ROBOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time of a fetch of robots.txt, including the waits of its redirects for their hosts. All callers
/// share one fetch, so a fetch that hangs must end, whatever the fetcher does.
pub(crate) const MAX_ROBOTS_TIME: Duration = Duration::from_secs(30);
/// Maximum number of cached robots.txt; the oldest are evicted.
pub const MAX_CACHED_ROBOTS: usize = 50_000;
/// Maximum memory of the cache, in bytes; the oldest entries are evicted.
pub const MAX_ROBOTS_MEMORY: usize = 64 << 20;

/// The robots.txt of an origin.
#[derive(Debug)]
pub(crate) struct Robots {
    pub(crate) policy: RobotsPolicy,
    /// Why robots.txt could not be read. Then the policy allows nothing (RFC 9309, 2.3.1.4).
    pub(crate) failure: Option<RobotsFailure>,
}

/// Why a robots.txt could not be read.
#[derive(Debug, Clone)]
pub(crate) struct RobotsFailure {
    /// The message names the host and the cause.
    pub(crate) error: PageError,
    /// Another attempt may succeed.
    pub(crate) is_transient: bool,
    /// The server answered, with a status that reports a server failure.
    pub(crate) answered: bool,
    /// This machine had no descriptor, port or memory for the request.
    pub(crate) exhausted: bool,
}

impl RobotsFailure {
    /// The engine's own rules forbid requests to the host, so none was sent: the failure says nothing about
    /// robots.txt.
    pub(crate) fn is_refusal(&self) -> bool {
        self.error.code == ErrorCode::ScrapeBlocked && !self.is_transient
    }

    /// How long robots.txt is not fetched again. A connection that fails costs little, so it is tried again as
    /// soon as that of a page.
    pub(crate) fn pause(&self) -> Duration {
        if self.exhausted {
            return EXHAUSTED_PAUSE;
        }
        if self.answered || self.error.code == ErrorCode::ScrapeTimeout { ROBOTS_RETRY } else { RETRY_PAUSE }
    }
}

impl Robots {
    pub(crate) fn with_policy(policy: RobotsPolicy) -> Self {
        Self { policy, failure: None }
    }

    pub(crate) fn unreachable(failure: RobotsFailure) -> Self {
        Self { policy: RobotsPolicy::unreachable(), failure: Some(failure) }
    }

    /// Whether this machine had no descriptor, port or memory for the request.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.exhausted)
    }
}

/// The result of a lookup in the cache.
#[derive(Debug, Clone)]
pub(crate) struct RobotsLookup {
    pub(crate) robots: Arc<Robots>,
    /// It was fetched while the caller waited, so its crawl delay was unknown when the page was leased.
    pub(crate) fresh: bool,
}

#[derive(Debug, Default)]
pub(crate) struct RobotsCache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<CacheKey, Entry>,
    /// Keys and ids of entries in order of insertion. Some entries no longer exist.
    order: VecDeque<(CacheKey, u64)>,
    memory: usize,
    last_id: u64,
}

/// Origin, agent, and the route if it is not the default one. One string, because it is built for every page.
type CacheKey = String;

fn cache_key(agent: &str, url: &Url, route: Option<&RouteKey>) -> CacheKey {
    let (scheme, host) = (url.scheme(), &url[Position::BeforeHost..Position::AfterPort]);
    let route = route.map(|route| format!("{:?}/{}", route.proxy, route.country));
    let route = route.as_deref().unwrap_or("-");
    // The agent comes last because it can contain any character.
    let parts = [scheme, " ", host, " ", route, " ", agent];
    let mut key = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| key.push_str(part));
    key
}

#[derive(Debug)]
struct Entry {
    /// Distinguishes it from earlier and later entries with the same key.
    id: u64,
    /// When its fetch was created.
    created_at: Duration,
    state: EntryState,
    /// Memory of the loaded policy, in bytes; 0 until it is loaded.
    weight: usize,
}

#[derive(Debug)]
enum EntryState {
    /// The fetch runs while at least one caller holds the future.
    Loading {
        future: WeakShared<LoadFuture>,
        request_start: watch::Receiver<Option<Instant>>,
    },
    Loaded(Loaded),
}

type LoadFuture = BoxFuture<'static, Loaded>;

#[derive(Debug, Clone)]
struct Loaded {
    robots: Arc<Robots>,
    /// When the fetch ended.
    at: Duration,
}

/// Reports when the request for a robots.txt starts. The wait for its host before that counts toward no
/// timeout.
#[derive(Debug)]
pub(crate) struct RequestStartReporter(watch::Sender<Option<Instant>>);

impl RequestStartReporter {
    pub(crate) fn report_now(&self) {
        self.0.send_replace(Some(Instant::now()));
    }
}

/// A current entry.
enum CurrentEntry {
    Loaded(Arc<Robots>),
    Loading { id: u64, future: Shared<LoadFuture>, request_start: watch::Receiver<Option<Instant>> },
}

impl Entry {
    /// `None` if it has expired, or nobody waits for its fetch any more.
    fn current(&self, now: Duration) -> Option<CurrentEntry> {
        match &self.state {
            EntryState::Loaded(loaded) => {
                let is_current = match &loaded.robots.failure {
                    // From the end of the fetch: a server that hangs fails only after a while.
                    Some(failure) => now < loaded.at + failure.pause(),
                    None => now < self.created_at + ROBOTS_LIFETIME,
                };
                is_current.then(|| CurrentEntry::Loaded(Arc::clone(&loaded.robots)))
            }
            EntryState::Loading { future, request_start } => {
                let (future, request_start) = (future.upgrade()?, request_start.clone());
                Some(CurrentEntry::Loading { id: self.id, future, request_start })
            }
        }
    }

    fn loaded(&self) -> Option<&Loaded> {
        match &self.state {
            EntryState::Loaded(loaded) => Some(loaded),
            EntryState::Loading { .. } => None,
        }
    }
}

impl RobotsCache {
    /// The robots.txt of the origin of `url` as it applies to `agent`, fetched over the default route or over
    /// `route`. `load` fetches it if the cache has no current entry. `None` if `timeout` ran out, counted
    /// from the start of its request.
    pub(crate) async fn get<F>(
        &self,
        agent: &str,
        url: &Url,
        route: Option<RouteKey>,
        timeout: Duration,
        now: impl Fn() -> Duration + Send + 'static,
        load: impl FnOnce(Url, RequestStartReporter) -> F,
    ) -> Option<RobotsLookup>
    where
        F: Future<Output = Robots> + Send + 'static,
    {
        let called_at = Instant::now();
        let key = cache_key(agent, url, route.as_ref());
        let (id, future, mut request_start) = {
            let mut inner = self.lock();
            match inner.current(&key, now()) {
                Some(CurrentEntry::Loaded(robots)) => return Some(RobotsLookup { robots, fresh: false }),
                Some(CurrentEntry::Loading { id, future, request_start }) => (id, future, request_start),
                None => {
                    let (reporter, request_start) = watch::channel(None);
                    let created_at = now();
                    let robots = load(robots_url(url), RequestStartReporter(reporter));
                    let future = async move { Loaded { robots: Arc::new(robots.await), at: now() } };
                    let future = future.boxed().shared();
                    (inner.insert(&key, created_at, &future, &request_start), future, request_start)
                }
            }
        };
        let timed_out = async {
            // The fetch itself ends within this time.
            if timeout >= ROBOTS_TIMEOUT {
                return std::future::pending().await;
            }
            let started = match request_start.wait_for(Option::is_some).await {
                Ok(started) => *started,
                // The fetch has ended.
                Err(_) => None,
            };
            match started {
                Some(started) => tokio::time::sleep_until(started.max(called_at) + timeout).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            loaded = future => {
                self.lock().set_loaded(&key, id, &loaded);
                Some(RobotsLookup { robots: loaded.robots, fresh: true })
            }
            () = timed_out => None,
        }
    }

    /// The entry that [`get`](Self::get) would return for this route without waiting.
    pub(crate) fn current(
        &self,
        agent: &str,
        url: &Url,
        route: &RouteKey,
        now: Duration,
    ) -> Option<Arc<Robots>> {
        let inner = self.lock();
        match inner.current(&cache_key(agent, url, Some(route)), now)? {
            CurrentEntry::Loaded(robots) => Some(robots),
            CurrentEntry::Loading { .. } => None,
        }
    }

    /// The last robots.txt of the origin of `url` that was read over this route, even if it has expired;
    /// `None` if it could not be read.
    pub(crate) fn peek(&self, agent: &str, url: &Url, route: Option<&RouteKey>) -> Option<Arc<Robots>> {
        let inner = self.lock();
        let robots = &inner.entries.get(&cache_key(agent, url, route))?.loaded()?.robots;
        robots.failure.is_none().then(|| Arc::clone(robots))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The URL of the robots.txt for the origin of `url`.
pub(crate) fn robots_url(url: &Url) -> Url {
    let mut robots_url = url.clone();
    robots_url.set_path("/robots.txt");
    robots_url.set_query(None);
    robots_url.set_fragment(None);
    robots_url
}

impl Inner {
    fn current(&self, key: &CacheKey, now: Duration) -> Option<CurrentEntry> {
        self.entries.get(key)?.current(now)
    }

    /// Inserts an entry that is loading, in place of an expired one, and returns its id.
    fn insert(
        &mut self,
        key: &CacheKey,
        created_at: Duration,
        future: &Shared<LoadFuture>,
        request_start: &watch::Receiver<Option<Instant>>,
    ) -> u64 {
        self.remove(key);
        while self.entries.len() >= MAX_CACHED_ROBOTS && self.evict_oldest() {}
        self.last_id += 1;
        let id = self.last_id;
        // A future that has completed has no weak form. Without an entry, the next caller fetches again.
        if let Some(future) = future.downgrade() {
            let state = EntryState::Loading { future, request_start: request_start.clone() };
            self.order.push_back((key.clone(), id));
            self.entries.insert(key.clone(), Entry { id, created_at, state, weight: 0 });
        }
        id
    }

    /// Stores the result of a fetch and evicts old entries if it exceeds the memory bound.
    fn set_loaded(&mut self, key: &CacheKey, id: u64, loaded: &Loaded) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| entry.id == id) else { return };
        let weight = loaded.robots.policy.weight();
        self.memory = self.memory - entry.weight + weight;
        entry.weight = weight;
        entry.state = EntryState::Loaded(loaded.clone());
        while self.memory > MAX_ROBOTS_MEMORY && self.evict_oldest() {}
    }

    /// Returns false if there is no entry left.
    fn evict_oldest(&mut self) -> bool {
        let Some((key, id)) = self.order.pop_front() else { return false };
        if self.entries.get(&key).is_some_and(|entry| entry.id == id) {
            self.remove(&key);
        }
        true
    }

    fn remove(&mut self, key: &CacheKey) {
        self.memory -= self.entries.remove(key).map_or(0, |entry| entry.weight);
        // Bounds the keys of entries that no longer exist.
        if self.order.len() > 2 * self.entries.len() + 64 {
            let entries = &self.entries;
            self.order.retain(|(key, id)| entries.get(key).is_some_and(|entry| entry.id == *id));
        }
    }
}

#[cfg(test)]
mod tests;
