//! Submits of requests.

use std::sync::Arc;

use gleaner_runtime::{
    CREDITS_PER_PAGE, Error, Job, JobSpec, MAPPED_URL_BYTES, MapResult, QUEUE_FULL_PAUSE, StartOptions,
    least_price, new_id, warn,
};
use gleaner_store::{JobAccount, JobWarning, Retention};
use gleaner_types::plan::{
    BatchPlan, ChangeTrackingMode, CrawlPlan, MapPlan, ScrapeOptionsPlan, ScrapePlan, WebhookPlan,
};
use gleaner_types::{Document, ErrorCode, JobId};
use url::Url;

use super::reserve::PendingReservation;
use super::response_memory::ResponseShare;
use super::{JobService, SubmitContext};
use crate::accounts::Team;

/// A job that was started, or a batch that got more pages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Submitted {
    /// The job.
    pub id: JobId,
    /// Batch and extract: invalid addresses that were skipped; `None` unless the request ignores them.
    pub invalid_urls: Option<Vec<String>>,
}

/// The addresses of a site.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mapped {
    /// The addresses, the best first if the request ranks them.
    pub links: Vec<Url>,
    /// A remark about the result.
    pub warning: Option<String>,
    /// The memory of the links: the length of each, and [`MAPPED_URL_BYTES`].
    pub share: ResponseShare,
}

impl Mapped {
    /// These addresses without a remark. `share` is their memory.
    #[must_use]
    pub fn new(links: Vec<Url>, share: ResponseShare) -> Self {
        Self { links, warning: None, share }
    }
}

/// Every map has this much memory for its links, in bytes. What it needs beyond that, it gets if it is free.
const MIN_MAP_MEMORY: usize = 256 << 10;

/// The properties of a request that the permissions, limits and credits of its team apply to.
pub(super) struct Requirements<'a> {
    pub(super) zero_data_retention: bool,
    pub(super) webhook: Option<&'a WebhookPlan>,
    pub(super) options: &'a ScrapeOptionsPlan,
    /// Number of pages to reserve at base price.
    pub(super) pages: u64,
}

impl JobService {
    /// Scrapes one page. Dropping the future stops the work. Without zero data retention, the document stays
    /// [readable](Self::scraped_document) by its `metadata.scrapeId` for a while.
    ///
    /// # Errors
    /// The failure of the page, or why the request is refused.
    pub async fn scrape(
        self: &Arc<Self>,
        team: &Team,
        plan: ScrapePlan,
        mut submit: SubmitContext,
    ) -> Result<Document, Error> {
        self.run(async {
            let requirements = Requirements {
                zero_data_retention: plan.zero_data_retention,
                webhook: None,
                options: &plan.options,
                pages: 1,
            };
            let (is_retained, warnings) = (!plan.zero_data_retention, std::mem::take(&mut submit.warnings));
            let (options, reservation) = self.check_and_reserve(team, &requirements, submit).await?;
            let options = StartOptions { retention: Retention::Stream, ..options };
            let (runtime, spec) = (Arc::clone(&self.runtime), JobSpec::from(plan));
            let job = reservation.start(async move { runtime.start(spec, options).await }).await?;
            // The store has the job now; maintenance settles it after any end.
            let mut document = job.document().await?;
            warnings.iter().for_each(|warning| warn(&mut document, warning));
            Ok(if is_retained { self.store_scrape(&team.id, document).await } else { document })
        })
        .await
    }

    /// Lists the addresses of a site.
    ///
    /// # Errors
    /// Why the map failed, or why the request is refused.
    pub async fn map(self: &Arc<Self>, team: &Team, plan: MapPlan) -> Result<Mapped, Error> {
        self.run(async {
            let mapping = async {
                let mut share = self.response_memory.reserve(&team.id, MIN_MAP_MEMORY).await?;
                let within = |bytes| share.try_grow_to(bytes);
                let MapResult { links, warning, .. } = self.runtime.map_within(plan, within).await?;
                share.fit(links.iter().map(|link| link.as_str().len() + MAPPED_URL_BYTES).sum());
                Ok::<_, Error>(Mapped { links, warning, share })
            };
            self.charged_lookup(team, mapping).await
        })
        .await
    }

