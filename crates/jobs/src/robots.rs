//! robots.txt of each origin, fetched once for all who wait for it and kept for a day (RFC 9309, 2.4).
//!
//! What comes of it is everybody's, so the options of no job decide how it is fetched: no headers of a user, no emulation,
//! any certificate, the engine's usual way out. Only where that way fails, and the job that asks goes another (the stealth
//! proxies, another country), it is asked for once more by that, and what comes is kept for those who go the same way. To
//! fetch it by the options of whoever asks first, the obvious alternative, would let one job's proxy that is out of order
//! close a site for all; to fetch it by the usual way alone would close the sites that can be reached by another only.
//!
//! 4xx, and redirects without end, mean that there is none, so that everything is allowed (2.3.1.2, 2.3.1.3). Whatever else
//! keeps it from being read means that nothing is allowed for now (2.3.1.4), and it is asked for again soon.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_frontier::RobotsPolicy;
use gleaner_types::plan::ProxyMode;
use gleaner_types::{ErrorCode, PageError};
use tokio::sync::OnceCell;
use url::{Position, Url};

/// How long a robots.txt is kept: the longest that RFC 9309 recommends.
pub const ROBOTS_LIFETIME: Duration = Duration::from_secs(24 * 3_600);
/// Where robots.txt could not be had, or its server answered 5xx, it is asked for again so long after that was known.
pub const ROBOTS_RETRY: Duration = Duration::from_secs(5);
/// How long fetching one may take, whatever the timeout of the job that asks first.
pub const ROBOTS_TIMEOUT: Duration = Duration::from_secs(30);
/// So many are kept; beyond it the oldest are fetched again when needed.
pub const MAX_ROBOTS_KEPT: usize = 50_000;
/// Most memory that those which are kept may take, in bytes; beyond it the oldest are fetched again when needed.
pub const MAX_ROBOTS_MEMORY: usize = 64 << 20;

/// What was read of an origin's robots.txt.
#[derive(Debug)]
pub(crate) struct Robots {
    pub(crate) policy: RobotsPolicy,
    /// Why it could not be had, where that is so: the policy then allows nothing (RFC 9309, 2.3.1.4).
    pub(crate) trouble: Option<Trouble>,
}

/// Why a robots.txt could not be had.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    /// The message names the host and the cause.
    pub(crate) error: PageError,
    /// Another try may do better.
    pub(crate) passes: bool,
    /// There was an answer, which said that the server fails.
    pub(crate) answered: bool,
}

impl Trouble {
    /// The engine's own rules forbid to go there, so that nothing was asked: robots.txt has nothing to do with it.
    pub(crate) fn is_refusal(&self) -> bool {
        self.error.code == ErrorCode::ScrapeBlocked && !self.passes
    }
}

impl Robots {
    pub(crate) fn of(policy: RobotsPolicy) -> Self {
        Self { policy, trouble: None }
    }

    pub(crate) fn unreachable(trouble: Trouble) -> Self {
        Self { policy: RobotsPolicy::unreachable(), trouble: Some(trouble) }
    }
}

/// What is known of an origin's robots.txt.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) robots: Arc<Robots>,
    /// It was fetched while the caller waited, so what it says of politeness was not known when the page was leased.
    pub(crate) fresh: bool,
}

/// Another way to a host than the usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnWay {
    pub(crate) proxy: ProxyMode,
    pub(crate) country: String,
}

#[derive(Debug, Default)]
pub(crate) struct RobotsCache {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<Key, Entry>,
    /// In the order in which they came. Some of them are gone.
    order: VecDeque<(Key, Duration)>,
    memory: usize,
}

/// Origin, agent, and the way where it is not the usual one. In one text, since it is made for every page.
type Key = String;

fn key_of(agent: &str, url: &Url, way: Option<&OwnWay>) -> Key {
    let (scheme, host) = (url.scheme(), &url[Position::BeforeHost..Position::AfterPort]);
    let way = way.map(|way| format!("{:?}/{}", way.proxy, way.country));
    let way = way.as_deref().unwrap_or("-");
    // The agent, which may be any text, last.
    let parts = [scheme, " ", host, " ", way, " ", agent];
    let mut key = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| key.push_str(part));
    key
}

#[derive(Debug, Clone)]
struct Entry {
    since: Duration,
    cell: Arc<OnceCell<Loaded>>,
    /// What it takes, once it is there.
    weight: usize,
}

#[derive(Debug)]
struct Loaded {
    robots: Arc<Robots>,
    /// When it was there.
    at: Duration,
}

impl Entry {
    fn is_current(&self, now: Duration) -> bool {
        match self.cell.get() {
            // Who hangs fails after half a minute, so the life of a failure begins with its end.
            Some(Loaded { robots, at }) if robots.trouble.is_some() => now < *at + ROBOTS_RETRY,
            Some(_) | None => now < self.since + ROBOTS_LIFETIME,
        }
    }
}

