//! Background work of the service: credits for running jobs, settlement of ended jobs, and webhooks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use gleaner_runtime::{Cancellation, Clock, Error, Runtime};
use gleaner_store::{EndedJob, Reservation, Shortage, Store};
use gleaner_types::JobId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::accounts::Accounts;
use crate::activity::Activities;
use crate::webhook::WebhookSender;

/// Jobs of one kind that are read from the store at once.
const BATCH_SIZE: usize = 256;
/// Upper bound on concurrent calls of the accounts provider.
const MAX_CONCURRENT_CALLS: usize = 16;
/// Pause after a failure of the accounts provider.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Interval at which the store is polled if it reports no change.
const POLL_INTERVAL: Duration = Duration::from_secs(15);
/// A job that runs out of credits draws the price of this many pages beyond its next one.
const PAGES_AHEAD: u64 = 10;

/// The background task of a service. It does not keep the runtime alive.
pub(super) struct Maintenance {
    runtime: Weak<Runtime>,
    store: Arc<dyn Store>,
    clock: Clock,
    stopped: Cancellation,
    accounts: Arc<dyn Accounts>,
    activities: Arc<Activities>,
}

impl Maintenance {
    pub(super) fn new(
        runtime: &Arc<Runtime>,
        accounts: Arc<dyn Accounts>,
        activities: Arc<Activities>,
    ) -> Self {
        Self {
            runtime: Arc::downgrade(runtime),
            store: Arc::clone(runtime.store()),
            clock: runtime.clock(),
            stopped: runtime.stopped().clone(),
            accounts,
            activities,
        }
    }

    pub(super) async fn run(self, webhook_sender: Option<Arc<WebhookSender>>) {
        // Concurrently: a slow accounts provider delays no webhook.
        let deliver = async {
            match &webhook_sender {
                Some(webhook_sender) => self.deliver(webhook_sender).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.stopped.cancelled() => {}
            () = self.run_accounting() => {}
            () = deliver => {}
        }
    }

    /// Returns when the store closes.
    async fn run_accounting(&self) {
        let mut maintenance = self.store.maintenance();
        loop {
            // Before the read, to see changes that happen during it.
            maintenance.borrow_and_update();
            let pause = if self.process_accounting().await { POLL_INTERVAL } else { RETRY_PAUSE };
            if let Ok(Err(_)) = tokio::time::timeout(pause, maintenance.changed()).await {
                return;
            }
        }
    }

    /// Returns when the store closes.
    async fn deliver(&self, webhook_sender: &Arc<WebhookSender>) {
        let mut maintenance = self.store.maintenance();
        let mut deliveries = JoinSet::new();
        loop {
            maintenance.borrow_and_update();
            let poll_at = Instant::now() + POLL_INTERVAL;
            let next = webhook_sender.send_due(&mut deliveries).await;
            let wake_at = next.map_or(poll_at, |next| poll_at.min(self.clock.instant(next)));
            tokio::select! {
                changed = maintenance.changed() => if changed.is_err() { return },
                Some(_) = deliveries.join_next(), if !deliveries.is_empty() => {
                    while deliveries.try_join_next().is_some() {}
                }
                () = tokio::time::sleep_until(wake_at) => {}
            }
        }
    }

    /// Grants credits to jobs that need them and settles ended jobs. Returns false if any of it failed. A
    /// failure delays no other job; the next call tries again.
    async fn process_accounting(&self) -> bool {
        let failed = Mutex::new(HashSet::new());
        let has_failed = |id: &JobId| failed.lock().is_ok_and(|failed| failed.contains(id));
        let set_failed = |id: JobId| failed.lock().is_ok_and(|mut failed| failed.insert(id));
        loop {
            let failures = failed.lock().map_or(0, |failed| failed.len());
            let mut accounting = match self.store.accounting(BATCH_SIZE + failures).await {
                Ok(accounting) => accounting,
                Err(error) => {
                    tracing::error!(%error, "the jobs to account for could not be read");
                    return false;
                }
            };
            accounting.short.retain(|shortage| !has_failed(&shortage.job));
            accounting.ended.retain(|ended| !has_failed(&ended.snapshot.id));
            accounting.unsubmitted.retain(|reservation| !has_failed(&reservation.job));
            if accounting.is_empty() {
                return failures == 0;
            }
            let grants =
                stream::iter(accounting.short).for_each_concurrent(MAX_CONCURRENT_CALLS, async |shortage| {
                    if let Err(error) = self.grant_credits(&shortage).await {
                        tracing::error!(%error, job = %shortage.job, "credits could not be drawn");
                        set_failed(shortage.job);
                    }
                });
            grants.await;
            let settlements =
                stream::iter(accounting.ended).for_each_concurrent(MAX_CONCURRENT_CALLS, async |ended| {
                    let id = ended.snapshot.id;
                    if let Err(error) = self.settle(ended).await {
                        tracing::error!(%error, job = %id, "a job could not be settled");
                        set_failed(id);
                    }
                });
            settlements.await;
            for reservation in accounting.unsubmitted {
                if let Err(error) = self.return_credits(&reservation).await {
                    tracing::error!(%error, job = %reservation.job, "a reservation could not be returned");
                    set_failed(reservation.job);
                }
            }
        }
    }

    /// Returns the credits of a job that was never submitted, because its process ended before.
    async fn return_credits(&self, reservation: &Reservation) -> Result<(), Error> {
        self.accounts.settle(&reservation.team, reservation.job, 0).await?;
        Ok(self.store.withdrawn(reservation.operation).await?)
    }

    async fn grant_credits(&self, shortage: &Shortage) -> Result<(), Error> {
        let wanted = shortage.credits.saturating_add(shortage.price.saturating_mul(PAGES_AHEAD));
        let Shortage { team, job, operation, .. } = shortage;
        let granted = self.accounts.draw(team, *job, *operation, wanted).await?;
        // A draw that an earlier process made returns what it returned then, which may be too few: the job
        // stays short and draws again, until it has enough or the balance has none.
        self.store.grant(shortage.job, granted, self.clock.now()).await?;
        let has_ended = self.store.snapshot(shortage.job).await.is_ok_and(|job| job.state.is_terminal());
        if let Some(runtime) = self.runtime.upgrade().filter(|_| has_ended) {
            runtime.stop_job(shortage.job);
        }
        Ok(())
    }

    async fn settle(&self, ended: EndedJob) -> Result<(), Error> {
        let id = ended.snapshot.id;
        self.accounts.settle(&ended.team, id, ended.snapshot.credits_used).await?;
        self.activities.record(ended.for_log()).await?;
        Ok(self.store.settled(id).await?)
    }
}
