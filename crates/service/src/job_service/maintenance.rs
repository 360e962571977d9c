//! What goes on behind the service: credits for jobs that run short, settlement of those that ended, and
//! webhooks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use gleaner_runtime::{Clock, Error, Runtime};
use gleaner_store::{EndedJob, Shortage, Store};
use gleaner_types::JobId;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::accounts::Accounts;
use crate::activity::ActivityLog;
use crate::webhook::WebhookSender;

/// Chores of one kind that are taken on at once.
const AT_ONCE: usize = 256;
/// Calls of the accounts provider under way at once.
const CALLS_AT_ONCE: usize = 16;
/// Pause after a failure of the accounts provider.
const PAUSE: Duration = Duration::from_secs(1);
/// The chores are looked at this often even if nothing changes.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// A job that runs short asks for the price of this many pages beyond its next one.
const PAGES_AHEAD: u64 = 10;

/// The work behind a service. It keeps no runtime alive.
pub(super) struct Maintenance {
    runtime: Weak<Runtime>,
    store: Arc<dyn Store>,
    clock: Clock,
    stopped: CancellationToken,
    accounts: Arc<dyn Accounts>,
    activity: Arc<dyn ActivityLog>,
}

impl Maintenance {
    pub(super) fn new(
        runtime: &Arc<Runtime>,
        accounts: Arc<dyn Accounts>,
        activity: Arc<dyn ActivityLog>,
    ) -> Self {
        Self {
            runtime: Arc::downgrade(runtime),
            store: Arc::clone(runtime.store()),
            clock: runtime.clock(),
            stopped: runtime.stopped().clone(),
            accounts,
            activity,
        }
    }

    pub(super) async fn run(self, webhook_sender: Option<Arc<WebhookSender>>) {
        // Side by side: a slow accounts provider holds up no webhook.
        let deliver = async {
            match &webhook_sender {
                Some(webhook_sender) => self.deliver(webhook_sender).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.stopped.cancelled() => {}
            () = self.keep_accounts() => {}
            () = deliver => {}
        }
    }

    /// Ends with the store.
    async fn keep_accounts(&self) {
        let mut maintenance = self.store.maintenance();
        loop {
            // Before the look, so that what changes during it is not missed.
            maintenance.borrow_and_update();
            let pause = if self.account().await { LOOK_EVERY } else { PAUSE };
            if let Ok(Err(_)) = tokio::time::timeout(pause, maintenance.changed()).await {
                return;
            }
        }
    }

    /// Ends with the store.
    async fn deliver(&self, webhook_sender: &Arc<WebhookSender>) {
        let mut maintenance = self.store.maintenance();
        let mut deliveries = JoinSet::new();
        loop {
            maintenance.borrow_and_update();
            let look = Instant::now() + LOOK_EVERY;
            let next = webhook_sender.send_due(&mut deliveries).await;
            let wake = next.map_or(look, |next| look.min(self.clock.instant(next)));
            tokio::select! {
                changed = maintenance.changed() => if changed.is_err() { return },
                Some(_) = deliveries.join_next(), if !deliveries.is_empty() => {
                    while deliveries.try_join_next().is_some() {}
                }
                () = tokio::time::sleep_until(wake) => {}
            }
        }
    }

    /// True where all is done. What fails holds up nothing else: it is left for the next time.
    async fn account(&self) -> bool {
        let failed = Mutex::new(HashSet::new());
        let is_left = |id: &JobId| failed.lock().is_ok_and(|failed| failed.contains(id));
        let leave = |id: JobId| failed.lock().is_ok_and(|mut failed| failed.insert(id));
        loop {
            let left = failed.lock().map_or(0, |failed| failed.len());
            let mut accounting = match self.store.accounting(AT_ONCE + left).await {
                Ok(accounting) => accounting,
                Err(error) => {
                    tracing::error!(%error, "the chores of accounts could not be read");
                    return false;
                }
            };
            accounting.short.retain(|shortage| !is_left(&shortage.job));
            accounting.ended.retain(|ended| !is_left(&ended.snapshot.id));
            if accounting.is_empty() {
                return left == 0;
            }
            let relief =
                stream::iter(accounting.short).for_each_concurrent(CALLS_AT_ONCE, async |shortage| {
                    if let Err(error) = self.relieve(&shortage).await {
                        tracing::error!(%error, job = %shortage.job, "credits could not be drawn");
                        leave(shortage.job);
                    }
                });
            relief.await;
            let settlement =
                stream::iter(accounting.ended).for_each_concurrent(CALLS_AT_ONCE, async |ended| {
                    let id = ended.snapshot.id;
                    if let Err(error) = self.settle(ended).await {
                        tracing::error!(%error, job = %id, "a job could not be settled");
                        leave(id);
                    }
                });
            settlement.await;
        }
    }

    async fn relieve(&self, shortage: &Shortage) -> Result<(), Error> {
        let wanted = shortage.credits.saturating_add(shortage.price.saturating_mul(PAGES_AHEAD));
        let granted = self.accounts.draw(&shortage.team, shortage.job, wanted).await?;
        // Less than the next page needs is none; what was drawn comes back when the job is settled.
        let granted = if granted >= shortage.credits { granted } else { 0 };
        self.store.grant(shortage.job, granted, self.clock.now()).await?;
        let has_ended = self.store.snapshot(shortage.job).await.is_ok_and(|job| job.state.is_terminal());
        if let Some(runtime) = self.runtime.upgrade().filter(|_| has_ended) {
            runtime.forget(shortage.job);
        }
        Ok(())
    }

    async fn settle(&self, mut ended: EndedJob) -> Result<(), Error> {
        let id = ended.snapshot.id;
        self.accounts.settle(&ended.team, id, ended.snapshot.credits_used).await?;
        if ended.zero_data_retention {
            ended.url.clear();
            // Words name addresses.
            (ended.snapshot.warning, ended.snapshot.error) = (None, None);
        }
        self.activity.record(ended);
        Ok(self.store.settled(id).await?)
    }
}
