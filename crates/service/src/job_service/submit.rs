//! Taking requests in.

use std::sync::{Arc, Weak};

use gleaner_frontier::JobRules;
use gleaner_runtime::{
    CREDITS_PER_PAGE, Clock, Error, Extract, ExtractTask, Extracted, Job, MapResult, QUEUE_FULL_PAUSE,
    StartOptions, TOKENS_PER_CREDIT, least_price, new_id, warn, without_logs,
};
use gleaner_store::{Conclusion, JobAccount, NewJob, Retention, Store};
use gleaner_types::plan::{
    BatchPlan, ChangeTrackingMode, CrawlPlan, ExtractPlan, MapPlan, ScrapeOptionsPlan, ScrapePlan,
    WebhookPlan,
};
use gleaner_types::{Document, ErrorCode, JobId, JobKind};

use super::reserve::Reservation;
use super::{ExtractWork, JobService, Submit};
use crate::accounts::Team;
use crate::credit_reservation::CreditReservation;

/// A job that was begun, or added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The job.
    pub id: JobId,
    /// Batch and extract: the addresses that were left out; `None` unless invalid ones were to be ignored.
    pub invalid_urls: Option<Vec<String>>,
}

/// What a request asks of its team.
struct Asked<'a> {
    zero_data_retention: bool,
    webhook: Option<&'a WebhookPlan>,
    options: &'a ScrapeOptionsPlan,
    /// What is reserved: so many pages at base price (contract 4.5, rule 3).
    pages: u64,
}

impl JobService {
    /// Scrapes one page. Dropping the future ends the work on it. Without zero data retention its document is
    /// kept for a while, to be [found](Self::scraped) by its `metadata.scrapeId`.
    ///
    /// # Errors
    /// The page's failure, or why the team may not.
    pub async fn scrape(
        self: &Arc<Self>,
        team: &Team,
        plan: ScrapePlan,
        mut submit: Submit,
    ) -> Result<Document, Error> {
        let asked = Asked {
            zero_data_retention: plan.zero_data_retention,
            webhook: None,
            options: &plan.options,
            pages: 1,
        };
        let (keeps, warnings) = (!plan.zero_data_retention, std::mem::take(&mut submit.warnings));
        let (options, reservation) = self.terms(team, &asked, submit).await?;
        let options = StartOptions { retention: Retention::Stream, ..options };
        let job = self.begun(reservation, self.runtime.start(plan, options).await).await?;
        // The store has the job, and its end settles it, however it comes.
        let mut document = job.document().await?;
        warnings.iter().for_each(|warning| warn(&mut document, warning));
        Ok(if keeps { self.keep(&team.id, document).await } else { document })
    }

    /// Lists the addresses of a site.
    ///
    /// # Errors
    /// Why they could not be had, or why the team may not.
    pub async fn map(self: &Arc<Self>, team: &Team, plan: MapPlan) -> Result<MapResult, Error> {
        self.charged(team, self.runtime.map(plan)).await
    }

    /// Begins a batch, or adds to one.
    ///
    /// # Errors
    /// Why the team may not; [`Conflict`](crate::ErrorKind::Conflict) where the batch to add to has ended.
    pub async fn batch(
        self: &Arc<Self>,
        team: &Team,
        mut plan: BatchPlan,
        mut submit: Submit,
    ) -> Result<Submitted, Error> {
        let (invalid_urls, warnings) = (plan.invalid_urls.take(), std::mem::take(&mut submit.warnings));
        if let Some(id) = plan.append_to {
            self.append(team, id, plan, submit).await?;
            self.warn(id, &warnings).await;
            return Ok(Submitted { id, invalid_urls });
        }
        plan.max_concurrency = within(team, plan.max_concurrency);
        let asked = Asked {
            zero_data_retention: plan.zero_data_retention,
            webhook: plan.webhook.as_ref(),
            options: &plan.options,
            pages: plan.targets.len() as u64,
        };
        let (options, reservation) = self.terms(team, &asked, submit).await?;
        let started = self.runtime.start(plan, options).await.map(Job::detach);
        let id = self.begun(reservation, started).await?;
        self.warn(id, &warnings).await;
        Ok(Submitted { id, invalid_urls })
    }

    /// Begins a crawl.
    ///
    /// # Errors
    /// Why the team may not, or why the rules cannot hold.
    pub async fn crawl(
        self: &Arc<Self>,
        team: &Team,
        plan: CrawlPlan,
        submit: Submit,
    ) -> Result<Submitted, Error> {
        self.begin_crawl(team, plan, submit, true).await
    }

