//! robots.txt of each origin, fetched once for all who wait for it and kept for a day (RFC 9309, 2.4).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_frontier::RobotsPolicy;
use tokio::sync::OnceCell;
use url::Url;

use crate::ports::FetchError;

/// How long a robots.txt is kept: the longest that RFC 9309 recommends.
pub const ROBOTS_LIFETIME: Duration = Duration::from_secs(24 * 3_600);
/// Where robots.txt could not be had, or its server answered 5xx, it is asked for again after this.
pub const ROBOTS_RETRY: Duration = Duration::from_secs(5);
/// How long fetching one may take, whatever the timeout of the job that asks first.
pub const ROBOTS_TIMEOUT: Duration = Duration::from_secs(30);
/// So many are kept; beyond it the oldest are fetched again when needed.
pub const MAX_ROBOTS_KEPT: usize = 50_000;
/// Most memory that those which are kept may take, in bytes; beyond it the oldest are fetched again when needed.
pub const MAX_ROBOTS_MEMORY: usize = 64 << 20;

/// A robots.txt, or why there is none: then nothing of the origin is fetched.
pub(crate) type Reading = Result<Arc<RobotsPolicy>, FetchError>;

/// What is known of an origin's robots.txt.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) reading: Reading,
    /// It was fetched while the caller waited, so what it says of politeness was not known when the page was leased.
    pub(crate) fresh: bool,
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

/// Origin and agent.
type Key = (String, String);

#[derive(Debug, Clone)]
struct Entry {
    since: Duration,
    cell: Arc<OnceCell<Reading>>,
    /// What it takes, once it is there.
    weight: usize,
}

impl Entry {
    fn is_current(&self, now: Duration) -> bool {
        let lifetime = match self.cell.get() {
            Some(Err(_)) => ROBOTS_RETRY,
            Some(Ok(policy)) if policy.is_unreachable() => ROBOTS_RETRY,
            Some(Ok(_)) | None => ROBOTS_LIFETIME,
        };
        now < self.since + lifetime
    }
}

impl RobotsCache {
    /// The robots.txt of the origin of `url` as `agent` reads it; `load` fetches it where it is not known.
    pub(crate) async fn get<F>(
        &self,
        agent: &str,
        url: &Url,
        now: Duration,
        load: impl FnOnce(Url) -> F,
    ) -> Known
    where
        F: Future<Output = Reading>,
    {
        let key = (url.origin().ascii_serialization(), agent.to_owned());
        let (cell, since) = self.lock().cell(key.clone(), now);
        if let Some(reading) = cell.get() {
            return Known { reading: reading.clone(), fresh: false };
        }
        let mut address = url.clone();
        address.set_path("/robots.txt");
        address.set_query(None);
        address.set_fragment(None);
        let reading = cell.get_or_init(|| load(address)).await.clone();
        let weight = reading.as_ref().map_or(0, |policy| policy.weight());
        self.lock().weigh(&key, since, weight);
        Known { reading, fresh: true }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// The entry that holds now, and since when it is there.
    fn cell(&mut self, key: Key, now: Duration) -> (Arc<OnceCell<Reading>>, Duration) {
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

    use gleaner_types::{ErrorCode, PageError};

    use super::*;

    const AGENT: &str = "gleaner";

    async fn get(cache: &RobotsCache, url: &str, at: u64, reading: Reading, loads: &AtomicU32) -> Known {
        cache
            .get(AGENT, &Url::parse(url).unwrap(), Duration::from_secs(at), |address| {
                assert_eq!(address.path(), "/robots.txt");
                loads.fetch_add(1, Ordering::Relaxed);
                async move {
                    tokio::task::yield_now().await;
                    reading
                }
            })
            .await
    }

    fn allow() -> Reading {
        Ok(Arc::new(RobotsPolicy::parse(b"", AGENT)))
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
        let error = PageError { code: ErrorCode::ScrapeSiteError, message: String::new() };
        let failure = Err(FetchError { error, retryable: true, refused_hop: None });
        let unreachable = Ok(Arc::new(RobotsPolicy::from_status(503, b"", AGENT)));
        get(&cache, "https://a.example/", 0, failure.clone(), &loads).await;
        assert!(!get(&cache, "https://a.example/", 4, failure, &loads).await.fresh);
        assert!(get(&cache, "https://a.example/", 5, unreachable, &loads).await.fresh);
        assert!(get(&cache, "https://a.example/", 10, allow(), &loads).await.fresh);
        assert!(!get(&cache, "https://a.example/", 1_000, allow(), &loads).await.fresh);
        assert_eq!(loads.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn what_is_kept_takes_no_more_than_its_bound() {
        let cache = RobotsCache::default();
        let body: String = (0..20_000).map(|n| format!("Disallow: /{n}\n")).collect();
        let policy = RobotsPolicy::parse(format!("User-agent: *\n{body}").as_bytes(), AGENT);
        let weight = policy.weight();
        assert!(weight > 20_000 * 8, "{weight}");
        let (reading, loads): (Reading, _) = (Ok(Arc::new(policy)), AtomicU32::new(0));
        let sites = 2 * MAX_ROBOTS_MEMORY / weight;
        for n in 0..sites {
            get(&cache, &format!("https://{n}.example/"), 0, reading.clone(), &loads).await;
        }
        assert!(cache.lock().memory <= MAX_ROBOTS_MEMORY);
        let first = get(&cache, "https://0.example/", 0, reading.clone(), &loads).await;
        let last = get(&cache, &format!("https://{}.example/", sites - 1), 0, reading, &loads).await;
        assert!(first.fresh && !last.fresh, "the oldest went");
    }
}