    /// Starts a batch, or adds pages to one.
    ///
    /// # Errors
    /// Why the request is refused; [`Conflict`](crate::ErrorKind::Conflict) if the batch to extend has ended.
    pub async fn batch(
        self: &Arc<Self>,
        team: &Team,
        mut plan: BatchPlan,
        mut submit: SubmitContext,
    ) -> Result<Submitted, Error> {
        self.run(async {
            let (invalid_urls, warnings) = (plan.invalid_urls.take(), std::mem::take(&mut submit.warnings));
            if let Some(id) = plan.append_to {
                self.append(team, id, plan, submit).await?;
                self.warn(id, &warnings).await;
                return Ok(Submitted { id, invalid_urls });
            }
            plan.max_concurrency = limit_concurrency(team, plan.max_concurrency);
            let requirements = Requirements {
                zero_data_retention: plan.zero_data_retention,
                webhook: plan.webhook.as_ref(),
                options: &plan.options,
                pages: plan.targets.len() as u64,
            };
            let (options, reservation) = self.check_and_reserve(team, &requirements, submit).await?;
            let id = self.start(plan, options, reservation).await?;
            self.warn(id, &warnings).await;
            Ok(Submitted { id, invalid_urls })
        })
        .await
    }

    /// Starts a crawl.
    ///
    /// # Errors
    /// Why the request is refused, or why its rules are invalid.
    pub async fn crawl(
        self: &Arc<Self>,
        team: &Team,
        plan: CrawlPlan,
        submit: SubmitContext,
    ) -> Result<Submitted, Error> {
        self.run(self.start_crawl(team, plan, submit, true)).await
    }

