//! Credits and limits of an extract job.

use std::fmt;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use gleaner_runtime::{JobOwner, OwnerPermit, TOKENS_PER_CREDIT, TokenMeter};
use gleaner_store::JobAccount;
use gleaner_types::JobId;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::accounts::{Accounts, Team};
use crate::lookups::Lookups;

/// Credits that an extract job draws beyond the need of its next step, to avoid one account call per step.
pub const CREDITS_AHEAD: u64 = 100;

/// The owner of an extract job: it pays for the job's tokens with credits of the team, and its pages share
/// the concurrency limit of the team.
///
/// The cost of a job becomes known step by step. Before each step, the job draws credits for the tokens that
/// it may have used by the end of the step, and it stops if the balance is too low. A job therefore never
/// spends credits that do not exist, and the team does not need the price of the whole budget at submit.
/// Unused credits return to the balance when the job ends.
///
/// Used tokens ([`set_meter`](JobOwner::set_meter)) are charged when the job completes, when it fails with
/// a reported reason, and when it is cancelled. A job that fails by a fault of the engine costs nothing.
pub(crate) struct CreditReservation {
    accounts: Arc<dyn Accounts>,
    lookups: Lookups,
    team: Team,
    job: JobId,
    /// Reserved credits; `None` if the team is not metered.
    reserved: Option<Mutex<u64>>,
    meter: OnceLock<TokenMeter>,
}

impl CreditReservation {
    pub(crate) fn new(
        accounts: Arc<dyn Accounts>,
        lookups: Lookups,
        team: &Team,
        job: JobId,
        reserved: Option<u64>,
    ) -> Self {
        let reserved = reserved.map(Mutex::new);
        Self { accounts, lookups, team: team.clone(), job, reserved, meter: OnceLock::new() }
    }
}

#[async_trait]
impl JobOwner for CreditReservation {
    fn page_account(&self) -> Box<JobAccount> {
        let slots = Some(self.team.max_concurrency);
        let team = self.team.id.clone();
        Box::new(JobAccount { slots, part_of: Some(self.job), ..JobAccount::of(team) })
    }

    async fn reserve_tokens(&self, tokens: u64) -> bool {
        let Some(reserved) = &self.reserved else { return true };
        let mut reserved = reserved.lock().await;
        let needed = tokens.div_ceil(TOKENS_PER_CREDIT);
        let missing = needed.saturating_sub(*reserved);
        if missing == 0 {
            return true;
        }
        let (operation, credits) = (Uuid::now_v7(), missing.saturating_add(CREDITS_AHEAD));
        match self.accounts.draw(&self.team.id, self.job, operation, credits).await {
            Ok(drawn) => {
                *reserved = reserved.saturating_add(drawn);
                *reserved >= needed
            }
            Err(error) => {
                tracing::error!(%error, job = %self.job, "credits could not be drawn");
                false
            }
        }
    }

    fn set_meter(&self, meter: TokenMeter) {
        let _first_stays = self.meter.set(meter);
    }

    fn tokens_used(&self) -> u64 {
        self.meter.get().map_or(0, |meter| meter())
    }

    async fn lookup_permit(&self) -> OwnerPermit {
        OwnerPermit::new(self.lookups.acquire_for_job(&self.team).await)
    }
}

impl fmt::Debug for CreditReservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreditReservation")
            .field("team", &self.team.id)
            .field("job", &self.job)
            .finish_non_exhaustive()
    }
}
