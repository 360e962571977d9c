//! A store with injected faults between it and the workers.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits, UrlKey};
use gleaner_store::{
    Accounting, Admission, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, EndedJob, Error, EventId,
    FinishedPage, HistoryKey, HostHold, JobAccount, JobListing, JobSnapshot, JobWarning, JsonSlice, LeaseId,
    LeasedPage, Leases, NewJob, Note, PageFailures, PageOutcome, PastScrape, ReadBound, Receipt, Renewal,
    Reservation, Slice, Store, StoredJob, TeamId, TeamLoad, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

use super::context::{Context, LEASE_TIME};
use super::monitor::Event;
use super::real_time::RealTime;
use super::world::{Asked, Form, Resource};

/// How long the tasks of a store in real time may look for pages: some of its polls.
const SEARCH_TIME: Duration = Duration::from_millis(100);

/// Delegates to another store, except that
///
/// - it sometimes delays a finished page until its lease has expired, so that the page is not stored;
/// - it panics at some moments when a worker leases pages. This ends the worker loop and drops every page in
///   progress without a report to the store, which cannot distinguish this from a crash of the process.
///
/// It checks that no page is leased again whose end was acknowledged.
#[derive(Debug)]
pub(super) struct FaultyStore {
    store: Arc<dyn Store>,
    /// Where the store works, if not in virtual time.
    real_time: Option<RealTime>,
    context: Arc<Context>,
    ended_pages: Arc<EndedPages>,
    /// The jobs that were submitted and may run.
    submitted: Mutex<BTreeSet<JobId>>,
    /// Resources that are leased and not finished.
    leased: Mutex<BTreeMap<Asked, LeaseId>>,
    /// How often each page was finished.
    finishes: Mutex<BTreeMap<(usize, Resource), u64>>,
    /// The addresses of hosts that were reported to the store.
    known_addresses: Mutex<BTreeMap<usize, IpAddr>>,
    address_limit: u32,
    /// The team of each job, and its slots.
    teams: Vec<Option<(usize, u32)>>,
}

/// The pages whose end was acknowledged, in every process.
#[derive(Debug, Default)]
pub(super) struct EndedPages(Mutex<BTreeSet<(JobId, UrlKey)>>);

/// What is known about a page before it is finished.
struct Finishing {
    lease: LeaseId,
    url: Url,
    address: Option<IpAddr>,
    job: JobId,
    key: UrlKey,
    /// It does not return to the queue.
    ends: bool,
}

impl FaultyStore {
    pub(super) fn new(
        store: Arc<dyn Store>,
        real_time: Option<RealTime>,
        context: Arc<Context>,
        ended_pages: Arc<EndedPages>,
        address_limit: u32,
        teams: Vec<Option<(usize, u32)>>,
    ) -> Self {
        Self {
            store,
            real_time,
            context,
            ended_pages,
            submitted: Mutex::default(),
            leased: Mutex::default(),
            finishes: Mutex::default(),
            known_addresses: Mutex::default(),
            address_limit,
            teams,
        }
    }

    /// Runs an operation of the store.
    async fn run<F: Future + Unpin>(&self, operation: F) -> F::Output {
        match &self.real_time {
            Some(real_time) => real_time.run(operation).await,
            None => operation.await,
        }
    }

    /// Leases pages. If a store in real time knows neither a page nor when there is one, although a job could
    /// go on, its tasks get time to find one: otherwise, hours of virtual time would pass until they do.
    async fn lease_of_store(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        let began = std::time::Instant::now();
        let mut work = self.store.work();
        loop {
            work.borrow_and_update();
            let leases = self.store.lease(worker, max, now).await?;
            let knows = !leases.pages.is_empty() || leases.next.is_some() || max == 0;
            if knows || self.real_time.is_none() || !self.could_go_on().await {
                return Ok(leases);
            }
            let left = SEARCH_TIME.saturating_sub(began.elapsed());
            if !matches!(tokio::time::timeout(left, work.changed()).await, Ok(Ok(()))) {
                return Ok(leases);
            }
        }
    }

    /// Whether a job runs and no page is in work.
    async fn could_go_on(&self) -> bool {
        if !locked(&self.leased).is_empty() {
            return false;
        }
        let submitted = locked(&self.submitted).clone();
        for job in submitted {
            match self.store.snapshot(job).await {
                Ok(snapshot) if snapshot.ended_at.is_none() => {
                    if snapshot.waiting_for.is_none() {
                        return true;
                    }
                }
                _ => {
                    locked(&self.submitted).remove(&job);
                }
            }
        }
        false
    }

    fn record_address(&self, url: &Url, address: Option<IpAddr>) {
        if let (Some(resource), Some(address)) = (self.context.world.resource(url), address) {
            locked(&self.known_addresses).insert(self.context.world.host_of(resource), address);
        }
    }

    /// Checks the next leased page against the limit of its address.
    fn check_address(&self, leased: &BTreeMap<Asked, LeaseId>, (job, resource, _): Asked) {
        let known_addresses = locked(&self.known_addresses);
        let address_of = |resource: Resource| known_addresses.get(&self.context.world.host_of(resource));
        let Some(address) = address_of(resource) else { return };
        let in_work = leased.keys().filter(|(_, other, _)| address_of(*other) == Some(address)).count();
        let limit = self.address_limit as usize;
        if in_work >= limit {
            let what =
                format!("job {job} leases {resource:?}, but its address already has {in_work} leased pages");
            self.context.monitor().violate(self.context.now(), what);
        }
        let hosts = known_addresses.values().filter(|other| *other == address).count();
        if in_work + 1 == limit && hosts > 1 {
            self.context.note_full_address();
        }
    }

    fn asked(&self, job: JobId, url: &Url) -> Option<Asked> {
        Some((self.context.number_of(job)?, self.context.world.resource(url)?, Form::of(url)))
    }

    fn finishing(&self, page: &FinishedPage) -> Finishing {
        let FinishedPage { lease, outcome, address, .. } = page;
        Finishing {
            lease: lease.lease,
            url: lease.url.clone(),
            address: *address,
            job: lease.job,
            key: lease.key,
            ends: !matches!(outcome, PageOutcome::Retry(_) | PageOutcome::Return(_)),
        }
    }

    /// Records the receipt of a finished page.
    fn acknowledge(&self, finished: Finishing, receipt: &Receipt) {
        self.context.close_lease(finished.lease);
        if !receipt.accepted {
            return;
        }
        self.record_address(&finished.url, finished.address);
        if finished.ends {
            locked(&self.ended_pages.0).insert((finished.job, finished.key));
        }
    }

    /// Sometimes waits until the lease of a finished page has expired. Returns the time that it waited.
    async fn delay(&self, page: &FinishedPage) -> Duration {
        let Some(asked) = self.asked(page.lease.job, &page.lease.url) else { return Duration::ZERO };
        locked(&self.leased).remove(&asked);
        let (job, resource, _) = asked;
        let count = {
            let mut finishes = locked(&self.finishes);
            let count = finishes.entry((job, resource)).or_default();
            *count += 1;
            *count
        };
        let chance = self.context.random(job + 2_000, resource, count).below(1_000);
        if chance >= self.context.faults.late_finish {
            return Duration::ZERO;
        }
        self.context.lose(asked);
        let before = self.context.now();
        self.context.sleep(LEASE_TIME.as_millis() as u64 + 60_000).await;
        Duration::from_millis(self.context.now() - before)
    }

    fn crash_if_due(&self) {
        if self.context.crash_is_due() {
            self.context.note(Event::Crashed);
            for (asked, lease) in std::mem::take(&mut *locked(&self.leased)) {
                self.context.close_lease(lease);
                self.context.lose(asked);
            }
            // Skips the panic hook, which would write to the terminal.
            std::panic::resume_unwind(Box::new("simulated crash"));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Store for FaultyStore {
    fn is_durable(&self) -> bool {
        self.store.is_durable()
    }

    async fn submit(&self, mut job: NewJob, now: Duration) -> Result<(), Error> {
        let number = self.context.number_of(job.id).filter(|_| job.account.is_none());
        if let Some((team, slots)) = number.and_then(|number| self.teams.get(number).copied().flatten()) {
            let account = JobAccount::of(TeamId::new(format!("team {team}")));
            job.account = Some(Box::new(JobAccount { slots: Some(slots), ..account }));
        }
        let id = job.id;
        self.run(self.store.submit(job, now)).await?;
        locked(&self.submitted).insert(id);
        Ok(())
    }

    async fn intend(&self, reservation: Reservation, now: Duration) -> Result<(), Error> {
        self.run(self.store.intend(reservation, now)).await
    }

    async fn withdrawn(&self, operation: Uuid) -> Result<(), Error> {
        self.run(self.store.withdrawn(operation)).await
    }

    async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        self.crash_if_due();
        let leases = self.run(Box::pin(self.lease_of_store(worker, max, now))).await?;
        let mut leased = locked(&self.leased);
        for page in &leases.pages {
            if locked(&self.ended_pages.0).contains(&(page.job, page.key)) {
                let what = format!("{} of job {} is leased again after its end", page.url, page.job);
                self.context.monitor().violate(self.context.now(), what);
            }
            let lease = page.lease;
            let Some(asked) = self.asked(page.job, &page.url) else { continue };
            self.check_address(&leased, asked);
            leased.insert(asked, lease);
            self.context.open_lease(lease, asked);
        }
        drop(leased);
        Ok(leases)
    }

    async fn renew(&self, worker: WorkerId, now: Duration) -> Result<Renewal, Error> {
        self.run(self.store.renew(worker, now)).await
    }

    async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error> {
        self.run(self.store.release(worker, now)).await
    }

    async fn finish_many(&self, pages: Vec<FinishedPage>, now: Duration) -> Result<Vec<Receipt>, Error> {
        let mut late = Duration::ZERO;
        let finishing: Vec<_> = pages.iter().map(|page| self.finishing(page)).collect();
        for page in &pages {
            late += self.delay(page).await;
        }
        let receipts = self.run(self.store.finish_many(pages, now + late)).await?;
        for (finished, receipt) in finishing.into_iter().zip(&receipts) {
            self.acknowledge(finished, receipt);
        }
        Ok(receipts)
    }

    async fn admit(&self, job: JobId, admission: Admission, now: Duration) -> Result<Admitted, Error> {
        self.run(self.store.admit(job, admission, now)).await
    }

    async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error> {
        self.run(self.store.note(job, notes)).await
    }

    async fn stored(&self, job: JobId) -> Result<StoredJob, Error> {
        // The job is compiled on another thread. The next one begins after that.
        self.context.sleep(1).await;
        self.run(self.store.stored(job)).await
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.run(self.store.seal(job, now)).await
    }

    fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) {
        let real = self.real_time.as_ref().map(RealTime::enter);
        self.store.feedback(url, feedback, now);
        drop(real);
        self.record_address(url, feedback.address);
    }

    fn limits(&self, url: &Url) -> HostLimits {
        self.store.limits(url)
    }

    async fn hold_host(&self, url: &Url, now: Duration) -> Result<HostHold, Error> {
        match &self.real_time {
            Some(real_time) => real_time.hold_host(&*self.store, url, now).await,
            None => self.store.hold_host(url, now).await,
        }
    }

    fn holds_by_lease(&self, page: &LeasedPage) -> bool {
        self.store.holds_by_lease(page)
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        self.run(self.store.read(job, from, bound)).await
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        self.run(self.store.snapshot(job)).await
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        self.run(self.store.failures(job)).await
    }

    async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        self.run(self.store.warn(job, warning)).await
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        self.run(self.store.fail(job, reason, now)).await
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        self.run(self.store.cancel(job, now)).await
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        self.run(self.store.pause(job, paused)).await
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        self.run(self.store.would_defer(job, url)).await
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.run(self.store.remove(job, now)).await
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        self.run(self.store.expire(now)).await
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        self.run(self.store.append(job, pages, credits, idempotency_key, now)).await
    }

    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        self.run(self.store.read_json(job, from, bound)).await
    }

    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error> {
        self.run(self.store.keep_scrape(team, document, now)).await
    }

    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        self.run(self.store.scraped(team, scrape)).await
    }

    async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        self.run(self.store.conclude(job, conclusion, now)).await
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        self.run(self.store.charge(job, tokens_used, credits)).await
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        self.run(self.store.conclusion(job)).await
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        self.run(self.store.running(team, kind)).await
    }

    async fn orphans(&self, worker: WorkerId, kind: JobKind) -> Result<Vec<JobId>, Error> {
        self.run(self.store.orphans(worker, kind)).await
    }

    async fn activities(&self, team: &TeamId, max: usize) -> Result<Option<Vec<EndedJob>>, Error> {
        self.run(self.store.activities(team, max)).await
    }

    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        self.run(self.store.load(team)).await
    }

    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error> {
        self.run(self.store.last_scrape(job, key)).await
    }

    async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error> {
        self.run(self.store.due(max, now)).await
    }

    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error> {
        self.run(self.store.event_body(event)).await
    }

    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error> {
        self.run(self.store.delivered(event, outcome, now)).await
    }

    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        self.run(self.store.dead_letters(job)).await
    }

    async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        self.run(self.store.accounting(max)).await
    }

    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        self.run(self.store.grant(job, credits, now)).await
    }

    async fn settled(&self, job: JobId) -> Result<(), Error> {
        self.run(self.store.settled(job)).await
    }

    fn maintenance(&self) -> watch::Receiver<u64> {
        self.store.maintenance()
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.store.work()
    }

    async fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        self.run(self.store.progress(job)).await
    }
}
