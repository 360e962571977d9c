use std::sync::Arc;

use gleaner_runtime::{CREDITS_PER_PAGE, Error};
use gleaner_types::plan::BatchPlan;
use gleaner_types::{JobId, JobKind};

use super::{JobService, Submit};
use crate::accounts::Team;

impl JobService {
    /// Adds pages to a batch that runs. They are scraped with the options that the batch began with, and
    /// their events go to its webhook; where the request asks for other options, the batch carries a warning,
    /// and what cannot be honoured is refused.
    pub(super) async fn append(
        self: &Arc<Self>,
        team: &Team,
        id: JobId,
        plan: BatchPlan,
        submit: Submit,
    ) -> Result<(), Error> {
        self.check_key(team, &submit).await?;
        let snapshot = self.find(&team.id, JobKind::BatchScrape, id).await?;
        if snapshot.kind != Some(JobKind::BatchScrape) {
            return Err(Error::not_found());
        }
        let running = self.runtime.running(id).filter(|_| !snapshot.state.is_terminal());
        let running =
            running.ok_or_else(|| Error::conflict("the batch has ended and takes no more pages"))?;
        if plan.zero_data_retention && !running.zero_data_retention() {
            let text = "`zeroDataRetention` cannot be asked for pages of a batch that began without it";
            return Err(Error::fault("zeroDataRetention", text));
        }
        if plan.webhook.is_some() {
            let text = "`webhook` cannot be given for appended pages: they are told to that of the batch";
            return Err(Error::fault("webhook", text));
        }
        let credits = (plan.targets.len() as u64).saturating_mul(CREDITS_PER_PAGE);
        let reservation = self.reserve(team, id, credits).await?;
        let (credits, key) = (reservation.credits().unwrap_or(0), submit.idempotency_key);
        if let Err(error) = self.runtime.append(id, &plan.targets, credits, key).await {
            reservation.release().await?;
            return Err(error);
        }
        reservation.kept();
        if *running.options() != plan.options {
            let warning = "appended pages are scraped with the options that the batch began with";
            self.store().warn(id, warning).await?;
        }
        if plan.max_concurrency.is_some() {
            let warning = "`maxConcurrency` of appended pages has no effect: the batch has its own";
            self.store().warn(id, warning).await?;
        }
        Ok(())
    }
}
