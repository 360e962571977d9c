//! The store whose state is in memory: one lock around the frontier and the jobs.
//!
//! There is one lock, not one per job, because a lease inspects all jobs, and a finish changes job, frontier
//! and documents together. Documents are written as JSON before the lock is taken, except a streamed document
//! whose reserved memory was taken by others in the meantime. Writing spilled documents, and writing and
//! reading blocks of waiting pages, happens under the lock. Reading spilled documents, parsing their JSON,
//! and building the body of an event does not. Many pages of one call are queued in slices, and the lock is
//! free between two of them.

mod activity;
mod arrival;
mod clock;
mod compaction;
mod config;
mod events;
mod facts;
mod failure_log;
mod failure_quota;
mod finish;
mod fold;
mod histories;
mod intents;
mod job;
mod keys;
mod leases;
mod lock;
mod operations;
mod orphans;
mod queue_fold;
mod read_ahead;
mod retention;
mod scrapes;
mod stalls;
mod state;
mod steps;
mod teams;
mod unsettled;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::MutexGuard;
use std::time::Duration;

use gleaner_frontier::{Candidate, Frontier};
use gleaner_types::JobId;
use tokio::sync::watch;

pub use self::activity::MAX_ACTIVITIES;
pub use self::compaction::{
    Cleaned, Compacted, CompactedJob, clean, compact, compact_store, ended_pages, is_delivered,
};
pub use self::config::MemoryConfig;
use self::events::EventSchedule;
use self::facts::FactLog;
pub use self::histories::{MAX_HISTORIES, MAX_HISTORY_BYTES};
pub use self::keys::MAX_IDEMPOTENCY_KEYS;
use self::lock::StateLock;
pub use self::scrapes::{MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES};
use self::state::State;
pub use self::unsettled::MAX_UNSETTLED_JOBS;
use crate::journal::{Journal, NoJournal, Room, Stall, StoredState};
use crate::result_space::ResultSpace;
use crate::{EndedJobs, Error};

/// Maximum number of listed failures, and of listed robots.txt refusals, per job. Further ones are only
/// counted, and a warning of the job says so.
pub const MAX_LISTED_FAILURES: usize = 10_000;
/// The same for all jobs together; a team lists at most as many as it leaves free.
pub const MAX_ALL_LISTED_FAILURES: usize = 250_000;
/// This many failures of each job are always listed, however many others have: a single scrape reports its
/// failure.
pub const ALWAYS_LISTED_FAILURES: usize = 100;

/// A [`Store`](crate::Store) whose state is in memory. What happens is written to a [`Journal`], from which
/// the next process [opens](LocalStore::open) it again.
///
/// Of jobs with zero data retention and of single scrapes only the counts are written: in the next process
/// they have failed.
pub struct LocalStore<J> {
    config: MemoryConfig,
    state: StateLock<State>,
    work: watch::Sender<u64>,
    maintenance: watch::Sender<u64>,
    journal: J,
}

/// A [`Store`](crate::Store) in memory. Its contents end with the process.
pub type MemoryStore = LocalStore<NoJournal>;

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: MemoryConfig) -> Self {
        Self::empty(config, NoJournal)
    }
}

impl<J: Journal> LocalStore<J> {
    /// The store of a journal that has this state. `now` is the time since the Unix epoch.
    ///
    /// # Errors
    /// [`Damaged`](crate::ErrorKind::Damaged) with the place if what is stored cannot be read or is missing;
    /// [`Newer`](crate::ErrorKind::Newer) if a later version wrote it.
    pub fn open(config: MemoryConfig, journal: J, stored: StoredState, now: Duration) -> Result<Self, Error> {
        let store = Self::empty(config, journal);
        let mut state = store.lock();
        state.fold(stored, &store.config, now)?;
        store.commit(&mut state, None);
        drop(state);
        Ok(store)
    }

    /// Where it writes its facts.
    #[must_use]
    pub const fn journal(&self) -> &J {
        &self.journal
    }

    /// Whether it knows this job: it runs, its results are kept, or its events still wait.
    #[must_use]
    pub fn contains(&self, job: JobId) -> bool {
        let state = self.lock();
        state.jobs.contains_key(&job) || state.removed.contains_key(&job)
    }

