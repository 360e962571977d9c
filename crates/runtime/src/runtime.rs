use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, CrawlScope, Decision, JobRules};
use gleaner_store::{JobAccount, JobFailure, JobSnapshot, NewJob, Retention, Store};
use gleaner_types::plan::{BatchPlan, CrawlPlan, CrawlRules, MapPlan, ScrapePlan, WebhookPlan};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, PageError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use url::Url;
use uuid::Uuid;

use crate::clock::Clock;
use crate::context::JobContext;
use crate::credit_reservation::CreditReservation;
use crate::error::QUEUE_FULL_PAUSE;
use crate::explain::{MAX_EXPLAINED, Records};
use crate::handle::Job;
use crate::map::{self, MapResult};
use crate::memory::MemoryBudget;
use crate::ports::{Fetch, ReadPdf, Transform};
use crate::shared::Shared;
use crate::{Error, worker};

/// What an engine room is built from.
#[derive(Debug)]
pub struct RuntimeConfig {
    /// Where jobs live.
    pub store: Arc<dyn Store>,
    /// The way out.
    pub fetch: Arc<dyn Fetch>,
    /// From bodies to documents.
    pub transform: Arc<dyn Transform>,
    /// From PDFs to documents; without it `transform` reads them too.
    pub pdfs: Option<Arc<dyn ReadPdf>>,
    /// The one clock.
    pub clock: Clock,
    /// The product token that robots.txt is read for.
    pub robots_agent: String,
    /// Pages at once, all jobs together.
    pub max_in_flight: u32,
    /// Compare what the pages of a crawl say, and put those kinds off that say the same over and over: soft 404s, the
    /// empty days of a calendar. Where only links are wanted of pages, their text is not read and nothing is compared.
    pub near_duplicates: bool,
    /// What the pages under way may take in memory. The shares for their transform are kept here; that for their bodies is
    /// kept by whoever fetches them.
    pub memory: MemoryBudget,
}

