//! The in-memory store: one lock around the frontier and the jobs.
//!
//! There is one lock, not one per job, because a lease inspects all jobs, and a finish changes job, frontier
//! and documents together. Documents are written as JSON before the lock is taken, except a streamed document
//! whose reserved memory was taken by others in the meantime. Writing spilled documents, and writing and
//! reading blocks of waiting pages, happens under the lock. Reading spilled documents, parsing their JSON,
//! and building the body of an event does not.

mod config;
mod events;
mod failure_log;
mod failure_quota;
mod finish;
mod histories;
mod job;
mod keys;
mod leases;
mod operations;
mod scrapes;
mod state;
mod teams;
mod unsettled;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_frontier::Frontier;
use tokio::sync::watch;

pub use self::config::MemoryConfig;
use self::events::EventSchedule;
pub use self::histories::{MAX_HISTORIES, MAX_HISTORY_BYTES};
pub use self::keys::MAX_IDEMPOTENCY_KEYS;
pub use self::scrapes::{MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES};
use self::state::State;
pub use self::unsettled::MAX_UNSETTLED_JOBS;
use crate::Error;
use crate::result_space::ResultSpace;

/// Maximum number of listed failures, and of listed robots.txt refusals, per job. Further ones are only
/// counted, and a warning of the job says so.
pub const MAX_LISTED_FAILURES: usize = 10_000;
/// The same for all jobs together; a team lists at most as many as it leaves free.
pub const MAX_ALL_LISTED_FAILURES: usize = 250_000;
/// This many failures of each job are always listed, however many others have: a single scrape reports its
/// failure.
pub const ALWAYS_LISTED_FAILURES: usize = 100;

/// A [`Store`](crate::Store) in memory. Its contents end with the process.
pub struct MemoryStore {
    config: MemoryConfig,
    state: Mutex<State>,
    work: watch::Sender<u64>,
    maintenance: watch::Sender<u64>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: MemoryConfig) -> Self {
        let mut frontier = Frontier::new(config.frontier.clone());
        if let Some(file) = config.queue_file() {
            frontier = frontier.with_spill(Box::new(file));
        }
        let state = State {
            frontier,
            epoch: 1,
            lease_holders: Default::default(),
            result_space: ResultSpace::new(config.result_limits()),
            max_in_flight: usize::try_from(config.frontier.max_in_flight).unwrap_or(usize::MAX),
            jobs: BTreeMap::new(),
            removed: BTreeMap::new(),
            running: HashMap::new(),
            teams: Default::default(),
            event_schedule: EventSchedule::default(),
            histories: Default::default(),
            scrapes: Default::default(),
            keys: Default::default(),
            budgeted_jobs: 0,
            short_of_credits: BTreeSet::new(),
            unsettled: Default::default(),
            has_maintenance: false,
            failure_quota: Default::default(),
        };
        Self {
            config,
            state: Mutex::new(state),
            work: watch::Sender::new(0),
            maintenance: watch::Sender::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No foreign code runs under the lock, and each operation keeps the state consistent at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends an operation that may have made pages ready.
    fn finish_operation(&self, mut state: MutexGuard<'_, State>) {
        let has_maintenance = std::mem::take(&mut state.has_maintenance);
        drop(state);
        self.notify_work();
        if has_maintenance {
            self.maintenance.send_modify(|version| *version = version.wrapping_add(1));
        }
    }

    /// Checks that the queue of a job can take `pages` more pages.
    fn check_queue_length(&self, waiting: u64, pages: usize) -> Result<(), Error> {
        let max = self.config.frontier.max_queued_per_job;
        if waiting.saturating_add(pages as u64) <= max {
            return Ok(());
        }
        Err(Error::full(format!(
            "at most {max} pages of one job may wait, and these pages would exceed that"
        )))
    }

    fn notify_work(&self) {
        self.work.send_modify(|version| *version = version.wrapping_add(1));
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(MemoryConfig::default())
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("config", &self.config).finish_non_exhaustive()
    }
}
