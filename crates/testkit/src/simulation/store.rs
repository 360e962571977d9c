//! The memory store, with what can go wrong between it and a worker.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits};
use gleaner_store::{
    Accounting, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, Error, EventId, FinishedPage, HistoryKey,
    JobAccount, JobListing, JobSnapshot, JsonSlice, Leases, MemoryStore, NewJob, PageFailures, PastScrape,
    ReadBound, Receipt, Slice, Store, TeamId, TeamLoad,
};
use gleaner_types::{Document, JobId, JobKind};
use serde_json::Value;
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

use super::stage::{LEASE_TIME, Stage};
use super::wire::Event;
use super::world::Resource;

/// Does what the memory store does, but
///
/// - answers now and then that a page is stored only after its lease is over, when it is not stored any more;
/// - breaks at some moments when it is asked for pages, and takes the worker loop with it: every page in work is given
///   up where it stands, and nobody tells the store of it. That is a crash of the process as far as the store can see.
#[derive(Debug)]
pub(super) struct Shaky {
    store: MemoryStore,
    stage: Arc<Stage>,
    /// The number of each job, which it has for its request.
    numbers: Mutex<HashMap<JobId, usize>>,
    /// What is leased and not finished.
    leased: Mutex<BTreeSet<(usize, Resource)>>,
    /// How often each page was finished.
    finishes: Mutex<BTreeMap<(usize, Resource), u64>>,
    /// The addresses of hosts, as far as the store was told.
    told: Mutex<BTreeMap<usize, IpAddr>>,
    max_per_address: u32,
    /// The team of each job, and its slots.
    teams: Vec<Option<(usize, u32)>>,
}

impl Shaky {
    pub(super) fn new(
        store: MemoryStore,
        stage: Arc<Stage>,
        max_per_address: u32,
        teams: Vec<Option<(usize, u32)>>,
    ) -> Self {
        Self {
            store,
            stage,
            numbers: Mutex::default(),
            leased: Mutex::default(),
            finishes: Mutex::default(),
            told: Mutex::default(),
            max_per_address,
            teams,
        }
    }

    fn tell(&self, url: &Url, address: Option<IpAddr>) {
        if let (Some(place), Some(address)) = (self.stage.world.place(url), address) {
            locked(&self.told).insert(self.stage.world.host_of(place), address);
        }
    }

    /// Holds the next page to lease against what its address may have in work.
    fn check_address(&self, leased: &BTreeSet<(usize, Resource)>, (job, place): (usize, Resource)) {
        let told = locked(&self.told);
        let address_of = |place: Resource| told.get(&self.stage.world.host_of(place));
        let Some(address) = address_of(place) else { return };
        let in_work = leased.iter().filter(|(_, other)| address_of(*other) == Some(address)).count();
        let most = self.max_per_address as usize;
        if in_work >= most {
            let what = format!("job {job} is given {place:?}, and its address has {in_work} pages in work");
            self.stage.wire().violate(self.stage.now(), what);
        }
        let hosts = told.values().filter(|other| *other == address).count();
        if in_work + 1 == most && hosts > 1 {
            self.stage.note_full_address();
        }
    }

    fn page(&self, job: JobId, url: &Url) -> Option<(usize, Resource)> {
        let number = *locked(&self.numbers).get(&job)?;
        Some((number, self.stage.world.place(url)?))
    }

