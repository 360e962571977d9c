//! Adds pages to a running batch.

use std::sync::Arc;

use gleaner_runtime::{CREDITS_PER_PAGE, Error};
use gleaner_store::JobWarning;
use gleaner_types::plan::BatchPlan;
use gleaner_types::{JobId, JobKind};

use super::{JobService, SubmitContext};
use crate::accounts::Team;

impl JobService {
    /// Adds pages to a running batch. The options and the webhook of the batch apply to them. If the request
    /// has other options, the batch gets a warning; settings that the batch cannot honour are refused.
    pub(super) async fn append(
        self: &Arc<Self>,
        team: &Team,
        id: JobId,
        plan: BatchPlan,
        submit: SubmitContext,
    ) -> Result<(), Error> {
        self.check_idempotency_key(team, &submit).await?;
        let snapshot = self.find(&team.id, JobKind::BatchScrape, id).await?;
        if snapshot.kind != Some(JobKind::BatchScrape) {
            return Err(Error::not_found());
        }
        let running = match snapshot.state.is_terminal() {
            true => None,
            false => self.runtime.running(id).await,
        };
        let running =
            running.ok_or_else(|| Error::conflict("the batch has ended and accepts no more pages"))?;
        if plan.zero_data_retention && !running.zero_data_retention() {
            let text = "`zeroDataRetention` cannot be set for pages of a batch that was started without it";
            return Err(Error::fault("zeroDataRetention", text));
        }
        if plan.webhook.is_some() {
            let text =
                "`webhook` cannot be set for appended pages: the webhook of the batch receives their events";
            return Err(Error::fault("webhook", text));
        }
        let credits = (plan.targets.len() as u64).saturating_mul(CREDITS_PER_PAGE);
        let reservation = self.reserve_more(team, id, credits).await?;
        let (credits, key) = (reservation.credits().unwrap_or(0), submit.idempotency_key);
        let (runtime, targets) = (Arc::clone(&self.runtime), plan.targets);
        reservation.start(async move { runtime.append(id, &targets, credits, key).await }).await?;
        if *running.options() != plan.options {
            self.store().warn(id, JobWarning::AppendedOptions).await?;
        }
        if plan.max_concurrency.is_some() {
            self.store().warn(id, JobWarning::AppendedConcurrency).await?;
        }
        Ok(())
    }
}