    /// Starts a crawl that passed [`check_crawl`](Self::check_crawl), without another check of its webhook
    /// address.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_checked(
        self: &Arc<Self>,
        team: &Team,
        plan: CrawlPlan,
        submit: SubmitContext,
    ) -> Result<Submitted, Error> {
        self.run(self.start_crawl(team, plan, submit, false)).await
    }

    async fn start_crawl(
        self: &Arc<Self>,
        team: &Team,
        mut plan: CrawlPlan,
        mut submit: SubmitContext,
        checks_webhook: bool,
    ) -> Result<Submitted, Error> {
        let warnings = std::mem::take(&mut submit.warnings);
        plan.max_concurrency = limit_concurrency(team, plan.max_concurrency);
        let requirements = Requirements {
            zero_data_retention: plan.zero_data_retention,
            webhook: plan.webhook.as_ref().filter(|_| checks_webhook),
            options: &plan.options,
            pages: plan.limit,
        };
        let (options, reservation) = self.check_and_reserve(team, &requirements, submit).await?;
        let id = self.start(plan, options, reservation).await?;
        self.warn(id, &warnings).await;
        Ok(Submitted { id, invalid_urls: None })
    }

    /// Checks a crawl against the permissions, limits and credits of its team without starting it. Call it
    /// before paid preparation of the crawl, such as compiling its prompt. `pages` is the minimum number of
    /// pages that the crawl will reserve; the check adds one page for the preparation. Another request may
    /// come in between, so [`crawl`](Self::crawl) checks again.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn check_crawl(
        &self,
        team: &Team,
        plan: &CrawlPlan,
        pages: u64,
        submit: &SubmitContext,
    ) -> Result<(), Error> {
        self.run(async {
            let requirements = Requirements {
                zero_data_retention: plan.zero_data_retention,
                webhook: plan.webhook.as_ref(),
                options: &plan.options,
                pages,
            };
            self.check_limits(team, &requirements, submit).await?;
            self.check_balance(team, pages.saturating_add(1).saturating_mul(CREDITS_PER_PAGE)).await
        })
        .await
    }

    /// Adds warnings to a job's status. If that fails, the job continues without them.
    pub(super) async fn warn(&self, job: JobId, warnings: &[String]) {
        for warning in warnings {
            if let Err(error) = self.store().warn(job, JobWarning::Request(warning.clone())).await {
                tracing::warn!(%error, %job, "a warning could not be stored");
            }
        }
    }

    /// Checks the permissions and limits of the team and reserves the credits of a request.
    pub(super) async fn check_and_reserve(
        &self,
        team: &Team,
        requirements: &Requirements<'_>,
        submit: SubmitContext,
    ) -> Result<(StartOptions, PendingReservation), Error> {
        self.check_limits(team, requirements, &submit).await?;
        let id = new_id();
        let credits = requirements.pages.saturating_mul(CREDITS_PER_PAGE);
        let reservation = self.reserve_for_new(team, id, credits).await?;
        self.wake();
        let account = JobAccount {
            team: team.id.clone(),
            slots: Some(team.max_concurrency),
            max_jobs: Some(team.max_jobs),
            price: least_price(requirements.options, requirements.zero_data_retention),
            budget: reservation.credits(),
            idempotency_key: submit.idempotency_key,
            part_of: None,
        };
        let options = StartOptions {
            id,
            request: submit.request,
            retention: Retention::Keep,
            account: Some(Box::new(account)),
            ..StartOptions::default()
        };
        Ok((options, reservation))
    }

    /// Checks the permissions and limits of the team before credits are reserved. The store checks the limits
    /// again when it takes the job.
    async fn check_limits(
        &self,
        team: &Team,
        requirements: &Requirements<'_>,
        submit: &SubmitContext,
    ) -> Result<(), Error> {
        self.check_permissions(team, requirements).await?;
        self.check_idempotency_key(team, submit).await?;
        if self.store().load(&team.id).await?.jobs >= u64::from(team.max_jobs) {
            let text = format!("the team has {} jobs running, the maximum", team.max_jobs);
            return Err(Error::rate_limited(text, QUEUE_FULL_PAUSE));
        }
        Ok(())
    }

    /// Refuses a repeated submit. The check comes before those of limits and credits, because the client of a
    /// repeated submit needs to know that the first one was accepted.
    pub(super) async fn check_idempotency_key(
        &self,
        team: &Team,
        submit: &SubmitContext,
    ) -> Result<(), Error> {
        match submit.idempotency_key {
            Some(key) if self.store().is_key_used(&team.id, key).await? => {
                Err(Error::conflict("the idempotency key was used before; a new request needs a new key"))
            }
            _ => Ok(()),
        }
    }

    async fn check_permissions(&self, team: &Team, requirements: &Requirements<'_>) -> Result<(), Error> {
        if requirements.zero_data_retention && !team.zero_data_retention {
            return Err(Error::forbidden("zero data retention is not enabled for this team"));
        }
        let tracking = requirements.options.formats.change_tracking.as_ref();
        let needs_model = tracking.is_some_and(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
        if needs_model && self.config.extract.is_none() {
            return Err(no_model("change tracking in mode `json` needs a language model"));
        }
        match requirements.webhook {
            Some(webhook) => self.check_webhook(webhook).await,
            None => Ok(()),
        }
    }

    /// Prepares the webhook of a job that starts directly in the [runtime](Self::runtime) and belongs to no
    /// team: checks its address with the egress guard and starts the background task that sends its events.
    /// They are signed with the secret of the default team.
    ///
    /// # Errors
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the address is refused, and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if the service cannot send webhooks.
    pub async fn prepare_webhook(&self, webhook: &WebhookPlan) -> Result<(), Error> {
        self.run(async {
            self.check_webhook(webhook).await?;
            self.wake();
            Ok(())
        })
        .await
    }

    async fn check_webhook(&self, webhook: &WebhookPlan) -> Result<(), Error> {
        let Some(deliver) = &self.config.deliver else {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "webhooks are not supported: this engine was built without webhook delivery",
            ));
        };
        deliver
            .check(&webhook.url)
            .await
            .map_err(|error| Error::forbidden(format!("the webhook's address is refused: {}", error.message)))
    }

    /// Starts a job that outlives its request.
    async fn start(
        &self,
        plan: impl Into<JobSpec>,
        options: StartOptions,
        reservation: PendingReservation,
    ) -> Result<JobId, Error> {
        let (runtime, spec) = (Arc::clone(&self.runtime), plan.into());
        reservation.start(async move { runtime.start(spec, options).await.map(Job::detach) }).await
    }
}

/// The requested concurrency, at most that of the team.
fn limit_concurrency(team: &Team, requested: Option<u32>) -> Option<u32> {
    Some(requested.map_or(team.max_concurrency, |requested| requested.min(team.max_concurrency)))
}

pub(super) fn no_model(text: &str) -> Error {
    Error::unsupported(ErrorCode::ModelNotConfigured, text)
}
