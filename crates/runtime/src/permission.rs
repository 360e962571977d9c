//! Whether a page of a crawl may be fetched: what its robots.txt says, where a redirect leads, and what
//! becomes of a page that may not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{Decision, Observation, SkipReason};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome};
use http::StatusCode;
use url::Url;

use crate::attempts::try_again;
use crate::context::JobContext;
use crate::exports::serves_exports;
use crate::host_limiter::Lease;
use crate::hosts::{RequestChain, same_host};
use crate::ports::{RedirectCheck, RedirectRefusal};
use crate::robots::{Known, ROBOTS_RETRY, RobotsFailure};
use crate::shared::Shared;

/// Ends a page without a request for it, because of what is known of robots.txt.
pub(crate) fn withhold(page: &mut FinishedPage, known: &Known, outcome: PageOutcome) {
    page.outcome = outcome;
    // Where robots.txt could not be read, it is not requested again for a while, and the pages that come next
    // need no gap.
    page.request_sent = known.fresh && known.robots.trouble.is_none();
}

/// The gap between requests that robots.txt asks for, zero where it is not read. `None` where robots.txt
/// forbids the page or is not known well enough yet: then the page has its outcome. `export` is where the
/// page is read from, if not at its own address.
pub(crate) async fn permission(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    export: Option<&Url>,
    lease: &Lease,
) -> Option<Duration> {
    let Some(crawl) = &job.crawl else { return Some(Duration::ZERO) };
    let Some(agent) = crawl.robots_agent.as_deref() else { return Some(Duration::ZERO) };
    let leased = &page.lease;
    let url = export.unwrap_or(&leased.url);
    let known = shared.robots(agent, url, job.is_scheme_assumed(leased.key), job).await;
    let policy = &known.robots.policy;
    let refusal = if let Some(trouble) = &known.robots.trouble {
        unread(shared, job, leased, trouble).await
    } else if !policy.allows(url) {
        forbidden(shared, job, leased, None).await
    } else {
        // This host has just answered a request for robots.txt, and pages of it may have been leased before
        // its delay was known. They go back, and are leased again at the right pace; one that is alone waits
        // here.
        let gap = policy.crawl_delay().max(crawl.delay);
        match gap.filter(|_| known.fresh && !lease.is_alone()) {
            Some(gap) => PageOutcome::Return(shared.clock.now() + gap),
            None => return Some(policy.crawl_delay().unwrap_or_default()),
        }
    };
    withhold(page, &known, refusal);
    None
}

/// What becomes of a page whose robots.txt could not be read.
async fn unread(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    trouble: &RobotsFailure,
) -> PageOutcome {
    if trouble.passes
        && let Some(again) = try_again(shared, job, page, Some(ROBOTS_RETRY))
    {
        return again;
    }
    if trouble.is_refusal() {
        return PageOutcome::Failed(trouble.error.clone());
    }
    forbidden(shared, job, page, Some(&trouble.error.message)).await
}

/// robots.txt forbids the page, or what it redirects to; also where it is `unread` for a cause.
pub(crate) async fn forbidden(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    unread: Option<&str>,
) -> PageOutcome {
    if let Some(crawl) = &job.crawl {
        crawl.records.rejections.count(SkipReason::RobotsTxt);
        let warning = match unread {
            Some(cause) if page.key == crawl.start_key => Some(format!("nothing was crawled: {cause}")),
            // Else they would look as if robots.txt forbade them.
            Some(cause) if crawl.must_tell_unread(cause) => {
                Some(format!("some pages were not fetched: {cause}"))
            }
            None if page.key == crawl.start_key => {
                Some("robots.txt forbids the start page, so nothing was crawled".to_owned())
            }
            _ => None,
        };
        if let Some(warning) = warning {
            let _ = shared.store.warn(job.id, &warning).await;
        }
    }
    PageOutcome::RobotsBlocked
}

/// A redirect must lead where the crawl may go.
pub(crate) struct CrawlRedirects<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) job: &'a JobContext,
    /// The start page is fetched for its links though no pattern asks for it, and so is where it redirects
    /// to.
    pub(crate) is_start: bool,
    /// The page is read from an export, which its service may give from another host.
    pub(crate) is_export: bool,
    pub(crate) chain: RequestChain<'a>,
}

#[async_trait]
impl RedirectCheck for CrawlRedirects<'_> {
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefusal> {
        if !same_host(from, to) {
            // Of a page that stays on its host, the last answer tells.
            let stop = self.chain.stop();
            let redirect = Observation { status: Some(StatusCode::FOUND.as_u16()), latency: stop.took };
            self.shared.observe(from, stop.told(Some(redirect))).await;
        }
        self.chain.leave();
        let Some(crawl) = &self.job.crawl else {
            self.chain.go_on(to, self.job.pacing(Duration::ZERO)).await;
            return Ok(());
        };
        match crawl.scope.decide(to, false) {
            Decision::Rejected(SkipReason::NotIncluded) if self.is_start => {}
            Decision::Rejected(SkipReason::OtherHost) if self.is_export && serves_exports(to) => {}
            // `/docs/` that answers at `/docs` is the page that was asked for.
            Decision::Rejected(SkipReason::OutsideStartPath)
                if self.is_start && crawl.identity.key(to) == crawl.start_key => {}
            Decision::Rejected(reason) => return Err(RedirectRefusal::OutOfScope(reason.to_string())),
            Decision::Inside | Decision::External => {}
        }
        let mut gap = Duration::ZERO;
        if let Some(agent) = &crawl.robots_agent {
            let robots = self.shared.robots(agent, to, false, self.job).await.robots;
            match &robots.trouble {
                // As everything that is not gone to, whoever owns it.
                Some(trouble) if trouble.is_refusal() => {
                    return Err(RedirectRefusal::OutOfScope(trouble.error.message.clone()));
                }
                Some(RobotsFailure { error, passes, .. }) => {
                    return Err(RedirectRefusal::RobotsUnread {
                        cause: error.message.clone(),
                        passes: *passes,
                    });
                }
                None if !robots.policy.allows(to) => return Err(RedirectRefusal::Robots),
                None => gap = robots.policy.crawl_delay().unwrap_or_default(),
            }
        }
        self.chain.go_on(to, self.job.pacing(gap)).await;
        Ok(())
    }
}
