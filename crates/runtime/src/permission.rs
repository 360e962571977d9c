//! Whether a page of a crawl may be fetched: robots.txt, the targets of redirects, and the outcome of a page
//! that may not.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Decision, Observation, RobotsLine, SkipReason};
use gleaner_store::{FinishedPage, HostGuard, JobWarning, LeasedPage, PageOutcome};
use gleaner_types::BoxFuture;
use http::StatusCode;
use tokio::time::Instant;
use url::Url;

use crate::attempts::{after_exhaustion, retry};
use crate::context::JobContext;
use crate::exports::serves_exports;
use crate::holds::MAX_HOLD_WAIT;
use crate::host_limiter::HostLease;
use crate::hosts::{RequestChain, same_host};
use crate::limits::EXHAUSTED_PAUSE;
use crate::ports::{RedirectCheck, RedirectRefusal};
use crate::robots::{RobotsFailure, RobotsLookup};
use crate::shared::Shared;

/// Ends a page without a request for it, because of its robots.txt.
pub(crate) fn finish_without_request(page: &mut FinishedPage, lookup: &RobotsLookup, outcome: PageOutcome) {
    page.outcome = outcome;
    // An unreadable robots.txt is not requested again for a while, so the next pages need no gap.
    page.request_sent = lookup.fresh && lookup.robots.failure.is_none();
}

/// The crawl delay of robots.txt; zero if robots.txt is not read. `None` if robots.txt forbids the page,
/// cannot be read, or delays the page: then the page has its outcome. `export` is the URL that the page is
/// read from, if it is not its own.
pub(crate) async fn permission(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    export: Option<&Url>,
    lease: &HostLease,
) -> Option<Duration> {
    let Some(crawl) = &job.crawl else { return Some(Duration::ZERO) };
    let Some(agent) = crawl.robots_agent.as_deref() else { return Some(Duration::ZERO) };
    let leased = &page.lease;
    let url = export.unwrap_or(&leased.url);
    let lookup = shared.robots(agent, url, job.is_scheme_assumed(leased.key), job).await;
    let policy = &lookup.robots.policy;
    let outcome = if let Some(failure) = &lookup.robots.failure {
        robots_unreadable(shared, job, leased, failure).await
    } else if !policy.allows(url) {
        robots_blocked(shared, job, leased, policy.forbidding_line(url)).await
    } else {
        // This host has just answered a request for robots.txt, and pages of it may have been leased before
        // its delay was known. They go back and are leased again at the right pace. A page that is the only
        // one leased waits here.
        let gap = policy.crawl_delay().max(crawl.delay);
        match gap.filter(|_| lookup.fresh && !lease.is_only_lease()) {
            Some(gap) => PageOutcome::Return(shared.clock.now() + gap),
            None => return Some(policy.crawl_delay().unwrap_or_default()),
        }
    };
    finish_without_request(page, &lookup, outcome);
    None
}

/// The outcome of a page whose robots.txt could not be read.
pub(crate) async fn robots_unreadable(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    failure: &RobotsFailure,
) -> PageOutcome {
    if failure.exhausted {
        return after_exhaustion(shared);
    }
    if failure.is_transient
        && let Some(outcome) = retry(shared, job, page, Some(failure.pause()))
    {
        return outcome;
    }
    // The server lives, so the pages alone do not say why none of them was requested.
    if let Some(crawl) = job.crawl.as_ref().filter(|_| failure.answered) {
        let cause = &failure.error;
        if page.key == crawl.start_key {
            warn(shared, job, JobWarning::StartRobotsUnreadable(cause.clone())).await;
        } else if crawl.take_unreadable_warning(&cause.message) {
            warn(shared, job, JobWarning::RobotsUnreadable(cause.clone())).await;
        }
    }
    PageOutcome::Failed(failure.error.clone())
}

/// The outcome of a page that a rule of robots.txt forbids, or whose redirect it forbids.
pub(crate) async fn robots_blocked(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    rule: Option<RobotsLine>,
) -> PageOutcome {
    if let Some(crawl) = &job.crawl {
        crawl.records.rejections.count(SkipReason::RobotsTxt);
        if page.key == crawl.start_key {
            warn(shared, job, JobWarning::StartForbidden).await;
        }
    }
    PageOutcome::RobotsBlocked(rule)
}

