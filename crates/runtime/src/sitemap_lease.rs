//! The work on a leased sitemap, and which sitemaps a job leases to begin with.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{FinishedPage, LeasedPage, PageOutcome};
use gleaner_types::SafeUrl;
use gleaner_types::plan::{ScrapeOptionsPlan, SitemapMode};
use url::Url;

use crate::attempts::try_again;
use crate::context::{CrawlContext, JobContext};
use crate::explain::FoundOn;
use crate::host_limiter::RequestPacing;
use crate::permission::withhold;
use crate::robots::ROBOTS_RETRY;
use crate::shared::Shared;
use crate::sitemap_fetch;
use crate::sitemaps::Allowed;

/// The sitemaps of a site are read once its start page has answered, and so told which site it is, or has
/// failed for good. Any other page has none to admit.
pub(crate) async fn admit_sitemaps(shared: &Arc<Shared>, job: &JobContext, page: &LeasedPage, start: &Url) {
    let start_page =
        |crawl: &&CrawlContext| page.key == crawl.start_key && crawl.sitemap != SitemapMode::Skip;
    let Some(crawl) = job.crawl.as_ref().filter(start_page) else { return };
    let robots = match &crawl.robots_agent {
        Some(agent) => Some(shared.robots(agent, start, false, job).await.robots),
        None => None,
    };
    let policy = robots.as_ref().map(|robots| &robots.policy);
    shared.admit(job.id, crawl.sitemaps.roots(start, policy)).await;
}

/// A sitemap gives no document and no error: pages at depth 0, or nothing.
pub(crate) async fn read_sitemap(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &mut FinishedPage,
) {
    let leased = &page.lease;
    let mut pacing = job.pacing(Duration::ZERO);
    if let Some(agent) = &crawl.robots_agent {
        let known = shared.robots(agent, &leased.url, false, job).await;
        match crawl.sitemaps.allows(&known.robots, &leased.url, leased.key) {
            Allowed::Yes { gap } => pacing.gap = gap,
            Allowed::No => return withhold(page, &known, PageOutcome::Skipped),
            Allowed::Unknown => {
                let again = try_again(shared, job, leased, Some(ROBOTS_RETRY));
                return withhold(page, &known, again.unwrap_or(PageOutcome::Skipped));
            }
        }
    }
    page.outcome = fetch_sitemap(shared, job, crawl, leased, pacing).await;
}

async fn fetch_sitemap(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &LeasedPage,
    pacing: RequestPacing,
) -> PageOutcome {
    let options = auxiliary_options(job, &page.url);
    if crawl.sitemaps.is_robots(page.key) {
        match sitemap_fetch::read_robots(shared, &page.url, &options, pacing).await {
            Ok(named) => shared.admit(job.id, crawl.sitemaps.named(named)).await,
            Err(failure) if failure.retryable => {
                return try_again(shared, job, page, None).unwrap_or(PageOutcome::Skipped);
            }
            // The job does not hold to it, and most sites name no sitemap in it that lies elsewhere than
            // usual.
            Err(_) => {}
        }
        return PageOutcome::Skipped;
    }
    let found = match sitemap_fetch::read(shared, &page.url, &options, pacing).await {
        Ok(found) => found,
        Err(failure) => {
            if failure.retryable
                && let Some(again) = try_again(shared, job, page, None)
            {
                return again;
            }
            let trouble = format!("could not be fetched: {}", failure.error.message);
            warn_of_sitemap(shared, job, crawl, &page.url, &trouble).await;
            return PageOutcome::Skipped;
        }
    };
    if let Some(trouble) = found.trouble() {
        warn_of_sitemap(shared, job, crawl, &page.url, &format!("was read in part: {trouble}")).await;
    }
    let (mut admitted, pages) = crawl.sitemaps.take(page.key, found);
    let (context, on) = (Arc::clone(job), page.url.clone());
    let inside = move |(url, priority), steps: &mut u64| {
        let found = context.crawl.as_ref()?.found(url, FoundOn::Sitemap(&on), priority, steps);
        found.filter(|candidate| !candidate.external)
    };
    admitted.extend(shared.slices.each(pages, inside).await);
    shared.tell_costs(job).await;
    shared.admit(job.id, admitted).await;
    PageOutcome::Skipped
}

/// Tells the reader of the job that a sitemap is broken; the first few of them.
async fn warn_of_sitemap(shared: &Shared, job: &JobContext, crawl: &CrawlContext, url: &Url, trouble: &str) {
    if crawl.sitemaps.may_warn() {
        let warning = format!("the sitemap {} {trouble}", SafeUrl::from(url));
        let _ = shared.store.warn(job.id, &warning).await;
    }
}

/// The options with which a sitemap is fetched.
fn auxiliary_options(job: &JobContext, url: &Url) -> ScrapeOptionsPlan {
    let same_site = job.crawl.as_ref().is_some_and(|crawl| crawl.start.origin() == url.origin());
    if same_site { job.options.clone() } else { job.foreign_options.clone() }
}
