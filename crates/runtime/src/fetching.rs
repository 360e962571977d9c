//! The request for a leased page: its permit, its redirects, and the outcome of a page whose request fails.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostFeedback, Observation};
use gleaner_store::{FinishedPage, JobWarning, LeasedPage, PageOutcome};
use gleaner_types::{CacheState, ErrorCode};
use tokio::time::Instant;

use crate::attempts::retry;
use crate::context::JobContext;
use crate::exports::export;
use crate::host_limiter::HostLease;
use crate::hosts::{RequestChain, same_host};
use crate::page_trace::trace;
use crate::permission::{CrawlRedirects, permission, robots_blocked};
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose, RedirectRefusal};
use crate::robots::ROBOTS_RETRY;
use crate::shared::Shared;
use crate::sitemap_lease::admit_sitemaps;

/// Fetches a page, if that is allowed. `None` if there is no answer: then the page has its outcome.
pub(crate) async fn fetch(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    lease: &HostLease,
) -> Option<Fetched> {
    let lease_left = page.lease.expires_at.saturating_sub(shared.clock.now());
    let export = if job.wants_rendering() { None } else { export(&page.lease.url) };
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
        session: Some(&job.fetch_session),
    };
    // A request that starts later would be cut off by the end of the lease.
    let latest_start = shared.clock.instant(leased.expires_at) - lease_left / 2;
    let permit = tokio::time::timeout_at(latest_start, lease.permit(job.pacing(gap))).await;
    let Some(permit) = permit.ok().filter(|_| Instant::now() < latest_start) else {
        (page.outcome, page.request_sent) = (PageOutcome::Return(shared.clock.now()), false);
        return None;
    };
    let chain = RequestChain::start(shared, &leased.url, permit);
    let redirects = CrawlRedirects {
        shared,
        job,
        is_start: job.is_start(leased.key),
        is_export: export.is_some(),
        chain,
    };
    let fetched = shared.fetch.fetch(request, &redirects).await;
    let fetched = match fetched {
        Ok(fetched) => fetched,
        Err(failure) => {
            finish_failed(shared, job, page, redirects, failure).await;
            return None;
        }
    };
    // Before `redirects` drops the permit of the host.
    shared.apply_retry_after(&fetched).await;
    let feedback =
        HostFeedback { observed: observation(&fetched), address: fetched.address, ..HostFeedback::default() };
    if same_host(&page.lease.url, &fetched.url) {
        (page.observed, page.address) = (feedback.observed, feedback.address);
    } else if feedback != HostFeedback::default() {
        // After a redirect to another host, that host is reported at once. The host of the page was reported
        // when it redirected.
        let in_flight = redirects.chain.progress().in_flight;
        shared.observe(&fetched.url, HostFeedback { in_flight, ..feedback }).await;
    }
    Some(fetched)
}

/// Ends a page whose request failed.
async fn finish_failed(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    redirects: CrawlRedirects<'_>,
    failure: FetchError,
) {
    // The host of the last request is the one that failed.
    let progress = redirects.chain.progress();
    let no_answer = Observation { status: None, latency: progress.elapsed };
    let mut observed = is_host_failure(&failure).then_some(no_answer);
    if !same_host(&page.lease.url, &progress.url) {
        // Even without an observation: the gap of the host starts at the end of the request.
        shared.observe(&progress.url, progress.feedback(observed.take())).await;
    }
    // The next steps can send another request to the same host.
    drop(redirects);
    if failure.refused_redirect.is_some() {
        shared.feedback(&page.lease.url, HostFeedback { answered: true, ..HostFeedback::default() }).await;
    }
    page.observed = observed;
    page.outcome = failure_outcome(shared, job, &page.lease, failure).await;
    if matches!(page.outcome, PageOutcome::Failed(_)) {
        admit_sitemaps(shared, job, &page.lease, &page.lease.url).await;
    }
    trace(job, page, None, false);
}

async fn failure_outcome(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    failure: FetchError,
) -> PageOutcome {
    match failure.refused_redirect {
        Some(RedirectRefusal::Robots) => robots_blocked(shared, job, page, None).await,
        Some(RedirectRefusal::RobotsUnreadable { cause, is_transient }) => {
            let retry = if is_transient { retry(shared, job, page, Some(ROBOTS_RETRY)) } else { None };
            match retry {
                Some(outcome) => outcome,
                None => robots_blocked(shared, job, page, Some(&cause)).await,
            }
        }
        Some(RedirectRefusal::OutOfScope(_)) | None => {
            if let Some(crawl) = &job.crawl
                && page.key == crawl.start_key
                && failure.refused_redirect.is_some()
            {
                let warning = JobWarning::StartRedirect(failure.error.message.clone());
                let _ = shared.store.warn(job.id, warning).await;
            }
            let retry = if failure.retryable { retry(shared, job, page, None) } else { None };
            retry.unwrap_or(PageOutcome::Failed(failure.error))
        }
    }
}

/// Does this failure indicate an overloaded host? Most do not. Failures of the engine's own side do not
/// either: of a proxy, of the resolver, or of a body that exceeds the memory budget.
fn is_host_failure(failure: &FetchError) -> bool {
    let is_own_failure = matches!(
        failure.error.code,
        ErrorCode::ScrapeAllEnginesFailed | ErrorCode::ScrapeDnsResolutionError | ErrorCode::ScrapeTimeout
    );
    failure.retryable && !is_own_failure
}

/// The observation of the host in an answer.
fn observation(answer: &Fetched) -> Option<Observation> {
    // A cached answer says nothing about the host.
    if answer.cache_state == Some(CacheState::Hit) {
        return None;
    }
    // The time of a rendered page includes the work of the browser.
    let latency = if answer.rendering.is_some() { Duration::ZERO } else { answer.latency };
    Some(Observation { status: Some(answer.status), latency })
}
