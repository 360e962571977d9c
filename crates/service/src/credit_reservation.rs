//! What an extract job works on: the account of its team.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gleaner_store::JobAccount;
use gleaner_types::JobId;
use tokio::sync::Mutex;

use crate::accounts::{Accounts, Team};
use crate::extract::TOKENS_PER_CREDIT;
use crate::lookups::{LookupPermit, Lookups};

/// An extract job draws so many credits more than it needs for its next step, lest it ask its keeper at each.
pub const CREDITS_AHEAD: u64 = 100;

/// The account of an extract job: credits for its tokens, and its team's turn and slots for its pages.
///
/// What a job will cost is known step by step, so it draws credits as it goes: before each step those for what it may use
/// until then, and it stops where there are no more. So it never spends what nobody has, and its team need not have the
/// price of the whole budget. What it did not use goes back at its end.
///
/// What a job used is charged however it ends, since it was used ([`metered_by`](Self::metered_by)): when it is complete, when
/// it fails for a reason that it tells, and when it is cancelled. Only where the engine itself fails on it, nothing is.
pub struct CreditReservation {
    accounts: Arc<dyn Accounts>,
    lookups: Lookups,
    team: Team,
    job: JobId,
    /// Credits that are set aside; `None` where they are not counted against a balance.
    reserved: Option<Mutex<u64>>,
    meter: OnceLock<Meter>,
}

/// Tells how many tokens were used so far.
type Meter = Box<dyn Fn() -> u64 + Send + Sync>;

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

    /// Gives it what tells the tokens that the job used so far. It is asked where the job ends without a result, and may be
    /// asked at any time. The first one given holds.
    pub fn metered_by(&self, tokens: impl Fn() -> u64 + Send + Sync + 'static) {
        let _another_holds = self.meter.set(Box::new(tokens));
    }

    /// Tokens that the job used so far, as far as that is told.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.meter.get().map_or(0, |meter| meter())
    }

    /// Waits for a place for work that is no page, such as the map of a site.
    pub(crate) async fn lookup(&self) -> LookupPermit {
        self.lookups.wait(&self.team).await
    }

    /// Sets credits aside for so many tokens of the job, from its begin on. False where the team has too few: what would
    /// use so many must be left.
    pub async fn cover(&self, tokens: u64) -> bool {
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

    /// The account of a page of the job: it is leased as any page of the team, and paid with the job's tokens.
    pub(crate) fn of_page(&self) -> Box<JobAccount> {
        let slots = Some(self.team.max_concurrency);
        let team = self.team.id.clone();
        Box::new(JobAccount { slots, part_of: Some(self.job), ..JobAccount::of(team) })
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
