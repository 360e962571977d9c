//! The work on a leased sitemap, and the first sitemaps of a job.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{FinishedPage, JobWarning, LeasedPage, Note, PageOutcome};
use gleaner_types::SafeUrl;
use gleaner_types::plan::{ScrapeOptionsPlan, SitemapMode};
use url::Url;

use crate::attempts::{after_exhaustion, retry};
use crate::context::{CrawlContext, JobContext};
use crate::explain::FoundOn;
use crate::host_limiter::RequestPacing;
use crate::permission::finish_without_request;
use crate::rejections::Rejections;
use crate::robots::ROBOTS_RETRY;
use crate::shared::Shared;
use crate::sitemap_fetch;
use crate::sitemaps::{FetchedSitemap, SitemapPermission, total_notes};

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
    let roots = crawl.sitemaps.roots(start, policy);
    shared.admit(job.id, roots, shared.notes(|| crawl.sitemaps.all_notes())).await;
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
        if lookup.robots.is_exhausted() {
            return finish_without_request(page, &lookup, after_exhaustion(shared));
        }
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
    if crawl.sitemaps.is_robots(leased.key) {
        page.outcome = read_names(shared, job, crawl, leased, pacing).await;
        return;
    }
    match fetch_sitemap(shared, job, crawl, leased, pacing).await {
        Ok(sitemap) => {
            page.outcome = PageOutcome::Skipped;
            page.notes.extend(admit_content(shared, job, crawl, leased, sitemap).await);
        }
        Err(outcome) => page.outcome = outcome,
    }
}

/// Reads the names of sitemaps in a robots.txt.
async fn read_names(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &LeasedPage,
    pacing: RequestPacing,
) -> PageOutcome {
    let options = auxiliary_options(job, &page.url);
    match sitemap_fetch::read_robots(shared, &page.url, &options, pacing).await {
        Ok(named) => {
            let new = crawl.sitemaps.add_named(named);
            shared.admit(job.id, new, shared.notes(|| crawl.sitemaps.all_notes())).await;
        }
        Err(failure) if failure.exhausted => return after_exhaustion(shared),
        Err(failure) if failure.retryable => {
            return retry(shared, job, page, None).unwrap_or(PageOutcome::Skipped);
        }
        // No warning: the job ignores robots.txt, and most sites have their sitemaps at well-known paths.
        Err(_) => {}
    }
    PageOutcome::Skipped
}

/// Fetches and parses a sitemap.
///
/// # Errors
/// The outcome of the lease if it cannot be fetched.
async fn fetch_sitemap(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &LeasedPage,
    pacing: RequestPacing,
) -> Result<FetchedSitemap, PageOutcome> {
    let options = auxiliary_options(job, &page.url);
    let sitemap = match sitemap_fetch::read(shared, &page.url, &options, pacing).await {
        Ok(sitemap) => sitemap,
        Err(unread) if unread.exhausted => return Err(after_exhaustion(shared)),
        Err(unread) => {
            if crawl.sitemaps.may_retry(page.key, &unread)
                && let Some(outcome) = retry(shared, job, page, None)
            {
                return Err(outcome);
            }
            if let Some(problem) = crawl.sitemaps.unread_warning(page.key, &unread) {
                warn_of_sitemap(shared, job, &page.url, problem).await;
            }
            return Err(PageOutcome::Skipped);
        }
    };
    if let Some(problem) = sitemap.problem().filter(|_| crawl.sitemaps.take_warning()) {
        warn_of_sitemap(shared, job, &page.url, problem).await;
    }
    Ok(sitemap)
}

/// Admits the sitemaps and pages that a sitemap names. Returns notes for the end of its lease.
async fn admit_content(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    crawl: &CrawlContext,
    page: &LeasedPage,
    mut sitemap: FetchedSitemap,
) -> Vec<Note> {
    let (bytes, _place) = (sitemap.bytes, sitemap.place.take());
    let (mut admitted, pages) = crawl.sitemaps.add_content(page.key, sitemap);
    let notes = shared.notes(|| crawl.sitemaps.notes_about(&admitted));
    let mut totals = shared.notes(|| total_notes(bytes, pages.len()));
    let (context, on, rejected) = (Arc::clone(job), page.url.clone(), Arc::new(Rejections::default()));
    let counts = Arc::clone(&rejected);
    let select = move |(url, priority), steps: &mut u64| {
        let on = FoundOn::Sitemap(&on);
        let found = context.crawl.as_ref()?.discovered(url, on, priority, &counts, steps);
        found.filter(|candidate| !candidate.external)
    };
    admitted.extend(shared.slices.filter_map(pages, select).await);
    shared.warn_of_costly_patterns(job).await;
    shared.admit(job.id, admitted, notes).await;
    totals.extend(shared.count_rejected(crawl, &rejected));
    totals
}

/// Adds a warning about a sitemap to the job.
async fn warn_of_sitemap(shared: &Shared, job: &JobContext, url: &Url, problem: String) {
    let _ = shared.store.warn(job.id, sitemap_warning(url, problem)).await;
}

/// The warning about a sitemap.
pub(crate) fn sitemap_warning(url: &Url, problem: String) -> JobWarning {
    JobWarning::Sitemap { url: SafeUrl::from(url).to_string(), problem }
}

/// The options to fetch a sitemap with: without the headers of the user if it is of another origin.
fn auxiliary_options(job: &JobContext, url: &Url) -> ScrapeOptionsPlan {
    let same_origin = job.crawl.as_ref().is_some_and(|crawl| crawl.start.origin() == url.origin());
    if same_origin { job.options.clone() } else { job.external_options.clone() }
}
