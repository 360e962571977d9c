//! Credits and limits of an extract job.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gleaner_runtime::{JobOwner, OwnerPermit, TOKENS_PER_CREDIT, TokenMeter};
use gleaner_store::{JobAccount, Store, grant_operation};
use gleaner_types::{BoxFuture, JobId};
use tokio::sync::Mutex;

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
/// The draws of a job are numbered, and their ids follow from the numbers. A job that runs again in a later
/// process repeats them from the first one, so what its earlier runs drew is not drawn twice.
///
/// Used tokens ([`set_meter`](JobOwner::set_meter)) are charged before each step, so that a crash does not
/// lose their number, and when the job completes, fails with a reported reason, or is cancelled. A job that
/// fails by a fault of the engine costs nothing.
pub(crate) struct CreditReservation {
    accounts: Arc<dyn Accounts>,
    store: Arc<dyn Store>,
    lookups: Lookups,
    team: Team,
    job: JobId,
    /// `None` if the team is not metered.
    reserved: Option<Mutex<Reserved>>,
    /// Tokens that earlier runs of the job used.
    tokens_before: u64,
    meter: OnceLock<TokenMeter>,
    /// The tokens that the store knows of. Locked while they change, so that the last number is the highest.
    charged: Mutex<u64>,
}

/// Reserved credits.
#[derive(Debug)]
struct Reserved {
    credits: u64,
    /// Number of draws that added some.
    draws: u64,
}

/// A job that pays by its tokens.
#[derive(Debug)]
pub(crate) struct PayingJob {
    pub(crate) team: Team,
    pub(crate) id: JobId,
    /// Credits that its submit reserved; `None` if the team is not metered.
    pub(crate) reserved: Option<u64>,
    /// Tokens that its earlier runs used.
    pub(crate) tokens_before: u64,
}

impl CreditReservation {
    pub(crate) fn new(
        accounts: Arc<dyn Accounts>,
        store: Arc<dyn Store>,
        lookups: Lookups,
        job: PayingJob,
    ) -> Self {
        let PayingJob { team, id, reserved, tokens_before } = job;
        let reserved = reserved.map(|credits| Mutex::new(Reserved { credits, draws: 0 }));
        Self {
            accounts,
            store,
            lookups,
            team,
            job: id,
            reserved,
            tokens_before,
            meter: OnceLock::new(),
            charged: Mutex::new(tokens_before),
        }
    }

    /// Tokens that all runs of the job have used so far.
    pub(crate) fn total_tokens(&self) -> u64 {
        self.tokens_before.saturating_add(self.tokens_used())
    }

    /// Charges the job for its tokens so far, if they have changed. They are charged again at its end, so a
    /// failure is only logged.
    async fn charge(&self) {
        let mut charged = self.charged.lock().await;
        let tokens = self.total_tokens();
        if tokens <= *charged {
            return;
        }
        match self.store.charge(self.job, tokens, tokens.div_ceil(TOKENS_PER_CREDIT)).await {
            Ok(()) => *charged = tokens,
            Err(error) => tracing::debug!(%error, job = %self.job, "the usage of a job was not stored"),
        }
    }
}

impl JobOwner for CreditReservation {
    fn page_account(&self) -> Box<JobAccount> {
        let slots = Some(self.team.max_concurrency);
        let team = self.team.id.clone();
        Box::new(JobAccount { slots, part_of: Some(self.job), ..JobAccount::of(team) })
    }

    fn tokens_before(&self) -> u64 {
        self.tokens_before
    }

    fn reserve_tokens(&self, tokens: u64) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            self.charge().await;
            let Some(reserved) = &self.reserved else { return true };
            let mut reserved = reserved.lock().await;
            let needed = self.tokens_before.saturating_add(tokens).div_ceil(TOKENS_PER_CREDIT);
            while reserved.credits < needed {
                let operation = grant_operation(self.job, reserved.draws);
                let credits = (needed - reserved.credits).saturating_add(CREDITS_AHEAD);
                // A draw that an earlier run made returns what it returned then, which may be too few.
                match self.accounts.draw(&self.team.id, self.job, operation, credits).await {
                    Ok(0) => return false,
                    Ok(drawn) => {
                        reserved.credits = reserved.credits.saturating_add(drawn);
                        reserved.draws += 1;
                    }
                    Err(error) => {
                        tracing::error!(%error, job = %self.job, "credits could not be drawn");
                        return false;
                    }
                }
            }
            true
        })
    }

    fn set_meter(&self, meter: TokenMeter) {
        let _first_stays = self.meter.set(meter);
    }

    fn tokens_used(&self) -> u64 {
        self.meter.get().map_or(0, |meter| meter())
    }

    fn lookup_permit(&self) -> BoxFuture<'_, OwnerPermit> {
        Box::pin(async move { OwnerPermit::new(self.lookups.acquire_for_job(&self.team).await) })
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
