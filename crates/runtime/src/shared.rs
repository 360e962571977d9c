//! The state that all parts of the runtime share, including the contexts of its jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gleaner_frontier::Candidate;
use gleaner_store::{Admission, Error as StoreError, JobWarning, Note, Store, WorkerId};
use gleaner_types::JobId;
use gleaner_types::plan::ScrapeOptionsPlan;
use tokio::sync::Semaphore;
use url::Url;

use crate::browser_access::{BrowserAccess, EngineChoice};
use crate::cancellation::Cancellation;
use crate::check_options::CheckOptions;
use crate::clock::Clock;
use crate::config::RuntimeConfig;
use crate::context::{CrawlContext, JobContext};
use crate::executor::Executor;
use crate::extract::Extract;
use crate::hook_calls::Hooks;
use crate::host_limiter::HostLimiter;
use crate::limits::{MAX_CONCURRENT_MAPS, TransformLimits};
use crate::memory::Memory;
use crate::ports::{Fetch, ReadPdf, Transform};
use crate::rejections::Rejections;
use crate::rendering::NotRendered;
use crate::resume::{self, Ports};
use crate::robots::RobotsCache;
use crate::sink::DocumentSink;
use crate::slices::Slices;
use crate::term::Term;
use crate::tracking::TrackChanges;

/// Pages admitted per call of the store, which takes a few milliseconds.
const ADMIT_BATCH: usize = 1_000;

/// The state that all parts of the runtime share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    /// Identifies the worker of this runtime to the store.
    pub(crate) worker: WorkerId,
    /// The term of this worker.
    pub(crate) term: Arc<Term>,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) transform: Arc<dyn Transform>,
    pub(crate) pdfs: Option<Arc<dyn ReadPdf>>,
    /// The browser of `fetch`; `None` if no page is rendered.
    pub(crate) browser: Option<BrowserAccess>,
    pub(crate) clock: Clock,
    /// The product token that robots.txt is read for.
    pub(crate) agent: String,
    pub(crate) max_in_flight: usize,
    /// Near-duplicates among the texts of a crawl's pages are detected.
    pub(crate) near_duplicates: bool,
    /// No more pages are leased, and those in work are finished.
    pub(crate) stopping: Cancellation,
    /// All work ends.
    pub(crate) stopped: Cancellation,
    contexts: Mutex<HashMap<JobId, Arc<JobContext>>>,
    /// Jobs whose contexts are being compiled.
    loading: Mutex<HashMap<JobId, Arc<tokio::sync::Mutex<()>>>>,
    /// Checks the options of jobs that another process accepted.
    pub(crate) check: OnceLock<Arc<dyn CheckOptions>>,
    /// Reads fields and summaries off pages after their transform.
    pub(crate) extract: OnceLock<Arc<dyn Extract>>,
    /// Compares documents with an earlier scrape.
    pub(crate) tracker: OnceLock<Arc<dyn TrackChanges>>,
    /// The hooks of the embedder.
    pub(crate) hooks: OnceLock<Hooks>,
    /// Takes the documents of crawls and batches.
    pub(crate) sink: OnceLock<Arc<dyn DocumentSink>>,
    pub(crate) robots: RobotsCache,
    pub(crate) host_limiter: HostLimiter,
    /// Permits for concurrent maps.
    pub(crate) maps: Semaphore,
    pub(crate) transforms: TransformLimits,
    /// Permits for work over long lists.
    pub(crate) slices: Slices,
    /// Memory for the transform of pages.
    pub(crate) memory: Memory,
    /// Runs all work. It is dropped last, because stores may start a task as they are dropped.
    pub(crate) executor: Executor,
}

impl Shared {
    pub(crate) fn new(config: RuntimeConfig) -> Self {
        let RuntimeConfig {
            executor,
            store,
            fetch,
            transform,
            pdfs,
            rendering,
            clock,
            robots_agent,
            max_in_flight,
            near_duplicates,
            memory,
        } = config;
        Self {
            store,
            worker: WorkerId::random(),
            term: Term::new(clock),
            fetch,
            transform,
            pdfs,
            browser: BrowserAccess::new(rendering),
            clock,
            agent: robots_agent,
            max_in_flight: usize::try_from(max_in_flight).unwrap_or(usize::MAX).max(1),
            near_duplicates,
            stopping: Cancellation::new(),
            stopped: Cancellation::new(),
            contexts: Mutex::default(),
            loading: Mutex::default(),
            check: OnceLock::new(),
            extract: OnceLock::new(),
            tracker: OnceLock::new(),
            hooks: OnceLock::new(),
            sink: OnceLock::new(),
            robots: RobotsCache::default(),
            host_limiter: HostLimiter::default(),
            maps: Semaphore::new(MAX_CONCURRENT_MAPS),
            transforms: TransformLimits::default(),
            slices: Slices::default(),
            memory: Memory::new(memory),
            executor,
        }
    }

