use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, HostFeedback, Observation, RobotsPolicy};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, Store};
use gleaner_types::plan::{Location, ProxyMode, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, JobId, PageError, SCRAPE_TIMED_OUT, SafeUrl, limits};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::{Position, Url};

use crate::clock::Clock;
use crate::context::{CrawlContext, JobContext};
use crate::extract::Extract;
use crate::host_limiter::{HostLimiter, HostPermit, RequestPacing};
use crate::log_suppression::without_logs;
use crate::memory::Memory;
use crate::page::MAX_RETRY_AFTER;
use crate::ports::{
    Fetch, FetchError, FetchRequest, Fetched, Purpose, ReadPdf, RedirectCheck, RedirectRefusal, Transform,
};
use crate::robots::{
    Known, MAX_ROBOTS_TIME, ROBOTS_TIMEOUT, Robots, RobotsCache, RobotsFailure, RouteKey, StartSignal,
    address_of,
};
use crate::runtime::RuntimeConfig;
use crate::slices::Slices;
use crate::transforming::TransformLimits;

/// A longer robots.txt, in bytes, takes milliseconds to read.
const SHORT_ROBOTS: usize = 64 << 10;

/// Pages that the store takes in at once, in some milliseconds.
const MAX_ADMITTED_AT_ONCE: usize = 1_000;

/// At most so many sites are mapped at once; further maps wait within their timeout.
pub const MAX_MAPS: usize = 32;

/// What all parts of the engine room share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) transform: Arc<dyn Transform>,
    pub(crate) pdfs: Option<Arc<dyn ReadPdf>>,
    pub(crate) clock: Clock,
    /// The product token that robots.txt is read for.
    pub(crate) agent: String,
    pub(crate) max_in_flight: usize,
    /// Pages of a crawl are compared by what they say.
    pub(crate) near_duplicates: bool,
    pub(crate) stopped: CancellationToken,
    contexts: Mutex<HashMap<JobId, Arc<JobContext>>>,
    /// Reads fields off pages, where there is a desk that has it.
    pub(crate) extract: OnceLock<Arc<dyn Extract>>,
    robots: RobotsCache,
    pub(crate) host_limiter: HostLimiter,
    /// A place for each map that is made at once.
    pub(crate) maps: Semaphore,
    pub(crate) places: TransformLimits,
    /// Places for work over long lists.
    pub(crate) slices: Slices,
    /// What pages may take while they are transformed.
    pub(crate) memory: Memory,
}

impl Shared {
    pub(crate) fn new(parts: RuntimeConfig) -> Self {
        let RuntimeConfig {
            store,
            fetch,
            transform,
            pdfs,
            clock,
            robots_agent,
            max_in_flight,
            near_duplicates,
            memory,
        } = parts;
        Self {
            store,
            fetch,
            transform,
            pdfs,
            clock,
            agent: robots_agent,
            max_in_flight: usize::try_from(max_in_flight).unwrap_or(usize::MAX).max(1),
            near_duplicates,
            stopped: CancellationToken::new(),
            contexts: Mutex::default(),
            extract: OnceLock::new(),
            robots: RobotsCache::default(),
            host_limiter: HostLimiter::default(),
            maps: Semaphore::new(MAX_MAPS),
            places: TransformLimits::default(),
            slices: Slices::default(),
            memory: Memory::new(memory),
        }
    }