    /// Begins a crawl that [`check_crawl`](Self::check_crawl) let through: the address of its webhook is not
    /// checked again.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn crawl_checked(
        self: &Arc<Self>,
        team: &Team,
        plan: CrawlPlan,
        submit: Submit,
    ) -> Result<Submitted, Error> {
        self.begin_crawl(team, plan, submit, false).await
    }

    async fn begin_crawl(
        self: &Arc<Self>,
        team: &Team,
        mut plan: CrawlPlan,
        mut submit: Submit,
        checks_webhook: bool,
    ) -> Result<Submitted, Error> {
        let warnings = std::mem::take(&mut submit.warnings);
        plan.max_concurrency = within(team, plan.max_concurrency);
        let asked = Asked {
            zero_data_retention: plan.zero_data_retention,
            webhook: plan.webhook.as_ref().filter(|_| checks_webhook),
            options: &plan.options,
            pages: plan.limit,
        };
        let (options, reservation) = self.terms(team, &asked, submit).await?;
        let started = self.runtime.start(plan, options).await.map(Job::detach);
        let id = self.begun(reservation, started).await?;
        self.warn(id, &warnings).await;
        Ok(Submitted { id, invalid_urls: None })
    }

    /// Holds a crawl against what its team may, and begins nothing: to be asked before work for it that costs
    /// something and would be in vain. `pages` is how many pages it will ask credits for at least; one is
    /// added for that work. Another request may come in between, so the word of [`crawl`](Self::crawl) is the
    /// one that holds.
    ///
    /// # Errors
    /// As for [`crawl`](Self::crawl).
    pub async fn check_crawl(
        &self,
        team: &Team,
        plan: &CrawlPlan,
        pages: u64,
        submit: &Submit,
    ) -> Result<(), Error> {
        let asked = Asked {
            zero_data_retention: plan.zero_data_retention,
            webhook: plan.webhook.as_ref(),
            options: &plan.options,
            pages,
        };
        self.check(team, &asked, submit).await?;
        self.check_balance(team, pages.saturating_add(1).saturating_mul(CREDITS_PER_PAGE)).await
    }

    /// Begins to extract structured data. One credit is reserved, and more as it is needed
    /// ([`JobOwner::cover`](gleaner_runtime::JobOwner::cover)).
    ///
    /// # Errors
    /// Why the team may not; `MODEL_NOT_CONFIGURED` without a port for it.
    pub async fn extract(
        self: &Arc<Self>,
        team: &Team,
        mut plan: ExtractPlan,
        mut submit: Submit,
    ) -> Result<Submitted, Error> {
        let Some(extract) = self.parts.extract.clone() else {
            return Err(no_model("structured data needs a language model or another extractor"));
        };
        let (invalid_urls, warnings) = (plan.invalid_urls.take(), std::mem::take(&mut submit.warnings));
        let asked = Asked {
            zero_data_retention: plan.zero_data_retention,
            webhook: plan.webhook.as_ref(),
            options: &plan.options,
            pages: 1,
        };
        let (options, initial) = self.terms(team, &asked, submit).await?;
        let StartOptions { id, request, retention, account, .. } = options;
        let job = NewJob {
            request,
            retention,
            account,
            url: plan.sources.first().map(|source| source.target.as_requested().into_owned()),
            sealed: false,
            in_memory: plan.zero_data_retention,
            webhook: plan.webhook.clone().map(Arc::new),
            ..NewJob::new(id, Some(JobKind::Extract), JobRules::with_limit(u64::MAX), Vec::new())
        };
        let accounts = Arc::clone(&self.parts.accounts);
        let reservation = CreditReservation::new(accounts, self.lookups.clone(), team, id, initial.credits());
        let reservation = Arc::new(reservation);
        let begun = self.store().submit(job, self.clock().now()).await.map_err(Error::from);
        self.begun(initial, begun).await?;
        self.warn(id, &warnings).await;
        let cancelled = self.runtime.stopped().child_token();
        let work = ExtractWork { cancelled: cancelled.clone(), reservation: Arc::clone(&reservation) };
        self.tasks().insert(id, work);
        let task = ExtractTask { id, plan, cancelled, owner: Some(reservation) };
        // Without a handle to the service, whose end ends the work.
        let (service, store) = (Arc::downgrade(self), Arc::clone(self.store()));
        tokio::spawn(work_on(service, store, self.clock(), extract, task));
        Ok(Submitted { id, invalid_urls })
    }

    /// Adds to a job's status what the sender of its request should know. A job is not given up for want of
    /// that.
    async fn warn(&self, job: JobId, warnings: &[String]) {
        for warning in warnings {
            if let Err(error) = self.store().warn(job, warning).await {
                tracing::warn!(%error, %job, "a warning could not be stored");
            }
        }
    }

    /// Holds a request against what the team may, and reserves its credits.
    async fn terms(
        &self,
        team: &Team,
        asked: &Asked<'_>,
        submit: Submit,
    ) -> Result<(StartOptions, Reservation), Error> {
        self.check(team, asked, &submit).await?;
        let id = new_id();
        let credits = asked.pages.saturating_mul(CREDITS_PER_PAGE);
        let reservation = self.reserve(team, id, credits).await?;
        self.wake();
        let account = JobAccount {
            team: team.id.clone(),
            slots: Some(team.max_concurrency),
            max_jobs: Some(team.max_jobs),
            price: least_price(asked.options, asked.zero_data_retention),
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

    /// What is held against the team before credits are reserved; the word that holds is the store's.
    async fn check(&self, team: &Team, asked: &Asked<'_>, submit: &Submit) -> Result<(), Error> {
        self.permit(team, asked).await?;
        self.check_key(team, submit).await?;
        if self.store().load(&team.id).await?.jobs >= u64::from(team.max_jobs) {
            let text = format!("the team has {} jobs running, the most that it may", team.max_jobs);
            return Err(Error::rate_limited(text, QUEUE_FULL_PAUSE));
        }
        Ok(())
    }

    /// A second submit is told so whatever else there is to say, since its client wants to know of the first.
    pub(super) async fn check_key(&self, team: &Team, submit: &Submit) -> Result<(), Error> {
        match submit.idempotency_key {
            Some(key) if self.store().is_key_used(&team.id, key).await? => {
                Err(Error::conflict("the idempotency key was used before; a new request needs a new key"))
            }
            _ => Ok(()),
        }
    }

    async fn permit(&self, team: &Team, asked: &Asked<'_>) -> Result<(), Error> {
        if asked.zero_data_retention && !team.zero_data_retention {
            return Err(Error::forbidden("zero data retention is not enabled for this team"));
        }
        let tracking = asked.options.formats.change_tracking.as_ref();
        let by_model = tracking.is_some_and(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
        if by_model && self.parts.extract.is_none() {
            return Err(no_model("change tracking in mode `json` needs a language model"));
        }
        match asked.webhook {
            Some(webhook) => self.check_webhook(webhook).await,
            None => Ok(()),
        }
    }

    /// Takes a webhook on for a job that is begun in the [runtime](Self::runtime) itself and belongs to no
    /// team: its address is held against the guard, and its events will be sent. They are signed as those of
    /// the default team.
    ///
    /// # Errors
    /// [`Forbidden`](crate::ErrorKind::Forbidden) where the address is refused, and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) without a way to send.
    pub async fn open_webhook(&self, webhook: &WebhookPlan) -> Result<(), Error> {
        self.check_webhook(webhook).await?;
        self.wake();
        Ok(())
    }

    async fn check_webhook(&self, webhook: &WebhookPlan) -> Result<(), Error> {
        let Some(deliver) = &self.parts.deliver else {
            return Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "webhooks are not offered: this engine was built without a way to send them",
            ));
        };
        deliver
            .check(&webhook.url)
            .await
            .map_err(|error| Error::forbidden(format!("the webhook's address is refused: {}", error.message)))
    }

    /// Gives back what was reserved for a job that did not come about.
    async fn begun<T>(&self, reservation: Reservation, begun: Result<T, Error>) -> Result<T, Error> {
        match begun {
            Ok(begun) => {
                reservation.kept();
                Ok(begun)
            }
            Err(error) => {
                reservation.release().await?;
                Err(error)
            }
        }
    }
}

