//! The work on a leased sitemap, and the first sitemaps of a job.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{FinishedPage, JobWarning, LeasedPage, PageOutcome};
use gleaner_types::SafeUrl;
use gleaner_types::plan::{ScrapeOptionsPlan, SitemapMode};
use url::Url;

use crate::attempts::retry;
use crate::context::{CrawlContext, JobContext};
use crate::explain::FoundOn;
use crate::host_limiter::RequestPacing;
use crate::permission::finish_without_request;
use crate::robots::ROBOTS_RETRY;
use crate::shared::Shared;
use crate::sitemap_fetch;
use crate::sitemaps::SitemapPermission;

/// Admits the sitemaps of a site after its start page has answered, possibly from another site, or has failed
/// for good. Does nothing for other pages.
pub(crate) async fn admit_sitemaps(shared: &Arc<Shared>, job: &JobContext, page: &LeasedPage, start: &Url) {
    let reads_sitemaps =
        |crawl: &&CrawlContext| page.key == crawl.start_key && crawl.sitemap != SitemapMode::Skip;
    let Some(crawl) = job.crawl.as_ref().filter(reads_sitemaps) else { return };
    let robots = match &crawl.robots_agent {
        Some(agent) => Some(shared.robots(agent, start, false, job).await.robots),
        None => None,
    };
    let policy = robots.as_ref().map(|robots| &robots.policy);
    shared.admit(job.id, crawl.sitemaps.roots(start, policy)).await;
}

/// Reads a leased sitemap. It gives pages at depth 0 or nothing; it has no document and no error.
pub(crate) async fn read_sitemap(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &mut FinishedPage,
) {
    let leased = &page.lease;
    let mut pacing = job.pacing(Duration::ZERO);
    if let Some(agent) = &crawl.robots_agent {
        let lookup = shared.robots(agent, &leased.url, false, job).await;
        match crawl.sitemaps.permission(&lookup.robots, &leased.url, leased.key) {
            SitemapPermission::Allowed { gap } => pacing.gap = gap,
            SitemapPermission::Forbidden => {
                return finish_without_request(page, &lookup, PageOutcome::Skipped);
            }
            SitemapPermission::Unknown => {
                let outcome = retry(shared, job, leased, Some(ROBOTS_RETRY)).unwrap_or(PageOutcome::Skipped);
                return finish_without_request(page, &lookup, outcome);
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
            Ok(named) => shared.admit(job.id, crawl.sitemaps.add_named(named)).await,
            Err(failure) if failure.retryable => {
                return retry(shared, job, page, None).unwrap_or(PageOutcome::Skipped);
            }
            // No warning: the job ignores robots.txt, and most sites have their sitemaps at well-known paths.
            Err(_) => {}
        }
        return PageOutcome::Skipped;
    }
    let sitemap = match sitemap_fetch::read(shared, &page.url, &options, pacing).await {
        Ok(sitemap) => sitemap,
        Err(failure) => {
            if failure.retryable
                && let Some(outcome) = retry(shared, job, page, None)
            {
                return outcome;
            }
            let problem = format!("could not be fetched: {}", failure.error.message);
            warn_of_sitemap(shared, job, crawl, &page.url, &problem).await;
            return PageOutcome::Skipped;
        }
    };
    if let Some(problem) = sitemap.problem() {
        warn_of_sitemap(shared, job, crawl, &page.url, &format!("was read in part: {problem}")).await;
    }
    let (mut admitted, pages) = crawl.sitemaps.add_content(page.key, sitemap);
    let (context, on) = (Arc::clone(job), page.url.clone());
    let select = move |(url, priority), steps: &mut u64| {
        let found = context.crawl.as_ref()?.discovered(url, FoundOn::Sitemap(&on), priority, steps);
        found.filter(|candidate| !candidate.external)
    };
    admitted.extend(shared.slices.filter_map(pages, select).await);
    shared.warn_of_costly_patterns(job).await;
    shared.admit(job.id, admitted).await;
    PageOutcome::Skipped
}

/// Adds a warning about a broken sitemap to the job, for the first few.
async fn warn_of_sitemap(shared: &Shared, job: &JobContext, crawl: &CrawlContext, url: &Url, problem: &str) {
    if crawl.sitemaps.take_warning() {
        let (url, problem) = (SafeUrl::from(url).to_string(), problem.to_owned());
        let _ = shared.store.warn(job.id, JobWarning::Sitemap { url, problem }).await;
    }
}

/// The options to fetch a sitemap with: without the headers of the user if it is of another origin.
fn auxiliary_options(job: &JobContext, url: &Url) -> ScrapeOptionsPlan {
    let same_origin = job.crawl.as_ref().is_some_and(|crawl| crawl.start.origin() == url.origin());
    if same_origin { job.options.clone() } else { job.external_options.clone() }
}
