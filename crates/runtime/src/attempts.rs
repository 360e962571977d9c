//! Deadlines of the work on a page, and retries.

use std::time::Duration;

use gleaner_store::{LeasedPage, PageOutcome};
use gleaner_types::PageError;
use tokio::time::Instant;

use crate::context::JobContext;
use crate::hook_calls::EndedAttempt;
use crate::hooks::Retry;
use crate::limits::{EXHAUSTED_PAUSE, MAX_ATTEMPTS, MAX_RETRY_AFTER, RETRY_PAUSE};
use crate::shared::Shared;

/// A page is returned to the queue this long before its lease ends.
const LEASE_MARGIN: Duration = Duration::from_secs(10);

/// When the work on a page stops: before its lease ends, so that no request of it is in flight when another
/// worker leases the page. It also bounds a fetch that hangs and the wait for the
/// [`HostLimiter`](crate::host_limiter::HostLimiter).
pub(crate) fn work_deadline(shared: &Shared, page: &LeasedPage) -> Instant {
    let left = page.expires_at.saturating_sub(shared.clock.now());
    shared.clock.instant(page.expires_at) - LEASE_MARGIN.min(left / 10)
}

/// When a page must be done: at the deadline of its request, or of the work on it.
pub(crate) fn page_deadline(shared: &Shared, job: &JobContext, page: &LeasedPage) -> Instant {
    let end = work_deadline(shared, page);
    job.deadline.map_or(end, |deadline| end.min(shared.clock.instant(deadline)))
}

/// Returns a page to the queue, because this machine had no descriptor, port or memory for its request. It
/// counts as no attempt.
pub(crate) fn after_exhaustion(shared: &Shared) -> PageOutcome {
    PageOutcome::Return(shared.clock.now() + EXHAUSTED_PAUSE)
}

/// Schedules a retry of a page, if its attempts, its deadline and the job's retry budget allow one.
pub(crate) fn retry(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    after: Option<Duration>,
) -> Option<PageOutcome> {
    let attempt = page.attempt;
    let pause = after.unwrap_or(RETRY_PAUSE * 2_u32.saturating_pow(attempt.min(6)));
    // A hook may ask for any pause.
    let at = shared.clock.now().saturating_add(pause);
    let in_time = pause <= MAX_RETRY_AFTER && job.deadline.is_none_or(|deadline| at < deadline);
    let is_allowed = attempt + 1 < MAX_ATTEMPTS && in_time && job.take_retry();
    if is_allowed {
        let url = job.log_url(&page.url).map(tracing::field::display);
        tracing::debug!(job = %job.id, url, seconds = pause.as_secs_f64(), "a page is retried after a pause");
    }
    is_allowed.then_some(PageOutcome::Retry(at))
}

/// The end of an attempt at a page without a document, or with that of an error page.
pub(crate) struct AttemptEnd<'a> {
    pub(crate) status: Option<u16>,
    pub(crate) error: Option<&'a PageError>,
    pub(crate) retry_after: Option<Duration>,
    /// Another attempt may succeed.
    pub(crate) is_retryable: bool,
}

/// As [`retry`], after the hooks of the embedder were asked, if there are any.
pub(crate) async fn retry_page(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    end: AttemptEnd<'_>,
) -> Option<PageOutcome> {
    let AttemptEnd { status, error, retry_after, is_retryable } = end;
    let advice = match shared.hooks.get() {
        None => Retry::Default,
        Some(hooks) => {
            let attempt = EndedAttempt {
                job: job.id,
                url: page.url.clone(),
                number: page.attempt.saturating_add(1),
                status,
                error: error.cloned(),
                retry_after,
                is_retryable,
            };
            hooks.retry(attempt).await
        }
    };
    match advice {
        Retry::Never => None,
        Retry::After(pause) => retry(shared, job, page, Some(retry_after.unwrap_or_default().max(pause))),
        Retry::Default if is_retryable => retry(shared, job, page, retry_after),
        Retry::Default => None,
    }
}