    pub(crate) fn context(&self, job: JobId) -> Option<Arc<JobContext>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
    }

    /// Chooses how a page of a job is fetched with these options.
    pub(crate) fn engine_choice(
        &self,
        job: &JobContext,
        url: &Url,
        options: &ScrapeOptionsPlan,
    ) -> EngineChoice {
        match &self.browser {
            Some(browser) => browser.choose(job, url, options),
            None => EngineChoice::Static(NotRendered::NoBrowser),
        }
    }

    pub(crate) fn remember(&self, job: Arc<JobContext>) {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).insert(job.id, job);
    }

    /// The context of a running job. That of a job which another process submitted is compiled from what the
    /// store has, once. If that fails, the job fails with the reason. `None` if there is no such job, it has
    /// ended, or this process cannot work on it.
    pub(crate) async fn context_of(&self, job: JobId) -> Option<Arc<JobContext>> {
        if let Some(known) = self.context(job) {
            return Some(known);
        }
        if !self.store.is_durable() {
            return None;
        }
        let turn = {
            let mut loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(loading.entry(job).or_default())
        };
        let _turn = turn.lock().await;
        let context = match self.context(job) {
            Some(known) => Some(known),
            None => self.load(job).await,
        };
        self.loading.lock().unwrap_or_else(PoisonError::into_inner).remove(&job);
        context
    }

    async fn load(&self, id: JobId) -> Option<Arc<JobContext>> {
        let stored = match self.store.stored(id).await {
            Ok(stored) => stored,
            Err(error) if error.is_job_ended() || error.is_unknown_job() => return None,
            Err(error) => {
                tracing::error!(%error, job = %id, "a stored job could not be read");
                return None;
            }
        };
        let finished = self
            .store
            .snapshot(id)
            .await
            .map_or(0, |job| job.completed.saturating_add(job.failed).saturating_add(job.robots_blocked));
        let ports = Ports {
            agent: &self.agent,
            slices: &self.slices,
            fetch: &*self.fetch,
            extract: self.extract.get().map(|extract| &**extract),
            check: self.check.get().map(|check| &**check),
        };
        match resume::compile(stored, finished, ports).await? {
            Ok(context) => {
                let context = {
                    let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
                    Arc::clone(contexts.entry(id).or_insert_with(|| Arc::new(context)))
                };
                // A job that ended since it was read had no context whose work could be stopped.
                if self.store.stored(id).await.is_err() {
                    self.forget(id);
                    return None;
                }
                tracing::info!(job = %id, "a job of another process goes on");
                Some(context)
            }
            Err(reason) => {
                tracing::error!(job = %id, %reason, "a job of another process cannot go on");
                if let Err(error) = self.store.fail(id, &reason, self.clock.now()).await {
                    tracing::debug!(%error, job = %id, "the job ended meanwhile");
                }
                None
            }
        }
    }

    /// The contexts of all known jobs.
    pub(crate) fn contexts(&self) -> Vec<Arc<JobContext>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Removes the jobs that ended without a finished page, such as by a cancel from elsewhere.
    pub(crate) async fn forget_ended(&self) {
        let known: Vec<JobId> =
            self.contexts.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        self.forget_if_ended(known).await;
    }

    /// Removes those of these jobs that have ended.
    pub(crate) async fn forget_if_ended(&self, jobs: impl IntoIterator<Item = JobId, IntoIter: Send> + Send) {
        for job in jobs {
            if self.store.snapshot(job).await.is_ok_and(|snapshot| snapshot.ended_at.is_some()) {
                self.forget(job);
            }
        }
    }

    /// Removes a job that has ended, and stops the remaining work for it.
    pub(crate) fn forget(&self, job: JobId) {
        let context = self.contexts.lock().unwrap_or_else(PoisonError::into_inner).remove(&job);
        if let Some(context) = context {
            context.cancelled.cancel();
        }
    }

    /// Admits pages at depth 0 in batches, so that a large sitemap does not block other work. The notes are
    /// stored with the last batch: after a crash before it, what found the pages is repeated.
    pub(crate) async fn admit(&self, job: JobId, pages: Vec<Candidate>, mut notes: Vec<Note>) {
        let mut pages = pages.into_iter();
        loop {
            let batch: Vec<Candidate> = pages.by_ref().take(ADMIT_BATCH).collect();
            let is_last = pages.as_slice().is_empty();
            let notes = if is_last { std::mem::take(&mut notes) } else { Vec::new() };
            if batch.is_empty() && notes.is_empty() {
                return;
            }
            let admission = Admission { notes, ..Admission::new(0, batch) };
            if let Err(error) = self.admit_pages(job, admission).await {
                tracing::debug!(%error, "a job ended before all of its pages were admitted");
                return;
            }
            if is_last {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Admits a few pages at the depth of the page that led to them.
    pub(crate) async fn admit_at(&self, job: JobId, depth: u32, pages: Vec<Candidate>) {
        if let Err(error) = self.admit_pages(job, Admission::new(depth, pages)).await {
            tracing::debug!(%error, "a job ended before a page was admitted");
        }
    }

    /// These notes if the store keeps them for another process; otherwise none, at no cost.
    pub(crate) fn notes(&self, notes: impl FnOnce() -> Vec<Note>) -> Vec<Note> {
        if self.store.is_durable() { notes() } else { Vec::new() }
    }

    /// Adds the rejected links of a page to those of its crawl. Returns notes for the end of the page.
    pub(crate) fn count_rejected(&self, crawl: &CrawlContext, page: &Rejections) -> Vec<Note> {
        crawl.records.rejections.add_all(page);
        self.notes(|| page.notes())
    }

    /// Logs a failure of the store. It is none if the engine was dropped, because that closes the store.
    pub(crate) fn log_failure(&self, error: &StoreError, what: &'static str) {
        if self.stopped.is_cancelled() {
            tracing::debug!(%error, "{what}");
        } else {
            tracing::error!(%error, "{what}");
        }
    }

    /// Adds a warning to a job if URLs were skipped because its patterns cost too much.
    pub(crate) async fn warn_of_costly_patterns(&self, job: &JobContext) {
        if job.crawl.as_ref().is_some_and(CrawlContext::take_costly_warning) {
            let _ = self.store.warn(job.id, JobWarning::CostlyPatterns).await;
        }
    }
}
