//! The store in memory: one lock around the frontier and the jobs.
//!
//! One lock, and not one per job, because a lease looks at all jobs and a finish changes job, frontier and
//! documents together. Writing a document to JSON is done before the lock is taken, save for one that is streamed and
//! finds the memory that it was to wait in taken by others meanwhile. Putting it aside in the temporary files is done
//! under it, and so are writing and reading blocks of waiting pages there; reading it back, from JSON, and into the body
//! of an event, is not.

mod config;
mod events;
mod failure_log;
mod finish;
mod histories;
mod job;
mod keys;
mod listing;
mod scrapes;
mod state;
mod teams;
mod unsettled;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, Frontier, HostFeedback, HostLimits};
use gleaner_types::{Document, JobId, JobKind, JobState};
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

pub use self::config::MemoryConfig;
use self::events::{EventSchedule, Letter};
use self::finish::Finish;
pub use self::histories::{MAX_HISTORIES, MAX_HISTORY_BYTES};
pub use self::keys::MAX_IDEMPOTENCY_KEYS;
pub use self::scrapes::{MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES};
use self::state::{State, no_room};
pub use self::unsettled::MAX_UNSETTLED_JOBS;
use crate::result_space::ResultSpace;
use crate::results::{Held, to_json};
use crate::scrape;
use crate::{
    Accounting, Conclusion, DeadLetter, DeliveryOutcome, Due, Error, EventId, FinishedPage, HistoryKey,
    JobFailure, JobListing, JobSnapshot, JsonSlice, LeasedPage, Leases, NewJob, PageFailures, PastScrape,
    ReadBound, Receipt, Slice, Store, TeamId, TeamLoad,
};

/// Failures and refusals of one job beyond so many of each are counted but not listed, and a warning of the job says so.
pub const MAX_LISTED_FAILURES: usize = 10_000;
/// The same for all jobs together; those of one team take no more of it than they leave free.
pub const MAX_ALL_LISTED_FAILURES: usize = 250_000;
/// The first failures of each job are listed however many others have: a scrape is answered with its one.
pub const ALWAYS_LISTED_FAILURES: usize = 100;

