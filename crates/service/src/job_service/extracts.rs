//! Extract jobs: their submit, their run, and their second run after their process ended.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_runtime::{
    Clock, Error, Extract, ExtractTask, Extracted, JobOwner, StartOptions, TOKENS_PER_CREDIT, without_logs,
};
use gleaner_store::{ApiVersion, Conclusion, JobAccount, JobRequest, NewJob, Store};
use gleaner_types::plan::ExtractPlan;
use gleaner_types::request::{ExtractRequest, v1};
use gleaner_types::{Faults, JobId, JobKind, RequestBounds};

use super::submit::{Requirements, Submitted, no_model};
use super::{JobService, RunningExtract, SubmitContext};
use crate::accounts::{DEFAULT_TEAM_CONCURRENCY, DEFAULT_TEAM_JOBS, Team};
use crate::credit_reservation::{CreditReservation, PayingJob};

/// Why an extract is refused without an extraction port.
const NO_EXTRACTOR: &str = "structured data needs a language model or another extractor";
/// Pause after a failure of the store.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How often a durable store is asked for extract jobs whose process has ended.
const ORPHANS_INTERVAL: Duration = Duration::from_secs(5);

impl JobService {
    /// Starts an extract job. It reserves one credit, and draws more as needed
    /// ([`JobOwner::reserve_tokens`](gleaner_runtime::JobOwner::reserve_tokens)). If its process ends, the
    /// next one over the same durable store runs it again from its start, and its tokens so far count.
    ///
    /// # Errors
    /// Why the request is refused; `MODEL_NOT_CONFIGURED` if the service has no extraction port.
    pub async fn extract(
        self: &Arc<Self>,
        team: &Team,
        mut plan: ExtractPlan,
        mut submit: SubmitContext,
    ) -> Result<Submitted, Error> {
        self.run(async {
            let Some(extract) = self.config.extract.clone() else {
                return Err(no_model(NO_EXTRACTOR));
            };
            let (invalid_urls, warnings) = (plan.invalid_urls.take(), std::mem::take(&mut submit.warnings));
            let requirements = Requirements {
                zero_data_retention: plan.zero_data_retention,
                webhook: plan.webhook.as_ref(),
                options: &plan.options,
                pages: 1,
            };
            let (options, initial) = self.check_and_reserve(team, &requirements, submit).await?;
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
            let paying = PayingJob { team: team.clone(), id, reserved: initial.credits(), tokens_before: 0 };
            let service = Arc::clone(self);
            let starting = async move {
                service.store().submit(job, service.clock().now()).await?;
                service.warn(id, &warnings).await;
                service.run_extract(extract, plan, paying);
                Ok::<(), Error>(())
            };
            initial.start(starting).await?;
            Ok(Submitted { id, invalid_urls })
        })
        .await
    }

    /// Runs a submitted extract job in the background.
    fn run_extract(self: &Arc<Self>, extract: Arc<dyn Extract>, plan: ExtractPlan, job: PayingJob) {
        let id = job.id;
        let (accounts, store) = (Arc::clone(&self.config.accounts), Arc::clone(self.store()));
        let reservation = Arc::new(CreditReservation::new(accounts, store, self.lookups.clone(), job));
        let cancelled = self.stopping.child();
        let running = RunningExtract { cancelled: cancelled.clone(), reservation: Arc::clone(&reservation) };
        self.extracts().insert(id, running);
        let owner = Arc::clone(&reservation) as Arc<dyn JobOwner>;
        let mut task = ExtractTask::new(id, plan);
        (task.cancelled, task.owner) = (cancelled, Some(owner));
        // A weak handle, because dropping the service must stop the extraction.
        let (service, store) = (Arc::downgrade(self), Arc::clone(self.store()));
        tokio::spawn(run(service, store, self.clock(), extract, task, reservation));
    }

    /// Runs the extract job of an earlier process again. One that cannot run again fails, and costs nothing.
    async fn resume_extract(self: &Arc<Self>, id: JobId) -> Result<(), Error> {
        let stored = match self.store().stored(id).await {
            Err(error) if error.is_job_ended() || error.is_unknown_job() => return Ok(()),
            stored => stored?,
        };
        let tokens_before = self.store().snapshot(id).await?.tokens_used;
        let request = stored.request;
        let planned = tokio::task::spawn_blocking(move || plan_of(&request)).await;
        let (extract, plan, account) = match (self.config.extract.clone(), planned, stored.account) {
            (Some(extract), Ok(Ok(plan)), Some(account)) => (extract, plan, account),
            (extract, planned, _) => {
                let reason = match (extract, planned) {
                    (None, _) => NO_EXTRACTOR.to_owned(),
                    (_, Ok(Err(faults))) => format!("its request cannot be read: {faults}"),
                    (_, Err(_)) => "the engine failed on its request".to_owned(),
                    (_, Ok(Ok(_))) => "it belongs to no team".to_owned(),
                };
                let reason = format!("the process of the job ended, and it cannot run again: {reason}");
                return Ok(fail_free(self.store().as_ref(), id, &reason, self.clock().now()).await?);
            }
        };
        let JobAccount { team, slots, max_jobs, budget, .. } = *account;
        let team = Team {
            max_concurrency: slots.unwrap_or(DEFAULT_TEAM_CONCURRENCY),
            max_jobs: max_jobs.unwrap_or(DEFAULT_TEAM_JOBS),
            ..Team::new(team)
        };
        self.run_extract(extract, plan, PayingJob { team, id, reserved: budget, tokens_before });
        // A cancel that came before this did not stop it.
        if self.store().snapshot(id).await.is_ok_and(|job| job.state.is_terminal()) {
            self.stop_work(id);
        }
        Ok(())
    }
}

