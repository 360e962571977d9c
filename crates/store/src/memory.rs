//! The store in memory: one lock around the frontier and the jobs.
//!
//! One lock, and not one per job, because a lease looks at all jobs and a finish changes job, frontier and
//! documents together. Writing a document to JSON is done before the lock is taken; putting it aside in the temporary
//! file, and reading it back, is done under it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{
    Admitted, Candidate, Counts, Finished, Frontier, FrontierConfig, JobSlot, Outcome, Pace,
};
use gleaner_types::{ErrorCode, JobId, JobState, PageError};
use serde_json::Value;
use tokio::sync::watch;
use url::Url;

use crate::results::Results;
use crate::{
    DEFAULT_RETAINED_BYTES, Error, FinishedPage, JobKind, JobSnapshot, LeasedPage, Leases, NewJob,
    PageFailure, PageFailures, PageOutcome, ReadBound, Receipt, Retention, Slice, Store,
};

/// Failures and refusals of one job beyond so many are counted but not listed.
pub const MAX_LISTED_FAILURES: usize = 100_000;

/// Bounds of a [`MemoryStore`].
#[derive(Debug, Clone)]
pub struct MemoryConfig {
    /// Concurrency and politeness.
    pub frontier: FrontierConfig,
    /// Under [`Retention::Keep`], documents of one job beyond so many bytes go to a temporary file.
    pub retained_bytes: usize,
    /// Ended jobs are forgotten after this.
    pub retention: Duration,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            frontier: FrontierConfig::default(),
            retained_bytes: DEFAULT_RETAINED_BYTES,
            retention: Duration::from_secs(gleaner_types::limits::RESULT_RETENTION_SECONDS),
        }
    }
}

/// A [`Store`] in memory. What it holds ends with the process.
pub struct MemoryStore {
    config: MemoryConfig,
    state: Mutex<State>,
    work: watch::Sender<u64>,
}

struct State {
    frontier: Frontier,
    jobs: HashMap<JobId, Job>,
    ids: HashMap<JobSlot, JobId>,
}

struct Job {
    slot: JobSlot,
    kind: JobKind,
    #[expect(
        dead_code,
        reason = "read by stores that survive the process; kept here so that all stores hold the same"
    )]
    request: Value,
    state: JobState,
    limit: u64,
    sealed: bool,
    held: bool,
    retention: Retention,
    results: Results,
    failures: PageFailures,
    robots_blocked: u64,
    credits: u64,
    created_at: Duration,
    ended_at: Option<Duration>,
    /// As they were at the end; the frontier counts while the job runs.
    final_counts: Counts,
    warning: Option<String>,
    error: Option<String>,
    progress: watch::Sender<u64>,
}

