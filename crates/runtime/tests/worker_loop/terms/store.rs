//! A store whose workers have terms, over a store in memory. The test decides what it can do.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits};
use gleaner_store::{
    Accounting, Admission, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, EndedJob, Error, EventId,
    FinishedPage, HistoryKey, HostGuard, HostHold, JobListing, JobSnapshot, JobWarning, JsonSlice, LeaseId,
    LeasedPage, Leases, MemoryStore, NewJob, Note, PageFailures, PastScrape, ReadBound, Receipt, Renewal,
    Reservation, Slice, Store, StoredJob, TeamId, TeamLoad, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

/// What the store does.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// How long a term lasts after its renewal; `None` has no end.
    pub(crate) term: Option<Duration>,
    /// Leases, renewals and finishes fail.
    pub(crate) is_unreachable: bool,
    /// Leases get no answer.
    pub(crate) stalls_leases: bool,
    /// The number of next finishes that fail.
    pub(crate) failing_finishes: usize,
    /// Nothing can be stored: admissions and finishes fail.
    pub(crate) is_full: bool,
    /// The next renewal names all leases as lost.
    pub(crate) loses_all: bool,
    pub(crate) renewals: usize,
    /// Another process holds these hosts.
    pub(crate) busy: Vec<&'static str>,
    /// Leases do not hold their hosts.
    pub(crate) leases_hold_nothing: bool,
    /// One reference for the script, and one for each live guard.
    pub(crate) guards: Arc<()>,
    leased: HashSet<LeaseId>,
    /// The end of the term.
    end: Option<Duration>,
}

#[derive(Debug)]
pub(crate) struct TermStore {
    pub(crate) inner: MemoryStore,
    script: Mutex<Script>,
}

impl TermStore {
    pub(crate) fn new(term: Option<Duration>) -> Arc<Self> {
        let script = Script { term, ..Script::default() };
        Arc::new(Self { inner: MemoryStore::default(), script: Mutex::new(script) })
    }

    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }

    fn write(&self) -> Result<(), Error> {
        if self.script().is_full { Err(Error::full("the disk is full")) } else { Ok(()) }
    }

    fn reach(&self) -> Result<(), Error> {
        if self.script().is_unreachable { Err(Error::io("no answer", &"unreachable")) } else { Ok(()) }
    }
}

#[async_trait]
impl Store for TermStore {
    async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        self.reach()?;
        if self.script().stalls_leases {
            std::future::pending::<()>().await;
        }
        let mut leases = self.inner.lease(worker, max, now).await?;
        let mut script = self.script();
        script.leased.extend(leases.pages.iter().map(|page| page.lease));
        // The first lease begins the term.
        script.end = script.end.or_else(|| script.term.map(|term| now + term));
        leases.renew_before = script.end;
        Ok(leases)
    }

    async fn renew(&self, _worker: WorkerId, now: Duration) -> Result<Renewal, Error> {
        self.reach()?;
        let mut script = self.script();
        script.renewals += 1;
        script.end = script.term.map(|term| now + term);
        let mut renewal = Renewal::unlimited();
        renewal.renew_before = script.end;
        if std::mem::take(&mut script.loses_all) {
            renewal.lost = script.leased.drain().collect();
        }
        Ok(renewal)
    }

    async fn finish_many(&self, pages: Vec<FinishedPage>, now: Duration) -> Result<Vec<Receipt>, Error> {
        self.reach()?;
        self.write()?;
        {
            let mut script = self.script();
            if script.failing_finishes > 0 {
                script.failing_finishes -= 1;
                return Err(Error::io("no commit", &"the server restarts"));
            }
        }
        self.inner.finish_many(pages, now).await
    }

    async fn hold_host(&self, url: &Url, now: Duration) -> Result<HostHold, Error> {
        let script = self.script();
        if script.busy.iter().any(|host| url.host_str() == Some(*host)) {
            return Ok(HostHold::Busy { not_before: now });
        }
        Ok(HostHold::Held(HostGuard::new(Arc::clone(&script.guards))))
    }

    fn holds_by_lease(&self, _page: &LeasedPage) -> bool {
        !self.script().leases_hold_nothing
    }

    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        self.inner.submit(job, now).await
    }

    async fn intend(&self, reservation: Reservation, now: Duration) -> Result<(), Error> {
        self.inner.intend(reservation, now).await
    }

    async fn withdrawn(&self, operation: Uuid) -> Result<(), Error> {
        self.inner.withdrawn(operation).await
    }

    async fn is_key_used(&self, team: &TeamId, idempotency_key: Uuid) -> Result<bool, Error> {
        self.inner.is_key_used(team, idempotency_key).await
    }

    async fn admit(&self, job: JobId, admission: Admission, now: Duration) -> Result<Admitted, Error> {
        self.write()?;
        self.inner.admit(job, admission, now).await
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.inner.seal(job, now).await
    }

    async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error> {
        self.inner.release(worker, now).await
    }

    fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) {
        self.inner.feedback(url, feedback, now);
    }

    fn limits(&self, url: &Url) -> HostLimits {
        self.inner.limits(url)
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        self.inner.read(job, from, bound).await
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        self.inner.snapshot(job).await
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        self.inner.failures(job).await
    }

    async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error> {
        self.inner.note(job, notes).await
    }

    async fn stored(&self, job: JobId) -> Result<StoredJob, Error> {
        self.inner.stored(job).await
    }

    async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        self.inner.warn(job, warning).await
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        self.inner.fail(job, reason, now).await
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        self.inner.cancel(job, now).await
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        self.inner.pause(job, paused).await
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        self.inner.would_defer(job, url).await
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.inner.remove(job, now).await
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        self.inner.expire(now).await
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
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
        self.inner.conclude(job, conclusion, now).await
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        self.inner.charge(job, tokens_used, credits).await
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        self.inner.conclusion(job).await
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        self.inner.running(team, kind).await
    }

    async fn orphans(&self, worker: WorkerId, kind: JobKind) -> Result<Vec<JobId>, Error> {
        self.inner.orphans(worker, kind).await
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
