//! Renews the term of the worker, and stops the work that is lost with it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::shared::Shared;

/// The term of a worker is renewed this often.
pub const RENEWAL_INTERVAL: Duration = Duration::from_secs(1);

/// Keeps the term of the worker, also while leases are slow or fail. A store whose terms have no end is asked
/// once.
pub(crate) async fn keep_term(shared: Arc<Shared>) {
    while AssertUnwindSafe(renew_and_stop(&shared)).catch_unwind().await.is_err() {
        tracing::error!("the renewal of a term panicked and restarts");
        tokio::time::sleep(RENEWAL_INTERVAL).await;
    }
}

async fn renew_and_stop(shared: &Arc<Shared>) {
    tokio::join!(renew(shared), stop_at_end(shared));
}

async fn renew(shared: &Arc<Shared>) {
    let mut lookups = JoinSet::new();
    loop {
        let started = Instant::now();
        match shared.store.renew(shared.worker, shared.clock.now()).await {
            Ok(renewal) => {
                // Before the new end applies, so that no request of a lost page starts in the new term.
                let jobs = shared.term.lose(&renewal.lost);
                shared.term.renewed(renewal.renew_before);
                if !jobs.is_empty() {
                    // Those that ended in another process.
                    let shared = Arc::clone(shared);
                    lookups.spawn(async move { shared.forget_if_ended(jobs).await });
                }
            }
            Err(error) => tracing::warn!(%error, "the term of this worker could not be renewed"),
        }
        while lookups.try_join_next().is_some() {}
        shared.term.limited().await;
        tokio::time::sleep_until(started + RENEWAL_INTERVAL).await;
    }
}

/// Stops all pages in work at the end of each term.
async fn stop_at_end(shared: &Shared) {
    loop {
        shared.term.ended().await;
        let pages = shared.term.stop_all();
        tracing::warn!(pages, "the term of this worker ended before it was renewed: work on pages stops");
        shared.term.lasts().await;
        tracing::info!("the term of this worker is renewed");
    }
}
