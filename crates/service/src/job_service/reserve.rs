//! Reservations of credits for work that has not started, and lookups that are charged.

use std::future::Future;
use std::sync::Arc;

use gleaner_runtime::{CREDITS_PER_PAGE, Error, new_id};
use gleaner_store::TeamId;
use gleaner_types::JobId;
use tokio::runtime::Handle;

use super::JobService;
use crate::accounts::{Accounts, Team};

/// Credits reserved for work that has not started. They return to the balance unless the reservation is
/// committed, also if the future of the request is dropped.
#[derive(Debug)]
pub(super) struct PendingReservation {
    accounts: Arc<dyn Accounts>,
    runtime: Handle,
    team: TeamId,
    job: JobId,
    /// `None` if the team is not metered, or once the reservation is committed or released.
    credits: Option<u64>,
}

impl PendingReservation {
    pub(super) fn credits(&self) -> Option<u64> {
        self.credits
    }

    /// The work has started: the settlement of the job ends the reservation.
    pub(super) fn commit(mut self) {
        self.credits = None;
    }

    /// The work did not start: the credits return to the balance.
    pub(super) async fn release(mut self) -> Result<(), Error> {
        match self.credits.take() {
            Some(credits) => self.accounts.release(&self.team, self.job, credits).await,
            None => Ok(()),
        }
    }
}

impl Drop for PendingReservation {
    fn drop(&mut self) {
        let Some(credits) = self.credits.take() else { return };
        let (accounts, team, job) = (Arc::clone(&self.accounts), self.team.clone(), self.job);
        self.runtime.spawn(async move {
            if let Err(error) = accounts.release(&team, job, credits).await {
                tracing::error!(%error, %job, "a reservation could not be released");
            }
        });
    }
}

impl JobService {
    /// Runs a lookup of a team, such as the map of a site, and charges one page if it succeeds. The team's
    /// concurrency limit bounds its lookups; at most
    /// [`MAX_LOOKUPS_PER_TEAM`](crate::MAX_LOOKUPS_PER_TEAM) of them run at once, and the others wait.
    ///
    /// # Errors
    /// Why the team may not run it, or the error of the lookup.
    pub async fn charged_lookup<T, E: From<Error>>(
        &self,
        team: &Team,
        lookup: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _permit = self.lookups.acquire_for_request(team).await?;
        let id = new_id();
        let reservation = self.reserve(team, id, CREDITS_PER_PAGE).await?;
        let output = match lookup.await {
            Ok(output) => output,
            Err(error) => {
                reservation.release().await?;
                return Err(error);
            }
        };
        reservation.commit();
        let (accounts, team) = (Arc::clone(&self.config.accounts), team.id.clone());
        // In a task of its own: the settlement completes even if the client disconnects.
        let settling = tokio::spawn(async move { accounts.settle(&team, id, CREDITS_PER_PAGE).await });
        settling.await.unwrap_or_else(|_| Err(Error::failed("the accounts provider panicked")))?;
        Ok(output)
    }

    /// Checks that the balance covers `credits`, and reserves nothing.
    pub(super) async fn check_balance(&self, team: &Team, credits: u64) -> Result<(), Error> {
        let accounts = &self.config.accounts;
        let enough = !accounts.is_metered(&team.id).await?
            || u64::try_from(accounts.balance(&team.id).await?.remaining).unwrap_or(0) >= credits;
        if enough { Ok(()) } else { Err(insufficient_credits(credits)) }
    }

    /// Reserves credits for a job.
    pub(super) async fn reserve(
        &self,
        team: &Team,
        job: JobId,
        credits: u64,
    ) -> Result<PendingReservation, Error> {
        let accounts = Arc::clone(&self.config.accounts);
        let metered = accounts.is_metered(&team.id).await?;
        if metered && !accounts.reserve(&team.id, job, credits).await? {
            return Err(insufficient_credits(credits));
        }
        let (team, credits) = (team.id.clone(), metered.then_some(credits));
        Ok(PendingReservation { accounts, runtime: Handle::current(), team, job, credits })
    }
}

fn insufficient_credits(credits: u64) -> Error {
    Error::insufficient_credits(format!(
        "insufficient credits: the request needs {credits} and the balance has fewer"
    ))
}
