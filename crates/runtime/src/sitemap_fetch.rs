//! Fetching and reading a sitemap.

use std::sync::Arc;

use gleaner_frontier::HostFeedback;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, FetchEngine, PageError};
use tokio::time::Instant;
use url::Url;

use crate::host_limiter::RequestPacing;
use crate::hosts::{AuxiliaryRedirects, is_busy};
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose};
use crate::shared::Shared;
use crate::sitemaps::{FetchedSitemap, Unread};
use crate::transforming::{self, ParsedSitemap};

/// Fetches and parses one sitemap.
pub(crate) async fn read(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<FetchedSitemap, Unread> {
    let answer = fetch(shared, url, options, pacing).await.map_err(|failure| Unread {
        problem: format!("could not be fetched: {}", failure.error.message),
        retryable: failure.retryable,
        exhausted: failure.exhausted,
        status: None,
    })?;
    let (url, bytes) = (answer.url.clone(), answer.body.len());
    if !matches!(answer.status, 200 | 203) {
        return Err(Unread {
            problem: format!("answered with status {}", answer.status),
            retryable: matches!(answer.status, 408 | 500),
            exhausted: false,
            status: Some(answer.status),
        });
    }
    let ParsedSitemap { sitemap, priorities, place } = transforming::sitemap(shared, answer).await;
    Ok(FetchedSitemap { url, bytes, sitemap, priorities, place })
}

/// Fetches a robots.txt and returns the sitemaps that it names; none if there is no robots.txt.
pub(crate) async fn read_robots(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<Vec<Url>, FetchError> {
    let answer = fetch(shared, url, options, pacing).await?;
    Ok(shared.robots_policy(&answer, &shared.agent).await.sitemaps_at(url))
}

async fn fetch(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<Fetched, FetchError> {
    let redirects = AuxiliaryRedirects::start(shared, url, pacing).await;
    let job = shared.context(pacing.job);
    let request = FetchRequest {
        url,
        scheme_assumed: false,
        options,
        purpose: Purpose::Sitemap,
        session: None,
        team: job.as_ref().and_then(|job| job.team.as_ref()),
        engine: FetchEngine::Static,
        deadline: Instant::now() + options.timeout,
        zero_data_retention: false,
    };
    let answer = shared.fetch.fetch(request, &redirects).await?;
    // Without its latency, which says nothing about pages.
    shared.feedback(url, HostFeedback { answered: true, ..HostFeedback::default() });
    shared.apply_retry_after(&answer);
    if is_busy(answer.status) {
        let message = format!("it answered with status {}", answer.status);
        let error = PageError { code: ErrorCode::ScrapeSiteError, message };
        return Err(FetchError {
            error,
            retryable: true,
            browser_crashed: false,
            exhausted: false,
            refused_redirect: None,
        });
    }
    Ok(answer)
}