/// The engine room: takes checked plans, gives running jobs.
#[derive(Debug)]
pub struct Runtime {
    shared: Arc<Shared>,
    /// Begun with the first job, because only then is a runtime sure to be there.
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Runtime {
    /// An engine room of these parts.
    #[must_use]
    pub fn new(parts: RuntimeConfig) -> Arc<Self> {
        Arc::new(Self { shared: Arc::new(Shared::new(parts)), worker: Mutex::default() })
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Scrapes one page. The deadline of the options holds for all of it, waiting for a free place included.
    ///
    /// # Errors
    /// The page's failure, in the contract's codes.
    pub async fn scrape(self: &Arc<Self>, plan: ScrapePlan, request: Value) -> Result<Document, Error> {
        self.scrape_on(plan, Terms::default().with_request(request)).await
    }

    /// Scrapes one page of an extract job, in the turn and the slots of its team, for no price but the job's own.
    ///
    /// # Errors
    /// As for [`scrape`](Self::scrape).
    pub async fn scrape_for(
        self: &Arc<Self>,
        plan: ScrapePlan,
        reservation: Option<&CreditReservation>,
    ) -> Result<Document, Error> {
        self.scrape_on(plan, Terms::default().on(reservation)).await
    }

    pub(crate) async fn scrape_on(
        self: &Arc<Self>,
        plan: ScrapePlan,
        terms: Terms,
    ) -> Result<Document, Error> {
        self.begin_scrape(plan, terms).await?.done().await
    }

    pub(crate) async fn begin_scrape(
        self: &Arc<Self>,
        plan: ScrapePlan,
        terms: Terms,
    ) -> Result<PendingScrape, Error> {
        let timeout = plan.options.timeout;
        let targets = std::slice::from_ref(&plan.target);
        let (mut context, pages) =
            JobContext::of_targets(terms.id, targets, plan.options, plan.zero_data_retention);
        context.deadline = Some(self.shared.clock.now() + timeout);
        let mut job = terms.job(None, JobRules::with_limit(1), pages);
        job.in_memory = plan.zero_data_retention;
        let id = self.begin(context, job).await?;
        Ok(PendingScrape { job: self.handle(id), timeout })
    }

    /// Begins a batch. Events for its webhook wait for a [`JobService`](crate::JobService) that sends them
    /// ([`open_webhook`](crate::JobService::open_webhook)).
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn batch(self: &Arc<Self>, plan: BatchPlan, request: Value) -> Result<Job, Error> {
        let terms = Terms::default().with_request(request).with_webhook(plan.webhook.as_ref());
        let id = self.start_batch(plan, terms).await?;
        Ok(self.handle(id))
    }

    pub(crate) async fn start_batch(self: &Arc<Self>, plan: BatchPlan, terms: Terms) -> Result<JobId, Error> {
        let (context, pages) =
            JobContext::of_targets(terms.id, &plan.targets, plan.options, plan.zero_data_retention);
        // Every page was named by the user, and more may be: no limit but their number.
        let rules = JobRules { max_in_flight: plan.max_concurrency, ..JobRules::with_limit(u64::MAX) };
        let mut job = terms.job(Some(JobKind::BatchScrape), rules, pages);
        job.in_memory = plan.zero_data_retention;
        self.begin(context, job).await
    }

    /// Begins a crawl. Events for its webhook are sent as those of a [`batch`](Self::batch).
    ///
    /// # Errors
    /// Where the rules cannot hold, or the store fails.
    pub async fn crawl(self: &Arc<Self>, plan: CrawlPlan, request: Value) -> Result<Job, Error> {
        self.crawl_explained(plan, request, &[]).await
    }

    /// Begins a crawl for an extract job, as [`scrape_for`](Self::scrape_for) scrapes.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_for(
        self: &Arc<Self>,
        plan: CrawlPlan,
        reservation: Option<&CreditReservation>,
    ) -> Result<Job, Error> {
        let id = self.start_crawl(plan, Terms::default().on(reservation)).await?;
        Ok(self.handle(id))
    }

    /// Begins a crawl and follows some addresses through it, for [`Job::explanations`].
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_explained(
        self: &Arc<Self>,
        plan: CrawlPlan,
        request: Value,
        explained: &[Url],
    ) -> Result<Job, Error> {
        let terms = Terms::default().with_request(request).with_webhook(plan.webhook.as_ref());
        let (id, records) = self.start_recorded_crawl(plan, terms, explained).await?;
        Ok(self.handle(id).with_records(records))
    }

    pub(crate) async fn start_crawl(self: &Arc<Self>, plan: CrawlPlan, terms: Terms) -> Result<JobId, Error> {
        Ok(self.start_recorded_crawl(plan, terms, &[]).await?.0)
    }

    async fn start_recorded_crawl(
        self: &Arc<Self>,
        plan: CrawlPlan,
        terms: Terms,
        explained: &[Url],
    ) -> Result<(JobId, Option<Arc<Records>>), Error> {
        let Compiled { plan, context, start, records } = self.compiled(terms.id, plan, explained).await?;
        let rules = JobRules {
            limit: plan.limit,
            max_in_flight: plan.max_concurrency,
            delay: plan.delay,
            max_depth: plan.rules.max_discovery_depth,
        };
        let mut job = terms.job(Some(JobKind::Crawl), rules, vec![start]);
        job.in_memory = plan.zero_data_retention;
        Ok((self.begin(context, job).await?, records))
    }

    /// Compiles the rules of a crawl, away from the runtime where that may take long: for patterns, and for addresses that
    /// are held against them.
    async fn compiled(&self, id: JobId, plan: CrawlPlan, explained: &[Url]) -> Result<Compiled, Error> {
        let rules = &plan.rules;
        let is_quick = rules.exclude_paths.is_empty() && rules.include_paths.is_empty();
        let agent = self.shared.agent.clone();
        let explained: Vec<Url> = explained.iter().take(MAX_EXPLAINED).cloned().collect();
        let compile = move || -> Result<Compiled, gleaner_frontier::Error> {
            let (mut context, start) = JobContext::of_crawl(id, &plan, &agent)?;
            let records = context.record(&explained);
            Ok(Compiled { plan, context, start, records })
        };
        let compiled = if is_quick { Some(compile()) } else { self.shared.slices.blocking(compile).await };
        match compiled {
            Some(compiled) => compiled.map_err(|error| Error::rules(&error)),
            None => Err(Error::failed("the runtime comes to its end")),
        }
    }

    /// Lists the addresses of a site: those of its sitemaps and those that its start page links to.
    ///
    /// # Errors
    /// Where the start page cannot be had and there is no sitemap either, or the deadline ran out.
    pub async fn map(self: &Arc<Self>, plan: MapPlan) -> Result<MapResult, Error> {
        map::map(&self.shared, plan, new_id()).await
    }

    /// Lists the addresses of a site for an extract job, in one of the places that its team has for such work
    /// ([`MAX_LOOKUPS_PER_TEAM`](crate::MAX_LOOKUPS_PER_TEAM)), and for no price but the job's own.
    ///
    /// # Errors
    /// As for [`map`](Self::map).
    pub async fn map_for(
        self: &Arc<Self>,
        plan: MapPlan,
        reservation: Option<&CreditReservation>,
    ) -> Result<MapResult, Error> {
        let _place = match reservation {
            Some(reservation) => Some(reservation.lookup().await),
            None => None,
        };
        self.map(plan).await
    }

    /// Those of the items whose address is inside a crawl that starts at `start` by these rules, in their order: however
    /// many they are, and whatever its patterns cost, away from the runtime.
    ///
    /// # Errors
    /// Where the rules cannot hold.
    pub async fn inside<T: Send + 'static>(
        &self,
        start: Url,
        rules: CrawlRules,
        items: Vec<T>,
        url: fn(&T) -> &Url,
    ) -> Result<Vec<T>, Error> {
        let slices = &self.shared.slices;
        let Some(scope) = slices.blocking(move || CrawlScope::new(&start, &rules)).await else {
            return Ok(Vec::new());
        };
        let scope = scope.map_err(|error| Error::rules(&error))?;
        let pick = move |item: T, steps: &mut u64| {
            (scope.decide_counting(url(&item), false, steps) == Decision::Inside).then_some(item)
        };
        Ok(slices.each(items, pick).await)
    }