impl RobotsCache {
    /// The robots.txt of the origin of `url` as `agent` reads it, fetched by the usual way or by one of its own; `load`
    /// fetches it where it is not known.
    pub(crate) async fn get<F>(
        &self,
        agent: &str,
        url: &Url,
        way: Option<OwnWay>,
        now: impl Fn() -> Duration,
        load: impl FnOnce(Url) -> F,
    ) -> Known
    where
        F: Future<Output = Robots>,
    {
        let key = key_of(agent, url, way.as_ref());
        let (cell, since) = self.lock().cell(key.clone(), now());
        if let Some(Loaded { robots, .. }) = cell.get() {
            return Known { robots: Arc::clone(robots), fresh: false };
        }
        let mut address = url.clone();
        address.set_path("/robots.txt");
        address.set_query(None);
        address.set_fragment(None);
        let load = || async {
            let robots = Arc::new(load(address).await);
            Loaded { robots, at: now() }
        };
        let robots = Arc::clone(&cell.get_or_init(load).await.robots);
        self.lock().weigh(&key, since, robots.policy.weight());
        Known { robots, fresh: true }
    }

    /// What [`get`](Self::get) would give at once for this way, without asking anybody.
    pub(crate) fn current(&self, agent: &str, url: &Url, way: &OwnWay, now: Duration) -> Option<Arc<Robots>> {
        let kept = self.lock();
        let entry = kept.entries.get(&key_of(agent, url, Some(way))).filter(|entry| entry.is_current(now))?;
        entry.cell.get().map(|loaded| Arc::clone(&loaded.robots))
    }

