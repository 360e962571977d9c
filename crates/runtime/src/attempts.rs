//! When the work on a page ends, and when the page is tried again.

use std::time::Duration;

use gleaner_store::{LeasedPage, PageOutcome};
use tokio::time::Instant;

use crate::context::JobContext;
use crate::limits::{MAX_ATTEMPTS, MAX_RETRY_AFTER, RETRY_PAUSE};
use crate::shared::Shared;

/// A page is given back this long before its lease ends, whatever it waits for.
const LEASE_MARGIN: Duration = Duration::from_secs(10);

/// When the work on a page stops: before its lease ends, so that no request of it is under way when the page
/// is leased to another. It bounds a fetch that hangs and the wait for the
/// [`HostLimiter`](crate::host_limiter::HostLimiter) too.
pub(crate) fn end_of_work(shared: &Shared, page: &LeasedPage) -> Instant {
    let left = page.expires_at.saturating_sub(shared.clock.now());
    shared.clock.instant(page.expires_at) - LEASE_MARGIN.min(left / 10)
}

/// When nobody waits for a page any more: at the end of its request, or of its lease.
pub(crate) fn end_of_page(shared: &Shared, job: &JobContext, page: &LeasedPage) -> Instant {
    let end = end_of_work(shared, page);
    job.deadline.map_or(end, |deadline| end.min(shared.clock.instant(deadline)))
}

/// Puts a page off that may do better later, while its tries and the job's retry budget last.
pub(crate) fn try_again(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    after: Option<Duration>,
) -> Option<PageOutcome> {
    let tries = page.attempt;
    let pause = after.unwrap_or(RETRY_PAUSE * 2_u32.saturating_pow(tries.min(6)));
    let at = shared.clock.now() + pause;
    let in_time = pause <= MAX_RETRY_AFTER && job.deadline.is_none_or(|deadline| at < deadline);
    let again = tries + 1 < MAX_ATTEMPTS && in_time && job.take_retry();
    if again {
        let url = job.shown(&page.url).map(tracing::field::display);
        tracing::debug!(job = %job.id, url, seconds = pause.as_secs_f64(), "a page is tried again after a pause");
    }
    again.then_some(PageOutcome::Retry(at))
}