    /// Adds to a job's status what its reader should know.
    ///
    /// # Errors
    /// Where the store fails or does not know the job.
    pub async fn warn(&self, job: JobId, warning: &str) -> Result<(), Error> {
        Ok(self.shared.store.warn(job, warning).await?)
    }

    pub(crate) async fn cancel(&self, job: JobId) -> Result<JobSnapshot, Error> {
        // The store first: a page that is given up must not be the one that completes the job.
        let cancelled = self.shared.store.cancel(job, self.shared.clock.now()).await;
        self.shared.forget(job);
        match cancelled {
            Err(error) if error.is_job_ended() => Ok(self.shared.store.snapshot(job).await?),
            cancelled => Ok(cancelled?),
        }
    }

    /// Nobody will read this job any more.
    pub(crate) fn abandon(&self, job: JobId, tokio: &Handle) {
        let shared = Arc::clone(&self.shared);
        tokio.spawn(async move {
            if let Err(error) = shared.store.remove(job, shared.clock.now()).await {
                tracing::debug!(%error, "a job was gone before it was dropped");
            }
            shared.forget(job);
        });
    }

    async fn begin(self: &Arc<Self>, mut context: JobContext, mut job: NewJob) -> Result<JobId, Error> {
        let id = job.id;
        context.team = job.account.as_ref().map(|account| account.team.clone());
        if let Some(first) = job.pages.first().filter(|page| context.is_slash_added(page.key)) {
            job.url = Some(gleaner_types::plan::without_slash(&first.url).into_owned());
        }
        self.shared.remember(Arc::new(context));
        if let Err(error) = self.shared.store.submit(job, self.shared.clock.now()).await {
            self.shared.forget(id);
            return Err(error.into());
        }
        self.wake();
        Ok(id)
    }

    /// Sees to it that the loop runs.
    pub(crate) fn wake(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.as_ref().is_none_or(JoinHandle::is_finished) {
            *worker = Some(tokio::spawn(worker::run(Arc::clone(&self.shared))));
        }
    }

    fn handle(self: &Arc<Self>, id: JobId) -> Job {
        Job::new(id, Arc::clone(self), Handle::current())
    }
}

/// A crawl that may begin.
struct Compiled {
    plan: CrawlPlan,
    context: JobContext,
    start: Candidate,
    records: Option<Arc<Records>>,
}

/// A page that is scraped at once. Dropping it gives it up.
#[derive(Debug)]
pub(crate) struct PendingScrape {
    job: Job,
    timeout: Duration,
}

impl PendingScrape {
    /// Its document.
    pub(crate) async fn done(mut self) -> Result<Document, Error> {
        let late = || PageError {
            code: ErrorCode::ScrapeTimeout,
            message: format!("the page was not done within the timeout of {} ms", self.timeout.as_millis()),
        };
        match tokio::time::timeout(self.timeout, self.job.next()).await.map_err(|_| late())? {
            Some(document) => Ok(document),
            None => Err(match self.job.failures().await?.failures.pop() {
                Some(failure) => failure.error.into(),
                None => why_nothing(self.job.status().await?),
            }),
        }
    }
}

/// Why a scrape that lists no failure gave no document.
fn why_nothing(job: JobSnapshot) -> Error {
    let reason = job.error.unwrap_or_else(|| "the page gave no document".to_owned());
    match job.failure {
        Some(JobFailure::InsufficientCredits) => Error::insufficient_credits(reason),
        Some(JobFailure::NoRoom) => Error::rate_limited(reason, QUEUE_FULL_PAUSE),
        _ => PageError { code: ErrorCode::UnknownError, message: reason }.into(),
    }
}

/// On which terms a job is begun.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) id: JobId,
    pub(crate) request: Value,
    pub(crate) retention: Retention,
    pub(crate) account: Option<Box<JobAccount>>,
    pub(crate) webhook: Option<Arc<WebhookPlan>>,
}

impl Default for Terms {
    /// Those of whoever holds a [`Job`]: it belongs to nobody else, and reading it empties it.
    fn default() -> Self {
        Self {
            id: new_id(),
            request: Value::Null,
            retention: Retention::Stream,
            account: None,
            webhook: None,
        }
    }
}

impl Terms {
    fn with_request(self, request: Value) -> Self {
        Self { request, ..self }
    }

    fn on(self, reservation: Option<&CreditReservation>) -> Self {
        Self { account: reservation.map(CreditReservation::of_page), ..self }
    }

    fn with_webhook(self, webhook: Option<&WebhookPlan>) -> Self {
        Self { webhook: webhook.cloned().map(Arc::new), ..self }
    }

    pub(crate) fn job(self, kind: Option<JobKind>, rules: JobRules, pages: Vec<Candidate>) -> NewJob {
        NewJob {
            request: self.request,
            retention: self.retention,
            account: self.account,
            webhook: self.webhook,
            ..NewJob::new(self.id, kind, rules, pages)
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.shared.stopped.cancel();
    }
}

pub(crate) fn new_id() -> JobId {
    JobId::from_uuid(Uuid::now_v7())
}
