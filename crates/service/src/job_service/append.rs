use std::sync::Arc;

use gleaner_types::plan::BatchPlan;
use gleaner_types::{JobId, JobKind};

use super::{JobService, Submit};
use crate::Error;
use crate::accounts::Team;
use crate::context::candidates;
use crate::credits::CREDITS_PER_PAGE;
use crate::runtime::new_id;

impl JobService {
    /// Adds pages to a batch that runs. They are scraped with the options that the batch began with, and told to its
    /// webhook; where the request asks for other options, the batch carries a warning, and for what would be
    /// promised in vain it is refused.
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
        let context = self.shared().context(id).filter(|_| !snapshot.state.is_terminal());
        let context =
            context.ok_or_else(|| Error::conflict("the batch has ended and takes no more pages"))?;
        if plan.zero_data_retention && !context.zero_data_retention {
            let text = "`zeroDataRetention` cannot be asked for pages of a batch that began without it";
            return Err(Error::fault("zeroDataRetention", text));
        }
        if plan.webhook.is_some() {
            let text = "`webhook` cannot be given for appended pages: they are told to that of the batch";
            return Err(Error::fault("webhook", text));
        }
        let credits = (plan.targets.len() as u64).saturating_mul(CREDITS_PER_PAGE);
        let reservation = self.reserve(team, id, credits).await?;
        // Numbers that the batch has not given out: those of a new id, which no other request has.
        let (_, random) = new_id().as_uuid().as_u64_pair();
        let pages = candidates(random << 20, &plan.targets);
        let now = self.clock().now();
        let (credits, key) = (reservation.credits().unwrap_or(0), submit.idempotency_key);
        if let Err(error) = self.store().append(id, pages, credits, key, now).await {
            reservation.release().await?;
            return Err(error.into());
        }
        reservation.kept();
        if context.options != plan.options {
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