async fn warn(shared: &Shared, job: &JobContext, warning: JobWarning) {
    let _ = shared.store.warn(job.id, warning).await;
}

/// Allows a redirect if its target belongs to the crawl and robots.txt allows it.
pub(crate) struct CrawlRedirects<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) job: &'a JobContext,
    /// The start page, and the page that it redirects to, are fetched for their links even if the patterns
    /// exclude them.
    pub(crate) is_start: bool,
    /// The page is read from an export, which its service may serve from another host.
    pub(crate) is_export: bool,
    pub(crate) chain: RequestChain<'a>,
}

impl CrawlRedirects<'_> {
    /// Holds the host of a target. The lease of the page keeps its own host meanwhile, so a page that waits
    /// for another host gives up soon: two processes may wait for each other.
    async fn hold(&self, to: &Url) -> Result<HostGuard, RedirectRefusal> {
        let hold = self.shared.hold_until(to, Instant::now() + MAX_HOLD_WAIT).await;
        hold.map_err(|not_before| RedirectRefusal::HostBusy { not_before })
    }
}

impl RedirectCheck for CrawlRedirects<'_> {
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefusal>> {
        Box::pin(async move {
            if !same_host(from, to) {
                // If the host stays the same, the last answer is reported instead.
                let progress = self.chain.progress();
                let redirect =
                    Observation { status: Some(StatusCode::FOUND.as_u16()), latency: progress.elapsed };
                self.shared.observe(from, progress.feedback(Some(redirect)));
            }
            self.chain.release_permit();
            let Some(crawl) = &self.job.crawl else {
                let hold = self.hold(to).await?;
                self.chain.continue_at(to, self.job.pacing(Duration::ZERO), hold).await;
                return Ok(());
            };
            match crawl.scope.decide(to, false) {
                Decision::Rejected(SkipReason::NotIncluded) if self.is_start => {}
                Decision::Rejected(SkipReason::OtherHost) if self.is_export && serves_exports(to) => {}
                // A redirect from `/docs/` to `/docs` leads to the same page.
                Decision::Rejected(SkipReason::OutsideStartPath)
                    if self.is_start && crawl.identity.key(to) == crawl.start_key => {}
                Decision::Rejected(reason) => return Err(RedirectRefusal::OutOfScope(reason.to_string())),
                Decision::Inside | Decision::External => {}
            }
            // It also keeps the host for the request for its robots.txt.
            let hold = self.hold(to).await?;
            let mut gap = Duration::ZERO;
            if let Some(agent) = &crawl.robots_agent {
                let robots = self.shared.robots(agent, to, false, self.job).await.robots;
                match &robots.failure {
                    // The engine's own rules forbid the target; robots.txt was not requested.
                    Some(failure) if failure.is_refusal() => {
                        return Err(RedirectRefusal::OutOfScope(failure.error.message.clone()));
                    }
                    Some(failure) if failure.exhausted => {
                        let not_before = self.shared.clock.now() + EXHAUSTED_PAUSE;
                        return Err(RedirectRefusal::HostBusy { not_before });
                    }
                    Some(RobotsFailure { error, is_transient, answered, .. }) => {
                        return Err(RedirectRefusal::RobotsUnreadable {
                            cause: error.clone(),
                            is_transient: *is_transient,
                            answered: *answered,
                        });
                    }
                    None if !robots.policy.allows(to) => {
                        return Err(RedirectRefusal::Robots { rule: robots.policy.forbidding_line(to) });
                    }
                    None => gap = robots.policy.crawl_delay().unwrap_or_default(),
                }
            }
            // Without a limit: what returned to the queue here would ask for the redirect again, which takes
            // the turn of the request that it waits for.
            self.chain.continue_at(to, self.job.pacing(gap), hold).await;
            Ok(())
        })
    }

    fn may_start(&self) -> bool {
        !self.shared.term.is_over()
    }

    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.shared.term.lasts().await;
        })
    }
}
