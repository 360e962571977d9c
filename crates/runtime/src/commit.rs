//! Commits of pages to the store. Those that fail are repeated if the store has terms.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{Error, ErrorKind, FinishedPage, LeasedPage, PageOutcome, Receipt, is_heavier};
use tokio::time::{Instant, sleep};

use crate::blocking::blocking_operation;
use crate::shared::Shared;

/// A page with more links than this is committed on a blocking thread.
const MANY_LINKS: usize = 4_096;
/// A document of more bytes than this is committed on a blocking thread: writing it as JSON takes a
/// millisecond or two.
pub const LARGE_DOCUMENT: usize = 1 << 20;
/// The pause before a failed commit is repeated; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause before a failed commit is repeated.
const MAX_PAUSE: Duration = Duration::from_secs(5);

impl Shared {
    /// Commits a page. If the store has terms, its medium is a server that may restart: a commit that it
    /// cannot execute is repeated until the lease expires. It changes nothing if the lease is lost meanwhile.
    ///
    /// # Errors
    /// As [`Store::finish`](gleaner_store::Store::finish). The page stays leased until its lease expires, and
    /// is then scraped again.
    pub(crate) async fn finish(&self, mut page: FinishedPage) -> Result<Receipt, Error> {
        if !self.term.has_end() {
            return self.finish_once(page).await;
        }
        let until = self.clock.instant(page.lease.expires_at);
        let mut pause = FIRST_PAUSE;
        loop {
            let again = page.clone();
            match self.finish_once(page).await {
                Err(error) if error.kind() == ErrorKind::Io && Instant::now() + pause < until => {
                    tracing::warn!(%error, "a page could not be stored and is stored again");
                    sleep(pause).await;
                    pause = MAX_PAUSE.min(pause * 2);
                    page = again;
                }
                result => return result,
            }
        }
    }

    /// Commits a page, on a blocking thread if it has many links or a large document.
    async fn finish_once(&self, page: FinishedPage) -> Result<Receipt, Error> {
        let now = self.clock.now();
        let is_large = match &page.outcome {
            PageOutcome::Document(document, _) => is_heavier(document, LARGE_DOCUMENT),
            _ => false,
        };
        if page.links.len() <= MANY_LINKS && !is_large {
            return self.store.finish(page, now).await;
        }
        let store = Arc::clone(&self.store);
        blocking_operation(async move { store.finish(page, now).await }).await
    }

    /// Returns the lease of a page without a result. Its host becomes free for other pages, and the page
    /// waits in the queue if its job is still running.
    pub(crate) async fn return_lease(&self, lease: LeasedPage, outcome: PageOutcome) {
        self.finish_without_result(FinishedPage::new(lease, outcome)).await;
    }

    /// Returns the lease of a page whose work was stopped, perhaps during a request. It counts as no attempt.
    /// The store may not know the lease any more.
    pub(crate) async fn return_stopped(&self, lease: LeasedPage) {
        let mut page = FinishedPage::new(lease, PageOutcome::Return(self.clock.now()));
        page.request_sent = true;
        self.finish_without_result(page).await;
    }

    async fn finish_without_result(&self, page: FinishedPage) {
        if let Err(error) = self.finish(page).await {
            tracing::error!(%error, "a lease could not be returned");
        }
    }
}