    fn empty(config: MemoryConfig, journal: J) -> Self {
        let mut frontier = Frontier::new(config.frontier.clone());
        if let Some(file) = config.queue_file() {
            frontier = frontier.with_spill(Box::new(file));
        }
        if journal.is_durable() {
            frontier = frontier.with_changes();
        }
        let state = State {
            frontier,
            epoch: 1,
            lease_holders: Default::default(),
            log: FactLog::new(journal.is_durable()),
            next_number: 1,
            ticket: 0,
            intents: Default::default(),
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
            activities: EndedJobs::new(MAX_ACTIVITIES),
            orphans: BTreeSet::new(),
            has_maintenance: false,
            failure_quota: Default::default(),
        };
        Self {
            config,
            state: StateLock::new(state),
            work: watch::Sender::new(0),
            maintenance: watch::Sender::new(0),
            journal,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Ends an operation that may have made pages ready. Returns the ticket of its facts.
    fn finish_operation(&self, state: MutexGuard<'_, State>) -> u64 {
        self.finish_operation_in(state, None)
    }

    /// As [`finish_operation`](Self::finish_operation), with room in the journal.
    fn finish_operation_in(&self, mut state: MutexGuard<'_, State>, room: Room) -> u64 {
        let ticket = self.commit(&mut state, room);
        let has_maintenance = std::mem::take(&mut state.has_maintenance);
        drop(state);
        self.notify_work();
        if has_maintenance {
            self.maintenance.send_modify(|version| *version = version.wrapping_add(1));
        }
        ticket
    }

    /// Gives the facts of an operation to the journal. Returns their ticket; 0 if there are none.
    fn commit(&self, state: &mut State, room: Room) -> u64 {
        state.log_changes();
        let mut batches = state.log.take();
        let Some(first) = batches.first_mut() else { return 0 };
        // Nobody else has a page whose end the writer could wait for.
        (first.room, first.urgent) = (room, state.frontier.in_flight() == 0);
        if state.has_maintenance {
            // What is due or to be settled counts once it is durable.
            first.watchers.push(self.maintenance.clone());
        }
        state.ticket = self.journal.append(batches);
        state.ticket
    }

    /// Waits until the facts of this ticket are durable.
    async fn durable(&self, ticket: u64) -> Result<(), Error> {
        if ticket == 0 {
            return Ok(());
        }
        let mut committed = self.journal.committed();
        let is_ended = committed.wait_for(|committed| committed.through >= ticket).await.is_err();
        if is_ended { Err(self.ended_journal()) } else { Ok(()) }
    }

    /// Waits until the facts of this ticket are durable, or the journal cannot write. False if they are not.
    async fn durable_unless_stalled(&self, ticket: u64) -> bool {
        if ticket == 0 {
            return true;
        }
        let mut committed = self.journal.committed();
        let reached =
            committed.wait_for(|committed| committed.through >= ticket || committed.stalled.is_some()).await;
        reached.is_ok_and(|committed| committed.through >= ticket)
    }

    /// As [`durable_unless_stalled`](Self::durable_unless_stalled), for all facts so far.
    async fn all_durable_unless_stalled(&self) -> bool {
        let ticket = self.lock().ticket;
        self.durable_unless_stalled(ticket).await
    }

    /// Why the journal cannot write now.
    fn stall(&self) -> Option<Stall> {
        if !self.journal.is_durable() {
            return None;
        }
        let committed = self.journal.committed();
        let stalled = committed.borrow().stalled;
        if committed.has_changed().is_err() { Some(Stall::Io) } else { stalled }
    }

    fn ended_journal(&self) -> Error {
        let reason = self.journal.end().unwrap_or_else(|| "the store cannot write any more".to_owned());
        Error::io("a change could not be written", &reason)
    }

    /// Refuses changes if the journal will never write again.
    fn check_journal(&self) -> Result<(), Error> {
        let has_ended = self.journal.is_durable() && self.journal.committed().has_changed().is_err();
        if has_ended { Err(self.ended_journal()) } else { Ok(()) }
    }

    /// The state, for a change.
    fn lock_to_change(&self) -> Result<MutexGuard<'_, State>, Error> {
        self.check_journal()?;
        Ok(self.lock())
    }

    /// Refuses new work while the journal cannot write.
    fn check_stall(&self) -> Result<(), Error> {
        self.check_journal()?;
        match self.stall() {
            None => Ok(()),
            Some(Stall::Full) => Err(Error::full(
                "the disk of the store is full; no new work is accepted until there is space on it, or jobs \
                 are removed from the store",
            )),
            Some(Stall::Bound(bytes)) => Err(Error::full(format!(
                "the store has reached its bound of {bytes} bytes; no new work is accepted until jobs are \
                 removed or expire, or it is opened with a larger bound"
            ))),
            Some(Stall::Io) => Err(Error::full(
                "the disk of the store fails; no new work is accepted until it can be written",
            )),
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

    /// Refuses pages that the journal could never write, because they alone are larger than all that it may.
    fn check_size(&self, pages: &[Candidate]) -> Result<(), Error> {
        /// Bytes of a page in a page list, beside its path.
        const PAGE: usize = 9;
        let capacity = if self.journal.is_durable() { self.journal.capacity() } else { None };
        let Some(capacity) = capacity else { return Ok(()) };
        let size = |page: &Candidate| PAGE + page.url.path().len() + page.url.query().map_or(0, str::len);
        let bytes: usize = pages.iter().map(size).sum();
        if bytes as u64 <= capacity {
            return Ok(());
        }
        Err(Error::full(format!(
            "these pages need {bytes} bytes, and the medium of the store may have {capacity} for all jobs"
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

impl<J: fmt::Debug> fmt::Debug for LocalStore<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalStore")
            .field("config", &self.config)
            .field("journal", &self.journal)
            .finish_non_exhaustive()
    }
}
