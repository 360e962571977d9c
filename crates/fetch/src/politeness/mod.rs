//! What one host, and all hosts together, are asked to bear.
//!
//! A [`Politeness`] hands out [`Permit`]s: one for each request under way, at most so many to one host at a time, no
//! sooner after the last one than the host's interval, and at most so many in all. Who asks first is served first. A
//! fetcher that has one ([`crate::FetcherBuilder::politeness`]) takes a permit before each request that it sends, for
//! redirects and repeated tries as well, within the request's deadline; a program with a queue of its own can take
//! permits itself and share them with the fetcher.
//!
//! Nothing that waits holds what others could use: a request that waits for a host's interval holds none of the permits
//! of the whole, and one that is cancelled gives back what it has, wherever it is.

mod host;
mod rate;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use host::Host;

/// Most requests that are under way at once where nothing else is said.
pub const DEFAULT_MAX_REQUESTS: u32 = 256;
/// Most requests to one host that are under way at once where nothing else is said.
pub const DEFAULT_MAX_PER_HOST: u32 = 8;
/// Longest interval between two requests to one host; a longer one is taken as this: an hour.
pub const MAX_INTERVAL: Duration = Duration::from_secs(3600);
/// Hosts of which something is remembered before those that can be forgotten are looked for.
const FIRST_SWEEP: usize = 1024;

/// What one host is asked to bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostLimits {
    /// Most requests under way at once; at least 1.
    pub concurrency: u32,
    /// Least time between the beginnings of two requests; zero sets none.
    pub interval: Duration,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self { concurrency: DEFAULT_MAX_PER_HOST, interval: Duration::ZERO }
    }
}

impl HostLimits {
    /// At most so many requests at once.
    #[must_use]
    pub fn concurrency(concurrency: u32) -> Self {
        Self { concurrency, ..Self::default() }
    }

    /// The same with at least so long between the beginnings of two requests.
    #[must_use]
    pub fn with_interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }
}

/// Hands out permits. Cheap to clone: clones hand out the same ones.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use gleaner_fetch::{HostLimits, Politeness};
///
/// let politeness = Politeness::new(100, HostLimits::concurrency(2).with_interval(Duration::from_secs(1)));
/// let first = politeness.acquire("example.com").await;
/// // Comes a second later, and a third one not before one of these is dropped.
/// let second = politeness.acquire("example.com").await;
/// assert_eq!(politeness.in_use(), 2);
/// drop((first, second));
/// assert_eq!(politeness.in_use(), 0);
/// # }
/// ```
#[derive(Clone)]
pub struct Politeness(Arc<Inner>);

struct Inner {
    max_requests: u32,
    limits: HostLimits,
    total: Arc<Semaphore>,
    hosts: Mutex<Hosts>,
}

struct Hosts {
    by_name: HashMap<Box<str>, Arc<Host>>,
    next_sweep: usize,
}

/// The right to have one request under way. Dropping it gives it back.
#[derive(Debug)]
pub struct Permit {
    _host: OwnedSemaphorePermit,
    _total: OwnedSemaphorePermit,
    // Last, so that the host counts as in use for as long as its permit is.
    _kept: Arc<Host>,
}

impl Politeness {
    /// At most `max_requests` under way at once, at least 1, and to each host no more than `limits`.
    #[must_use]
    pub fn new(max_requests: u32, limits: HostLimits) -> Self {
        let max_requests = max_requests.max(1);
        Self(Arc::new(Inner {
            max_requests,
            limits,
            total: Arc::new(Semaphore::new(max_requests as usize)),
            hosts: Mutex::new(Hosts { by_name: HashMap::new(), next_sweep: FIRST_SWEEP }),
        }))
    }

    /// Waits until a request to `host` may begin. Cancelling it leaves nothing behind.
    pub async fn acquire(&self, host: &str) -> Permit {
        let kept = self.0.host(host);
        let (host, total) = kept.enter(&self.0.total).await;
        Permit { _host: host, _total: total, _kept: kept }
    }

    /// From now on, at least so long lies between the beginnings of two requests to `host`, which may be what its
    /// robots.txt asks for; zero lifts it. It is remembered while requests to the host are under way or waiting, and for
    /// one interval longer.
    pub fn set_interval(&self, host: &str, interval: Duration) {
        self.0.host(host).set_interval(interval.min(MAX_INTERVAL));
    }

    /// How many permits are out.
    #[must_use]
    pub fn in_use(&self) -> usize {
        (self.0.max_requests as usize).saturating_sub(self.0.total.available_permits())
    }

    /// Of how many hosts something is remembered. Bounded by twice the hosts with requests or with an interval that is
    /// not over, and by about a thousand where those are fewer.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.0.lock().by_name.len()
    }
}

impl Default for Politeness {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_REQUESTS, HostLimits::default())
    }
}

