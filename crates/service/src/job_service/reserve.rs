//! Credits that are set aside for work which has not come about yet, and work that is no job.

use std::future::Future;
use std::sync::Arc;

use gleaner_runtime::{CREDITS_PER_PAGE, Error, new_id};
use gleaner_store::TeamId;
use gleaner_types::JobId;
use tokio::runtime::Handle;

use super::JobService;
use crate::accounts::{Accounts, Team};

/// Credits reserved for what has not come about yet. Where it does not, they go back, also where whoever
/// asked for it goes away in between.
#[derive(Debug)]
pub(super) struct Reservation {
    accounts: Arc<dyn Accounts>,
    runtime: Handle,
    team: TeamId,
    job: JobId,
    /// `None` where the team pays out of no balance, or nothing is to go back any more.
    credits: Option<u64>,
}

impl Reservation {
    pub(super) fn credits(&self) -> Option<u64> {
        self.credits
    }

    /// It came about: the end of the job settles.
    pub(super) fn kept(mut self) {
        self.credits = None;
    }

    /// It did not come about.
    pub(super) async fn release(mut self) -> Result<(), Error> {
        match self.credits.take() {
            Some(credits) => self.accounts.release(&self.team, self.job, credits).await,
            None => Ok(()),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let Some(credits) = self.credits.take() else { return };
        let (accounts, team, job) = (Arc::clone(&self.accounts), self.team.clone(), self.job);
        self.runtime.spawn(async move {
            if let Err(error) = accounts.release(&team, job, credits).await {
                tracing::error!(%error, %job, "a reservation could not be given back");
            }
        });
    }
}

impl JobService {
    /// Does work for a team that is no job of its own, such as the map of a site: for the price of one page
    /// where it comes off. As many at once may be asked for as the team may have pages in work;
    /// [`MAX_LOOKUPS_PER_TEAM`](crate::MAX_LOOKUPS_PER_TEAM) of them are done at once, and the others wait.
    ///
    /// # Errors
    /// Why the team may not, or those of the work.
    pub async fn charged<T, E: From<Error>>(
        &self,
        team: &Team,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _place = self.lookups.acquire_for_request(team).await?;
        let id = new_id();
        let reservation = self.reserve(team, id, CREDITS_PER_PAGE).await?;
        let done = match work.await {
            Ok(done) => done,
            Err(error) => {
                reservation.release().await?;
                return Err(error);
            }
        };
        reservation.kept();
        let (accounts, team) = (Arc::clone(&self.parts.accounts), team.id.clone());
        // On its own feet: what was done is paid, though nobody may wait for it any more.
        let settling = tokio::spawn(async move { accounts.settle(&team, id, CREDITS_PER_PAGE).await });
        settling.await.unwrap_or_else(|_| Err(Error::failed("the accounts provider panicked")))?;
        Ok(done)
    }

    /// Are there so many credits? Nothing is reserved.
    pub(super) async fn check_balance(&self, team: &Team, credits: u64) -> Result<(), Error> {
        let accounts = &self.parts.accounts;
        let enough = !accounts.is_metered(&team.id).await?
            || u64::try_from(accounts.balance(&team.id).await?.remaining).unwrap_or(0) >= credits;
        if enough { Ok(()) } else { Err(too_few(credits)) }
    }

    /// Reserves credits for a job.
    pub(super) async fn reserve(&self, team: &Team, job: JobId, credits: u64) -> Result<Reservation, Error> {
        let accounts = Arc::clone(&self.parts.accounts);
        let metered = accounts.is_metered(&team.id).await?;
        if metered && !accounts.reserve(&team.id, job, credits).await? {
            return Err(too_few(credits));
        }
        let (team, credits) = (team.id.clone(), metered.then_some(credits));
        Ok(Reservation { accounts, runtime: Handle::current(), team, job, credits })
    }
}

pub(super) fn too_few(credits: u64) -> Error {
    Error::insufficient_credits(format!(
        "insufficient credits: the request needs {credits} and the balance has fewer"
    ))
}
