//! The job service: the operations of the contract, independent of HTTP.

mod activity;
mod append;
mod extracts;
mod maintenance;
mod reads;
mod reserve;
mod response_json;
mod response_memory;
mod scrapes;
mod status;
mod submit;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gleaner_runtime::{Cancellation, Clock, Error, Extract, Runtime};
use gleaner_store::{JobRequest, JobSnapshot, Store, TeamId};
use gleaner_types::{JobId, JobKind};
use tokio::task::JoinHandle;
use uuid::Uuid;

pub use response_json::{PieceWriter, RESPONSE_PIECE, ResponseJson};
pub use response_memory::{
    DEFAULT_RESPONSE_MEMORY, MIN_RESPONSE_MEMORY, RESPONSE_MEMORY_WAIT, ResponseMemory, ResponseShare,
};
pub use status::{LONG_POLL, Page, StatusBody};
pub use submit::{Mapped, Submitted};
pub use watch::WatchMessage;

use self::maintenance::Maintenance;
use crate::accounts::{Accounts, Operation, Team, UnlimitedAccounts};
use crate::activity::{Activities, ActivityLog};
use crate::credit_reservation::CreditReservation;
use crate::lookups::Lookups;
use crate::tracking::ChangeTracker;
use crate::webhook::{Deliver, WebhookConfig, WebhookSender};

/// The ports and settings of a [`JobService`]. The default meters nothing, sends no webhooks and extracts
/// nothing.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The accounts provider.
    pub accounts: Arc<dyn Accounts>,
    /// Sends webhooks; without it, requests with a webhook are refused.
    pub deliver: Option<Arc<dyn Deliver>>,
    /// Extracts structured data; without it, requests for it are refused.
    pub extract: Option<Arc<dyn Extract>>,
    /// Records ended jobs; `None` uses the log of the store, and a log in memory if the store keeps none.
    pub activity: Option<Arc<dyn ActivityLog>>,
    /// Delivery of webhooks.
    pub webhooks: WebhookConfig,
    /// The bytes of all responses that are built or sent at once; a team takes at most a quarter. Default:
    /// [`DEFAULT_RESPONSE_MEMORY`]; at least [`MIN_RESPONSE_MEMORY`], and less counts as that.
    pub response_memory: usize,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            accounts: Arc::new(UnlimitedAccounts::new()),
            deliver: None,
            extract: None,
            activity: None,
            webhooks: WebhookConfig::default(),
            response_memory: DEFAULT_RESPONSE_MEMORY,
        }
    }
}

/// The parts of a submitted request beside its checked plan.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SubmitContext {
    /// The checked request, kept with the job.
    pub request: JobRequest,
    /// A second submit of the team with the same key is refused.
    pub idempotency_key: Option<Uuid>,
    /// Warnings about the request, added to the `warning` of its result.
    pub warnings: Vec<String>,
}

impl SubmitContext {
    /// Sets the checked request, which is kept with the job.
    #[must_use]
    pub fn request(mut self, request: impl Into<JobRequest>) -> Self {
        self.request = request.into();
        self
    }

    /// Sets the key that a second submit of the team is refused with.
    #[must_use]
    pub fn idempotency_key(mut self, key: Uuid) -> Self {
        self.idempotency_key = Some(key);
        self
    }
}

/// Accepts requests of teams and serves the results of their jobs.
///
/// It checks each request against the permissions, limits and credits of its team, and isolates teams from
/// each other: a job of another team is not found. A background task sends webhooks, settles credits and
/// writes the activity log. The methods take plans and return responses of `gleaner-types`; `gleaner-http`
/// serves them over HTTP.
///
/// All of it runs in the tokio runtime of the engine, whatever polls the futures. The background task stops
/// when the last handle is dropped.
#[derive(Debug)]
pub struct JobService {
    runtime: Arc<Runtime>,
    config: ServiceConfig,
    /// Itself, for its background tasks.
    this: Weak<Self>,
    activities: Arc<Activities>,
    webhook_sender: Option<Arc<WebhookSender>>,
    /// Extract jobs that run.
    extracts: Mutex<HashMap<JobId, RunningExtract>>,
    lookups: Lookups,
    /// Memory of responses that are built or sent.
    response_memory: ResponseMemory,
    /// The background task. The first submit starts it.
    maintenance: Mutex<Option<JoinHandle<()>>>,
    /// The task that runs extract jobs of an earlier process again. It is started once.
    resuming: Mutex<Option<JoinHandle<()>>>,
    /// Cancelled by [`stop`](Self::stop), and with the runtime.
    stopping: Cancellation,
}

/// What cancels and charges a running extract job.
#[derive(Debug, Clone)]
struct RunningExtract {
    cancelled: Cancellation,
    reservation: Arc<CreditReservation>,
}

