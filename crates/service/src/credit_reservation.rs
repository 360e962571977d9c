//! The account that an extract job works on: that of its team.

use std::fmt;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use gleaner_runtime::{JobOwner, OwnerPermit, TOKENS_PER_CREDIT, TokenMeter};
use gleaner_store::JobAccount;
use gleaner_types::JobId;
use tokio::sync::Mutex;

use crate::accounts::{Accounts, Team};
use crate::lookups::Lookups;

/// An extract job draws this many credits more than it needs for its next step, to avoid one account call per
/// step.
pub const CREDITS_AHEAD: u64 = 100;

/// The account of an extract job: credits for its tokens, and its team's turn and slots for its pages.
///
/// What a job will cost is known step by step, so it draws credits as it goes: before each step those for
/// what it may use until then, and it stops where there are no more. So it never spends what nobody has, and
/// its team need not have the price of the whole budget. What it did not use goes back at its end.
///
/// What a job used is charged however it ends, since it was used ([`metered_by`](JobOwner::metered_by)): when
/// it is complete, when it fails for a reason that it reports, and when it is cancelled. Only where the
/// engine itself fails on it, nothing is.
pub(crate) struct CreditReservation {
    accounts: Arc<dyn Accounts>,
    lookups: Lookups,
    team: Team,
    job: JobId,
    /// Credits that are set aside; `None` where they are not counted against a balance.
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

    async fn cover(&self, tokens: u64) -> bool {
        let Some(reserved) = &self.reserved else { return true };
        let mut reserved = reserved.lock().await;
        let needed = tokens.div_ceil(TOKENS_PER_CREDIT);
        let missing = needed.saturating_sub(*reserved);
        if missing == 0 {
            return true;
        }
        match self.accounts.draw(&self.team.id, self.job, missing.saturating_add(CREDITS_AHEAD)).await {
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

    fn metered_by(&self, meter: TokenMeter) {
        let _first_stays = self.meter.set(meter);
    }

    fn used(&self) -> u64 {
        self.meter.get().map_or(0, |meter| meter())
    }

    async fn lookup(&self) -> OwnerPermit {
        OwnerPermit::new(self.lookups.wait(&self.team).await)
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
