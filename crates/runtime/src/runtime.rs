//! The runtime: starts and stops jobs, maps sites, and gives access to its ports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use gleaner_frontier::{CrawlScope, Decision};
use gleaner_store::{JobSnapshot, JobWarning, NewJob, Store, WorkerId};
use gleaner_types::BoxFuture;
use gleaner_types::plan::{CrawlRules, MapPlan, ScrapeOptionsPlan, without_slash};
use gleaner_types::{Document, JobId, PageError};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::Url;
use uuid::Uuid;

use crate::blocking::blocking_operation;
use crate::cancellation::Cancellation;
use crate::check_options::CheckOptions;
use crate::clock::Clock;
use crate::config::RuntimeConfig;
use crate::context::JobContext;
use crate::error::Error;
use crate::executor::Executor;
use crate::extract::Extract;
use crate::hook_calls::Hooks;
use crate::hooks::PageHooks;
use crate::limits::{MANY_PAGES, MAX_TRANSFORM_TIME};
use crate::map::{self, MapResult};
use crate::ports::Fetched;
use crate::session_notes::session_notes;
use crate::shared::Shared;
use crate::sink::DocumentSink;
use crate::tracking::TrackChanges;
use crate::transforming::transform;
use crate::worker;

/// Runs jobs: takes checked plans, gives running [`Job`](crate::Job)s.
#[derive(Debug)]
pub struct Runtime {
    shared: Arc<Shared>,
    /// Started with the first job, so that an engine that only converts pages has no threads.
    worker: Mutex<Option<JoinHandle<()>>>,
    /// Nothing else uses the store, so it is closed with the runtime.
    owns_store: AtomicBool,
}

impl Runtime {
    /// A runtime with this configuration.
    #[must_use]
    pub fn new(config: RuntimeConfig) -> Arc<Self> {
        let shared = Arc::new(Shared::new(config));
        Arc::new(Self { shared, worker: Mutex::default(), owns_store: AtomicBool::new(false) })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Where it runs.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.shared.executor
    }

    /// The store of its jobs.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Its clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Identifies it to the store.
    #[must_use]
    pub fn worker(&self) -> WorkerId {
        self.shared.worker
    }

    /// Cancelled when the runtime has [stopped](Self::stop) or is dropped: after its last handle and its last
    /// job are dropped.
    #[must_use]
    pub fn stopped(&self) -> &Cancellation {
        &self.shared.stopped
    }

    /// Permits for work on pages of medium size, on blocking threads. Work that completes a document shares
    /// them with the transform.
    #[must_use]
    pub fn transform_permits(&self) -> &Arc<Semaphore> {
        &self.shared.transforms.medium
    }

    /// Sets the extract port, which produces the formats `json` and `summary` and the fields that change
    /// tracking compares. Later calls have no effect.
    pub fn set_extract(&self, extract: Arc<dyn Extract>) {
        let _already_set = self.shared.extract.set(extract);
    }

    /// Sets the check of the options of jobs that another process accepted. Without it, all are accepted.
    /// Later calls have no effect.
    pub fn set_options_check(&self, check: Arc<dyn CheckOptions>) {
        let _already_set = self.shared.check.set(check);
    }

    /// Sets the port of change tracking. Later calls have no effect.
    pub fn set_tracker(&self, tracker: Arc<dyn TrackChanges>) {
        let _already_set = self.shared.tracker.set(tracker);
    }

    /// Sets the hooks for each page. Later calls have no effect.
    pub fn set_hooks(&self, hooks: Arc<dyn PageHooks>) {
        let _already_set = self.shared.hooks.set(Hooks::new(hooks));
    }

    /// Sets the sink for the documents of crawls and batches. Later calls have no effect.
    pub fn set_sink(&self, sink: Arc<dyn DocumentSink>) {
        let _already_set = self.shared.sink.set(sink);
    }

    /// Whether the documents of crawls and batches go to a [sink](Self::set_sink).
    #[must_use]
    pub fn has_sink(&self) -> bool {
        self.shared.sink.get().is_some()
    }

