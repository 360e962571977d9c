use std::sync::{Arc, Mutex, PoisonError};

use gleaner_frontier::{CrawlScope, Decision};
use gleaner_store::{JobSnapshot, NewJob, Store};
use gleaner_types::JobId;
use gleaner_types::plan::{CrawlRules, MapPlan, ScrapeOptionsPlan, without_slash};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::RuntimeConfig;
use crate::context::JobContext;
use crate::error::Error;
use crate::extract::Extract;
use crate::map::{self, MapResult};
use crate::shared::Shared;
use crate::tracking::TrackChanges;
use crate::worker;

/// Runs jobs: takes checked plans, gives running [`Job`](crate::Job)s.
#[derive(Debug)]
pub struct Runtime {
    shared: Arc<Shared>,
    /// Begun with the first job, because only then is a tokio runtime sure to be there.
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Runtime {
    /// A runtime of these parts.
    #[must_use]
    pub fn new(parts: RuntimeConfig) -> Arc<Self> {
        Arc::new(Self { shared: Arc::new(Shared::new(parts)), worker: Mutex::default() })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Where its jobs live.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Its clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Cancelled once the runtime is gone: when its last handle and its last job are dropped.
    #[must_use]
    pub fn stopped(&self) -> &CancellationToken {
        &self.shared.stopped
    }

    /// Permits for work on pages of medium size, on threads for blocking work: what completes a document
    /// shares them with the transform.
    #[must_use]
    pub fn transform_permits(&self) -> &Arc<Semaphore> {
        &self.shared.transforms.medium
    }

    /// Sets what reads off pages what their transform leaves to a model: the formats `json` and `summary`,
    /// and the fields that change tracking compares. The first one stays.
    pub fn set_extract(&self, extract: Arc<dyn Extract>) {
        let _first_stays = self.shared.extract.set(extract);
    }

    /// Sets what compares documents with an earlier scrape of their page. The first one stays.
    pub fn set_tracker(&self, tracker: Arc<dyn TrackChanges>) {
        let _first_stays = self.shared.tracker.set(tracker);
    }

    /// Lists the addresses of a site: those of its sitemaps and those that its start page links to. Work for
    /// a [`JobOwner`](crate::JobOwner) takes one of its [permits](crate::JobOwner::lookup) first.
    ///
    /// # Errors
    /// Where the start page cannot be fetched and there is no sitemap either, or the deadline ran out.
    pub async fn map(self: &Arc<Self>, plan: MapPlan) -> Result<MapResult, Error> {
        map::map(&self.shared, plan, new_id()).await
    }

    /// Those of the items whose address is inside a crawl that starts at `start` by these rules, in their
    /// order: however many they are, and whatever its patterns cost, away from the runtime.
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

    /// What a job works with; `None` where it has ended or runs elsewhere.
    #[must_use]
    pub fn running(&self, job: JobId) -> Option<RunningJob> {
        self.shared.context(job).map(|context| RunningJob { context })
    }

    /// Stops whatever still works for a job that has ended.
    pub fn forget(&self, job: JobId) {
        self.shared.forget(job);
    }

    /// Starts the worker loop if it does not run.
    pub fn wake(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.as_ref().is_none_or(JoinHandle::is_finished) {
            *worker = Some(tokio::spawn(worker::run(Arc::clone(&self.shared))));
        }
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

    pub(crate) async fn begin(&self, mut context: JobContext, mut job: NewJob) -> Result<JobId, Error> {
        let id = job.id;
        context.team = job.account.as_ref().map(|account| account.team.clone());
        if let Some(first) = job.pages.first().filter(|page| context.is_slash_added(page.key)) {
            job.url = Some(without_slash(&first.url).into_owned());
        }
        self.shared.remember(Arc::new(context));
        if let Err(error) = self.shared.store.submit(job, self.shared.clock.now()).await {
            self.shared.forget(id);
            return Err(error.into());
        }
        self.wake();
        Ok(id)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.shared.stopped.cancel();
    }
}

/// A job that runs in a [`Runtime`].
#[derive(Debug, Clone)]
pub struct RunningJob {
    context: Arc<JobContext>,
}

impl RunningJob {
    /// The options of its pages.
    #[must_use]
    pub fn options(&self) -> &ScrapeOptionsPlan {
        &self.context.options
    }

    /// Nothing of its pages may be kept.
    #[must_use]
    pub fn zero_data_retention(&self) -> bool {
        self.context.zero_data_retention
    }
}

/// A new id of a job.
#[must_use]
pub fn new_id() -> JobId {
    JobId::from_uuid(Uuid::now_v7())
}
