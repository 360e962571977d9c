//! Reservations of credits for work that has not started, and lookups that are charged.

use std::future::Future;
use std::sync::Arc;

use gleaner_runtime::{CREDITS_PER_PAGE, Error, Executor, new_id};
use gleaner_store::{Reservation, Store, TeamId};
use gleaner_types::JobId;
use uuid::Uuid;

use super::JobService;
use crate::accounts::{Accounts, Team};

/// A reservation as the accounts provider and the store know it.
#[derive(Debug, Clone)]
struct Operation {
    accounts: Arc<dyn Accounts>,
    store: Arc<dyn Store>,
    team: TeamId,
    job: JobId,
    id: Uuid,
}

impl Operation {
    async fn return_credits(self, credits: u64) -> Result<(), Error> {
        self.accounts.release(&self.team, self.job, self.id, credits).await?;
        Ok(self.store.withdrawn(self.id).await?)
    }
}

/// Credits reserved for work that has not started. They return to the balance unless the reservation is
/// committed, also if the future of the request is dropped.
#[derive(Debug)]
pub(super) struct PendingReservation {
    operation: Operation,
    executor: Executor,
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

    /// Reserves credits.
    async fn reserve(mut self, credits: u64) -> Result<Self, Error> {
        // Before the call: if it fails, the provider may have reserved them, and they are returned.
        self.credits = Some(credits);
        let Operation { accounts, store, team, job, id } = &self.operation;
        if accounts.reserve(team, *job, *id, credits).await? {
            return Ok(self);
        }
        self.credits = None;
        store.withdrawn(*id).await?;
        Err(insufficient_credits(credits))
    }

    /// Starts the work that the credits pay for. They return to the balance if it does not start. It runs in
    /// a task of its own: it starts and the reservation stays, or neither, also if the request is dropped.
    pub(super) async fn start<T: Send + 'static>(
        self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let starting = tokio::spawn(async move {
            match work.await {
                Ok(started) => {
                    self.commit();
                    Ok(started)
                }
                Err(error) => {
                    self.release().await?;
                    Err(error)
                }
            }
        });
        starting.await.unwrap_or_else(|error| Err(Error::of_task(&error)))
    }

    /// The work did not start: the credits return to the balance.
    pub(super) async fn release(mut self) -> Result<(), Error> {
        let Some(credits) = self.credits.take() else { return Ok(()) };
        self.operation.clone().return_credits(credits).await
    }
}

impl Drop for PendingReservation {
    fn drop(&mut self) {
        let Some(credits) = self.credits.take() else { return };
        let (operation, job) = (self.operation.clone(), self.operation.job);
        let returning = async move {
            if let Err(error) = operation.return_credits(credits).await {
                tracing::error!(%error, %job, "a reservation could not be released");
            }
        };
        if let Err(error) = self.executor.spawn(returning) {
            tracing::error!(%error, %job, "a reservation could not be released");
        }
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
        self.runtime
            .executor()
            .run(async {
                let _permit = self.lookups.acquire_for_request(team).await?;
                let id = new_id();
                let reservation = self.reserve_for_new(team, id, CREDITS_PER_PAGE).await?;
                let Operation { accounts, store, team, id: operation, .. } = reservation.operation.clone();
                let output = match lookup.await {
                    Ok(output) => output,
                    Err(error) => {
                        reservation.release().await?;
                        return Err(error);
                    }
                };
                reservation.commit();
                // In a task of its own: the settlement completes even if the client disconnects.
                let settling = tokio::spawn(async move {
                    accounts.settle(&team, id, CREDITS_PER_PAGE).await?;
                    store.withdrawn(operation).await.map_err(Error::from)
                });
                settling.await.unwrap_or_else(|_| Err(Error::failed("the accounts provider panicked")))?;
                Ok(output)
            })
            .await
    }

    /// Checks that the balance covers `credits`, and reserves nothing.
    pub(super) async fn check_balance(&self, team: &Team, credits: u64) -> Result<(), Error> {
        let accounts = &self.config.accounts;
        let enough = !accounts.is_metered(&team.id).await?
            || u64::try_from(accounts.balance(&team.id).await?.remaining).unwrap_or(0) >= credits;
        if enough { Ok(()) } else { Err(insufficient_credits(credits)) }
    }

    /// Reserves credits for a job that is not submitted yet. If the process ends before the submit, the next
    /// one returns them.
    pub(super) async fn reserve_for_new(
        &self,
        team: &Team,
        job: JobId,
        credits: u64,
    ) -> Result<PendingReservation, Error> {
        let reservation = self.no_reservation(team, job);
        if !self.config.accounts.is_metered(&team.id).await? {
            return Ok(reservation);
        }
        let (store, now, operation) =
            (Arc::clone(self.store()), self.clock().now(), reservation.operation.id);
        let intended = Reservation { operation, job, team: team.id.clone(), credits };
        reserved(async move {
            store.intend(intended, now).await?;
            reservation.reserve(credits).await
        })
        .await
    }

    /// Reserves further credits for a running job, whose settlement returns what it does not use.
    pub(super) async fn reserve_more(
        &self,
        team: &Team,
        job: JobId,
        credits: u64,
    ) -> Result<PendingReservation, Error> {
        let reservation = self.no_reservation(team, job);
        match self.config.accounts.is_metered(&team.id).await? {
            true => reserved(reservation.reserve(credits)).await,
            false => Ok(reservation),
        }
    }

    fn no_reservation(&self, team: &Team, job: JobId) -> PendingReservation {
        let operation = Operation {
            accounts: Arc::clone(&self.config.accounts),
            store: Arc::clone(self.store()),
            team: team.id.clone(),
            job,
            id: Uuid::now_v7(),
        };
        PendingReservation { operation, executor: self.runtime.executor().clone(), credits: None }
    }
}

/// Reserves in a task of its own, which ends also if the request is dropped: the reservation is then returned.
async fn reserved(
    reserving: impl Future<Output = Result<PendingReservation, Error>> + Send + 'static,
) -> Result<PendingReservation, Error> {
    let reserving = tokio::spawn(reserving);
    reserving.await.unwrap_or_else(|_| Err(Error::failed("the accounts provider panicked")))
}

fn insufficient_credits(credits: u64) -> Error {
    Error::insufficient_credits(format!(
        "insufficient credits: the request needs {credits} and the balance has fewer"
    ))
}
