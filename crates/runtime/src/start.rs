//! Starting a job: a checked plan and its options, compiled and handed to the store.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules};
use gleaner_store::{JobAccount, JobRequest, NewJob, Retention};
use gleaner_types::BoxFuture;
use gleaner_types::plan::{BatchPlan, CrawlPlan, ScrapePlan, Target, WebhookPlan};
use gleaner_types::{Document, JobId, JobKind};
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use crate::blocking::blocking_operation;
use crate::context::{JobContext, candidates};
use crate::error::Error;
use crate::explain::Records;
use crate::handle::Job;
use crate::limits::MANY_PAGES;
use crate::owner::JobOwner;
use crate::runtime::{Runtime, new_id};

/// A job to start, by its checked plan.
#[derive(Debug, Clone)]
pub enum JobSpec {
    /// One page. The deadline of its options holds for all of it, waiting for a free slot included.
    Scrape(Box<ScrapePlan>),
    /// Many pages, without the rules of a crawl: the user named them.
    Batch(Box<BatchPlan>),
    /// A site.
    Crawl(Box<CrawlPlan>),
}

impl From<ScrapePlan> for JobSpec {
    fn from(plan: ScrapePlan) -> Self {
        Self::Scrape(Box::new(plan))
    }
}

impl From<BatchPlan> for JobSpec {
    fn from(plan: BatchPlan) -> Self {
        Self::Batch(Box::new(plan))
    }
}

impl From<CrawlPlan> for JobSpec {
    fn from(plan: CrawlPlan) -> Self {
        Self::Crawl(Box::new(plan))
    }
}

/// How a job is started. Default: no team; documents are dropped once read.
#[derive(Debug, Clone)]
pub struct StartOptions {
    /// The id of the job, used once. Default: a [new one](new_id).
    pub id: JobId,
    /// The request, for the store's record of the job. Without it, no other process can go on with the job.
    /// Default: null.
    pub request: JobRequest,
    /// What becomes of documents after they were read. Default: [`Retention::Stream`].
    pub retention: Retention,
    /// The team of the job and what it may spend. Default: none.
    pub account: Option<Box<JobAccount>>,
    /// Addresses to follow through a crawl, for [`Job::explanations`]: at most
    /// [`MAX_EXPLAINED_URLS`](crate::MAX_EXPLAINED_URLS). Default: none.
    pub explained: Vec<Url>,
    /// Whether the documents of a crawl or a batch go to the sink, if there is one. Default: true.
    pub to_sink: bool,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self {
            id: new_id(),
            request: JobRequest::default(),
            retention: Retention::Stream,
            account: None,
            explained: Vec::new(),
            to_sink: true,
        }
    }
}

impl StartOptions {
    /// For a part of an extract job: in the turn and the slots of its team, for no price but the job's own.
    #[must_use]
    pub fn for_owner(owner: Option<&dyn JobOwner>) -> Self {
        Self { account: owner.map(JobOwner::page_account), to_sink: false, ..Self::default() }
    }

    /// For a job with this record.
    #[must_use]
    pub fn with_request(self, request: impl Into<JobRequest>) -> Self {
        Self { request: request.into(), ..self }
    }

    fn job(
        self,
        kind: Option<JobKind>,
        rules: JobRules,
        pages: Vec<Candidate>,
        webhook: Option<WebhookPlan>,
    ) -> NewJob {
        NewJob {
            request: self.request,
            retention: self.retention,
            account: self.account,
            webhook: webhook.map(Arc::new),
            ..NewJob::new(self.id, kind, rules, pages)
        }
    }
}

/// A job that may start.
struct Prepared {
    context: JobContext,
    job: NewJob,
    /// Of a crawl.
    records: Option<Arc<Records>>,
    /// Of a scrape.
    timeout: Option<Duration>,
}

impl Runtime {
    /// Starts a job. Events for the webhook of its plan wait in the store until something sends them.
    ///
    /// # Errors
    /// Where the rules of a crawl cannot hold, or the store fails.
    pub async fn start(
        self: &Arc<Self>,
        spec: impl Into<JobSpec>,
        options: StartOptions,
    ) -> Result<Job, Error> {
        self.start_spec(spec.into(), options).await
    }

