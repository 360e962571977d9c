//! The job service: what a server of the contract stands on, and what it may be given.
//!
//! [`Engine::service`](crate::Engine::service) takes requests of teams, keeps their jobs, and answers by id.
//! Who the teams are is for [`Accounts`] to say:
//!
//! ```
//! use std::sync::Arc;
//!
//! use gleaner::Engine;
//! use gleaner::service::{MemoryAccounts, Secret, Team, TeamConfig, TeamId};
//!
//! # fn main() -> Result<(), gleaner::Error> {
//! let team = TeamConfig {
//!     credits: Some(500),
//!     webhook_secret: Some(Secret::new("told to nobody else")),
//!     ..TeamConfig::new(Team::new(TeamId::new("birds")))
//! };
//! let accounts = MemoryAccounts::new().with_team("their key", team);
//! let engine = Engine::builder().accounts(Arc::new(accounts)).build()?;
//! # let _ = engine.service();
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use gleaner_fetch::Fetcher;
use gleaner_runtime::Runtime;
use gleaner_service::ServiceConfig;
use gleaner_types::plan::WebhookPlan;

use crate::webhooks::WebhookAdapter;
use crate::{Engine, EngineBuilder};

pub use gleaner_runtime::{
    Error, ErrorKind, Extract, ExtractTask, Extracted, JobOwner, OwnerPermit, PageRead, PageTask, PageText,
    TokenMeter,
};
pub use gleaner_service::{
    Accounts, ActivityLog, Balance, Deliver, DeliverError, Delivery, JobService, MemoryAccounts,
    MemoryActivityLog, Operation, Page, Secret, SignatureError, StatusBody, Submit, Submitted, Team,
    TeamConfig, UnlimitedAccounts, WebhookConfig, sign, verify,
};
pub use gleaner_store::{DeadLetter, EndedJob, TeamId};

/// What the job service of an engine is to be given.
#[derive(Debug, Default)]
pub(crate) struct ServiceSettings {
    accounts: Option<Arc<dyn Accounts>>,
    activity: Option<Arc<dyn ActivityLog>>,
    deliver: Option<Arc<dyn Deliver>>,
    webhooks: WebhookConfig,
}

/// The job service of an engine.
#[derive(Clone)]
pub(crate) struct ServicePart {
    service: Arc<JobService>,
}

impl ServicePart {
    /// Are pages compared with their last scrape?
    pub(crate) const TRACKS_CHANGES: bool = true;

    pub(crate) fn new(
        runtime: &Arc<Runtime>,
        settings: ServiceSettings,
        extract: Option<Arc<dyn Extract>>,
        fetcher: Fetcher,
    ) -> Self {
        let ServiceSettings { accounts, activity, deliver, webhooks } = settings;
        let deliver = deliver.unwrap_or_else(|| Arc::new(WebhookAdapter::new(fetcher)));
        let mut config =
            ServiceConfig { deliver: Some(deliver), extract, webhooks, ..ServiceConfig::default() };
        if let Some(accounts) = accounts {
            config.accounts = accounts;
        }
        if let Some(activity) = activity {
            config.activity = activity;
        }
        Self { service: JobService::new(Arc::clone(runtime), config) }
    }

    /// Checks the webhook of a job and sees to it that its events are sent.
    pub(crate) async fn open_webhook(&self, webhook: Option<&WebhookPlan>) -> Result<(), crate::Error> {
        match webhook {
            Some(webhook) => Ok(self.service.open_webhook(webhook).await?),
            None => Ok(()),
        }
    }
}

impl Engine {
    /// The job service, where teams hand in requests and read what came of them by id: what a server stands
    /// on. What it is given is to be held against [`check_options`](Self::check_options),
    /// [`check_crawl`](Self::check_crawl) or [`check_extract`](Self::check_extract) before, and a crawl's
    /// prompt given to [`compile_prompt`](Self::compile_prompt).
    #[must_use]
    pub fn service(&self) -> &Arc<JobService> {
        &self.service.service
    }

    /// At most this many of a team's jobs and scrapes that have ended, the one that ended last first: what
    /// the [activity log](EngineBuilder::activity_log) has of them, long after their results are gone. Those
    /// are the jobs of the [job service](Self::service). What is begun by [`batch`](Self::batch) and its like
    /// belongs to no team, and its [`Job`](crate::Job) reports the same.
    ///
    /// # Errors
    /// [`Store`](crate::ErrorKind::Store) where the log cannot be read.
    pub async fn activities(&self, team: &TeamId, most: usize) -> Result<Vec<EndedJob>, crate::Error> {
        Ok(self.service.service.activities(team, most).await?)
    }
}

impl EngineBuilder {
    /// Sets the accounts provider of the [job service](Engine::service): keys, credits, limits. By default
    /// every key is the same team, which may do anything and pays nothing
    /// ([`UnlimitedAccounts`](crate::service::UnlimitedAccounts)).
    #[must_use]
    pub fn accounts(mut self, accounts: Arc<dyn Accounts>) -> Self {
        self.service.accounts = Some(accounts);
        self
    }

    /// Sets the log of the job service's jobs that ended, which [`Engine::activities`] and `GET
    /// /v2/team/activity` read. By default the latest are kept in memory.
    #[must_use]
    pub fn activity_log(mut self, log: Arc<dyn ActivityLog>) -> Self {
        self.service.activity = Some(log);
        self
    }

    /// Sets how webhooks are sent: their signature's header, their retries and their timeout.
    #[must_use]
    pub fn webhooks(mut self, config: WebhookConfig) -> Self {
        self.service.webhooks = config;
        self
    }

    /// Sets the way in which webhooks leave. By default the engine's own fetcher posts them, behind the same
    /// egress guard as pages.
    #[must_use]
    pub fn deliver(mut self, deliver: Arc<dyn Deliver>) -> Self {
        self.service.deliver = Some(deliver);
        self
    }
}
