//! robots.txt of each origin, fetched once for all who wait for it and kept for a day (RFC 9309, 2.4).
//!
//! What comes of it is everybody's, so the options of no job decide how it is fetched: no headers of a user,
//! no emulation, any certificate, the engine's usual way out. Only where that way fails, and the job that
//! asks goes another (the stealth proxies, another country), it is asked for once more by that, and what
//! comes is kept for those who go the same way. To fetch it by the options of whoever asks first, the obvious
//! alternative, would let one job's proxy that is out of order close a site for all; to fetch it by the usual
//! way alone would close the sites that can be reached by another only.
//!
//! 4xx, and redirects without end, mean that there is none, so that everything is allowed (2.3.1.2, 2.3.1.3).
//! Whatever else keeps it from being read means that nothing is allowed for now (2.3.1.4), and it is asked
//! for again soon.
//!
//! The request goes on while anybody waits for it. Who has less time than the request may take stops waiting
//! sooner, and for them it could not be read; the others lose nothing by that, and what comes is kept for
//! all.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use gleaner_frontier::RobotsPolicy;
use gleaner_types::{ErrorCode, PageError};
use tokio::sync::watch;
use tokio::time::Instant;
use url::{Position, Url};

use crate::route::RouteKey;

/// How long a robots.txt is kept: the longest that RFC 9309 recommends.
pub const ROBOTS_LIFETIME: Duration = Duration::from_secs(24 * 3_600);
/// Where robots.txt could not be had, or its server answered 5xx, it is asked for again so long after that
/// was known.
pub const ROBOTS_RETRY: Duration = Duration::from_secs(5);
/// How long fetching one may take in all, whatever the timeout of the job that asks first. Who drips bytes
/// gains nothing by it. A job whose own timeout is shorter does not wait that long.
pub const ROBOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// Upper bound on a fetch of robots.txt with the turns that its redirects wait for. All who wait for one wait
/// for the same fetch, so one that hangs must end, whatever the fetcher does.
pub(crate) const MAX_ROBOTS_TIME: Duration = Duration::from_secs(30);
/// So many are kept; beyond it the oldest are fetched again when needed.
pub const MAX_ROBOTS_KEPT: usize = 50_000;
/// Most memory that those which are kept may take, in bytes; beyond it the oldest are fetched again when
/// needed.
pub const MAX_ROBOTS_MEMORY: usize = 64 << 20;

/// What was read of an origin's robots.txt.
#[derive(Debug)]
pub(crate) struct Robots {
    pub(crate) policy: RobotsPolicy,
    /// Why it could not be had, where that is so: the policy then allows nothing (RFC 9309, 2.3.1.4).
    pub(crate) trouble: Option<RobotsFailure>,
}

/// Why a robots.txt could not be had.
#[derive(Debug, Clone)]
pub(crate) struct RobotsFailure {
    /// The message names the host and the cause.
    pub(crate) error: PageError,
    /// Another try may do better.
    pub(crate) passes: bool,
    /// There was an answer, which said that the server fails.
    pub(crate) answered: bool,
}

impl RobotsFailure {
    /// The engine's own rules forbid to go there, so that nothing was asked: robots.txt has nothing to do
    /// with it.
    pub(crate) fn is_refusal(&self) -> bool {
        self.error.code == ErrorCode::ScrapeBlocked && !self.passes
    }
}

impl Robots {
    pub(crate) fn of(policy: RobotsPolicy) -> Self {
        Self { policy, trouble: None }
    }

    pub(crate) fn unreachable(trouble: RobotsFailure) -> Self {
        Self { policy: RobotsPolicy::unreachable(), trouble: Some(trouble) }
    }
}

/// What is known of an origin's robots.txt.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) robots: Arc<Robots>,
    /// It was fetched while the caller waited, so what it says of politeness was not known when the page was
    /// leased.
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
    order: VecDeque<(Key, u64)>,
    memory: usize,
    /// How many there were.
    numbers: u64,
}

