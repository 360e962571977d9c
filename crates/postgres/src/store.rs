//! The operations of the store. A job is either in the memory of this process or in the database.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits};
use gleaner_store::{
    Accounting, Admission, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, EndedJob, Error, EventId,
    FailurePosition, FinishedPage, HistoryKey, HostHold, JobListing, JobSnapshot, JobWarning, JsonSlice,
    LeasedPage, Leases, NewJob, Note, PageFailures, PastScrape, ReadBound, Receipt, Renewal, Reservation,
    Slice, Store, StoredJob, TeamId, TeamLoad, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::DropGuard;
use url::Url;
use uuid::Uuid;

use crate::config::PostgresConfig;
use crate::database::Database;
use crate::inner::Inner;
use crate::jobs::Cleaning;
use crate::migrate;
use crate::stats::Stats;

/// The epoch of leases of the store in memory. Those of the database are larger.
const MEMORY_EPOCH: u64 = 1;

/// A [`Store`] in a PostgreSQL database, which several processes share. Each process has one of its own.
///
/// Jobs with zero data retention and single scrapes are in the memory of the process that they were submitted
/// to, and end with it.
pub struct PostgresStore {
    inner: Arc<Inner>,
    cleaning: Cleaning,
    /// Where its tasks run.
    runtime: Handle,
    /// Ends the tasks of the store when it is dropped.
    _tasks: DropGuard,
}

impl PostgresStore {
    /// Opens the store of a database whose schema was [migrated](Self::migrate). Its tasks run on the current
    /// Tokio runtime. It becomes a worker when it takes part in the work: one that only reads is none.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io) if the database cannot be reached;
    /// [`Newer`](gleaner_store::ErrorKind::Newer) or [`Unsuitable`](gleaner_store::ErrorKind::Unsuitable) if
    /// this version does not work with its schema.
    pub async fn open(config: PostgresConfig) -> Result<Self, Error> {
        let db = Database::connect(&config).await?;
        migrate::delete_old_markers(&db).await?;
        let (inner, tasks) = Inner::start(db, config);
        Ok(Self { inner, cleaning: Cleaning::default(), runtime: Handle::current(), _tasks: tasks })
    }

    /// Creates the tables in a database, or brings those of an earlier version up to date.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io) if the database cannot be reached or refuses the change;
    /// [`Newer`](gleaner_store::ErrorKind::Newer) if this version does not work with tables that a later one
    /// made.
    pub async fn migrate(config: &PostgresConfig) -> Result<(), Error> {
        migrate::migrate(config).await
    }

    /// The version of the server as PostgreSQL numbers it: 150004 for 15.4. The tables need not exist.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io) if the database cannot be reached.
    pub async fn server_version(config: &PostgresConfig) -> Result<u32, Error> {
        migrate::server_version(config).await
    }

    /// Figures of the whole store and of its workers.
    ///
    /// # Errors
    /// [`Io`](gleaner_store::ErrorKind::Io).
    pub async fn stats(&self) -> Result<Stats, Error> {
        Ok(Stats::load(&self.inner.db).await?)
    }

    fn is_local(&self, job: JobId) -> bool {
        self.inner.is_local(job)
    }
}

/// If nothing waits for this worker, the others need not wait for the end of its term.
impl Drop for PostgresStore {
    fn drop(&mut self) {
        let epoch = self.inner.local().term_epoch();
        if let Some(epoch) = epoch {
            let inner = Arc::clone(&self.inner);
            self.runtime.spawn(async move {
                if let Err(failure) = inner.leave(epoch).await {
                    tracing::debug!(%failure, "the row of this worker is not deleted");
                }
            });
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn is_durable(&self) -> bool {
        true
    }

    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        self.inner.submit(job, now).await
    }

    async fn intend(&self, reservation: Reservation, _now: Duration) -> Result<(), Error> {
        self.inner.intend(reservation).await
    }

    async fn withdrawn(&self, operation: Uuid) -> Result<(), Error> {
        self.inner.withdrawn(operation).await
    }

    async fn is_key_used(&self, team: &TeamId, idempotency_key: Uuid) -> Result<bool, Error> {
        self.inner.is_key_used(team, idempotency_key).await
    }

    async fn admit(&self, job: JobId, admission: Admission, now: Duration) -> Result<Admitted, Error> {
        if self.is_local(job) {
            return self.inner.memory.admit(job, admission, now).await;
        }
        self.inner.admit(job, admission).await
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.seal(job, now).await;
        }
        self.inner.seal(job, now).await
    }

    async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        self.inner.lease(worker, max, now).await
    }

    async fn renew(&self, worker: WorkerId, now: Duration) -> Result<Renewal, Error> {
        self.inner.renew(worker, now).await
    }

    async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error> {
        self.inner.release(worker, now).await
    }

    async fn finish_many(&self, pages: Vec<FinishedPage>, now: Duration) -> Result<Vec<Receipt>, Error> {
        let is_local = |page: &FinishedPage| page.lease.lease.epoch == MEMORY_EPOCH;
        let places: Vec<bool> = pages.iter().map(is_local).collect();
        let (local, others): (Vec<_>, Vec<_>) = pages.into_iter().partition(is_local);
        // First what can fail, because then no page may be finished.
        let others = match others.is_empty() {
            true => Vec::new(),
            false => self.inner.finish_many(others, now).await?,
        };
        let local = match local.is_empty() {
            true => Vec::new(),
            false => self.inner.memory.finish_many(local, now).await?,
        };
        let (mut others, mut local) = (others.into_iter(), local.into_iter());
        let receipt = |is_local: bool| if is_local { local.next() } else { others.next() };
        Ok(places.into_iter().map(receipt).map(Option::unwrap_or_default).collect())
    }

    fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) {
        self.inner.feedback(url, feedback, now);
    }

    fn limits(&self, url: &Url) -> HostLimits {
        self.inner.limits(url)
    }

    async fn hold_host(&self, url: &Url, now: Duration) -> Result<HostHold, Error> {
        self.inner.hold_host(url, now).await
    }

    fn holds_by_lease(&self, page: &LeasedPage) -> bool {
        page.lease.epoch != MEMORY_EPOCH
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        self.inner.read(job, from, bound).await
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        if self.is_local(job) {
            return self.inner.memory.snapshot(job).await;
        }
        self.inner.snapshot(job).await
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        self.inner.failures(job).await
    }

    async fn failures_from(
        &self,
        job: JobId,
        from: FailurePosition,
        bytes: usize,
    ) -> Result<PageFailures, Error> {
        self.inner.failures_from(job, from, bytes).await
    }

    async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.note(job, notes).await;
        }
        self.inner.note(job, notes).await
    }

    async fn stored(&self, job: JobId) -> Result<StoredJob, Error> {
        if self.is_local(job) {
            return self.inner.memory.stored(job).await;
        }
        self.inner.stored(job).await
    }

    async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.warn(job, warning).await;
        }
        self.inner.warn(job, warning).await
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        if self.is_local(job) {
            return self.inner.memory.fail(job, reason, now).await;
        }
        self.inner.fail(job, reason, now).await
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        if self.is_local(job) {
            return self.inner.memory.cancel(job, now).await;
        }
        self.inner.cancel(job, now).await
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        if self.is_local(job) {
            return self.inner.memory.pause(job, paused).await;
        }
        self.inner.pause(job, paused).await
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        if self.is_local(job) {
            return self.inner.memory.would_defer(job, url).await;
        }
        self.inner.would_defer(job, url).await
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.remove(job, now).await;
        }
        self.inner.remove(job, now).await?;
        self.cleaning.start(&self.inner, now);
        Ok(())
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        let mut removed = self.inner.memory.expire(now).await?;
        self.inner.expire_leases(now).await?;
        removed.extend(self.inner.expire_jobs(now).await?);
        removed.sort_unstable();
        self.cleaning.start(&self.inner, now);
        Ok(removed)
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        if self.is_local(job) {
            return self.inner.append_in_memory(job, pages, credits, idempotency_key, now).await;
        }
        self.inner.append(job, pages, credits, idempotency_key, now).await
    }

    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        self.inner.read_json(job, from, bound).await
    }

    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error> {
        self.inner.keep_scrape(team, document, now).await
    }

    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        self.inner.scraped(team, scrape).await
    }

    async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        if self.is_local(job) {
            return self.inner.memory.conclude(job, conclusion, now).await;
        }
        self.inner.conclude(job, conclusion, now).await
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.charge(job, tokens_used, credits).await;
        }
        self.inner.charge(job, tokens_used, credits).await
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        if self.is_local(job) {
            return self.inner.memory.conclusion(job).await;
        }
        self.inner.conclusion(job).await
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        self.inner.running(team, kind).await
    }

    async fn orphans(&self, _worker: WorkerId, kind: JobKind) -> Result<Vec<JobId>, Error> {
        self.inner.orphans(kind).await
    }

    async fn activities(&self, team: &TeamId, max: usize) -> Result<Option<Vec<EndedJob>>, Error> {
        self.inner.activities(team, max).await
    }

    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        self.inner.load(team).await
    }

    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error> {
        self.inner.last_scrape(job, key).await
    }

    async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error> {
        self.inner.due(max, now).await
    }

    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error> {
        self.inner.event_body(event).await
    }

    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error> {
        self.inner.delivered(event, outcome, now).await
    }

    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        self.inner.dead_letters(job).await
    }

    async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        self.inner.accounting(max).await
    }

    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        if self.is_local(job) {
            return self.inner.memory.grant(job, credits, now).await;
        }
        self.inner.grant(job, credits, now).await
    }

    async fn settled(&self, job: JobId) -> Result<(), Error> {
        self.inner.settled(job).await
    }

    fn maintenance(&self) -> watch::Receiver<u64> {
        self.inner.maintenance()
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.inner.work()
    }

    async fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        self.inner.progress(job).await
    }
}
