//! Whether a page of a crawl may be asked for: what its robots.txt says, where a redirect leads, and what becomes of a page
//! that may not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{Decision, Observation, SkipReason};
use gleaner_store::{LeasedPage, PageOutcome};
use http::StatusCode;
use url::Url;

use crate::context::JobContext;
use crate::exports::serves_exports;
use crate::host_limiter::Lease;
use crate::page::try_again;
use crate::ports::{RedirectCheck, RedirectRefusal};
use crate::robots::{Known, ROBOTS_RETRY, Robots, RobotsFailure};
use crate::shared::{RequestChain, Shared, same_host};

/// What becomes of a leased page that gives no document.
pub(crate) struct Ended {
    pub(crate) outcome: PageOutcome,
    /// False where nothing was asked of its host.
    pub(crate) asked: bool,
}

impl Ended {
    /// It was not asked for because of what is known of robots.txt.
    pub(crate) fn by(known: &Known, outcome: PageOutcome) -> Self {
        // Where robots.txt could not be had, it is not asked for again for a while, and the pages that come next need no gap.
        Self { outcome, asked: known.fresh && known.robots.trouble.is_none() }
    }

    /// It was asked for.
    pub(crate) fn asked(outcome: PageOutcome) -> Self {
        Self { outcome, asked: true }
    }
}

/// What robots.txt says of `url`, where the page is read from, where it matters; or, where it forbids that or is not known
/// well enough yet, what becomes of the page.
pub(crate) async fn robots_of(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &LeasedPage,
    url: &Url,
    lease: &Lease,
) -> Result<Option<Arc<Robots>>, Ended> {
    let Some(crawl) = &job.crawl else { return Ok(None) };
    let Some(agent) = crawl.robots_agent.as_deref() else { return Ok(None) };
    let known = shared.robots(agent, url, job.is_scheme_assumed(page.key), job).await;
    let robots = &known.robots;
    if let Some(trouble) = &robots.trouble {
        return Err(Ended::by(&known, unread(shared, job, page, trouble).await));
    }
    if !robots.policy.allows(url) {
        return Err(Ended::by(&known, forbidden(shared, job, page, None).await));
    }
    // This host has just been asked for robots.txt, and pages of it may have been leased before its delay was known.
    // They go back, and are leased again at the right pace; one that is alone waits here.
    let gap = robots.policy.crawl_delay().max(crawl.delay);
    if let Some(gap) = gap.filter(|_| known.fresh && !lease.is_alone()) {
        return Err(Ended::by(&known, PageOutcome::Return(shared.clock.now() + gap)));
    }
    Ok(Some(known.robots))
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
    /// The start page is fetched for its links though no pattern asks for it, and so is where it redirects to.
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
