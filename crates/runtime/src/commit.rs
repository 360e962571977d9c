//! Commits of pages to the store. Those that fail for a cause that passes are repeated if the store has
//! terms: its medium is a server, which may restart, be full, or be replaced by another one.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{Admission, Error, FinishedPage, LeasedPage, PageOutcome, Receipt};
use gleaner_types::{JobId, is_heavier};
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
/// The longest pause before a failed commit is repeated, and so the delay after the cause has passed.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// The admission of pages is repeated for this time. The lease of the page that found them may end before.
const MAX_ADMISSION: Duration = Duration::from_secs(900);

/// The pauses between the tries of an operation of the store.
struct Pauses {
    until: Instant,
    next: Duration,
}

impl Pauses {
    fn until(until: Instant) -> Self {
        Self { until, next: FIRST_PAUSE }
    }

    /// The pause before the next try; `None` if this error is the last.
    fn after(&mut self, error: &Error) -> Option<Duration> {
        let pause = self.next;
        self.next = MAX_PAUSE.min(pause * 2);
        (error.is_passing() && Instant::now() + pause < self.until).then_some(pause)
    }
}

impl Shared {
    /// Commits a page. If the store has terms, a commit that fails for a cause that passes is repeated until
    /// the lease expires. It changes nothing if the lease is lost meanwhile.
    ///
    /// # Errors
    /// As [`Store::finish`](gleaner_store::Store::finish). The page stays leased until its lease expires, and
    /// is then scraped again.
    pub(crate) async fn finish(&self, mut page: FinishedPage) -> Result<Receipt, Error> {
        if !self.term.has_end() {
            return self.finish_once(page).await;
        }
        let mut pauses = Pauses::until(self.clock.instant(page.lease.expires_at));
        loop {
            let again = page.clone();
            let error = match self.finish_once(page).await {
                Ok(receipt) => return Ok(receipt),
                Err(error) => error,
            };
            let Some(pause) = pauses.after(&error) else { return Err(error) };
            tracing::warn!(%error, "a page could not be stored and is stored again");
            sleep(pause).await;
            page = again;
        }
    }

    /// Admits pages that a page in work has found. If the store has terms, it is repeated as for
    /// [`finish`](Self::finish): pages that are admitted again change nothing.
    ///
    /// # Errors
    /// As [`Store::admit`](gleaner_store::Store::admit).
    pub(crate) async fn admit_pages(&self, job: JobId, mut admission: Admission) -> Result<(), Error> {
        let mut pauses = Pauses::until(Instant::now() + MAX_ADMISSION);
        loop {
            let again = self.term.has_end().then(|| admission.clone());
            let error = match self.store.admit(job, admission, self.clock.now()).await {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            let (Some(again), Some(pause)) = (again, pauses.after(&error)) else { return Err(error) };
            tracing::warn!(%error, "found pages could not be stored and are stored again");
            sleep(pause).await;
            admission = again;
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
            self.log_failure(&error, "a lease could not be returned");
        }
    }
}
