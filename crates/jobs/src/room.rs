use std::sync::{Arc, Mutex, PoisonError};

use gleaner_frontier::JobRules;
use gleaner_store::{JobKind, JobSnapshot, NewJob, Retention, Store};
use gleaner_types::plan::{BatchPlan, CrawlPlan, MapPlan, ScrapePlan};
use gleaner_types::{Document, ErrorCode, JobId, PageError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::clock::Clock;
use crate::context::JobContext;
use crate::handle::Job;
use crate::map::{self, MapResult};
use crate::ports::{Fetch, Transform};
use crate::shared::Shared;
use crate::{Error, worker};

/// What an engine room is built from.
#[derive(Debug)]
pub struct Parts {
    /// Where jobs live.
    pub store: Arc<dyn Store>,
    /// The way out.
    pub fetch: Arc<dyn Fetch>,
    /// From bodies to documents.
    pub transform: Arc<dyn Transform>,
    /// The one clock.
    pub clock: Clock,
    /// The product token that robots.txt is read for.
    pub robots_agent: String,
    /// Pages at once, all jobs together.
    pub max_in_flight: u32,
}

/// The engine room: takes checked plans, gives running jobs.
#[derive(Debug)]
pub struct Room {
    shared: Arc<Shared>,
    /// Begun with the first job, because only then is a runtime sure to be there.
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Room {
    /// An engine room of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Arc<Self> {
        let Parts { store, fetch, transform, clock, robots_agent, max_in_flight } = parts;
        let max_in_flight = usize::try_from(max_in_flight).unwrap_or(usize::MAX).max(1);
        let shared = Shared::new(store, fetch, transform, clock, robots_agent, max_in_flight);
        Arc::new(Self { shared: Arc::new(shared), worker: Mutex::default() })
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Scrapes one page. The deadline of the options holds for all of it, waiting for a free place included.
    ///
    /// # Errors
    /// The page's failure, in the contract's codes.
    pub async fn scrape(self: &Arc<Self>, plan: ScrapePlan, request: Value) -> Result<Document, Error> {
        let timeout = plan.options.timeout;
        let targets = std::slice::from_ref(&plan.target);
        let (mut context, pages) =
            JobContext::of_targets(new_id(), targets, plan.options, plan.zero_data_retention);
        context.deadline = Some(self.shared.clock.now() + timeout);
        let rules = JobRules::with_limit(1);
        let job = NewJob {
            id: context.id,
            kind: JobKind::Scrape,
            request,
            rules,
            pages,
            sealed: true,
            retention: Retention::Stream,
        };
        let mut job = self.begin(context, job).await?;
        let late = || PageError {
            code: ErrorCode::ScrapeTimeout,
            message: format!("the page was not done within the timeout of {} ms", timeout.as_millis()),
        };
        match tokio::time::timeout(timeout, job.next()).await.map_err(|_| late())? {
            Some(document) => Ok(document),
            None => Err(match job.failures().await?.failures.pop() {
                Some(failure) => failure.error.into(),
                None => PageError {
                    code: ErrorCode::UnknownError,
                    message: "the page gave no document".to_owned(),
                }
                .into(),
            }),
        }
    }

    /// Begins a batch.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn batch(self: &Arc<Self>, plan: BatchPlan, request: Value) -> Result<Job, Error> {
        let (context, pages) =
            JobContext::of_targets(new_id(), &plan.targets, plan.options, plan.zero_data_retention);
        let rules =
            JobRules { max_in_flight: plan.max_concurrency, ..JobRules::with_limit(pages.len() as u64) };
        let job = NewJob {
            id: context.id,
            kind: JobKind::Batch,
            request,
            rules,
            pages,
            sealed: true,
            retention: Retention::Stream,
        };
        self.begin(context, job).await
    }

    /// Begins a crawl.
    ///
    /// # Errors
    /// Where the rules cannot hold, or the store fails.
    pub async fn crawl(self: &Arc<Self>, plan: CrawlPlan, request: Value) -> Result<Job, Error> {
        let (context, start) = JobContext::of_crawl(new_id(), &plan, &self.shared.agent)
            .map_err(|error| Error::rules(&error))?;
        let rules = JobRules {
            limit: plan.limit,
            max_in_flight: plan.max_concurrency,
            delay: plan.delay,
            max_depth: plan.rules.max_discovery_depth,
        };
        let job = NewJob {
            id: context.id,
            kind: JobKind::Crawl,
            request,
            rules,
            pages: vec![start],
            sealed: true,
            retention: Retention::Stream,
        };
        self.begin(context, job).await
    }

    /// Lists the addresses of a site: those of its sitemaps and those that its start page links to.
    ///
    /// # Errors
    /// Where the start page cannot be had and there is no sitemap either, or the deadline ran out.
    pub async fn map(self: &Arc<Self>, plan: MapPlan) -> Result<MapResult, Error> {
        map::map(&self.shared, plan, new_id()).await
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
    pub(crate) fn abandon(&self, job: JobId, runtime: &Handle) {
        let shared = Arc::clone(&self.shared);
        runtime.spawn(async move {
            if let Err(error) = shared.store.remove(job).await {
                tracing::debug!(%error, "a job was gone before it was dropped");
            }
            shared.forget(job);
        });
    }

    async fn begin(self: &Arc<Self>, context: JobContext, job: NewJob) -> Result<Job, Error> {
        let id = job.id;
        self.shared.remember(Arc::new(context));
        if let Err(error) = self.shared.store.submit(job, self.shared.clock.now()).await {
            self.shared.forget(id);
            return Err(error.into());
        }
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.as_ref().is_none_or(JoinHandle::is_finished) {
            *worker = Some(tokio::spawn(worker::run(Arc::clone(&self.shared))));
        }
        drop(worker);
        Ok(Job::new(id, Arc::clone(self), Handle::current()))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.shared.stopped.cancel();
    }
}

fn new_id() -> JobId {
    JobId::from_uuid(Uuid::now_v7())
}