    fn start_spec(
        self: &Arc<Self>,
        spec: JobSpec,
        options: StartOptions,
    ) -> BoxFuture<'_, Result<Job, Error>> {
        let starting = async move {
            let Prepared { context, job, records, timeout } = match spec {
                JobSpec::Scrape(plan) => scrape(*plan, options, self.clock().now()),
                JobSpec::Batch(plan) => self.prepare_batch(*plan, options).await?,
                JobSpec::Crawl(plan) => self.prepare_crawl(*plan, options).await?,
            };
            let runtime = Arc::clone(self);
            // In a task of its own, because it may take long until the job is durable: if the caller goes away
            // meanwhile, the handle is dropped, which ends the job.
            let starting = tokio::spawn(async move {
                let id = runtime.begin(context, job).await?;
                Ok::<_, Error>(Job::new(id, runtime))
            });
            let job = starting.await.unwrap_or_else(|error| Err(Error::of_task(&error)))?;
            Ok(job.with_records(records).with_timeout(timeout))
        };
        Box::pin(async move { self.executor().run(starting).await })
    }

    /// Scrapes one page: [`start`](Self::start), then its [document](Job::document).
    ///
    /// # Errors
    /// The page's failure, in the contract's codes.
    pub fn scrape(
        self: &Arc<Self>,
        plan: ScrapePlan,
        options: StartOptions,
    ) -> BoxFuture<'_, Result<Document, Error>> {
        Box::pin(async move { self.start(plan, options).await?.document().await })
    }

    /// A handle of any job in the store, running or ended. It reads the documents from the first one that the
    /// store still has. Dropping it changes nothing, unlike the handle of [`start`](Self::start).
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) if the store has no such job, or the store fails.
    pub fn job(self: &Arc<Self>, id: JobId) -> BoxFuture<'_, Result<Job, Error>> {
        let finding = async move {
            let snapshot = self.store().snapshot(id).await?;
            let counts_links = snapshot.kind == Some(JobKind::Crawl) && !snapshot.state.is_terminal();
            let context = if counts_links { self.shared().context_of(id).await } else { None };
            let records = context.and_then(|job| job.crawl.as_ref().map(|crawl| Arc::clone(&crawl.records)));
            Ok(Job::new(id, Arc::clone(self)).with_records(records).attached())
        };
        Box::pin(async move { self.executor().run(finding).await })
    }

    /// Adds pages that the user named to a running batch, and credits to its budget.
    ///
    /// # Errors
    /// Where the store refuses: the batch has ended, its queue is full, or the idempotency key was used
    /// before. Then nothing was added.
    pub fn append<'a>(
        &'a self,
        job: JobId,
        targets: &'a [Target],
        credits: u64,
        idempotency_key: Option<Uuid>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let appending = async move {
            // Numbers that the batch has not given out: those of a new id, which no other request has.
            let (_, random) = new_id().as_uuid().as_u64_pair();
            let (pages, now) = (candidates(random << 20, targets), self.clock().now());
            if pages.len() <= MANY_PAGES {
                self.store().append(job, pages, credits, idempotency_key, now).await?;
                return Ok(());
            }
            let store = Arc::clone(self.store());
            let append = async move { store.append(job, pages, credits, idempotency_key, now).await };
            blocking_operation(append).await?;
            Ok(())
        };
        Box::pin(async move { self.executor().run(appending).await })
    }

    /// The pages of a batch, away from the runtime if there are many.
    async fn prepare_batch(&self, plan: BatchPlan, options: StartOptions) -> Result<Prepared, Error> {
        if plan.targets.len() <= MANY_PAGES {
            return Ok(batch(plan, options));
        }
        let prepared = self.shared().slices.blocking(move || batch(plan, options)).await;
        prepared.ok_or_else(|| Error::failed("the engine is shutting down"))
    }

    /// Compiles the rules of a crawl, away from the runtime where that may take long: for patterns, and for
    /// addresses that they are applied to.
    async fn prepare_crawl(&self, plan: CrawlPlan, options: StartOptions) -> Result<Prepared, Error> {
        let is_quick = plan.rules.exclude_paths.is_empty() && plan.rules.include_paths.is_empty();
        let agent = self.shared().agent.clone();
        let compile = move || crawl(plan, options, &agent);
        let compiled = if is_quick { Some(compile()) } else { self.shared().slices.blocking(compile).await };
        match compiled {
            Some(compiled) => compiled.map_err(|error| Error::rules(&error)),
            None => Err(Error::failed("the engine is shutting down")),
        }
    }
}

fn scrape(plan: ScrapePlan, options: StartOptions, now: Duration) -> Prepared {
    let ScrapePlan { target, options: page, zero_data_retention } = plan;
    let timeout = page.timeout;
    let targets = std::slice::from_ref(&target);
    let (mut context, pages) = JobContext::of_targets(options.id, targets, page, zero_data_retention);
    context.deadline = Some(now + timeout);
    context.to_sink = false;
    let mut job = options.job(None, JobRules::with_limit(1), pages, None);
    job.in_memory = zero_data_retention;
    Prepared { context, job, records: None, timeout: Some(timeout) }
}

fn batch(plan: BatchPlan, mut options: StartOptions) -> Prepared {
    if let Value::Object(fields) = &mut options.request.body {
        // There may be many, and they are in the queue.
        fields.remove("urls");
    }
    let BatchPlan { targets, options: page, max_concurrency, webhook, zero_data_retention, .. } = plan;
    let (mut context, pages) = JobContext::of_targets(options.id, &targets, page, zero_data_retention);
    context.to_sink = options.to_sink;
    // Every page was named by the user, and more may be: no limit but their number.
    let rules = JobRules { max_in_flight: max_concurrency, ..JobRules::with_limit(u64::MAX) };
    let mut job = options.job(Some(JobKind::BatchScrape), rules, pages, webhook);
    job.in_memory = zero_data_retention;
    Prepared { context, job, records: None, timeout: None }
}

fn crawl(
    plan: CrawlPlan,
    mut options: StartOptions,
    agent: &str,
) -> Result<Prepared, gleaner_frontier::Error> {
    let (mut context, start) = JobContext::of_crawl(options.id, &plan, agent)?;
    context.to_sink = options.to_sink;
    let records = context.record(&std::mem::take(&mut options.explained));
    let rules = JobRules {
        limit: plan.limit,
        max_in_flight: plan.max_concurrency,
        delay: plan.delay,
        max_depth: plan.rules.max_discovery_depth,
    };
    let mut job = options.job(Some(JobKind::Crawl), rules, vec![start], plan.webhook);
    job.in_memory = plan.zero_data_retention;
    Ok(Prepared { context, job, records, timeout: None })
}
