//! Reads beside the status of a crawl or batch, and the end of a job.

use std::time::Duration;

use gleaner_runtime::{Error, TOKENS_PER_CREDIT, timestamp};
use gleaner_store::{DeadLetter, FailurePosition, PageFailures, TeamId};
use gleaner_types::response::{
    ActiveCrawl, ActiveCrawls, ConcurrencyCheck, CreditUsage, ExtractStatus, JobCancelled, JobErrors,
    ListedError, QueueStatus, TeamResponse, TokenUsage,
};
use gleaner_types::{ExtractState, JobId, JobKind, JobState, limits};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use super::JobService;
use super::extracts::charge;
use crate::accounts::Team;

/// Fields of a crawl request that the list of active crawls leaves out of the options.
const HIDDEN_FIELDS: [&str; 3] = ["url", "webhook", "origin"];

impl JobService {
    /// The pages of a crawl or batch that produced no document.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub async fn errors(&self, team: &TeamId, kind: JobKind, id: JobId) -> Result<JobErrors, Error> {
        self.run(async {
            self.find(team, kind, id).await?;
            Ok(listed(id, self.store().failures(id).await?))
        })
        .await
    }

    /// The part of [`errors`](Self::errors) from a position on, of about this many bytes: a list may be long,
    /// and it only grows.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub async fn errors_from(
        &self,
        team: &TeamId,
        kind: JobKind,
        id: JobId,
        from: FailurePosition,
        bytes: usize,
    ) -> Result<JobErrors, Error> {
        self.run(async {
            self.find(team, kind, id).await?;
            Ok(listed(id, self.store().failures_from(id, from, bytes).await?))
        })
        .await
    }

    /// Cancels a job. Its results so far stay readable, and an extract is charged for its usage so far.
    /// Cancelling a cancelled job has no effect.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Conflict`](crate::ErrorKind::Conflict) if the job has
    /// completed or failed; [`RateLimited`](crate::ErrorKind::RateLimited) if its work is stopped, but the
    /// store cannot write that now, so a crash would undo it.
    pub async fn cancel(&self, team: &TeamId, kind: JobKind, id: JobId) -> Result<JobCancelled, Error> {
        self.run(async {
            self.find(team, kind, id).await?;
            let extract = self.extracts().get(&id).cloned();
            if let Some(extract) = extract
                && let Err(error) =
                    charge(self.store().as_ref(), id, extract.reservation.total_tokens()).await
                && !error.is_job_ended()
            {
                return Err(error.into());
            }
            // The store comes first: stopping the last page must not complete the job.
            let cancelled = self.store().cancel(id, self.clock().now()).await;
            self.stop_work(id);
            if let Err(error) = cancelled {
                let is_cancelled =
                    error.is_job_ended() && self.store().snapshot(id).await?.state == JobState::Cancelled;
                if !is_cancelled {
                    return Err(error.into());
                }
            }
            Ok(JobCancelled::default())
        })
        .await
    }

    /// The status of an extract.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub async fn extract_status(&self, team: &TeamId, id: JobId) -> Result<ExtractStatus, Error> {
        self.run(async {
            let job = self.find(team, JobKind::Extract, id).await?;
            let conclusion = self.store().conclusion(id).await?;
            let status = match job.state {
                JobState::Scraping => ExtractState::Processing,
                JobState::Completed => ExtractState::Completed,
                JobState::Failed => ExtractState::Failed,
                JobState::Cancelled => ExtractState::Cancelled,
            };
            let mut response = ExtractStatus {
                success: status != ExtractState::Failed,
                status,
                data: Value::Array(Vec::new()),
                expires_at: self.expires_at(job.ended_at),
                warning: job.warning(),
                error: job.error,
                sources: None,
                credits_used: job.credits_used,
                tokens_used: job.tokens_used,
            };
            if let Some(conclusion) = conclusion {
                response.data = conclusion.data;
                let warnings: Vec<String> =
                    [response.warning, conclusion.warning].into_iter().flatten().collect();
                response.warning = (!warnings.is_empty()).then(|| warnings.join("; "));
                response.sources = conclusion.sources;
            }
            Ok(response)
        })
        .await
    }

    /// The team's running crawls.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn active_crawls(&self, team: &TeamId) -> Result<ActiveCrawls, Error> {
        self.run(async {
            let crawls = self.store().running(team, JobKind::Crawl).await?;
            let crawls = crawls.into_iter().map(|job| {
                let request = match job.request.body {
                    Value::Object(request) => request,
                    _ => Map::new(),
                };
                let url = request.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
                let mut options: Map<String, Value> =
                    request.into_iter().filter(|(name, _)| !HIDDEN_FIELDS.contains(&name.as_str())).collect();
                // Headers can contain keys and cookies, which are meant only for the site.
                if let Some(Value::Object(page)) = options.get_mut("scrapeOptions") {
                    page.remove("headers");
                }
                ActiveCrawl {
                    id: job.snapshot.id,
                    team_id: team.to_string(),
                    url,
                    created_at: timestamp(job.snapshot.created_at),
                    options,
                }
            });
            Ok(ActiveCrawls { success: true, crawls: crawls.collect() })
        })
        .await
    }

    /// The queued and active pages of the team.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn queue_status(&self, team: &Team) -> Result<QueueStatus, Error> {
        self.run(async {
            let load = self.store().load(&team.id).await?;
            Ok(QueueStatus {
                success: true,
                jobs_in_queue: load.leased.saturating_add(load.waiting),
                active_jobs_in_queue: load.leased,
                waiting_jobs_in_queue: load.waiting,
                max_concurrency: u64::from(team.max_concurrency),
                most_recent_success: load.last_success.map(timestamp),
            })
        })
        .await
    }

    /// The number of pages of the team that are in progress.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn concurrency(&self, team: &Team) -> Result<ConcurrencyCheck, Error> {
        self.run(async {
            let concurrency = self.store().load(&team.id).await?.leased;
            Ok(ConcurrencyCheck {
                success: true,
                concurrency,
                max_concurrency: u64::from(team.max_concurrency),
            })
        })
        .await
    }

    /// The team's credits.
    ///
    /// # Errors
    /// If the accounts provider fails.
    pub async fn credit_usage(&self, team: &TeamId) -> Result<TeamResponse<CreditUsage>, Error> {
        self.run(async {
            let accounts = &self.config.accounts;
            let (unlimited, balance) = (!accounts.is_metered(team).await?, accounts.balance(team).await?);
            let reported = |credits| if unlimited { limits::UNLIMITED_CREDITS } else { credits };
            Ok(TeamResponse::new(CreditUsage {
                remaining_credits: reported(balance.remaining),
                plan_credits: reported(balance.plan),
                unlimited,
                billing_period_start: balance.period_start.map(timestamp),
                billing_period_end: balance.period_end.map(timestamp),
            }))
        })
        .await
    }

    /// The team's credits, converted to tokens.
    ///
    /// # Errors
    /// If the accounts provider fails.
    pub async fn token_usage(&self, team: &TeamId) -> Result<TeamResponse<TokenUsage>, Error> {
        self.run(async {
            let credits = self.credit_usage(team).await?.data;
            let per_credit = i64::try_from(TOKENS_PER_CREDIT).unwrap_or(i64::MAX);
            let tokens =
                |amount: i64| if credits.unlimited { amount } else { amount.saturating_mul(per_credit) };
            Ok(TeamResponse::new(TokenUsage {
                remaining_tokens: tokens(credits.remaining_credits),
                plan_tokens: tokens(credits.plan_credits),
                unlimited: credits.unlimited,
                billing_period_start: credits.billing_period_start,
                billing_period_end: credits.billing_period_end,
            }))
        })
        .await
    }

    /// The events of a job that its webhook did not accept.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub async fn dead_letters(
        &self,
        team: &TeamId,
        kind: JobKind,
        id: JobId,
    ) -> Result<Vec<DeadLetter>, Error> {
        self.run(async {
            self.find(team, kind, id).await?;
            Ok(self.store().dead_letters(id).await?)
        })
        .await
    }

    /// Waits until no event of any job is pending: its receiver accepted it, or it was given up. A program
    /// that ends with its job waits for this.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn wait_for_deliveries(&self) -> Result<(), Error> {
        self.run(async {
            let mut maintenance = self.store().maintenance();
            loop {
                // Before the read, to see changes that happen during it.
                maintenance.borrow_and_update();
                let next = self.store().due(0, self.clock().now()).await?.next;
                if next.is_none() || maintenance.changed().await.is_err() {
                    return Ok(());
                }
            }
        })
        .await
    }

    /// The time when results expire: a day after the end of the job, or a day from now while it runs.
    pub(super) fn expires_at(&self, ended_at: Option<Duration>) -> OffsetDateTime {
        let retention = Duration::from_secs(limits::RESULT_RETENTION_SECONDS);
        timestamp(ended_at.unwrap_or_else(|| self.clock().now()) + retention)
    }
}

/// The pages of a job without a document, in the form of the wire.
fn listed(job: JobId, pages: PageFailures) -> JobErrors {
    let errors = pages.failures.into_iter().map(|failure| ListedError {
        id: page_id(job, failure.sequence).to_string(),
        timestamp: timestamp(failure.at),
        url: failure.as_requested().into_owned(),
        code: failure.error.code,
        error: failure.error.message,
    });
    let robots_blocked = pages.robots_blocked.iter().map(|page| page.as_requested().into_owned());
    JobErrors { errors: errors.collect(), robots_blocked: robots_blocked.collect() }
}

/// The id of a failed page: unique, and the same on every read.
fn page_id(job: JobId, sequence: u64) -> Uuid {
    // Odd numbers, because even ones identify the events of the job's webhook.
    let number = (sequence << 1 | 1) & (u64::MAX >> 2);
    Uuid::from_u128(job.as_uuid().as_u128() ^ u128::from(number))
}