fn within(team: &Team, asked: Option<u32>) -> Option<u32> {
    Some(asked.map_or(team.max_concurrency, |asked| asked.min(team.max_concurrency)))
}

fn no_model(text: &str) -> Error {
    Error::unsupported(ErrorCode::ModelNotConfigured, text)
}

/// Charges an extract job that ends without a result with the tokens that it used.
pub(super) async fn charge(store: &dyn Store, job: JobId, tokens: u64) -> Result<(), gleaner_store::Error> {
    match tokens {
        0 => Ok(()),
        _ => store.charge(job, tokens, tokens.div_ceil(TOKENS_PER_CREDIT)).await,
    }
}

/// Does an extract job, unless it is cancelled.
async fn work_on(
    service: Weak<JobService>,
    store: Arc<dyn Store>,
    clock: Clock,
    extract: Arc<dyn Extract>,
    task: ExtractTask,
) {
    let (id, cancelled, owner) = (task.id, task.cancelled.clone(), task.owner.clone());
    // In a task of its own, so that a panic is this job's failure.
    let log_suppression = task.plan.zero_data_retention;
    let mut working = tokio::spawn(async move { without_logs(log_suppression, extract.extract(task)).await });
    let extracted = tokio::select! {
        () = cancelled.cancelled() => return working.abort(),
        extracted = &mut working => extracted,
    };
    let now = clock.now();
    let ended = match extracted {
        Ok(Ok(extracted)) => {
            let credits = extracted.credits();
            let Extracted { data, sources, warning, tokens_used } = extracted;
            let conclusion = Conclusion { data, sources, warning, tokens_used, credits };
            store.conclude(id, conclusion, now).await
        }
        Ok(Err(error)) => {
            let used = owner.map_or(0, |owner| owner.used());
            if let Err(error) = charge(store.as_ref(), id, used).await {
                tracing::error!(%error, job = %id, "what an extract used could not be charged");
            }
            store.fail(id, &error.message, now).await
        }
        // Our own fault, for which nobody pays.
        Err(_) => store.fail(id, "the engine failed on this request", now).await,
    };
    if let Some(service) = service.upgrade() {
        service.forget(id);
    }
    if let Err(error) = ended
        && !error.is_job_ended()
    {
        tracing::error!(%error, job = %id, "the end of an extract could not be stored");
    }
}