    /// The robots.txt of the origin of `url` that was read last by this way, were it only for a look; `None` where it could
    /// not be read.
    pub(crate) fn peek(&self, agent: &str, url: &Url, way: Option<&OwnWay>) -> Option<Arc<Robots>> {
        let kept = self.lock();
        let robots = &kept.entries.get(&key_of(agent, url, way))?.cell.get()?.robots;
        robots.trouble.is_none().then(|| Arc::clone(robots))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// The entry that holds now, and since when it is there.
    fn cell(&mut self, key: Key, now: Duration) -> (Arc<OnceCell<Loaded>>, Duration) {
        if let Some(entry) = self.entries.get(&key).filter(|entry| entry.is_current(now)) {
            return (Arc::clone(&entry.cell), entry.since);
        }
        self.remove(&key);
        while self.entries.len() >= MAX_ROBOTS_KEPT && self.drop_oldest() {}
        let cell = Arc::new(OnceCell::new());
        self.order.push_back((key.clone(), now));
        self.entries.insert(key, Entry { since: now, cell: Arc::clone(&cell), weight: 0 });
        (cell, now)
    }

    /// Books what an entry takes, and makes room for it.
    fn weigh(&mut self, key: &Key, since: Duration, weight: usize) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| entry.since == since) else { return };
        self.memory = self.memory - entry.weight + weight;
        entry.weight = weight;
        while self.memory > MAX_ROBOTS_MEMORY && self.drop_oldest() {}
    }

    /// False where there is none.
    fn drop_oldest(&mut self) -> bool {
        let Some((key, since)) = self.order.pop_front() else { return false };
        if self.entries.get(&key).is_some_and(|entry| entry.since == since) {
            self.remove(&key);
        }
        true
    }

    fn remove(&mut self, key: &Key) {
        self.memory -= self.entries.remove(key).map_or(0, |entry| entry.weight);
        // Names of entries that are gone must not outnumber the others.
        if self.order.len() > 2 * self.entries.len() + 64 {
            let entries = &self.entries;
            self.order.retain(|(key, since)| entries.get(key).is_some_and(|entry| entry.since == *since));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const AGENT: &str = "gleaner";

    async fn get_by(
        cache: &RobotsCache,
        url: &str,
        way: Option<OwnWay>,
        at: u64,
        robots: Robots,
        loads: &AtomicU32,
    ) -> Known {
        cache
            .get(
                AGENT,
                &Url::parse(url).unwrap(),
                way,
                || Duration::from_secs(at),
                |address| {
                    assert_eq!(address.path(), "/robots.txt");
                    loads.fetch_add(1, Ordering::Relaxed);
                    async move {
                        tokio::task::yield_now().await;
                        robots
                    }
                },
            )
            .await
    }

    async fn get(cache: &RobotsCache, url: &str, at: u64, robots: Robots, loads: &AtomicU32) -> Known {
        get_by(cache, url, None, at, robots, loads).await
    }

    fn allow() -> Robots {
        Robots::of(RobotsPolicy::parse(b"", AGENT))
    }

    fn failure() -> Robots {
        let error = PageError { code: ErrorCode::ScrapeSiteError, message: String::new() };
        Robots::unreachable(Trouble { error, passes: true, answered: false })
    }

    #[tokio::test]
    async fn it_is_fetched_once_for_all_who_wait_and_kept_for_a_day() {
        let (cache, loads) = (RobotsCache::default(), AtomicU32::new(0));
        let (one, two) = tokio::join!(
            get(&cache, "https://a.example/x", 0, allow(), &loads),
            get(&cache, "https://a.example/y?z", 0, allow(), &loads)
        );
        assert!(one.fresh && two.fresh, "both waited for it");
        assert!(!get(&cache, "https://a.example/", 86_399, allow(), &loads).await.fresh);
        assert_eq!(loads.load(Ordering::Relaxed), 1);
        assert!(get(&cache, "https://a.example/", 86_400, allow(), &loads).await.fresh);
        assert!(
            get(&cache, "https://a.example:8443/", 86_400, allow(), &loads).await.fresh,
            "the port counts"
        );
        assert_eq!(loads.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_failure_is_tried_again_soon() {
        let (cache, loads) = (RobotsCache::default(), AtomicU32::new(0));
        get(&cache, "https://a.example/", 0, failure(), &loads).await;
        assert!(!get(&cache, "https://a.example/", 4, failure(), &loads).await.fresh);
        assert!(get(&cache, "https://a.example/", 5, allow(), &loads).await.fresh);
        assert!(!get(&cache, "https://a.example/", 1_000, allow(), &loads).await.fresh);
        assert_eq!(loads.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_life_of_a_failure_begins_with_its_end() {
        let (cache, url) = (RobotsCache::default(), Url::parse("https://a.example/").unwrap());
        let began = tokio::time::Instant::now();
        let hang = |_| async {
            tokio::time::sleep(ROBOTS_TIMEOUT).await;
            failure()
        };
        for (wait, fresh) in [(0, true), (0, false), (4, false), (1, true), (4, false)] {
            tokio::time::advance(Duration::from_secs(wait)).await;
            let known = cache.get(AGENT, &url, None, || began.elapsed(), hang).await;
            assert_eq!(known.fresh, fresh, "at {:?}", began.elapsed());
        }
    }

    #[tokio::test]
    async fn what_came_by_a_way_of_its_own_is_kept_apart() {
        let (cache, loads) = (RobotsCache::default(), AtomicU32::new(0));
        let (url, way) =
            ("https://a.example/", || Some(OwnWay { proxy: ProxyMode::Stealth, country: "US".to_owned() }));
        get(&cache, url, 0, failure(), &loads).await;
        let own = get_by(&cache, url, way(), 0, allow(), &loads).await;
        assert!(own.fresh && own.robots.trouble.is_none());
        assert!(get(&cache, url, 1, allow(), &loads).await.robots.trouble.is_some());
        assert!(!get_by(&cache, url, way(), 1_000, failure(), &loads).await.fresh);
        let url = Url::parse(url).unwrap();
        let at = Duration::from_secs(1_000);
        assert!(cache.current(AGENT, &url, &way().unwrap(), at).is_some());
        let other = OwnWay { proxy: ProxyMode::Stealth, country: "DE".to_owned() };
        assert!(cache.current(AGENT, &url, &other, at).is_none());
        assert!(cache.peek(AGENT, &url, None).is_none(), "what could not be read forbids nothing for good");
        assert!(cache.peek(AGENT, &url, way().as_ref()).is_some());
        assert!(cache.peek("other", &url, way().as_ref()).is_none());
    }

    #[tokio::test]
    async fn what_is_kept_takes_no_more_than_its_bound() {
        let cache = RobotsCache::default();
        let body: String = (0..20_000).map(|n| format!("Disallow: /{n}\n")).collect();
        let policy = RobotsPolicy::parse(format!("User-agent: *\n{body}").as_bytes(), AGENT);
        let weight = policy.weight();
        assert!(weight > 20_000 * 8, "{weight}");
        let (robots, loads) = (|| Robots::of(policy.clone()), AtomicU32::new(0));
        let sites = 2 * MAX_ROBOTS_MEMORY / weight;
        for n in 0..sites {
            get(&cache, &format!("https://{n}.example/"), 0, robots(), &loads).await;
        }
        assert!(cache.lock().memory <= MAX_ROBOTS_MEMORY);
        let first = get(&cache, "https://0.example/", 0, robots(), &loads).await;
        let last = get(&cache, &format!("https://{}.example/", sites - 1), 0, robots(), &loads).await;
        assert!(first.fresh && !last.fresh, "the oldest went");
    }
}
