//! The request for a leased page: its permit, its redirects, and what becomes of a page that gives no answer.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostFeedback, Observation};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome};
use gleaner_types::{CacheState, ErrorCode};
use tokio::time::Instant;

use crate::attempts::try_again;
use crate::context::JobContext;
use crate::exports::export;
use crate::host_limiter::Lease;
use crate::hosts::{RequestChain, same_host};
use crate::page_trace::trace;
use crate::permission::{CrawlRedirects, forbidden, permission};
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose, RedirectRefusal};
use crate::robots::ROBOTS_RETRY;
use crate::shared::Shared;
use crate::sitemap_lease::admit_sitemaps;

/// Fetches a page, where that is allowed. `None` where there is no answer: then the page has its outcome.
pub(crate) async fn fetch(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    lease: &Lease,
) -> Option<Fetched> {
    let lease_left = page.lease.expires_at.saturating_sub(shared.clock.now());
    let export = if job.wants_picture() { None } else { export(&page.lease.url) };
    let Some(gap) = permission(shared, job, page, export.as_ref(), lease).await else {
        trace(job, page, None, false);
        return None;
    };
    let leased = &page.lease;
    let request = FetchRequest {
        url: export.as_ref().unwrap_or(&leased.url),
        scheme_assumed: job.is_scheme_assumed(leased.key),
        options: job.options_for(leased),
        purpose: Purpose::Page,
        session: Some(&job.session),
    };
    // The request is not begun late in the lease, where it would be cut off.
    let patience = shared.clock.instant(leased.expires_at) - lease_left / 2;
    let permit = tokio::time::timeout_at(patience, lease.permit(job.pacing(gap))).await;
    let Some(permit) = permit.ok().filter(|_| Instant::now() < patience) else {
        (page.outcome, page.request_sent) = (PageOutcome::Return(shared.clock.now()), false);
        return None;
    };
    let chain = RequestChain::from(shared, &leased.url, permit);
    let hops = CrawlRedirects {
        shared,
        job,
        is_start: job.is_start(leased.key),
        is_export: export.is_some(),
        chain,
    };
    let fetched = shared.fetch.fetch(request, &hops).await;
    let fetched = match fetched {
        Ok(fetched) => fetched,
        Err(failure) => {
            fail(shared, job, page, hops, failure).await;
            return None;
        }
    };
    // Before the permit of the host is free for another request.
    shared.heed(&fetched).await;
    let feedback =
        HostFeedback { observed: observation(&fetched), address: fetched.address, ..HostFeedback::default() };
    if same_host(&page.lease.url, &fetched.url) {
        (page.observed, page.address) = (feedback.observed, feedback.address);
    } else if feedback != HostFeedback::default() {
        // A redirect led to another host, which is reported at once. The host of the page was reported when
        // it redirected.
        let in_flight = hops.chain.stop().in_flight;
        shared.observe(&fetched.url, HostFeedback { in_flight, ..feedback }).await;
    }
    Some(fetched)
}

/// Ends a page whose request has no answer.
async fn fail(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    hops: CrawlRedirects<'_>,
    failure: FetchError,
) {
    // The host of the last request is the one that failed.
    let stop = hops.chain.stop();
    let silence = Observation { status: None, latency: stop.took };
    let mut observed = tells_of_host(&failure).then_some(silence);
    if !same_host(&page.lease.url, &stop.url) {
        // Also where it says nothing of the host: the gap of the host begins with the end of the request.
        shared.observe(&stop.url, stop.told(observed.take())).await;
    }
    // What follows may send another request to the same host.
    drop(hops);
    if failure.refused_hop.is_some() {
        shared.feedback(&page.lease.url, HostFeedback { answered: true, ..HostFeedback::default() }).await;
    }
    page.observed = observed;
    page.outcome = after_failure(shared, job, &page.lease, failure).await;
    if matches!(page.outcome, PageOutcome::Failed(_)) {
        admit_sitemaps(shared, job, &page.lease, &page.lease.url).await;
    }
    trace(job, page, None, false);
}

async fn after_failure(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    failure: FetchError,
) -> PageOutcome {
    match failure.refused_hop {
        Some(RedirectRefusal::Robots) => forbidden(shared, job, page, None).await,
        Some(RedirectRefusal::RobotsUnread { cause, passes }) => {
            let again = if passes { try_again(shared, job, page, Some(ROBOTS_RETRY)) } else { None };
            match again {
                Some(again) => again,
                None => forbidden(shared, job, page, Some(&cause)).await,
            }
        }
        Some(RedirectRefusal::OutOfScope(_)) | None => {
            if let Some(crawl) = &job.crawl
                && page.key == crawl.start_key
                && failure.refused_hop.is_some()
            {
                let warning = format!("nothing was crawled from the start page: {}", failure.error.message);
                let _ = shared.store.warn(job.id, &warning).await;
            }
            let again = if failure.retryable { try_again(shared, job, page, None) } else { None };
            again.unwrap_or(PageOutcome::Failed(failure.error))
        }
    }
}

/// Does a failure say how busy the host is? Most do not; nor do those of our own: of a proxy, of the
/// resolver, or for want of memory for the body.
fn tells_of_host(failure: &FetchError) -> bool {
    let ours = matches!(
        failure.error.code,
        ErrorCode::ScrapeAllEnginesFailed | ErrorCode::ScrapeDnsResolutionError | ErrorCode::ScrapeTimeout
    );
    failure.retryable && !ours
}

/// What an answer says about its host.
fn observation(answer: &Fetched) -> Option<Observation> {
    // An answer from a cache says nothing about it.
    if answer.cache_state == Some(CacheState::Hit) {
        return None;
    }
    // Nor does the time that a browser worked on a page.
    let latency = if answer.rendering.is_some() { Duration::ZERO } else { answer.latency };
    Some(Observation { status: Some(answer.status), latency })
}