    fn crash_if_due(&self) {
        if self.stage.crashes() {
            self.stage.note(Event::Crashed);
            for (job, place) in std::mem::take(&mut *locked(&self.leased)) {
                self.stage.lose(job, place);
            }
            // Without the panic hook, which would write to the terminal.
            std::panic::resume_unwind(Box::new("the store broke"));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Store for Shaky {
    async fn submit(&self, mut job: NewJob, now: Duration) -> Result<(), Error> {
        let number = job.request.as_u64().and_then(|number| usize::try_from(number).ok());
        if let Some((team, slots)) = number.and_then(|number| self.teams.get(number).copied().flatten()) {
            let account = JobAccount::of(TeamId::new(format!("team {team}")));
            job.account = Some(Box::new(JobAccount { slots: Some(slots), ..account }));
        }
        locked(&self.numbers).extend(number.map(|number| (job.id, number)));
        self.store.submit(job, now).await
    }

    async fn lease(&self, max: usize, now: Duration) -> Result<Leases, Error> {
        self.crash_if_due();
        let leases = self.store.lease(max, now).await?;
        let pages = leases.pages.iter().filter_map(|page| self.page(page.job, &page.url));
        let mut leased = locked(&self.leased);
        for page in pages {
            self.check_address(&leased, page);
            leased.insert(page);
        }
        drop(leased);
        Ok(leases)
    }

    async fn finish(&self, page: FinishedPage, now: Duration) -> Result<Receipt, Error> {
        let mut late = Duration::ZERO;
        let (url, address) = (page.lease.url.clone(), page.address);
        if let Some((job, place)) = self.page(page.lease.job, &page.lease.url) {
            locked(&self.leased).remove(&(job, place));
            let count = {
                let mut finishes = locked(&self.finishes);
                let count = finishes.entry((job, place)).or_default();
                *count += 1;
                *count
            };
            if self.stage.random(job + 2_000, place, count).below(1_000) < self.stage.faults.late_finish {
                self.stage.lose(job, place);
                let before = self.stage.now();
                self.stage.sleep(LEASE_TIME.as_millis() as u64 + 60_000).await;
                late = Duration::from_millis(self.stage.now() - before);
            }
        }
        let receipt = self.store.finish(page, now + late).await?;
        if receipt.accepted {
            self.tell(&url, address);
        }
        Ok(receipt)
    }

    async fn admit(
        &self,
        job: JobId,
        depth: u32,
        pages: Vec<Candidate>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        self.store.admit(job, depth, pages, now).await
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.store.seal(job, now).await
    }

    async fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) -> Result<(), Error> {
        self.store.feedback(url, feedback, now).await?;
        self.tell(url, feedback.address);
        Ok(())
    }

    async fn limits(&self, url: &Url) -> Result<HostLimits, Error> {
        self.store.limits(url).await
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        self.store.read(job, from, bound).await
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        self.store.snapshot(job).await
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        self.store.failures(job).await
    }

    async fn warn(&self, job: JobId, warning: &str) -> Result<(), Error> {
        self.store.warn(job, warning).await
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        self.store.fail(job, reason, now).await
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        self.store.cancel(job, now).await
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        self.store.pause(job, paused).await
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        self.store.would_defer(job, url).await
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        self.store.remove(job, now).await
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        self.store.expire(now).await
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        self.store.append(job, pages, credits, idempotency_key, now).await
    }

    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        self.store.read_json(job, from, bound).await
    }

    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error> {
        self.store.keep_scrape(team, document, now).await
    }

    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        self.store.scraped(team, scrape).await
    }

    async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        self.store.conclude(job, conclusion, now).await
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        self.store.charge(job, tokens_used, credits).await
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        self.store.conclusion(job).await
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        self.store.running(team, kind).await
    }

    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        self.store.load(team).await
    }

    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error> {
        self.store.last_scrape(job, key).await
    }

    async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error> {
        self.store.due(max, now).await
    }

    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error> {
        self.store.event_body(event).await
    }

    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error> {
        self.store.delivered(event, outcome, now).await
    }

    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        self.store.dead_letters(job).await
    }

    async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        self.store.accounting(max).await
    }

    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        self.store.grant(job, credits, now).await
    }

    async fn settled(&self, job: JobId) -> Result<(), Error> {
        self.store.settled(job).await
    }

    fn maintenance(&self) -> watch::Receiver<u64> {
        self.store.maintenance()
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.store.work()
    }

    fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        self.store.progress(job)
    }
}

/// What a job has for its request, so that the store knows its number.
pub(super) fn request(number: usize) -> Value {
    Value::from(number)
}