    pub(crate) fn context(&self, job: JobId) -> Option<Arc<JobContext>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
    }

    pub(crate) fn remember(&self, job: Arc<JobContext>) {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).insert(job.id, job);
    }

    /// Forgets the jobs that have ended otherwise than with a page of theirs.
    pub(crate) async fn forget_ended(&self) {
        let known: Vec<JobId> =
            self.contexts.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        for job in known {
            if self.store.snapshot(job).await.is_ok_and(|snapshot| snapshot.ended_at.is_some()) {
                self.forget(job);
            }
        }
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
    pub(crate) async fn give_back(&self, lease: LeasedPage, outcome: PageOutcome) {
        let page = FinishedPage::new(lease, outcome);
        if let Err(error) = self.store.finish(page, self.clock.now()).await {
            tracing::error!(%error, "a lease could not be given back");
        }
    }

    /// Admits pages at depth 0, a part of them at a time, so that a sitemap of many holds nobody up.
    pub(crate) async fn admit(&self, job: JobId, pages: Vec<Candidate>) {
        let mut pages = pages.into_iter();
        loop {
            let part: Vec<Candidate> = pages.by_ref().take(MAX_ADMITTED_AT_ONCE).collect();
            if part.is_empty() {
                return;
            }
            if let Err(error) = self.store.admit(job, 0, part, self.clock.now()).await {
                tracing::debug!(%error, "a job ended before all of its pages were admitted");
                return;
            }
            if !pages.as_slice().is_empty() {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Tells the reader of a job once that addresses were left out because its patterns cost too much.
    pub(crate) async fn tell_costs(&self, job: &JobContext) {
        if job.crawl.as_ref().is_some_and(CrawlContext::must_tell_costs) {
            let warning = "some addresses were left out, because matching them with `includePaths` and \
                           `excludePaths` takes too long";
            let _ = self.store.warn(job.id, warning).await;
        }
    }

    /// Heeds a `Retry-After`: its host is left alone by all. To be called while the request still holds its place at the
    /// gate.
    pub(crate) async fn heed(&self, answer: &Fetched) {
        let Some(pause) = answer.retry_after.filter(|_| is_busy(answer.status)) else { return };
        let pause = pause.min(MAX_RETRY_AFTER);
        tracing::debug!(url = %SafeUrl::from(&answer.url), seconds = pause.as_secs_f64(), "a host asks to be left alone");
        self.host_limiter.rest(&answer.url, pause);
        let not_before = Some(self.clock.now() + pause);
        self.feedback(&answer.url, HostFeedback { not_before, ..HostFeedback::default() }).await;
    }

    /// Waits until the host of `url` may be asked for something that no lease covers.
    pub(crate) async fn permit(&self, url: &Url, pacing: RequestPacing) -> HostPermit {
        self.refresh_limits(url).await;
        self.host_limiter.permit(url, pacing).await
    }

    /// Tells the gate how the store would have a host asked now.
    pub(crate) async fn refresh_limits(&self, url: &Url) {
        match self.store.limits(url).await {
            Ok(limits) => self.host_limiter.limit(url, limits.places, self.clock.instant(limits.not_before)),
            // What was told last holds on.
            Err(error) => tracing::error!(%error, "the limits of a host could not be read"),
        }
    }

    /// Tells the queue how a host answered that was asked by a redirect, and the gate what follows from it. To be called
    /// while the request still holds its place at the gate.
    pub(crate) async fn observe(&self, url: &Url, feedback: HostFeedback) {
        self.feedback(url, feedback).await;
        self.refresh_limits(url).await;
    }

    /// Tells the queue how a host wants to be asked.
    pub(crate) async fn feedback(&self, url: &Url, feedback: HostFeedback) {
        if let Err(error) = self.store.feedback(url, feedback, self.clock.now()).await {
            tracing::error!(%error, "the pace of a host could not be stored");
        }
    }

    /// robots.txt of the origin of `url`. What came by the job's own way is looked for first: it is there only where the
    /// usual way failed, which is not to be waited for again with each page. By each way the job waits at most for the
    /// timeout of its pages.
    pub(crate) async fn robots(
        self: &Arc<Self>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Known {
        let chain = route_key(&job.options);
        let now = self.clock.now();
        if let Some(robots) = chain.as_ref().and_then(|chain| self.robots.current(agent, url, chain, now)) {
            return Known { robots, fresh: false };
        }
        let usual = self.robots_by(None, agent, url, scheme_assumed, job).await;
        if usual.robots.trouble.is_none() || chain.is_none() {
            return usual;
        }
        self.robots_by(chain, agent, url, scheme_assumed, job).await
    }

    async fn robots_by(
        self: &Arc<Self>,
        chain: Option<RouteKey>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Known {
        let clock = self.clock;
        let by = chain.clone();
        let load = |address, begun| {
            let asked = RobotsRequest {
                address,
                agent: agent.to_owned(),
                scheme_assumed,
                options: robots_options(job, by),
                pacing: job.pacing(Duration::ZERO),
            };
            let load = load_robots(Arc::clone(self), asked, begun);
            // It may go on for others when the job that asked first has ended.
            let log_suppression = job.zero_data_retention;
            async move { without_logs(log_suppression, load).await }
        };
        let patience = job.options.timeout;
        let known = self.robots.get(agent, url, chain, patience, move || clock.now(), load).await;
        known.unwrap_or_else(|| {
            let cause = format!("the timeout of {} ms ran out", patience.as_millis());
            let error = unread(&address_of(url), ErrorCode::ScrapeTimeout, &cause);
            let robots = Robots::unreachable(RobotsFailure { error, passes: true, answered: false });
            Known { robots: Arc::new(robots), fresh: true }
        })
    }

    /// What an answer to the request for a robots.txt says; a long one is read away from the runtime.
    pub(crate) async fn robots_policy(&self, answer: &Fetched, agent: &str) -> RobotsPolicy {
        let (status, body) = (answer.status, answer.body.clone());
        if body.len() <= SHORT_ROBOTS {
            return RobotsPolicy::from_status(status, &body, agent);
        }
        let agent = agent.to_owned();
        let read = self.slices.blocking(move || RobotsPolicy::from_status(status, &body, &agent)).await;
        read.unwrap_or_else(RobotsPolicy::unreachable)
    }

    /// What `agent` was told by the robots.txt that was read of the origin of `url`, where one could be: by the job's own
    /// way, or else by the usual one.
    pub(crate) fn robots_read(
        &self,
        agent: &str,
        url: &Url,
        chain: Option<&RouteKey>,
    ) -> Option<Arc<Robots>> {
        let own = chain.and_then(|chain| self.robots.peek(agent, url, Some(chain)));
        own.or_else(|| self.robots.peek(agent, url, None))
    }
}

/// What is needed to fetch a robots.txt, whatever becomes of the job that asked for it first.
struct RobotsRequest {
    address: Url,
    agent: String,
    scheme_assumed: bool,
    options: ScrapeOptionsPlan,
    pacing: RequestPacing,
}

async fn load_robots(shared: Arc<Shared>, asked: RobotsRequest, begun: StartSignal) -> Robots {
    let RobotsRequest { address, agent, scheme_assumed, options, pacing } = asked;
    let request = FetchRequest {
        url: &address,
        scheme_assumed,
        options: &options,
        purpose: Purpose::Robots,
        session: None,
    };
    let redirects = HostRedirects::begin(&shared, &address, pacing).await;
    begun.now();
    let fetched = tokio::time::timeout(MAX_ROBOTS_TIME, shared.fetch.fetch(request, &redirects)).await;
    let answer = match fetched {
        Ok(Ok(answer)) => answer,
        Err(_) => {
            let cause = format!("{} s ran out", MAX_ROBOTS_TIME.as_secs());
            let error = unread(&address, ErrorCode::ScrapeTimeout, &cause);
            return Robots::unreachable(RobotsFailure { error, passes: true, answered: false });
        }
        Ok(Err(FetchError { error: PageError { code, message }, retryable, .. })) => {
            let passes = retryable || code == ErrorCode::ScrapeTimeout;
            let error = unread(&address, code, &message);
            return Robots::unreachable(RobotsFailure { error, passes, answered: false });
        }
    };
    let policy = shared.robots_policy(&answer, &agent).await;
    // What it asks of an agent that one job chose is kept by that job alone; one that cannot be read asks for nothing.
    let is_everybodys = agent == shared.agent && !policy.is_unreachable();
    let min_gap = is_everybodys.then(|| policy.crawl_delay().unwrap_or_default());
    if let Some(gap) = min_gap {
        // At once, so that nothing comes between the answer and what it asks for.
        shared.host_limiter.set_gap(&address, gap);
    }
    let found_at = answer.address.filter(|_| same_host(&address, &answer.url));
    let feedback = HostFeedback { min_gap, address: found_at, ..HostFeedback::default() };
    if feedback != HostFeedback::default() {
        shared.feedback(&address, feedback).await;
    }
    shared.heed(&answer).await;
    if !policy.is_unreachable() {
        return Robots::of(policy);
    }
    let cause = format!("its server answered with status {}", answer.status);
    let error = unread(&address, ErrorCode::ScrapeSiteError, &cause);
    Robots::unreachable(RobotsFailure { error, passes: true, answered: true })
}

/// Why no page of a host is fetched whose robots.txt could not be read.
fn unread(address: &Url, code: ErrorCode, cause: &str) -> PageError {
    // The address is named once, and so is it that time ran out.
    let address = SafeUrl::from(address).to_string();
    let cause = [address.as_str(), SCRAPE_TIMED_OUT]
        .into_iter()
        .find_map(|known| cause.strip_prefix(known)?.strip_prefix(": "))
        .unwrap_or(cause);
    PageError::new(code, format!("{address} could not be read: {cause}"))
}

/// The options with which robots.txt is fetched. Those of the job that are left have no effect on it.
fn robots_options(job: &JobContext, chain: Option<RouteKey>) -> ScrapeOptionsPlan {
    let usual = || RouteKey { proxy: ProxyMode::Auto, country: limits::DEFAULT_COUNTRY.to_owned() };
    let RouteKey { proxy, country } = chain.unwrap_or_else(usual);
    ScrapeOptionsPlan {
        timeout: ROBOTS_TIMEOUT,
        mobile: false,
        skip_tls_verification: true,
        location: Location { country, languages: Vec::new() },
        proxy,
        ..job.foreign_options.clone()
    }
}

/// The way of a job whose options lead by another than the usual one.
pub(crate) fn route_key(options: &ScrapeOptionsPlan) -> Option<RouteKey> {
    let Location { country, .. } = &options.location;
    let is_usual = options.proxy != ProxyMode::Stealth && country == limits::DEFAULT_COUNTRY;
    (!is_usual).then(|| RouteKey { proxy: options.proxy, country: country.clone() })
}

/// Are they of one host, as politeness counts hosts: by name and port?
pub(crate) fn same_host(one: &Url, other: &Url) -> bool {
    one[Position::BeforeHost..Position::AfterPort] == other[Position::BeforeHost..Position::AfterPort]
}

/// Is this the status of a server that has too much to do for now?
pub(crate) const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The way of one fetch from host to host: at each it waits until the host may be asked.
pub(crate) struct RequestChain<'a> {
    shared: &'a Shared,
    here: Mutex<Here>,
}

/// The last request of a fetch.
struct Here {
    url: Url,
    began: Instant,
    /// Its place at the host, until it has ended.
    permit: Option<HostPermit>,
}

/// How the last request of a fetch stands.
pub(crate) struct Stop {
    /// What was asked for.
    pub(crate) url: Url,
    /// How long the request has taken so far; time spent waiting for the host's turn is no part of it.
    pub(crate) took: Duration,
    /// Requests under way on the host, this one included.
    pub(crate) under_way: u32,
}

impl Stop {
    /// Says of the host what came of the request.
    pub(crate) fn told(&self, observed: Option<Observation>) -> HostFeedback {
        HostFeedback { observed, under_way: self.under_way, ..HostFeedback::default() }
    }
}

impl<'a> RequestChain<'a> {
    /// Begins at `url`, whose host may be asked now.
    pub(crate) fn from(shared: &'a Shared, url: &Url, permit: HostPermit) -> Self {
        let here = Here { url: url.clone(), began: Instant::now(), permit: Some(permit) };
        Self { shared, here: Mutex::new(here) }
    }

    /// How the last request stands.
    pub(crate) fn stop(&self) -> Stop {
        let here = self.here();
        Stop {
            url: here.url.clone(),
            took: here.began.elapsed(),
            under_way: here.permit.as_ref().map_or(0, HostPermit::under_way),
        }
    }

    /// The last request has ended, with a redirect: its host is no longer occupied.
    pub(crate) fn leave(&self) {
        self.here().permit = None;
    }

    /// Waits until the host of `url` may be asked. To be called when the host before was [left](Self::leave): whoever held
    /// one place while waiting for another could wait in a circle.
    pub(crate) async fn go_on(&self, url: &Url, pacing: RequestPacing) {
        let permit = self.shared.permit(url, pacing).await;
        *self.here() = Here { url: url.clone(), began: Instant::now(), permit: Some(permit) };
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fetches what is no page: every redirect that the egress guard lets through is followed.
pub(crate) struct HostRedirects<'a> {
    chain: RequestChain<'a>,
    pacing: RequestPacing,
}

impl<'a> HostRedirects<'a> {
    /// Waits until the host of `url` may be asked.
    pub(crate) async fn begin(shared: &'a Shared, url: &Url, pacing: RequestPacing) -> Self {
        let permit = shared.permit(url, pacing).await;
        Self { chain: RequestChain::from(shared, url, permit), pacing }
    }
}

#[async_trait::async_trait]
impl RedirectCheck for HostRedirects<'_> {
    async fn check(&self, _from: &Url, to: &Url) -> Result<(), RedirectRefusal> {
        self.chain.leave();
        self.chain.go_on(to, RequestPacing { gap: Duration::ZERO, ..self.pacing }).await;
        Ok(())
    }
}
