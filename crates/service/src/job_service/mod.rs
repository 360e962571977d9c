//! The job side of the contract: whatever a team may ask, checked and answered, without a wire.

mod activity;
mod append;
mod bodies;
mod maintenance;
mod reads;
mod reserve;
mod scrapes;
mod status;
mod submit;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_runtime::{Clock, Error, Extract, Runtime};
use gleaner_store::{JobSnapshot, Store, TeamId};
use gleaner_types::{JobId, JobKind};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use bodies::{BODY_WAIT, MAX_BODIES_PER_TEAM, MAX_CONCURRENT_BODIES};
pub use status::{LONG_POLL, Page, StatusBody};
pub use submit::Submitted;

use self::bodies::Bodies;
use self::maintenance::Maintenance;
use crate::accounts::{Accounts, Operation, Team, UnlimitedAccounts};
use crate::activity::{ActivityLog, MemoryActivityLog};
use crate::credit_reservation::CreditReservation;
use crate::lookups::Lookups;
use crate::tracking::ChangeTracker;
use crate::webhook::{Deliver, WebhookConfig, WebhookSender};

/// What a [`JobService`] has beside its [`Runtime`]. The default meters nothing, sends no webhooks and
/// extracts nothing.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The keeper of accounts.
    pub accounts: Arc<dyn Accounts>,
    /// How webhooks leave; without it, a request with a webhook is refused.
    pub deliver: Option<Arc<dyn Deliver>>,
    /// What extracts structured data; without it, a request for it is refused.
    pub extract: Option<Arc<dyn Extract>>,
    /// Is told of jobs that ended, and asked for them.
    pub activity: Arc<dyn ActivityLog>,
    /// How webhooks are sent.
    pub webhooks: WebhookConfig,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            accounts: Arc::new(UnlimitedAccounts::new()),
            deliver: None,
            extract: None,
            activity: Arc::new(MemoryActivityLog::default()),
            webhooks: WebhookConfig::default(),
        }
    }
}

/// What comes with a submit beside its checked plan.
#[derive(Debug, Clone, Default)]
pub struct Submit {
    /// The request as it came: the record of the job.
    pub request: Value,
    /// A second submit of the team under the same key is refused.
    pub idempotency_key: Option<Uuid>,
    /// What its sender should know of the request: it becomes part of the `warning` of what comes of it.
    pub warnings: Vec<String>,
}

/// Where teams hand in their requests and fetch what came of them.
///
/// It holds each request against the team's permissions, limits and credits, keeps teams apart (a job of
/// another team is not found), and sees to webhooks, settlement and the activity log behind their backs. It
/// speaks plans and answers of `gleaner-types`; `gleaner-http` puts them on the wire.
///
/// Its methods need a tokio runtime. When the last handle is dropped, its work behind the scenes stops.
#[derive(Debug)]
pub struct JobService {
    runtime: Arc<Runtime>,
    parts: ServiceConfig,
    webhook_sender: Option<Arc<WebhookSender>>,
    /// Extract jobs at work.
    tasks: Mutex<HashMap<JobId, ExtractWork>>,
    lookups: Lookups,
    /// Of statuses under way.
    bodies: Bodies,
    /// Begun with the first submit, because only then is a runtime sure to be there.
    maintenance: Mutex<Option<JoinHandle<()>>>,
}

/// What an extract job at work is cancelled and charged by.
#[derive(Debug, Clone)]
struct ExtractWork {
    cancelled: CancellationToken,
    reservation: Arc<CreditReservation>,
}

impl JobService {
    /// A service over this runtime, whose documents it compares with their last scrape from then on.
    #[must_use]
    pub fn new(runtime: Arc<Runtime>, parts: ServiceConfig) -> Arc<Self> {
        if let Some(extract) = &parts.extract {
            runtime.set_extract(Arc::clone(extract));
        }
        runtime.set_tracker(Arc::new(ChangeTracker::new(&runtime)));
        let webhook_sender = parts.deliver.clone().map(|deliver| {
            let (store, accounts) = (Arc::clone(runtime.store()), Arc::clone(&parts.accounts));
            WebhookSender::new(store, deliver, accounts, parts.webhooks.clone(), runtime.clock())
        });
        Arc::new(Self {
            runtime,
            parts,
            webhook_sender,
            tasks: Mutex::default(),
            lookups: Lookups::default(),
            bodies: Bodies::default(),
            maintenance: Mutex::default(),
        })
    }

    /// The runtime beneath it.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The team of an API key.
    ///
    /// # Errors
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) where nobody has this key.
    pub async fn authenticate(&self, key: &str) -> Result<Team, Error> {
        self.parts.accounts.authenticate(key).await?.ok_or_else(Error::unauthorized)
    }

    /// Counts a request against the team's rate limits.
    ///
    /// # Errors
    /// [`RateLimited`](crate::ErrorKind::RateLimited), with the time to wait.
    pub async fn admit(&self, team: &Team, operation: Operation) -> Result<(), Error> {
        match self.parts.accounts.throttle(&team.id, operation, self.clock().now()).await? {
            None => Ok(()),
            Some(wait) => Err(Error::rate_limited("the team's rate limit is reached", wait)),
        }
    }

    fn store(&self) -> &Arc<dyn Store> {
        self.runtime.store()
    }

    fn clock(&self) -> Clock {
        self.runtime.clock()
    }

    /// A job of this team that is read as one of this kind. Crawls and batches are read as each other: v1's
    /// clients ask for both at the address of crawls.
    async fn find(&self, team: &TeamId, kind: JobKind, id: JobId) -> Result<JobSnapshot, Error> {
        let snapshot = self.store().snapshot(id).await?;
        let has_pages = |kind: JobKind| kind != JobKind::Extract;
        let fits = |own: JobKind| has_pages(own) == has_pages(kind);
        let theirs = snapshot.team.as_ref() == Some(team) && snapshot.kind.is_some_and(fits);
        theirs.then_some(snapshot).ok_or_else(Error::not_found)
    }

    fn tasks(&self) -> MutexGuard<'_, HashMap<JobId, ExtractWork>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops whatever still works for a job.
    fn forget(&self, job: JobId) {
        self.runtime.forget(job);
        if let Some(task) = self.tasks().remove(&job) {
            task.cancelled.cancel();
        }
    }

    /// Sees to it that settlement and webhooks go on.
    fn wake(&self) {
        self.runtime.wake();
        let mut maintenance = self.maintenance.lock().unwrap_or_else(PoisonError::into_inner);
        if maintenance.as_ref().is_none_or(JoinHandle::is_finished) {
            let (accounts, activity) = (Arc::clone(&self.parts.accounts), Arc::clone(&self.parts.activity));
            let work = Maintenance::new(&self.runtime, accounts, activity);
            *maintenance = Some(tokio::spawn(work.run(self.webhook_sender.clone())));
        }
    }
}

impl Drop for JobService {
    fn drop(&mut self) {
        self.tasks().values().for_each(|task| task.cancelled.cancel());
        let maintenance = self.maintenance.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(maintenance) = maintenance.take() {
            maintenance.abort();
        }
    }
}