/// Runs the extract jobs of earlier processes again. With a store of several processes, it also runs those of
/// processes that end later.
pub(super) async fn resume(service: Weak<JobService>) {
    let mut listed: Option<VecDeque<JobId>> = None;
    loop {
        // Only for one step: the service may be dropped during a pause.
        let Some(service) = service.upgrade() else { return };
        let step = match &mut listed {
            None => match service.store().orphans(service.runtime.worker(), JobKind::Extract).await {
                Ok(orphans) => {
                    listed = Some(orphans.into());
                    Ok(())
                }
                Err(error) => Err(Error::from(error)),
            },
            Some(orphans) => {
                let Some(id) = orphans.pop_front() else {
                    if !service.store().is_durable() {
                        return;
                    }
                    drop(service);
                    tokio::time::sleep(ORPHANS_INTERVAL).await;
                    listed = None;
                    continue;
                };
                let resumed = service.resume_extract(id).await;
                if resumed.is_err() {
                    orphans.push_back(id);
                }
                resumed
            }
        };
        drop(service);
        if let Err(error) = step {
            tracing::error!(%error, "the extract jobs of an earlier process could not be started");
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}

/// The plan of a stored request. An earlier process has checked it, perhaps within wider bounds than those of
/// this one.
fn plan_of(request: &JobRequest) -> Result<ExtractPlan, Faults> {
    let bounds = RequestBounds::CONTRACT.with_timeout(Duration::MAX);
    let check = match request.api {
        ApiVersion::V1 => v1::ExtractRequest::checked_from_json,
        ApiVersion::V2 => ExtractRequest::checked_from_json,
    };
    Ok(check(&request.body, bounds)?.plan)
}

/// Charges an extract job that ends without a result for the tokens that it used.
pub(super) async fn charge(store: &dyn Store, job: JobId, tokens: u64) -> Result<(), gleaner_store::Error> {
    match tokens {
        0 => Ok(()),
        _ => store.charge(job, tokens, tokens.div_ceil(TOKENS_PER_CREDIT)).await,
    }
}

/// Ends an extract job that fails by a fault of the engine, so nothing is charged.
async fn fail_free(
    store: &dyn Store,
    job: JobId,
    reason: &str,
    now: Duration,
) -> Result<(), gleaner_store::Error> {
    let failed = match store.charge(job, 0, 0).await {
        Ok(()) => store.fail(job, reason, now).await.map(drop),
        error => error,
    };
    if failed.as_ref().is_err_and(gleaner_store::Error::is_job_ended) { Ok(()) } else { failed }
}

/// Waits until a job has ended, such as by a cancel in another process.
async fn ended_elsewhere(store: &dyn Store, job: JobId) {
    if let Ok(mut progress) = store.progress(job).await {
        loop {
            if store.snapshot(job).await.is_ok_and(|job| job.state.is_terminal()) {
                return;
            }
            if progress.changed().await.is_err() {
                break;
            }
        }
    }
    std::future::pending::<()>().await;
}

/// Runs an extract job to its end, or until it is cancelled.
async fn run(
    service: Weak<JobService>,
    store: Arc<dyn Store>,
    clock: Clock,
    extract: Arc<dyn Extract>,
    task: ExtractTask,
    reservation: Arc<CreditReservation>,
) {
    let (id, cancelled) = (task.id, task.cancelled.clone());
    // In a task of its own, so that a panic fails only this job.
    let log_suppression = task.plan.zero_data_retention;
    let mut extraction =
        tokio::spawn(async move { without_logs(log_suppression, extract.extract(task)).await });
    let extracted = tokio::select! {
        () = cancelled.cancelled() => return extraction.abort(),
        extracted = &mut extraction => extracted,
        () = ended_elsewhere(store.as_ref(), id) => {
            extraction.abort();
            if let Some(service) = service.upgrade() {
                service.stop_work(id);
            }
            return;
        }
    };
    let now = clock.now();
    let ended = match extracted {
        Ok(Ok(extracted)) => {
            let Extracted { data, sources, warning, tokens_used, .. } = extracted;
            let tokens_used = reservation.tokens_before().saturating_add(tokens_used);
            let credits = tokens_used.div_ceil(TOKENS_PER_CREDIT);
            let conclusion = Conclusion { data, sources, warning, tokens_used, credits };
            store.conclude(id, conclusion, now).await.map(drop)
        }
        Ok(Err(error)) => {
            if let Err(error) = charge(store.as_ref(), id, reservation.total_tokens()).await {
                tracing::error!(%error, job = %id, "the usage of an extract could not be charged");
            }
            store.fail(id, &error.message, now).await.map(drop)
        }
        Err(_) => fail_free(store.as_ref(), id, "the engine failed on this request", now).await,
    };
    if let Some(service) = service.upgrade() {
        service.stop_work(id);
    }
    if let Err(error) = ended
        && !error.is_job_ended()
    {
        tracing::error!(%error, job = %id, "the end of an extract could not be stored");
    }
}
