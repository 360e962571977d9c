use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, Pace, RobotsPolicy};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, Store};
use gleaner_types::{JobId, PageError};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::clock::Clock;
use crate::context::JobContext;
use crate::extract::Extract;
use crate::gate::{Gate, Manners, Pass};
use crate::page::{MAX_RETRY_AFTER, errand_options};
use crate::ports::{Fetch, FetchError, FetchRequest, Fetched, HopCheck, HopRefusal, Purpose, Transform};
use crate::robots::{Known, Reading, RobotsCache};

/// What all parts of the engine room share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) transform: Arc<dyn Transform>,
    pub(crate) clock: Clock,
    /// The product token that robots.txt is read for.
    pub(crate) agent: String,
    pub(crate) max_in_flight: usize,
    pub(crate) stopped: CancellationToken,
    contexts: Mutex<HashMap<JobId, Arc<JobContext>>>,
    /// Reads fields off pages, where there is a desk that has it.
    pub(crate) extract: OnceLock<Arc<dyn Extract>>,
    robots: RobotsCache,
    pub(crate) gate: Gate,
}

impl Shared {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        fetch: Arc<dyn Fetch>,
        transform: Arc<dyn Transform>,
        clock: Clock,
        agent: String,
        max_in_flight: usize,
    ) -> Self {
        Self {
            store,
            fetch,
            transform,
            clock,
            agent,
            max_in_flight,
            stopped: CancellationToken::new(),
            contexts: Mutex::default(),
            extract: OnceLock::new(),
            robots: RobotsCache::default(),
            gate: Gate::default(),
        }
    }

    pub(crate) fn context(&self, job: JobId) -> Option<Arc<JobContext>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
    }

    pub(crate) fn remember(&self, job: Arc<JobContext>) {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).insert(job.id, job);
    }

    /// The job has ended: whatever still works for it stops.
    pub(crate) fn forget(&self, job: JobId) {
        let context = self.contexts.lock().unwrap_or_else(PoisonError::into_inner).remove(&job);
        if let Some(context) = context {
            context.cancelled.cancel();
        }
    }

    /// Gives back the lease of a page that is not worked on, since its job has ended or belongs to another engine: its
    /// host is free for others, and the page waits if its job goes on.
    pub(crate) async fn give_back(&self, lease: LeasedPage) {
        let outcome = PageOutcome::Retry(self.clock.now());
        let page = FinishedPage {
            lease,
            outcome,
            redirected_to: None,
            observed: None,
            fingerprint: None,
            links: Vec::new(),
        };
        if let Err(error) = self.store.finish(page, self.clock.now()).await {
            tracing::error!(%error, "a lease could not be given back");
        }
    }

    /// Admits pages at depth 0.
    pub(crate) async fn admit(&self, job: JobId, pages: Vec<Candidate>) {
        if pages.is_empty() {
            return;
        }
        if let Err(error) = self.store.admit(job, 0, pages, self.clock.now()).await {
            tracing::debug!(%error, "a job ended before all of its pages were admitted");
        }
    }

    /// Heeds a `Retry-After`: its host is left alone by all. To be called while the request still holds its place at the
    /// gate.
    pub(crate) async fn heed(&self, answer: &Fetched) {
        let Some(pause) = answer.retry_after.filter(|_| is_busy(answer.status)) else { return };
        let pause = pause.min(MAX_RETRY_AFTER);
        self.gate.rest(&answer.url, pause);
        let not_before = Some(self.clock.now() + pause);
        self.pace(&answer.url, Pace { not_before, ..Pace::default() }).await;
    }

    async fn pace(&self, url: &Url, pace: Pace) {
        if let Err(error) = self.store.pace(url, pace, self.clock.now()).await {
            tracing::error!(%error, "the pace of a host could not be stored");
        }
    }

    /// robots.txt of the origin of `url`.
    pub(crate) async fn robots(
        &self,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Known {
        let load = |address| self.load_robots(agent, address, scheme_assumed, job);
        self.robots.get(agent, url, self.clock.now(), load).await
    }

    async fn load_robots(
        &self,
        agent: &str,
        address: Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Reading {
        let options = errand_options(job, &address);
        let request = FetchRequest {
            url: &address,
            scheme_assumed,
            options: &options,
            purpose: Purpose::Robots,
            session: None,
        };
        let errand = Errand::begin(self, &address, job.manners(Duration::ZERO)).await;
        match self.fetch.fetch(request, &errand).await {
            Ok(answer) => {
                let policy = RobotsPolicy::from_status(answer.status, &answer.body, agent);
                if let Some(min_gap) = policy.crawl_delay() {
                    // At once, so that nothing comes between the answer and what it asks for.
                    self.gate.set_gap(&address, min_gap);
                    self.pace(&address, Pace { min_gap: Some(min_gap), ..Pace::default() }).await;
                }
                self.heed(&answer).await;
                Ok(Arc::new(policy))
            }
            Err(failure) => {
                let host = address.host_str().unwrap_or_default();
                let cause = &failure.error.message;
                let message =
                    format!("robots.txt could not be read, so no page of {host} is fetched: {cause}");
                Err(FetchError { error: PageError { code: failure.error.code, message }, ..failure })
            }
        }
    }
}

/// Is this the status of a server that has too much to do for now?
pub(crate) const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The way of one fetch from host to host: at each it waits until the host may be asked.
pub(crate) struct Way<'a> {
    gate: &'a Gate,
    here: Mutex<Option<Pass>>,
}

impl<'a> Way<'a> {
    pub(crate) fn from(gate: &'a Gate, here: Pass) -> Self {
        Self { gate, here: Mutex::new(Some(here)) }
    }

    /// The request to the host before has ended: it is no longer occupied.
    pub(crate) fn leave(&self) {
        self.here.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Waits until the host of `url` may be asked.
    pub(crate) async fn go_on(&self, url: &Url, manners: Manners) {
        self.leave();
        let pass = self.gate.pass(url, manners).await;
        *self.here.lock().unwrap_or_else(PoisonError::into_inner) = Some(pass);
    }
}

/// Fetches what is no page: every redirect that the egress guard lets through is followed.
pub(crate) struct Errand<'a> {
    way: Way<'a>,
    manners: Manners,
}

impl<'a> Errand<'a> {
    /// Waits until the host of `url` may be asked.
    pub(crate) async fn begin(shared: &'a Shared, url: &Url, manners: Manners) -> Self {
        let gate = &shared.gate;
        Self { way: Way::from(gate, gate.pass(url, manners).await), manners }
    }
}

#[async_trait::async_trait]
impl HopCheck for Errand<'_> {
    async fn check(&self, _from: &Url, to: &Url) -> Result<(), HopRefusal> {
        self.way.go_on(to, Manners { gap: Duration::ZERO, ..self.manners }).await;
        Ok(())
    }
}
