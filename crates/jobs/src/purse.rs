//! What an extract job works on: the account of its team.

use std::sync::Arc;

use gleaner_store::JobAccount;
use gleaner_types::JobId;
use tokio::sync::Mutex;

use crate::accounts::{Accounts, Team};
use crate::extract::TOKENS_PER_CREDIT;

/// An extract job draws so many credits more than it needs for its next step, lest it ask its keeper at each.
pub const CREDITS_AHEAD: u64 = 100;

/// The account of an extract job: credits for its tokens, and its team's turn and slots for its pages.
///
/// What a job will cost is known step by step, so it draws credits as it goes: before each step those for what it may use
/// until then, and it stops where there are no more. So it never spends what nobody has, and its team need not have the
/// price of the whole budget. What it did not use goes back at its end.
#[derive(Debug)]
pub struct Purse {
    accounts: Arc<dyn Accounts>,
    team: Team,
    job: JobId,
    /// Credits that are set aside; `None` where they are not counted against a balance.
    reserved: Option<Mutex<u64>>,
}

impl Purse {
    pub(crate) fn new(accounts: Arc<dyn Accounts>, team: &Team, job: JobId, reserved: Option<u64>) -> Self {
        Self { accounts, team: team.clone(), job, reserved: reserved.map(Mutex::new) }
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
