//! What the actors of a simulation share: the web, the clock, the record of requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::wire::{Event, Moment, Wire};
use super::world::{Resource, World};
use crate::site::random::Random;

/// After so long a lease is lost: longer than any page takes here, so that only what hangs loses its lease.
pub(super) const LEASE_TIME: Duration = Duration::from_secs(15 * 60);

/// What goes wrong with the engine itself rather than with a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// So many of a thousand fetches hang before the request is sent.
    pub(super) before: usize,
    /// So many of a thousand hang when the answer is there.
    pub(super) after: usize,
    /// All fetches that are under way at these moments hang.
    pub(super) hangs: Vec<Moment>,
    /// So many of a thousand pages are stored only when their lease is over.
    pub(super) late_finish: usize,
    /// At these moments the worker loop breaks and begins anew.
    pub(super) crashes: Vec<Moment>,
}

#[derive(Debug)]
pub(super) struct Stage {
    pub(super) seed: u64,
    pub(super) world: World,
    pub(super) faults: Faults,
    /// The number that requests of a map go by.
    pub(super) map_job: usize,
    began: Instant,
    wire: Mutex<Wire>,
    taken: Mutex<BTreeSet<Moment>>,
    tries: Mutex<BTreeMap<(usize, Resource), u32>>,
    /// Leases that were lost, by job and page.
    lost: Mutex<BTreeMap<(usize, Resource), u32>>,
    /// Crashes that have been.
    crashed: Mutex<usize>,
    full_addresses: Mutex<u64>,
    /// How often robots.txt of each host was asked for.
    robots: Mutex<BTreeMap<usize, u32>>,
}

impl Stage {
    pub(super) fn new(seed: u64, world: World, wire: Wire, faults: Faults, map_job: usize) -> Self {
        Self {
            seed,
            world,
            faults,
            map_job,
            began: Instant::now(),
            wire: Mutex::new(wire),
            taken: Mutex::default(),
            tries: Mutex::default(),
            lost: Mutex::default(),
            crashed: Mutex::default(),
            full_addresses: Mutex::default(),
            robots: Mutex::default(),
        }
    }

    /// Counts a request for robots.txt of a host; they count from 1.
    pub(super) fn robots_asked(&self, host: usize) -> u32 {
        let mut asked = locked(&self.robots);
        let count = asked.entry(host).or_default();
        *count += 1;
        *count
    }

    pub(super) fn wire(&self) -> MutexGuard<'_, Wire> {
        locked(&self.wire)
    }

    pub(super) fn now(&self) -> Moment {
        self.began.elapsed().as_millis() as Moment
    }

    pub(super) fn note(&self, event: Event) {
        self.wire().note(self.now(), event);
    }

    /// Sleeps for so long, and then to a moment at which nothing else awakes.
    ///
    /// Two things that happen at one moment happen in an order that the runtime chooses (it draws lots in `select!`,
    /// and other threads take part in its work). With a moment of its own for each, what follows from one is over
    /// before the next begins, so a seed has one course.
    pub(super) async fn sleep(&self, milliseconds: u64) {
        let at = {
            let mut taken = locked(&self.taken);
            let mut at = self.now() + milliseconds.max(1);
            while !taken.insert(at) {
                at += 1;
            }
            at
        };
        tokio::time::sleep_until(self.began + Duration::from_millis(at)).await;
    }

    /// Never comes to an end. Whatever works on a page has to be given up before its lease is over.
    pub(super) async fn hang(&self, job: usize, place: Resource) {
        self.sleep(LEASE_TIME.as_millis() as u64).await;
        self.wire().violate(self.now(), format!("job {job} works on {place:?}, whose lease is over"));
        std::future::pending::<()>().await;
    }

    /// Notes that an address of several hosts has as many pages in work as it may.
    pub(super) fn note_full_address(&self) {
        *locked(&self.full_addresses) += 1;
    }

    pub(super) fn full_addresses(&self) -> u64 {
        *locked(&self.full_addresses)
    }

    /// How often the worker loop broke.
    pub(super) fn crashed(&self) -> u64 {
        *locked(&self.crashed) as u64
    }

    /// True once for each moment at which the worker loop is to break.
    pub(super) fn crashes(&self) -> bool {
        let mut crashed = locked(&self.crashed);
        let due = self.faults.crashes.get(*crashed).is_some_and(|at| *at <= self.now());
        *crashed += usize::from(due);
        due
    }

    /// Notes that a lease was lost.
    pub(super) fn lose(&self, job: usize, place: Resource) {
        *locked(&self.lost).entry((job, place)).or_default() += 1;
        self.note(Event::LeaseLost { job, place });
    }

    /// The leases that were lost, by job and page.
    pub(super) fn lost(&self) -> BTreeMap<(usize, Resource), u32> {
        locked(&self.lost).clone()
    }

    /// The number of this try, from 0, and a stream of random numbers of its own.
    pub(super) fn try_of(&self, job: usize, place: Resource) -> (u32, Random) {
        let mut tries = locked(&self.tries);
        let count = tries.entry((job, place)).or_default();
        let number = *count;
        *count += 1;
        (number, self.random(job, place, u64::from(number)))
    }

    /// Random numbers that depend on what they are for, not on what was drawn before.
    pub(super) fn random(&self, job: usize, place: Resource, number: u64) -> Random {
        let (kind, id) = match place {
            Resource::Page(id) => (0, id),
            Resource::Robots(host) => (1, host),
            Resource::Sitemap(host, file) => (2, host * 8 + file),
            Resource::Nothing(host) => (3, host),
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