/// Origin, agent, and the way where it is not the usual one. In one text, since it is made for every page.
type Key = String;

fn key_of(agent: &str, url: &Url, route: Option<&RouteKey>) -> Key {
    let (scheme, host) = (url.scheme(), &url[Position::BeforeHost..Position::AfterPort]);
    let route = route.map(|route| format!("{:?}/{}", route.proxy, route.country));
    let route = route.as_deref().unwrap_or("-");
    // The agent, which may be any text, last.
    let parts = [scheme, " ", host, " ", route, " ", agent];
    let mut key = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| key.push_str(part));
    key
}

#[derive(Debug)]
struct Entry {
    /// Tells it from others under its key, before it and after it.
    number: u64,
    since: Duration,
    state: State,
    /// What it takes, once it is there.
    weight: usize,
}

#[derive(Debug)]
enum State {
    /// It is fetched for as long as anybody waits for it.
    UnderWay {
        load: WeakShared<Load>,
        asked: watch::Receiver<Option<Instant>>,
    },
    There(Loaded),
}

/// A robots.txt on its way.
type Load = BoxFuture<'static, Loaded>;

#[derive(Debug, Clone)]
struct Loaded {
    robots: Arc<Robots>,
    /// When it was there.
    at: Duration,
}

/// Where a load tells that its request begins: until then it waits for its host's turn, which is no part of
/// any timeout.
#[derive(Debug)]
pub(crate) struct StartSignal(watch::Sender<Option<Instant>>);

impl StartSignal {
    pub(crate) fn now(&self) {
        self.0.send_replace(Some(Instant::now()));
    }
}

/// What a job that asks finds.
enum Found {
    There(Arc<Robots>),
    UnderWay { number: u64, load: Shared<Load>, asked: watch::Receiver<Option<Instant>> },
}

impl Entry {
    fn find(&self, now: Duration) -> Option<Found> {
        match &self.state {
            State::There(loaded) => {
                let is_current = match &loaded.robots.trouble {
                    // Who hangs fails only after a while, so the life of a failure begins with its end.
                    Some(_) => now < loaded.at + ROBOTS_RETRY,
                    None => now < self.since + ROBOTS_LIFETIME,
                };
                is_current.then(|| Found::There(Arc::clone(&loaded.robots)))
            }
            State::UnderWay { load, asked } => {
                let load = load.upgrade()?;
                Some(Found::UnderWay { number: self.number, load, asked: asked.clone() })
            }
        }
    }

    fn loaded(&self) -> Option<&Loaded> {
        match &self.state {
            State::There(loaded) => Some(loaded),
            State::UnderWay { .. } => None,
        }
    }
}