/// A [`Store`] in memory. What it holds ends with the process.
pub struct MemoryStore {
    config: MemoryConfig,
    state: Mutex<State>,
    work: watch::Sender<u64>,
    chores: watch::Sender<u64>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: MemoryConfig) -> Self {
        let mut frontier = Frontier::new(config.frontier.clone());
        if let Some(file) = config.queue_file() {
            frontier = frontier.with_cold_storage(Box::new(file));
        }
        let state = State {
            frontier,
            result_space: ResultSpace::new(config.result_space()),
            max_in_flight: usize::try_from(config.frontier.max_in_flight).unwrap_or(usize::MAX),
            jobs: BTreeMap::new(),
            leftover: BTreeMap::new(),
            running: HashMap::new(),
            teams: Default::default(),
            event_schedule: EventSchedule::default(),
            histories: Default::default(),
            scrapes: Default::default(),
            keys: Default::default(),
            budgets: 0,
            short: BTreeSet::new(),
            ended: Default::default(),
            has_chores: false,
            listing: Default::default(),
        };
        Self { config, state: Mutex::new(state), work: watch::Sender::new(0), chores: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under the lock runs what others wrote, and each operation keeps the state whole step by step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends an operation that may have made pages ready.
    fn done(&self, mut state: MutexGuard<'_, State>) {
        let chores = std::mem::take(&mut state.has_chores);
        drop(state);
        self.work_changed();
        if chores {
            self.chores.send_modify(|version| *version = version.wrapping_add(1));
        }
    }

    /// Has a job's queue room for so many pages more?
    fn check_queue(&self, waiting: u64, pages: usize) -> Result<(), Error> {
        let most = self.config.frontier.max_queued_per_job;
        if waiting.saturating_add(pages as u64) <= most {
            return Ok(());
        }
        Err(Error::full(format!("at most {most} pages of one job may wait, and these would be more")))
    }

    fn work_changed(&self) {
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

#[async_trait]
impl Store for MemoryStore {
    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        if state.jobs.contains_key(&job.id) || state.leftover.contains_key(&job.id) {
            return Err(Error::job_exists(job.id));
        }
        if state.is_key_used(job.account.as_deref()) {
            return Err(Error::key_used());
        }
        self.check_queue(0, job.pages.len())?;
        state.check_jobs(job.account.as_deref())?;
        state.check_unsettled(job.account.as_deref())?;
        state.check_result_space(&job)?;
        let slot = state.open(&job)?;
        state.take_key(job.account.as_deref(), now)?;
        state.begin(slot, job, self.config.retained_bytes, now);
        self.done(state);
        Ok(())
    }

    async fn admit(
        &self,
        job: JobId,
        depth: u32,
        pages: Vec<Candidate>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        let mut state = self.lock();
        let slot = state.running(job)?;
        let admitted = state.frontier.admit(slot, depth, pages, now);
        state.note_overflow(job, &admitted);
        state.check_budget(job);
        self.done(state);
        Ok(admitted)
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        state.job(job)?.sealed = true;
        state.end_if_dry(job, now);
        self.done(state);
        Ok(())
    }

    async fn lease(&self, max: usize, now: Duration) -> Result<Leases, Error> {
        let mut state = self.lock();
        state.take_back(now);
        let (leased, waited) = state.lease(max, now);
        let expires_at = now.saturating_add(self.config.frontier.lease_time);
        let pages = leased.leases.into_iter().filter_map(|lease| {
            Some(LeasedPage {
                lease: lease.id,
                job: state.running.get(&lease.job)?.0,
                url: lease.url,
                key: lease.key,
                depth: lease.depth,
                external: lease.external,
                attempt: lease.attempt,
                waited_for_slot: waited.contains(&lease.id),
                places: lease.places,
                expires_at,
            })
        });
        let leases = Leases { pages: pages.collect(), next: leased.next };
        if std::mem::take(&mut state.has_chores) {
            drop(state);
            self.chores.send_modify(|version| *version = version.wrapping_add(1));
        }
        Ok(leases)
    }

    async fn finish(&self, page: FinishedPage, now: Duration) -> Result<Receipt, Error> {
        let form = self.lock().jobs.get(&page.lease.job).map(|job| job.results.form());
        let page = Finish::prepare(page, form.as_ref())?;
        let mut state = self.lock();
        let receipt = state.finish(page, now);
        self.done(state);
        Ok(receipt)
    }

    async fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) -> Result<(), Error> {
        self.lock().frontier.feedback(url, feedback, now);
        self.work_changed();
        Ok(())
    }

    async fn limits(&self, url: &Url) -> Result<HostLimits, Error> {
        Ok(self.lock().frontier.limits(url))
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let record = state.jobs.get_mut(&job).ok_or_else(|| Error::unknown_job(job))?;
        let mut part = record.results.read(from, bound);
        part.end &= record.ended_at.is_some();
        let resume = record.unread && record.results.has_room();
        if resume {
            state.set_unread(job, false);
        }
        drop(guard);
        if resume {
            self.work_changed();
        }
        let (slice, lost) = part.into_slice();
        if lost > 0
            && let Some(record) = self.lock().jobs.get_mut(&job)
        {
            record.unreadable += lost;
        }
        slice
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        self.lock().snapshot(job)
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        Ok(self.lock().job(job)?.failures.clone())
    }

    async fn warn(&self, job: JobId, warning: &str) -> Result<(), Error> {
        self.lock().job(job)?.warn(warning);
        Ok(())
    }

    async fn is_key_used(&self, team: &TeamId, idempotency_key: Uuid) -> Result<bool, Error> {
        Ok(self.lock().keys.is_used(team, idempotency_key))
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.fail(job, JobFailure::Other, reason, now)?;
        let snapshot = state.snapshot(job);
        self.done(state);
        snapshot
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.running(job)?;
        state.end(job, JobState::Cancelled, now);
        let snapshot = state.snapshot(job);
        self.done(state);
        snapshot
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.running(job)?;
        state.job(job)?.paused = paused;
        state.hold_as_needed(job);
        let snapshot = state.snapshot(job);
        self.done(state);
        snapshot
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        let mut state = self.lock();
        let slot = state.running(job)?;
        Ok(state.frontier.would_defer(slot, url))
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        if state.job(job)?.ended_at.is_none() {
            state.end(job, JobState::Cancelled, now);
        }
        state.forget(job);
        self.done(state);
        Ok(())
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        let mut state = self.lock();
        let returned = state.take_back(now);
        let mut forgotten = Vec::new();
        if let Some(until) = now.checked_sub(self.config.retention) {
            forgotten = state.forget_old(until);
        }
        if returned || state.has_chores {
            self.done(state);
        }
        Ok(forgotten)
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        let mut state = self.lock();
        let slot = state.running(job)?;
        let account = state.job(job)?.account.clone();
        let account = account.map(|account| crate::JobAccount { idempotency_key, ..*account });
        if state.is_key_used(account.as_ref()) {
            return Err(Error::key_used());
        }
        let waiting = state.frontier.counts(slot).map_or(0, |counts| counts.waiting);
        self.check_queue(waiting, pages.len())?;
        if !state.frontier.has_room(slot, &pages) {
            return Err(no_room());
        }
        state.take_key(account.as_ref(), now)?;
        state.job(job)?.add_budget(credits);
        let admitted = state.frontier.admit(slot, 0, pages, now);
        state.note_overflow(job, &admitted);
        state.check_budget(job);
        self.done(state);
        Ok(admitted)
    }

    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        let part = {
            let mut state = self.lock();
            let record = state.job(job)?;
            let mut part = record.results.read_json(from, bound);
            part.end &= record.ended_at.is_some();
            part
        };
        part.into_json()
    }

    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error> {
        let Some(scrape) = scrape::id_of(document) else { return Ok(()) };
        let json = to_json(document)?;
        self.lock().scrapes.keep(team, scrape, json, now);
        Ok(())
    }

    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        let held = {
            let mut state = self.lock();
            match state.scrapes.find(team, scrape) {
                Some(json) => Some(Held::Memory(json)),
                None => state.page_of_job(team, scrape),
            }
        };
        held.map(Held::json).transpose()
    }

    async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.running(job)?;
        let record = state.job(job)?;
        (record.tokens, record.credits) = (conclusion.tokens_used, conclusion.credits);
        record.conclusion = Some(Arc::new(conclusion));
        state.end(job, JobState::Completed, now);
        let snapshot = state.snapshot(job);
        self.done(state);
        snapshot
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        let mut state = self.lock();
        state.running(job)?;
        let record = state.job(job)?;
        (record.tokens, record.credits) = (tokens_used, credits);
        Ok(())
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        let found = self.lock().job(job)?.conclusion.clone();
        Ok(found.as_deref().cloned())
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        let state = self.lock();
        let slots = state.teams.find(team).into_iter().flat_map(|slot| state.teams.jobs(slot));
        let ids = slots.filter_map(|slot| state.running.get(&slot));
        let mut jobs: Vec<JobListing> = ids
            .filter_map(|(id, _)| {
                let is_part = |job: &job::Job| job.account.as_ref().is_some_and(|own| own.part_of.is_some());
                let job = state.jobs.get(id).filter(|job| job.kind == Some(kind) && !is_part(job));
                job.map(|job| (id, job))
            })
            .filter_map(|(id, job)| {
                Some(JobListing { snapshot: state.snapshot(*id).ok()?, request: job.request.clone() })
            })
            .collect();
        jobs.sort_by_key(|job| (job.snapshot.created_at, job.snapshot.id));
        Ok(jobs)
    }

    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        let state = self.lock();
        let Some(slot) = state.teams.find(team) else { return Ok(TeamLoad::default()) };
        let mut load = TeamLoad { last_success: state.teams.last_success(slot), ..TeamLoad::default() };
        for counts in state.teams.jobs(slot).filter_map(|job| state.frontier.counts(job)) {
            load.jobs += 1;
            load.leased += counts.leased;
            let pages = counts.leased.saturating_sub(counts.auxiliary);
            load.waiting += counts.total.saturating_sub(counts.documents.saturating_add(pages));
        }
        Ok(load)
    }

    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error> {
        Ok(self.lock().histories.last(job, key).cloned())
    }

    async fn due(&self, max: usize, now: Duration) -> Result<Due, Error> {
        Ok(self.lock().due(max, now))
    }

    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error> {
        let letter = self.lock().letter(event);
        letter.map(Letter::write).transpose()
    }

    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let job = state.jobs.get_mut(&event.job).or_else(|| state.leftover.get_mut(&event.job));
        let Some(outbox) = job.and_then(|job| job.outbox.as_deref_mut()) else { return Ok(()) };
        state.event_schedule.delivered(event, outbox, outcome, now);
        if outbox.is_empty() {
            state.leftover.remove(&event.job);
        }
        drop(guard);
        self.chores.send_modify(|version| *version = version.wrapping_add(1));
        Ok(())
    }

    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        let mut state = self.lock();
        Ok(state.job(job)?.outbox.as_ref().map(|outbox| outbox.dead.clone()).unwrap_or_default())
    }

    async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        let state = self.lock();
        Ok(Accounting { short: state.shortages(max), ended: state.ended.first(max) })
    }

    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        state.grant(job, credits, now);
        self.done(state);
        Ok(())
    }

    async fn settled(&self, job: JobId) -> Result<(), Error> {
        self.lock().ended.settled(job);
        Ok(())
    }

    fn chores(&self) -> watch::Receiver<u64> {
        self.chores.subscribe()
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        Ok(self.lock().job(job)?.progress.subscribe())
    }
}