impl JobService {
    /// A service over this runtime. It enables change tracking for the documents of the runtime.
    #[must_use]
    pub fn new(runtime: Arc<Runtime>, config: ServiceConfig) -> Arc<Self> {
        if let Some(extract) = &config.extract {
            runtime.set_extract(Arc::clone(extract));
        }
        runtime.set_tracker(Arc::new(ChangeTracker::new(&runtime)));
        let webhook_sender = config.deliver.clone().map(|deliver| {
            let (store, accounts) = (Arc::clone(runtime.store()), Arc::clone(&config.accounts));
            WebhookSender::new(store, deliver, accounts, config.webhooks.clone(), runtime.clock())
        });
        let activities = Arc::new(Activities::new(config.activity.clone(), Arc::clone(runtime.store())));
        let stopping = runtime.stopped().child();
        let response_memory = ResponseMemory::new(config.response_memory);
        Arc::new_cyclic(|this| Self {
            runtime,
            config,
            this: Weak::clone(this),
            activities,
            webhook_sender,
            extracts: Mutex::default(),
            lookups: Lookups::default(),
            response_memory,
            maintenance: Mutex::default(),
            resuming: Mutex::default(),
            stopping,
        })
    }

    /// The runtime that executes its jobs.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The memory of responses that are built or sent. Its waits are those of the tokio runtime that polls
    /// them: a server takes and sends responses in its own.
    #[must_use]
    pub fn response_memory(&self) -> &ResponseMemory {
        &self.response_memory
    }

    /// The team of an API key.
    ///
    /// # Errors
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) if the key is unknown.
    pub async fn authenticate(&self, key: &str) -> Result<Team, Error> {
        self.run(async { self.config.accounts.authenticate(key).await?.ok_or_else(Error::unauthorized) })
            .await
    }

    /// Counts a request against the team's rate limits.
    ///
    /// # Errors
    /// [`RateLimited`](crate::ErrorKind::RateLimited), with the time to wait.
    pub async fn admit(&self, team: &Team, operation: Operation) -> Result<(), Error> {
        self.run(async {
            match self.config.accounts.throttle(&team.id, operation, self.clock().now()).await? {
                None => Ok(()),
                Some(wait) => Err(Error::rate_limited("the team's rate limit is reached", wait)),
            }
        })
        .await
    }

    /// Runs an operation in the tokio runtime of the engine.
    async fn run<T>(&self, operation: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.runtime.executor().run(operation).await
    }

    fn store(&self) -> &Arc<dyn Store> {
        self.runtime.store()
    }

    fn clock(&self) -> Clock {
        self.runtime.clock()
    }

    /// A job of this team that can be read as this kind. Crawls and batches can be read as each other,
    /// because v1 clients request both at the address of crawls.
    async fn find(&self, team: &TeamId, kind: JobKind, id: JobId) -> Result<JobSnapshot, Error> {
        let snapshot = self.store().snapshot(id).await?;
        let has_pages = |kind: JobKind| kind != JobKind::Extract;
        let is_readable_as = |own: JobKind| has_pages(own) == has_pages(kind);
        let is_found = snapshot.team.as_ref() == Some(team) && snapshot.kind.is_some_and(is_readable_as);
        is_found.then_some(snapshot).ok_or_else(Error::not_found)
    }

    fn extracts(&self) -> MutexGuard<'_, HashMap<JobId, RunningExtract>> {
        self.extracts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all work on a job.
    fn stop_work(&self, job: JobId) {
        self.runtime.stop_job(job);
        if let Some(extract) = self.extracts().remove(&job) {
            extract.cancelled.cancel();
        }
    }

    /// Starts the background work and the worker loop of the runtime if they do not run: for jobs that an
    /// earlier process left in a durable store, they fetch pages, settle credits, send webhooks and run
    /// extract jobs again. A submit does the same. Does nothing after [`stop`](Self::stop).
    pub fn wake(&self) {
        if self.stopping.is_cancelled() {
            return;
        }
        self.runtime.wake();
        let mut maintenance = self.maintenance.lock().unwrap_or_else(PoisonError::into_inner);
        if maintenance.as_ref().is_none_or(JoinHandle::is_finished) {
            let (accounts, activities) = (Arc::clone(&self.config.accounts), Arc::clone(&self.activities));
            let task = Maintenance::new(&self.runtime, accounts, activities);
            match self.runtime.executor().spawn(task.run(self.webhook_sender.clone())) {
                Ok(started) => *maintenance = Some(started),
                Err(error) => tracing::error!(%error, "the background work could not be started"),
            }
        }
        drop(maintenance);
        let mut resuming = self.resuming.lock().unwrap_or_else(PoisonError::into_inner);
        if resuming.is_none() {
            *resuming = self.runtime.executor().spawn(extracts::resume(Weak::clone(&self.this))).ok();
        }
    }
}

impl JobService {
    /// Ends the background work, and that on extract jobs. Jobs stay as they are in the store. Call it before
    /// the [runtime stops](Runtime::stop): an extract job would fail with its pages.
    pub fn stop(&self) {
        self.stopping.cancel();
        for task in [&self.maintenance, &self.resuming] {
            if let Some(task) = task.lock().unwrap_or_else(PoisonError::into_inner).take() {
                task.abort();
            }
        }
    }
}

impl Drop for JobService {
    fn drop(&mut self) {
        self.stop();
    }
}
