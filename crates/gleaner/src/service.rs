//! The job service, for servers of the contract.
//!
//! [`Engine::service`](crate::Engine::service) accepts requests of teams, keeps their jobs, and returns their
//! status by id. An [`Accounts`] provider knows the teams:
//!
//! ```
//! use std::sync::Arc;
//!
//! use gleaner::Engine;
//! use gleaner::service::{MemoryAccounts, Secret, Team, TeamConfig, TeamId};
//!
//! # fn main() -> Result<(), gleaner::Error> {
//! let team = TeamConfig::new(Team::new(TeamId::new("birds")))
//!     .credits(500)
//!     .webhook_secret(Secret::new("a random text"));
//! let accounts = MemoryAccounts::new().with_team("their key", team);
//! let engine = Engine::builder().accounts(Arc::new(accounts)).build()?;
//! # let _ = engine.service();
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use gleaner_fetch::Fetcher;
use gleaner_runtime::Runtime;
pub(crate) use gleaner_service::ServiceConfig as ServiceSettings;
use gleaner_types::plan::WebhookPlan;

use crate::webhooks::WebhookAdapter;
use crate::{Engine, EngineBuilder};

#[doc(inline)]
pub use gleaner_runtime::{
    Cancellation, Extract, ExtractTask, Extracted, JobOwner, MAPPED_URL_BYTES, OwnerPermit, PageRead,
    PageTask, PageText, TokenMeter,
};
#[doc(inline)]
pub use gleaner_service::{
    Accounts, ActivityLog, Balance, DEFAULT_RESPONSE_MEMORY, Deliver, DeliverError, Delivery, JobService,
    MIN_RESPONSE_MEMORY, Mapped, MemoryAccounts, MemoryActivityLog, Operation, Page, PieceWriter,
    RESPONSE_MEMORY_WAIT, RESPONSE_PIECE, ResponseJson, ResponseMemory, ResponseShare, Secret,
    SignatureError, StatusBody, SubmitContext, Submitted, Team, TeamConfig, UnlimitedAccounts, WatchMessage,
    WebhookConfig, sign, verify,
};
#[doc(inline)]
pub use gleaner_store::{ApiVersion, DeadLetter, EndedJob, FailurePosition, JobRequest, TeamId};

/// The job service of an engine.
#[derive(Clone)]
pub(crate) struct ServicePart {
    service: Arc<JobService>,
}

impl ServicePart {
    /// Whether pages are compared with their last scrape.
    pub(crate) const TRACKS_CHANGES: bool = true;

    pub(crate) fn new(
        runtime: &Arc<Runtime>,
        mut settings: ServiceSettings,
        extract: Option<Arc<dyn Extract>>,
        fetcher: Fetcher,
    ) -> Self {
        settings.deliver.get_or_insert_with(|| Arc::new(WebhookAdapter::new(fetcher)));
        settings.extract = extract;
        Self { service: JobService::new(Arc::clone(runtime), settings) }
    }

    /// Checks the address of a job's webhook, and starts the delivery of its events.
    pub(crate) async fn prepare_webhook(&self, webhook: Option<&WebhookPlan>) -> Result<(), crate::Error> {
        match webhook {
            Some(webhook) => Ok(self.service.prepare_webhook(webhook).await?),
            None => Ok(()),
        }
    }
}

impl ServicePart {
    /// Starts the work for the jobs in the store, if it has not started.
    pub(crate) fn wake(&self) {
        self.service.wake();
    }

    /// Ends this work.
    pub(crate) fn stop(&self) {
        self.service.stop();
    }
}

impl Engine {
    /// The job service, which accepts requests of teams and returns results by id.
    ///
    /// The caller checks requests first, by [`check_options`](Self::check_options),
    /// [`check_crawl`](Self::check_crawl) or [`check_extract`](Self::check_extract), and compiles the prompt
    /// of a crawl by [`compile_prompt`](Self::compile_prompt).
    #[must_use]
    pub fn service(&self) -> &Arc<JobService> {
        &self.service.service
    }

    /// At most `limit` jobs and scrapes of a team that have ended, the latest first, from the [activity
    /// log](Serving::activity_log). The log outlives the results. It has the jobs of the [job
    /// service](Self::service); those of [`batch`](Self::batch) and [`crawl`](Self::crawl) belong to no team.
    ///
    /// # Errors
    /// [`Store`](crate::ErrorKind::Store) if the log cannot be read.
    pub async fn activities(&self, team: &TeamId, limit: usize) -> Result<Vec<EndedJob>, crate::Error> {
        Ok(self.service.service.activities(team, limit).await?)
    }
}

/// The job service.
impl EngineBuilder {
    /// Sets the accounts provider of the [job service](Engine::service), for keys, credits and limits.
    /// Default: [`UnlimitedAccounts`](crate::service::UnlimitedAccounts), where every key belongs to one team
    /// without limits.
    #[must_use]
    pub fn accounts(mut self, accounts: Arc<dyn Accounts>) -> Self {
        self.service.accounts = accounts;
        self
    }

    /// Sets how the job service serves. What `serving` does not set stays as it is.
    #[must_use]
    pub fn serving(mut self, serving: Serving) -> Self {
        let settings = &mut self.service;
        if let Some(bytes) = serving.response_memory {
            settings.response_memory = bytes;
        }
        if let Some(webhooks) = serving.webhooks {
            settings.webhooks = webhooks;
        }
        if serving.activity.is_some() {
            settings.activity = serving.activity;
        }
        if serving.deliver.is_some() {
            settings.deliver = serving.deliver;
        }
        self
    }
}

/// How the job service serves, for [`EngineBuilder::serving`]: its log, the memory of responses, and
/// webhooks. What is not set keeps its default.
///
/// ```
/// use gleaner::Engine;
/// use gleaner::service::Serving;
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let engine = Engine::builder().serving(Serving::new().response_memory(256 << 20)).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Serving {
    activity: Option<Arc<dyn ActivityLog>>,
    response_memory: Option<usize>,
    webhooks: Option<WebhookConfig>,
    deliver: Option<Arc<dyn Deliver>>,
}

impl Serving {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the log of ended jobs, for [`Engine::activities`] and `GET /v2/team/activity`. Default: that of
    /// the [store](EngineBuilder::store), which keeps the latest 10,000 and survives the process if the store
    /// does.
    #[must_use]
    pub fn activity_log(mut self, log: Arc<dyn ActivityLog>) -> Self {
        self.activity = Some(log);
        self
    }

    /// Sets the memory of responses: the bytes of all that are built or sent at once. A team takes at most a
    /// quarter of it. Requests wait up to [`RESPONSE_MEMORY_WAIT`] for
    /// their part, and are then refused with 429. What is made before its size is known, such as the document
    /// of a scrape, waits outside this memory: at most a quarter of it, and an eighth for a team. Default: 512
    /// MiB; at least [`MIN_RESPONSE_MEMORY`], and less counts as that.
    #[must_use]
    pub fn response_memory(mut self, bytes: usize) -> Self {
        self.response_memory = Some(bytes);
        self
    }

    /// Sets the header of the signature, the retries and the timeout of webhooks.
    #[must_use]
    pub fn webhooks(mut self, config: WebhookConfig) -> Self {
        self.webhooks = Some(config);
        self
    }

    /// Sets the sender of webhooks. Default: the engine's fetcher, with the same egress guard as for pages.
    #[must_use]
    pub fn deliver(mut self, deliver: Arc<dyn Deliver>) -> Self {
        self.deliver = Some(deliver);
        self
    }
}
