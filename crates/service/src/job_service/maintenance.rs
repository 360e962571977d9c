//! What goes on behind the desk: credits for jobs that run short, settlement of those that ended, and webhooks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use gleaner_store::{EndedJob, Shortage};
use gleaner_types::JobId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::accounts::Accounts;
use crate::activity::ActivityLog;
use crate::shared::Shared;
use crate::webhook::WebhookSender;

/// Chores of one kind that are taken on at once.
const AT_ONCE: usize = 256;
/// Calls of the keeper of accounts under way at once.
const CALLS_AT_ONCE: usize = 16;
/// A keeper of accounts that failed is asked again after this.
const PAUSE: Duration = Duration::from_secs(1);
/// Without any word the chores are looked at this often.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// A job that runs short asks for the price of so many pages beyond its next one.
const PAGES_AHEAD: u64 = 10;

pub(super) async fn run(
    shared: Arc<Shared>,
    accounts: Arc<dyn Accounts>,
    activity: Arc<dyn ActivityLog>,
    webhook_sender: Option<Arc<WebhookSender>>,
) {
    // Side by side: a keeper of accounts that takes its time holds up no webhook.
    let deliver = async {
        match &webhook_sender {
            Some(webhook_sender) => deliver(&shared, webhook_sender).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = shared.stopped.cancelled() => {}
        () = keep_accounts(&shared, accounts.as_ref(), activity.as_ref()) => {}
        () = deliver => {}
    }
}

/// Ends with the store.
async fn keep_accounts(shared: &Shared, accounts: &dyn Accounts, activity: &dyn ActivityLog) {
    let mut chores = shared.store.chores();
    loop {
        // Before the look, so that what changes during it is not missed.
        chores.borrow_and_update();
        let pause = if account(shared, accounts, activity).await { LOOK_EVERY } else { PAUSE };
        if let Ok(Err(_)) = tokio::time::timeout(pause, chores.changed()).await {
            return;
        }
    }
}

/// Ends with the store.
async fn deliver(shared: &Shared, webhook_sender: &Arc<WebhookSender>) {
    let mut chores = shared.store.chores();
    let mut deliveries = JoinSet::new();
    loop {
        chores.borrow_and_update();
        let look = Instant::now() + LOOK_EVERY;
        let next = webhook_sender.send_due(&mut deliveries).await;
        let wake = next.map_or(look, |next| look.min(shared.clock.instant(next)));
        tokio::select! {
            changed = chores.changed() => if changed.is_err() { return },
            Some(_) = deliveries.join_next(), if !deliveries.is_empty() => {
                while deliveries.try_join_next().is_some() {}
            }
            () = tokio::time::sleep_until(wake) => {}
        }
    }
}

/// True where all is done. What fails holds up nothing else: it is left for the next time.
async fn account(shared: &Shared, accounts: &dyn Accounts, activity: &dyn ActivityLog) -> bool {
    let failed = Mutex::new(HashSet::new());
    let is_left = |id: &JobId| failed.lock().is_ok_and(|failed| failed.contains(id));
    let leave = |id: JobId| failed.lock().is_ok_and(|mut failed| failed.insert(id));
    loop {
        let left = failed.lock().map_or(0, |failed| failed.len());
        let mut accounting = match shared.store.accounting(AT_ONCE + left).await {
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
        let relief = stream::iter(accounting.short).for_each_concurrent(CALLS_AT_ONCE, async |shortage| {
            if let Err(error) = relieve(shared, accounts, &shortage).await {
                tracing::error!(%error, job = %shortage.job, "credits could not be drawn");
                leave(shortage.job);
            }
        });
        relief.await;
        let settlement = stream::iter(accounting.ended).for_each_concurrent(CALLS_AT_ONCE, async |ended| {
            let id = ended.snapshot.id;
            if let Err(error) = settle(shared, accounts, activity, ended).await {
                tracing::error!(%error, job = %id, "a job could not be settled");
                leave(id);
            }
        });
        settlement.await;
    }
}

async fn relieve(shared: &Shared, accounts: &dyn Accounts, shortage: &Shortage) -> Result<(), crate::Error> {
    let wanted = shortage.credits.saturating_add(shortage.price.saturating_mul(PAGES_AHEAD));
    let granted = accounts.draw(&shortage.team, shortage.job, wanted).await?;
    // Less than the next page needs is none; what was drawn comes back when the job is settled.
    let granted = if granted >= shortage.credits { granted } else { 0 };
    shared.store.grant(shortage.job, granted, shared.clock.now()).await?;
    if shared.store.snapshot(shortage.job).await.is_ok_and(|job| job.state.is_terminal()) {
        shared.forget(shortage.job);
    }
    Ok(())
}

async fn settle(
    shared: &Shared,
    accounts: &dyn Accounts,
    activity: &dyn ActivityLog,
    mut ended: EndedJob,
) -> Result<(), crate::Error> {
    let id = ended.snapshot.id;
    accounts.settle(&ended.team, id, ended.snapshot.credits_used).await?;
    if ended.zero_data_retention {
        ended.url.clear();
        // Words name addresses.
        (ended.snapshot.warning, ended.snapshot.error) = (None, None);
    }
    activity.record(ended);
    Ok(shared.store.settled(id).await?)
}