impl RobotsCache {
    /// The robots.txt of the origin of `url` as `agent` reads it, fetched by the usual way or by one of its
    /// own; `load` fetches it where it is not known. `None` where `patience` ran out, counted from when its
    /// request began.
    pub(crate) async fn get<F>(
        &self,
        agent: &str,
        url: &Url,
        route: Option<RouteKey>,
        patience: Duration,
        now: impl Fn() -> Duration + Send + 'static,
        load: impl FnOnce(Url, StartSignal) -> F,
    ) -> Option<Known>
    where
        F: Future<Output = Robots> + Send + 'static,
    {
        let arrived = Instant::now();
        let key = key_of(agent, url, route.as_ref());
        let (number, load, mut asked) = {
            let mut kept = self.lock();
            match kept.find(&key, now()) {
                Some(Found::There(robots)) => return Some(Known { robots, fresh: false }),
                Some(Found::UnderWay { number, load, asked }) => (number, load, asked),
                None => {
                    let (begun, asked) = watch::channel(None);
                    let (since, robots) = (now(), load(address_of(url), StartSignal(begun)));
                    let load = async move { Loaded { robots: Arc::new(robots.await), at: now() } };
                    let load = load.boxed().shared();
                    (kept.insert(&key, since, &load, &asked), load, asked)
                }
            }
        };
        let out_of_patience = async {
            // Who fetches it has no shorter time than this.
            if patience >= ROBOTS_TIMEOUT {
                return std::future::pending().await;
            }
            let began = match asked.wait_for(Option::is_some).await {
                Ok(began) => *began,
                // It is there.
                Err(_) => None,
            };
            match began {
                Some(began) => tokio::time::sleep_until(began.max(arrived) + patience).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            loaded = load => {
                self.lock().arrived(&key, number, &loaded);
                Some(Known { robots: loaded.robots, fresh: true })
            }
            () = out_of_patience => None,
        }
    }

    /// What [`get`](Self::get) would give at once for this way, without asking anybody.
    pub(crate) fn current(
        &self,
        agent: &str,
        url: &Url,
        route: &RouteKey,
        now: Duration,
    ) -> Option<Arc<Robots>> {
        let kept = self.lock();
        match kept.find(&key_of(agent, url, Some(route)), now)? {
            Found::There(robots) => Some(robots),
            Found::UnderWay { .. } => None,
        }
    }

    /// The robots.txt of the origin of `url` that was read last by this way, were it only for a look; `None`
    /// where it could not be read.
    pub(crate) fn peek(&self, agent: &str, url: &Url, route: Option<&RouteKey>) -> Option<Arc<Robots>> {
        let kept = self.lock();
        let robots = &kept.entries.get(&key_of(agent, url, route))?.loaded()?.robots;
        robots.trouble.is_none().then(|| Arc::clone(robots))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the robots.txt of the origin of `url` is.
pub(crate) fn address_of(url: &Url) -> Url {
    let mut address = url.clone();
    address.set_path("/robots.txt");
    address.set_query(None);
    address.set_fragment(None);
    address
}

impl Kept {
    fn find(&self, key: &Key, now: Duration) -> Option<Found> {
        self.entries.get(key)?.find(now)
    }

    /// Puts one on its way in the place of what is no longer current, and gives its number.
    fn insert(
        &mut self,
        key: &Key,
        since: Duration,
        load: &Shared<Load>,
        asked: &watch::Receiver<Option<Instant>>,
    ) -> u64 {
        self.remove(key);
        while self.entries.len() >= MAX_ROBOTS_KEPT && self.drop_oldest() {}
        self.numbers += 1;
        let number = self.numbers;
        // What has ended already cannot be waited for; whoever asks then fetches it anew.
        if let Some(load) = load.downgrade() {
            let state = State::UnderWay { load, asked: asked.clone() };
            self.order.push_back((key.clone(), number));
            self.entries.insert(key.clone(), Entry { number, since, state, weight: 0 });
        }
        number
    }

    /// Keeps what has come, books what it takes, and makes room for it.
    fn arrived(&mut self, key: &Key, number: u64, loaded: &Loaded) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| entry.number == number) else { return };
        let weight = loaded.robots.policy.weight();
        self.memory = self.memory - entry.weight + weight;
        entry.weight = weight;
        entry.state = State::There(loaded.clone());
        while self.memory > MAX_ROBOTS_MEMORY && self.drop_oldest() {}
    }

    /// False where there is none.
    fn drop_oldest(&mut self) -> bool {
        let Some((key, number)) = self.order.pop_front() else { return false };
        if self.entries.get(&key).is_some_and(|entry| entry.number == number) {
            self.remove(&key);
        }
        true
    }

    fn remove(&mut self, key: &Key) {
        self.memory -= self.entries.remove(key).map_or(0, |entry| entry.weight);
        // Names of entries that are gone must not outnumber the others.
        if self.order.len() > 2 * self.entries.len() + 64 {
            let entries = &self.entries;
            self.order.retain(|(key, number)| entries.get(key).is_some_and(|entry| entry.number == *number));
        }
    }
}

#[cfg(test)]
mod tests;
