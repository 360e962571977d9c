//! State that the parts of a simulation share: the web, the clock, the monitor of requests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_store::LeaseId;
use gleaner_types::JobId;
use tokio::time::Instant;

use super::monitor::{Event, Moment, Monitor};
use super::world::{Asked, Resource, World};
use crate::site::random::Random;

/// Lease time: longer than any page takes here, so that only a page that hangs loses its lease.
pub(super) const LEASE_TIME: Duration = Duration::from_secs(15 * 60);

/// Faults of the engine itself rather than of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// How many of a thousand fetches hang before the request is sent.
    pub(super) hang_before: usize,
    /// How many of a thousand fetches hang after the response has arrived.
    pub(super) hang_after: usize,
    /// All fetches in flight at these moments hang.
    pub(super) hangs: Vec<Moment>,
    /// How many of a thousand pages reach the store only after their lease has expired.
    pub(super) late_finish: usize,
    /// At these moments the worker loop panics and restarts.
    pub(super) crashes: Vec<Moment>,
    /// The power fails, and other processes go on.
    pub(super) loses_power: bool,
}

/// The virtual time of the current process, which has a paused clock of its own.
#[derive(Debug)]
struct ProcessTime {
    began: Instant,
    /// When it began.
    offset: Moment,
    /// When it ended. Time stands still until the next process begins; also before the first.
    ended: Option<Moment>,
}

impl ProcessTime {
    fn now(&self) -> Moment {
        self.ended.unwrap_or_else(|| self.offset + self.began.elapsed().as_millis() as Moment)
    }
}

#[derive(Debug)]
pub(super) struct Context {
    pub(super) seed: u64,
    pub(super) world: World,
    pub(super) faults: Faults,
    /// The job number of requests of a map.
    pub(super) map_job: usize,
    time: Mutex<ProcessTime>,
    monitor: Mutex<Monitor>,
    /// The numbers of the jobs.
    jobs: Mutex<HashMap<JobId, usize>>,
    /// Leases whose finish is not acknowledged. While the disk is stalled, a page may be leased again before
    /// its retry is acknowledged.
    open_leases: Mutex<BTreeMap<LeaseId, Asked>>,
    taken: Mutex<BTreeSet<Moment>>,
    tries: Mutex<BTreeMap<(usize, Resource), u32>>,
    /// Number of lost leases.
    lost: Mutex<BTreeMap<Asked, u32>>,
    /// Crashes so far.
    crash_count: Mutex<usize>,
    full_addresses: Mutex<u64>,
    /// Requests for robots.txt, by host.
    robots: Mutex<BTreeMap<usize, u32>>,
    /// Hosts whose robots.txt hung.
    hung_robots: Mutex<BTreeSet<usize>>,
}

impl Context {
    pub(super) fn new(seed: u64, world: World, monitor: Monitor, faults: Faults, map_job: usize) -> Self {
        Self {
            seed,
            world,
            faults,
            map_job,
            time: Mutex::new(ProcessTime { began: Instant::now(), offset: 0, ended: Some(0) }),
            monitor: Mutex::new(monitor),
            jobs: Mutex::default(),
            open_leases: Mutex::default(),
            taken: Mutex::default(),
            tries: Mutex::default(),
            lost: Mutex::default(),
            crash_count: Mutex::default(),
            full_addresses: Mutex::default(),
            robots: Mutex::default(),
            hung_robots: Mutex::default(),
        }
    }

    /// Counts a request for robots.txt of a host and returns its number, from 1.
    pub(super) fn count_robots_request(&self, host: usize) -> u32 {
        let mut requests = locked(&self.robots);
        let count = requests.entry(host).or_default();
        *count += 1;
        *count
    }