/// Where a page without a document is listed.
enum Listed {
    Nowhere,
    Failure(PageError),
    RobotsBlocked,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: MemoryConfig) -> Self {
        let state = State {
            frontier: Frontier::new(config.frontier.clone()),
            jobs: HashMap::new(),
            ids: HashMap::new(),
        };
        Self { config, state: Mutex::new(state), work: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under the lock runs what others wrote, and each operation keeps the state whole step by step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

impl State {
    fn job(&mut self, id: JobId) -> Result<&mut Job, Error> {
        self.jobs.get_mut(&id).ok_or_else(|| Error::unknown_job(id))
    }

    /// Ends the job if it is sealed and has run dry.
    fn end_if_dry(&mut self, id: JobId, now: Duration) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        let documents = || self.frontier.counts(job.slot).unwrap_or_default().documents;
        let dry = job.state == JobState::Scraping
            && self.frontier.is_idle(job.slot)
            && (job.sealed || documents() >= job.limit);
        dry && self.end(id, JobState::Completed, now)
    }

    fn end(&mut self, id: JobId, state: JobState, now: Duration) -> bool {
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        job.final_counts = self.frontier.counts(job.slot).unwrap_or_default();
        self.frontier.close(job.slot);
        self.ids.remove(&job.slot);
        job.state = state;
        job.ended_at = Some(now);
        job.progressed();
        true
    }

    /// Takes back the leases that are past their time. True where there were any.
    fn take_back(&mut self, now: Duration) -> bool {
        if self.frontier.expire(now) == 0 {
            return false;
        }
        self.list_lost(now);
        let running: Vec<JobId> = self.ids.values().copied().collect();
        for id in running {
            self.end_if_dry(id, now);
        }
        true
    }

    /// Lists the pages that were given up because their leases kept being lost.
    fn list_lost(&mut self, now: Duration) {
        for lost in self.frontier.take_lost() {
            let Some(job) = self.ids.get(&lost.job).and_then(|id| self.jobs.get_mut(id)) else { continue };
            let message = format!("the page was given up after {} tries", lost.attempts);
            job.list_failure(lost.url, PageError { code: ErrorCode::ScrapeAllEnginesFailed, message }, now);
        }
    }

    fn running(&mut self, id: JobId) -> Result<JobSlot, Error> {
        let job = self.job(id)?;
        if job.state == JobState::Scraping { Ok(job.slot) } else { Err(Error::job_ended(id)) }
    }

    fn snapshot(&self, id: JobId) -> Result<JobSnapshot, Error> {
        let job = self.jobs.get(&id).ok_or_else(|| Error::unknown_job(id))?;
        let counts = match job.ended_at {
            Some(_) => job.final_counts,
            None => self.frontier.counts(job.slot).unwrap_or_default(),
        };
        Ok(JobSnapshot {
            id,
            kind: job.kind,
            state: job.state,
            completed: counts.documents,
            // At the end nothing is in work any more: what was admitted and never done does not count.
            total: if job.ended_at.is_some() { counts.documents } else { counts.total },
            failed: counts.failed,
            robots_blocked: job.robots_blocked,
            credits_used: job.credits,
            created_at: job.created_at,
            ended_at: job.ended_at,
            warning: job.warning.clone(),
            error: job.error.clone(),
        })
    }
}

impl Job {
    fn progressed(&self) {
        self.progress.send_modify(|version| *version = version.wrapping_add(1));
    }

    fn list_failure(&mut self, url: Url, error: PageError, at: Duration) {
        let failures = &mut self.failures.failures;
        if failures.len() < MAX_LISTED_FAILURES {
            failures.push(PageFailure { sequence: failures.len() as u64, at, url, error });
        }
    }

    fn list_blocked(&mut self, url: Url) {
        self.robots_blocked += 1;
        if self.failures.robots_blocked.len() < MAX_LISTED_FAILURES {
            self.failures.robots_blocked.push(url);
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        if state.jobs.contains_key(&job.id) {
            return Err(Error::job_exists(job.id));
        }
        let limit = job.rules.limit;
        let slot = state.frontier.open(job.rules);
        state.frontier.admit(slot, 0, job.pages, now);
        state.ids.insert(slot, job.id);
        let record = Job {
            slot,
            kind: job.kind,
            request: job.request,
            state: JobState::Scraping,
            limit,
            sealed: job.sealed,
            held: false,
            retention: job.retention,
            results: Results::new(job.retention, self.config.retained_bytes),
            failures: PageFailures::default(),
            robots_blocked: 0,
            credits: 0,
            created_at: now,
            ended_at: None,
            final_counts: Counts::default(),
            warning: None,
            error: None,
            progress: watch::Sender::new(0),
        };
        state.jobs.insert(job.id, record);
        state.end_if_dry(job.id, now);
        drop(state);
        self.work_changed();
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
        drop(state);
        self.work_changed();
        Ok(admitted)
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock();
        state.job(job)?.sealed = true;
        state.end_if_dry(job, now);
        Ok(())
    }

    async fn lease(&self, max: usize, now: Duration) -> Result<Leases, Error> {
        let mut state = self.lock();
        state.take_back(now);
        let leased = state.frontier.lease(max, now);
        let pages = leased.leases.into_iter().filter_map(|lease| {
            Some(LeasedPage {
                lease: lease.id,
                job: *state.ids.get(&lease.job)?,
                url: lease.url,
                key: lease.key,
                depth: lease.depth,
                external: lease.external,
                attempt: lease.attempt,
            })
        });
        Ok(Leases { pages: pages.collect(), next: leased.next })
    }

    async fn finish(&self, page: FinishedPage, now: Duration) -> Result<Receipt, Error> {
        const STALE: Receipt = Receipt { accepted: false, admitted: 0, job_ended: false };
        let FinishedPage { lease: page, outcome, redirected_to, links, observed } = page;
        let retention = self.lock().jobs.get(&page.job).map_or(Retention::Stream, |job| job.retention);
        let mut document = None;
        let mut listed = Listed::Nowhere;
        let mut outcome = match outcome {
            PageOutcome::Document(found, credits) => {
                document = Some((Results::prepare(retention, found)?, credits));
                Outcome::Document
            }
            PageOutcome::Failed(error) => {
                listed = Listed::Failure(error);
                Outcome::Failed
            }
            PageOutcome::RobotsBlocked => {
                listed = Listed::RobotsBlocked;
                Outcome::Skipped
            }
            PageOutcome::Skipped => Outcome::Skipped,
            PageOutcome::Retry(not_before) => Outcome::Retry { not_before },
        };
        let mut guard = self.lock();
        let state = &mut *guard;
        let leased = state.frontier.is_leased(page.lease);
        let Some(job) = state.jobs.get_mut(&page.job).filter(|_| leased) else {
            // Its host is free again, though.
            state.frontier.finish(page.lease, Outcome::Skipped, [], now);
            drop(guard);
            self.work_changed();
            return Ok(STALE);
        };
        if let Some(observed) = observed {
            state.frontier.observe(&page.url, observed, now);
        }
        if let Some(target) = redirected_to
            && !state.frontier.redirected(page.lease, target, now)
        {
            // The target has a place of its own in the queue.
            (outcome, document) = (Outcome::Skipped, None);
        }
        match listed {
            Listed::Nowhere => {}
            Listed::Failure(error) => job.list_failure(page.url.clone(), error, now),
            Listed::RobotsBlocked => job.list_blocked(page.url.clone()),
        }
        if let Some((document, credits)) = document {
            match job.results.push(document) {
                Ok(()) => job.credits += credits,
                // The page is done as far as the queue knows, so its loss must be told.
                Err(error) => {
                    outcome = Outcome::Failed;
                    let error = PageError { code: ErrorCode::UnknownError, message: error.to_string() };
                    job.list_failure(page.url, error, now);
                }
            }
            job.progressed();
            if job.results.is_full() && !job.held {
                job.held = true;
                state.frontier.hold(job.slot, true);
            }
        }
        let Finished::Accepted { admitted, .. } = state.frontier.finish(page.lease, outcome, links, now)
        else {
            return Ok(STALE);
        };
        state.list_lost(now);
        let job_ended = state.end_if_dry(page.job, now);
        drop(guard);
        self.work_changed();
        Ok(Receipt { accepted: true, admitted: admitted.new, job_ended })
    }

    async fn pace(&self, url: &Url, pace: Pace, now: Duration) -> Result<(), Error> {
        self.lock().frontier.pace(url, pace, now);
        self.work_changed();
        Ok(())
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let record = state.jobs.get_mut(&job).ok_or_else(|| Error::unknown_job(job))?;
        let mut slice = record.results.read(from, bound)?;
        slice.end &= record.ended_at.is_some();
        let resume = record.held && record.results.has_room();
        if resume {
            record.held = false;
            state.frontier.hold(record.slot, false);
        }
        drop(guard);
        if resume {
            self.work_changed();
        }
        Ok(slice)
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        self.lock().snapshot(job)
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        Ok(self.lock().job(job)?.failures.clone())
    }

    async fn warn(&self, job: JobId, warning: &str) -> Result<(), Error> {
        let mut state = self.lock();
        match &mut state.job(job)?.warning {
            Some(all) if all.contains(warning) => {}
            Some(all) => {
                all.push_str("; ");
                all.push_str(warning);
            }
            none => *none = Some(warning.to_owned()),
        }
        Ok(())
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.running(job)?;
        state.job(job)?.error = Some(reason.to_owned());
        state.end(job, JobState::Failed, now);
        state.snapshot(job)
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        let mut state = self.lock();
        state.running(job)?;
        state.end(job, JobState::Cancelled, now);
        let snapshot = state.snapshot(job);
        drop(state);
        self.work_changed();
        snapshot
    }

    async fn remove(&self, job: JobId) -> Result<(), Error> {
        let mut state = self.lock();
        let record = state.jobs.remove(&job).ok_or_else(|| Error::unknown_job(job))?;
        if record.ended_at.is_none() {
            state.frontier.close(record.slot);
            state.ids.remove(&record.slot);
        }
        drop(state);
        self.work_changed();
        Ok(())
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        let mut state = self.lock();
        let returned = state.take_back(now);
        let retention = self.config.retention;
        let old = |job: &Job| job.ended_at.is_some_and(|ended| now >= ended + retention);
        let forgotten: Vec<JobId> =
            state.jobs.iter().filter(|(_, job)| old(job)).map(|(id, _)| *id).collect();
        for id in &forgotten {
            state.jobs.remove(id);
        }
        drop(state);
        if returned {
            self.work_changed();
        }
        Ok(forgotten)
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        Ok(self.lock().job(job)?.progress.subscribe())
    }
}