impl fmt::Debug for Politeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Politeness")
            .field("max_requests", &self.0.max_requests)
            .field("limits", &self.0.limits)
            .field("in_use", &self.in_use())
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn host(&self, name: &str) -> Arc<Host> {
        // A final dot, which may have a port behind it, makes no other host.
        let undotted = name.rsplit_once(".:").map(|(host, port)| format!("{host}:{port}"));
        let name = undotted.as_deref().unwrap_or_else(|| name.strip_suffix('.').unwrap_or(name));
        let mut hosts = self.lock();
        if let Some(host) = hosts.by_name.get(name) {
            return Arc::clone(host);
        }
        // Each sweep is paid for by as many hosts that came since the one before.
        if hosts.by_name.len() >= hosts.next_sweep {
            hosts.by_name.retain(|_, host| Arc::strong_count(host) > 1 || !host.is_rested());
            hosts.next_sweep = (2 * hosts.by_name.len()).max(FIRST_SWEEP);
        }
        let host = Arc::new(Host::new(self.limits));
        hosts.by_name.insert(name.into(), Arc::clone(&host));
        host
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn permits_bound_hosts_and_the_whole() {
        let politeness = Politeness::new(5, HostLimits::concurrency(2));
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let started = Instant::now();
        let tasks: Vec<_> = (0..60)
            .map(|n| {
                let (politeness, running, most) =
                    (politeness.clone(), Arc::clone(&running), Arc::clone(&most));
                tokio::spawn(async move {
                    let _permit = politeness.acquire(["a", "b", "c"][n % 3]).await;
                    most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    running.fetch_sub(1, SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(most.load(SeqCst), 5);
        // Twelve seconds at 5 at a time; one more where two of the last are to the same host.
        assert!((12..=13).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
        assert_eq!(politeness.in_use(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn beginnings_keep_their_distance_and_their_order() {
        let politeness =
            Politeness::new(100, HostLimits::concurrency(4).with_interval(Duration::from_secs(2)));
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let started = Instant::now();
        for number in 0..6 {
            let (politeness, sender) = (politeness.clone(), sender.clone());
            tokio::spawn(async move {
                let _permit = politeness.acquire("a").await;
                sender.send((number, started.elapsed().as_millis())).unwrap();
            });
            tokio::task::yield_now().await;
        }
        drop(sender);
        let mut begun = Vec::new();
        while let Some(one) = receiver.recv().await {
            begun.push(one);
        }
        let numbers: Vec<_> = begun.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5], "first come, first served");
        assert!(begun.windows(2).all(|pair| pair[1].1 - pair[0].1 >= 2000), "{begun:?}");
        assert!(started.elapsed() < Duration::from_millis(10_100), "{begun:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_host_holds_nothing_of_the_others() {
        let politeness =
            Politeness::new(2, HostLimits::concurrency(8).with_interval(Duration::from_secs(60)));
        let started = Instant::now();
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let politeness = politeness.clone();
                tokio::spawn(async move { drop(politeness.acquire("slow").await) })
            })
            .collect();
        tokio::task::yield_now().await;
        for host in ["b", "c", "d"] {
            drop(politeness.acquire(host).await);
        }
        assert_eq!(started.elapsed().as_secs(), 0);
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test(start_paused = true)]
    async fn an_interval_can_be_set_and_lifted() {
        let politeness = Politeness::default();
        let started = Instant::now();
        politeness.set_interval("a", Duration::from_secs(10));
        for _ in 0..3 {
            drop(politeness.acquire("a").await);
        }
        assert_eq!(started.elapsed().as_secs(), 20);
        politeness.set_interval("a", Duration::ZERO);
        for _ in 0..3 {
            drop(politeness.acquire("a").await);
        }
        assert_eq!(started.elapsed().as_secs(), 20);
        // Set again after a request, as after its robots.txt, it counts from that one.
        for (interval, until) in [(10, 30), (30, 60), (30, 90)] {
            politeness.set_interval("a", Duration::from_secs(interval));
            drop(politeness.acquire("a").await);
            assert_eq!(started.elapsed().as_secs(), until);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_are_forgotten() {
        let politeness = Politeness::default();
        let held = politeness.acquire("held").await;
        for host in 0..10_000 {
            drop(politeness.acquire(&format!("host-{host}")).await);
        }
        assert!(politeness.hosts() <= 2 * FIRST_SWEEP, "{}", politeness.hosts());
        let slow = Politeness::new(1, HostLimits::default().with_interval(Duration::from_secs(1)));
        for host in 0..5000 {
            drop(slow.acquire(&format!("host-{host}")).await);
        }
        assert_eq!(slow.hosts(), 5000, "their intervals are not over");
        tokio::time::advance(Duration::from_secs(2)).await;
        for host in 5000..10_000 {
            drop(slow.acquire(&format!("host-{host}")).await);
        }
        assert!(slow.hosts() <= 6000, "{}", slow.hosts());
        drop(held);
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_waits_give_everything_back() {
        let politeness =
            Politeness::new(3, HostLimits::concurrency(2).with_interval(Duration::from_millis(1)));
        let tasks: Vec<_> = (0..300)
            .map(|n| {
                let politeness = politeness.clone();
                tokio::spawn(async move {
                    let _permit = politeness.acquire(["a", "b", "c"][n % 3]).await;
                    tokio::time::sleep(Duration::from_millis(7)).await;
                })
            })
            .collect();
        for (n, task) in tasks.iter().enumerate() {
            if n % 2 == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                task.abort();
            }
        }
        for task in tasks {
            let _ = task.await;
        }
        assert_eq!(politeness.in_use(), 0);
        let all: Vec<_> =
            [politeness.acquire("a").await, politeness.acquire("a").await, politeness.acquire("b").await]
                .into();
        assert_eq!(politeness.in_use(), all.len());
    }
}
