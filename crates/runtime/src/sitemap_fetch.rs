//! Fetching and reading a sitemap.

use std::sync::Arc;

use gleaner_frontier::{HostFeedback, Sitemap};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, PageError};
use url::Url;

use crate::host_limiter::RequestPacing;
use crate::hosts::{HostRedirects, is_busy};
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose};
use crate::shared::Shared;
use crate::sitemaps::ReadSitemap;
use crate::transforming;

/// Fetches and reads one sitemap. One that answers anything but 200 is empty.
pub(crate) async fn read(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<ReadSitemap, FetchError> {
    let answer = fetch(shared, url, options, pacing).await?;
    let (url, bytes) = (answer.url.clone(), answer.body.len());
    if answer.status != 200 {
        return Ok(ReadSitemap { url, bytes, sitemap: Sitemap::default(), priorities: Vec::new() });
    }
    let (sitemap, priorities) = transforming::sitemap(shared, answer).await;
    Ok(ReadSitemap { url, bytes, sitemap, priorities })
}

/// Fetches a robots.txt and reads which sitemaps it names; none where it is not there.
pub(crate) async fn read_robots(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<Vec<Url>, FetchError> {
    let answer = fetch(shared, url, options, pacing).await?;
    Ok(shared.robots_policy(&answer, &shared.agent).await.sitemaps().to_vec())
}

async fn fetch(
    shared: &Arc<Shared>,
    url: &Url,
    options: &ScrapeOptionsPlan,
    pacing: RequestPacing,
) -> Result<Fetched, FetchError> {
    let request =
        FetchRequest { url, scheme_assumed: false, options, purpose: Purpose::Sitemap, session: None };
    let redirects = HostRedirects::begin(shared, url, pacing).await;
    let answer = shared.fetch.fetch(request, &redirects).await?;
    // How fast it came says nothing of pages.
    shared.feedback(url, HostFeedback { answered: true, ..HostFeedback::default() }).await;
    shared.heed(&answer).await;
    if is_busy(answer.status) {
        let message = format!("it answered with status {}", answer.status);
        let error = PageError { code: ErrorCode::ScrapeSiteError, message };
        return Err(FetchError { error, retryable: true, refused_hop: None });
    }
    Ok(answer)
}