    /// Closes the store when the runtime is dropped ([`Store::close`]): for a store that nothing else uses.
    pub fn own_store(&self) {
        self.owns_store.store(true, Ordering::Relaxed);
    }

    /// Whether pages can be rendered, so that their options may have actions.
    #[must_use]
    pub fn has_browser(&self) -> bool {
        self.shared.browser.is_some()
    }

    /// The document of a state of a page that a browser recorded, in the formats of these options. It fetches
    /// nothing, and its metadata is that of the page itself.
    ///
    /// # Errors
    /// If the page cannot be transformed, or not in time.
    pub fn transform_state(
        &self,
        url: Url,
        html: String,
        options: ScrapeOptionsPlan,
    ) -> BoxFuture<'_, Result<Document, PageError>> {
        let transforming = async move {
            let deadline = Instant::now() + options.timeout.min(MAX_TRANSFORM_TIME);
            let content_type = Some("text/html; charset=utf-8".to_owned());
            let page = Fetched { content_type, ..Fetched::new(url, 200, html.into()) };
            let (job, _) = JobContext::of_targets(new_id(), &[], options, true);
            let (_, transformed) = transform(&self.shared, &Arc::new(job), page, deadline).await;
            Ok(transformed?.document)
        };
        Box::pin(async move {
            let failed = |error: Error| PageError { code: error.code(), message: error.to_string() };
            let transformed = self.executor().enter(transforming).map_err(failed)?.await;
            transformed.unwrap_or_else(|| Err(failed(Error::runtime_ended())))
        })
    }

    /// Lists the URLs of a site: those of its sitemaps and those that its start page links to. Work for a
    /// [`JobOwner`](crate::JobOwner) takes one of its [permits](crate::JobOwner::lookup_permit) first.
    ///
    /// # Errors
    /// If robots.txt cannot be fetched, if the start page fails and sitemaps are not read, or if the timeout
    /// ran out before there was a result.
    pub async fn map(self: &Arc<Self>, plan: MapPlan) -> Result<MapResult, Error> {
        self.map_within(plan, |_| true).await
    }

    /// Like [`map`](Self::map), within a budget of memory: `memory` is told how many bytes the URLs are going
    /// to take, and says whether they may. If not, the result is the URLs found so far, with a warning.
    ///
    /// # Errors
    /// As for [`map`](Self::map).
    pub async fn map_within(
        self: &Arc<Self>,
        plan: MapPlan,
        mut memory: impl FnMut(usize) -> bool + Send,
    ) -> Result<MapResult, Error> {
        self.executor().run(map::map(&self.shared, plan, new_id(), &mut memory)).await
    }

    /// The items whose URL is inside a crawl from `start` with these rules, in their order. Long lists and
    /// costly patterns run on blocking threads.
    ///
    /// # Errors
    /// If the rules are invalid.
    pub async fn filter_in_scope<T: Send + 'static>(
        &self,
        start: Url,
        rules: CrawlRules,
        items: Vec<T>,
        url: fn(&T) -> &Url,
    ) -> Result<Vec<T>, Error> {
        let filtering = async {
            let slices = &self.shared.slices;
            let Some(scope) = slices.blocking(move || CrawlScope::new(&start, &rules)).await else {
                return Ok(Vec::new());
            };
            let scope = scope.map_err(|error| Error::rules(&error))?;
            let select = move |item: T, steps: &mut u64| {
                (scope.decide_counting(url(&item), false, steps) == Decision::Inside).then_some(item)
            };
            Ok(slices.filter_map(items, select).await)
        };
        self.executor().run(filtering).await
    }

    /// Adds a warning to the status of a job.
    ///
    /// # Errors
    /// If the store fails or does not know the job.
    pub async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        let warning = async { Ok(self.shared.store.warn(job, warning).await?) };
        self.executor().run(warning).await
    }

    /// A job that this engine works on, also if another process submitted it; `None` if it has ended or runs
    /// elsewhere.
    pub async fn running(&self, job: JobId) -> Option<RunningJob> {
        let context = self.executor().enter(self.shared.context_of(job)).ok()?.await.flatten();
        context.map(|context| RunningJob { context })
    }

    /// Stops the remaining work for a job that has ended.
    pub fn stop_job(&self, job: JobId) {
        self.shared.forget(job);
    }

    /// Starts the worker loop if it is not running. Does nothing after [`stop`](Self::stop).
    pub fn wake(&self) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.stopping.is_cancelled() {
            return;
        }
        if worker.as_ref().is_none_or(JoinHandle::is_finished) {
            match self.executor().spawn(worker::run(Arc::clone(&self.shared))) {
                Ok(started) => *worker = Some(started),
                Err(error) => tracing::error!(%error, "the worker loop could not be started"),
            }
        }
    }

    /// Ends the work of this runtime. It leases no more pages, waits for those in work for at most
    /// [`STOP_TIME`](crate::STOP_TIME), and returns the others to their queues. Jobs stay as they are: with a
    /// store that survives the process, they go on in the next one. A second call does nothing.
    pub async fn stop(&self) {
        let worker = {
            let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
            self.shared.stopping.cancel();
            worker.take()
        };
        match self.executor().enter(self.finish(worker)) {
            Ok(finishing) => {
                let _ended = finishing.await;
            }
            Err(error) => tracing::debug!(%error, "nothing was started that could be finished"),
        }
        self.shared.stopped.cancel();
    }

    /// Waits for the worker as it stops, and stores what its jobs have to remember.
    async fn finish(&self, worker: Option<JoinHandle<()>>) {
        if let Some(worker) = worker
            && let Err(error) = worker.await
        {
            tracing::error!(%error, "the worker loop failed as it stopped");
        }
        for job in self.shared.contexts() {
            let notes = session_notes(&self.shared, &job, true);
            if !notes.is_empty()
                && let Err(error) = self.shared.store.note(job.id, notes).await
            {
                tracing::debug!(%error, job = %job.id, "a job ended as the engine stopped");
            }
        }
    }

    pub(crate) async fn cancel(&self, job: JobId) -> Result<JobSnapshot, Error> {
        // The store comes first, so that a page that stops now cannot complete the job.
        let cancelled = self.shared.store.cancel(job, self.shared.clock.now()).await;
        self.shared.forget(job);
        match cancelled {
            Err(error) if error.is_job_ended() => Ok(self.shared.store.snapshot(job).await?),
            cancelled => Ok(cancelled?),
        }
    }

    /// Removes a job whose handle was dropped.
    pub(crate) fn abandon(&self, job: JobId) {
        let shared = Arc::clone(&self.shared);
        let mut removal = Box::pin(async move {
            if let Err(error) = shared.store.remove(job, shared.clock.now()).await {
                tracing::debug!(%error, "a job was already removed when its handle was dropped");
            }
            shared.forget(job);
        });
        // At once where nothing has to be waited for, because the store may be closed next.
        let owns_store = self.owns_store.load(Ordering::Relaxed);
        if owns_store && removal.as_mut().now_or_never().is_some() {
            return;
        }
        if let Err(error) = self.executor().spawn(removal) {
            tracing::debug!(%error, "a job outlives its handle");
        }
    }

    pub(crate) async fn begin(&self, mut context: JobContext, mut job: NewJob) -> Result<JobId, Error> {
        if self.shared.stopping.is_cancelled() {
            return Err(Error::stopped());
        }
        let id = job.id;
        context.team = job.account.as_ref().map(|account| account.team.clone());
        if let Some(first) = job.pages.first().filter(|page| context.is_slash_added(page.key)) {
            job.url = Some(without_slash(&first.url).into_owned());
        }
        self.shared.remember(Arc::new(context));
        let (store, now) = (Arc::clone(&self.shared.store), self.shared.clock.now());
        let submitted = match job.pages.len() {
            // Queueing so many takes many milliseconds.
            MANY_PAGES.. => blocking_operation(async move { store.submit(job, now).await }).await,
            _ => store.submit(job, now).await,
        };
        if let Err(error) = submitted {
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
        if *self.owns_store.get_mut() {
            self.shared.store.close();
        }
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

    /// The job runs under zero data retention: nothing of its pages may be kept.
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
