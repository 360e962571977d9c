//! The worker loop: it leases pages while there are free slots and works on each in its own task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::browser_access::BrowserAccess;
use crate::page;
use crate::renewal::keep_term;
use crate::shared::Shared;

/// Interval between sweeps for expired leases and jobs.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(15);
/// Pause after a failure of the store.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// Time for pages in work to end when the engine is [stopped](crate::Runtime::stop). Later ones return to
/// their queue.
pub const STOP_TIME: Duration = Duration::from_secs(5);

/// Runs until the runtime stops. If the loop panics (a store may panic), the pages in work are dropped, their
/// leases expire, and the loop restarts, so that jobs keep running.
pub(crate) async fn run(shared: Arc<Shared>) {
    let mut leases = Leases { shared: &shared, are_returned: false };
    // In a task of its own: leases may take long. It ends with this one.
    let mut renewal = JoinSet::new();
    renewal.spawn(keep_term(Arc::clone(&shared)));
    while AssertUnwindSafe(lease_and_work(&shared)).catch_unwind().await.is_err() {
        tracing::error!("the worker loop panicked and restarts");
        tokio::time::sleep(STORE_PAUSE).await;
    }
    leases.are_returned = true;
}

/// The leases of a worker.
struct Leases<'a> {
    shared: &'a Shared,
    are_returned: bool,
}

/// If the worker is dropped, its tokio runtime ends, and so do the pages in work. Another engine with the
/// same store need not wait until their leases expire. A durable store returns them by itself: when the next
/// process opens it, or when the term of this one has ended.
impl Drop for Leases<'_> {
    fn drop(&mut self) {
        let Shared { store, worker, clock, .. } = self.shared;
        if self.are_returned || store.is_durable() {
            return;
        }
        let release = || store.release(*worker, clock.now()).now_or_never();
        if !matches!(catch_unwind(AssertUnwindSafe(release)), Ok(Some(Ok(_)))) {
            tracing::debug!("the leases of a dropped worker are not returned");
        }
    }
}

async fn lease_and_work(shared: &Arc<Shared>) {
    let mut work = shared.store.work();
    let mut pages = JoinSet::new();
    let mut sweep = Instant::now() + SWEEP_INTERVAL;
    loop {
        if shared.stopping.is_cancelled() {
            finish(shared, &mut pages).await;
            return stop(shared, pages).await;
        }
        // Before the lease, so that changes during it are not missed.
        work.borrow_and_update();
        let mut wake = sweep;
        let free = max_pages(shared).saturating_sub(pages.len());
        let is_over = shared.term.is_over();
        if free > 0 && !is_over {
            let lease = shared.store.lease(shared.worker, free, shared.clock.now());
            let leased = tokio::select! {
                biased;
                leased = lease => leased,
                // What it leases is released.
                () = shared.stopping.cancelled() => continue,
            };
            match leased {
                Ok(leases) => {
                    shared.term.extend(leases.renew_before);
                    for page in leases.pages {
                        let in_work = shared.term.begin(&page);
                        pages.spawn(page::run(Arc::clone(shared), page, in_work));
                    }
                    if let Some(next) = leases.next {
                        wake = wake.min(shared.clock.instant(next));
                    }
                }
                Err(error) => {
                    shared.log_failure(&error, "no pages could be leased");
                    wake = wake.min(Instant::now() + STORE_PAUSE);
                }
            }
        }
        let full = pages.len() >= max_pages(shared);
        tokio::select! {
            biased;
            () = shared.stopped.cancelled() => return stop(shared, pages).await,
            () = shared.stopping.cancelled() => continue,
            Some(_) = pages.join_next(), if !pages.is_empty() => while pages.try_join_next().is_some() {},
            () = more_wait(shared), if full => {}
            () = shared.term.lasts(), if is_over => {}
            changed = work.changed(), if !full => if changed.is_err() { return },
            () = tokio::time::sleep_until(wake) => {}
        }
        if Instant::now() >= sweep {
            sweep = Instant::now() + SWEEP_INTERVAL;
            if shared.term.is_over() {
                continue;
            }
            match shared.store.expire(shared.clock.now()).await {
                Ok(removed) => removed.into_iter().for_each(|job| shared.forget(job)),
                Err(error) => tracing::error!(%error, "old leases and jobs could not be swept"),
            }
            shared.forget_ended().await;
        }
    }
}

/// Waits for the end of the pages in work, for a while.
async fn finish(shared: &Shared, pages: &mut JoinSet<()>) {
    tokio::select! {
        biased;
        () = shared.stopped.cancelled() => {}
        () = async { while pages.join_next().await.is_some() {} } => {}
        () = tokio::time::sleep(STOP_TIME) => {}
    }
}

/// Ends the work on pages and returns their leases.
async fn stop(shared: &Shared, mut pages: JoinSet<()>) {
    pages.shutdown().await;
    if let Err(error) = shared.store.release(shared.worker, shared.clock.now()).await {
        shared.log_failure(&error, "the leases of a stopped worker could not be returned");
    }
}

/// Maximum number of leased pages. Pages that wait for a browser do not count, up to the same number again:
/// otherwise, they would delay the pages of other teams that need none.
fn max_pages(shared: &Shared) -> usize {
    let waiting = shared.browser.as_ref().map_or(0, BrowserAccess::waiting);
    shared.max_in_flight + waiting.min(shared.max_in_flight)
}

/// Waits until another page waits for a browser.
async fn more_wait(shared: &Shared) {
    match &shared.browser {
        Some(browser) => browser.more_wait().await,
        None => std::future::pending().await,
    }
}