    pub(super) fn monitor(&self) -> MutexGuard<'_, Monitor> {
        locked(&self.monitor)
    }

    pub(super) fn now(&self) -> Moment {
        locked(&self.time).now()
    }

    /// A process begins at this moment. Call it where tokio's clock is that of the process.
    pub(super) fn begin_process(&self, at: Moment) {
        *locked(&self.time) = ProcessTime { began: Instant::now(), offset: at, ended: None };
    }

    /// The process ends.
    pub(super) fn end_process(&self) {
        let mut time = locked(&self.time);
        time.ended = Some(time.now());
    }

    /// Milliseconds pass before the next process begins.
    pub(super) fn pass(&self, milliseconds: u64) {
        let mut time = locked(&self.time);
        time.ended = Some(time.now() + milliseconds);
    }

    /// Gives a job the number of its task.
    pub(super) fn register(&self, job: JobId, number: usize) {
        locked(&self.jobs).insert(job, number);
    }

    /// The number of a job.
    pub(super) fn number_of(&self, job: JobId) -> Option<usize> {
        locked(&self.jobs).get(&job).copied()
    }

    pub(super) fn note(&self, event: Event) {
        self.monitor().note(self.now(), event);
    }

    /// Sleeps at least this long, until a moment at which no other sleep ends.
    ///
    /// Tokio chooses the order of wake-ups at the same moment: `select!` picks at random, and other threads
    /// take part. When each wake-up has its own moment, its effects are over before the next one, so a
    /// seed has one possible run.
    pub(super) async fn sleep(&self, milliseconds: u64) {
        let (began, offset) = {
            let time = locked(&self.time);
            (time.began, time.offset)
        };
        let at = {
            let mut taken = locked(&self.taken);
            let mut at = self.now() + milliseconds.max(1);
            while !taken.insert(at) {
                at += 1;
            }
            at
        };
        tokio::time::sleep_until(began + Duration::from_millis(at - offset)).await;
    }

    /// Never completes. Work on a page must be dropped before its lease expires.
    pub(super) async fn hang(&self, job: usize, resource: Resource) {
        self.note(Event::Hung { job, resource });
        if let Resource::Robots(host) = resource {
            locked(&self.hung_robots).insert(host);
        }
        self.sleep(LEASE_TIME.as_millis() as u64).await;
        self.monitor().violate(self.now(), format!("job {job} works on {resource:?}, whose lease is over"));
        std::future::pending::<()>().await;
    }

    /// Hosts whose robots.txt hung. Nothing of them is certain: pages that wait for it may be blocked.
    pub(super) fn hung_robots(&self) -> BTreeSet<usize> {
        locked(&self.hung_robots).clone()
    }

    /// Counts that an address of several hosts has reached its limit of leased pages.
    pub(super) fn note_full_address(&self) {
        *locked(&self.full_addresses) += 1;
    }

    pub(super) fn full_addresses(&self) -> u64 {
        *locked(&self.full_addresses)
    }

    /// How often the worker loop panicked.
    pub(super) fn crash_count(&self) -> u64 {
        *locked(&self.crash_count) as u64
    }

    /// True once for each moment at which the worker loop has to panic.
    pub(super) fn crash_is_due(&self) -> bool {
        let mut crash_count = locked(&self.crash_count);
        let due = self.faults.crashes.get(*crash_count).is_some_and(|at| *at <= self.now());
        *crash_count += usize::from(due);
        due
    }

    /// Records that a page was leased.
    pub(super) fn open_lease(&self, lease: LeaseId, asked: Asked) {
        locked(&self.open_leases).insert(lease, asked);
    }

    /// Records that the end of a lease was acknowledged.
    pub(super) fn close_lease(&self, lease: LeaseId) {
        locked(&self.open_leases).remove(&lease);
    }

    /// Records that all leases are lost with their process.
    pub(super) fn lose_open_leases(&self) {
        let open = std::mem::take(&mut *locked(&self.open_leases));
        for asked in open.into_values() {
            self.lose(asked);
        }
    }

    /// Records a lost lease.
    pub(super) fn lose(&self, asked: Asked) {
        *locked(&self.lost).entry(asked).or_default() += 1;
        let (job, resource, _) = asked;
        self.note(Event::LeaseLost { job, resource });
    }

    /// Number of lost leases.
    pub(super) fn lost(&self) -> BTreeMap<Asked, u32> {
        locked(&self.lost).clone()
    }

    /// The number of this try, from 0, with its own stream of random numbers.
    pub(super) fn next_try(&self, job: usize, resource: Resource) -> (u32, Random) {
        let mut tries = locked(&self.tries);
        let count = tries.entry((job, resource)).or_default();
        let number = *count;
        *count += 1;
        (number, self.random(job, resource, u64::from(number)))
    }

    /// Random numbers that depend only on the seed and these arguments, not on earlier draws.
    pub(super) fn random(&self, job: usize, resource: Resource, number: u64) -> Random {
        let (kind, id) = match resource {
            Resource::Page(id) => (0, id),
            Resource::Robots(host) => (1, host),
            Resource::Sitemap(host, file) => (2, host * 8 + file),
            Resource::Missing(host) => (3, host),
        };
        let stream = [kind, id as u64, job as u64, number]
            .into_iter()
            .fold(0_u64, |mixed, part| mixed.wrapping_mul(0x0100_0000_01b3).wrapping_add(part + 1));
        Random::new(self.seed, stream)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
