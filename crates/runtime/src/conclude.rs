//! From a transformed page to its document and the links that belong to the job.

use std::sync::Arc;

use gleaner_frontier::{Candidate, Fingerprint};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, scrape_id};
use gleaner_types::plan::SitemapMode;
use http::StatusCode;
use url::Url;
use uuid::Uuid;

use crate::context::JobContext;
use crate::credits::credits;
use crate::explain::FoundOn;
use crate::ports::{Fetched, PageText, Transformed};
use crate::shared::Shared;
use crate::warning::warn;

/// Completes the document with the facts of the fetch and picks the links that belong to the job. Returns the
/// text of the page if something is left to be read off it.
pub(crate) async fn conclude(
    shared: &Shared,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    fetched: Fetched,
    found: Transformed,
) -> Option<Box<PageText>> {
    let leased = &page.lease;
    let mut document = found.document;
    let metadata = &mut document.metadata;
    metadata.source_url = Some(job.as_requested(leased).into_owned());
    metadata.url = Some(fetched.url.as_str().to_owned());
    metadata.status_code = Some(fetched.status);
    metadata.content_type = fetched.content_type;
    let (_, random) = Uuid::now_v7().as_u64_pair();
    metadata.scrape_id = Some(scrape_id(job.id, random).to_string());
    metadata.proxy_used = Some(fetched.proxy_used);
    metadata.cache_state = fetched.cache_state;
    metadata.cached_at = fetched.cached_at;
    metadata.concurrency_limited = Some(leased.waited_for_slot);
    if fetched.status >= 400 {
        metadata.error = Some(reason(fetched.status));
    }
    if let Some(rendering) = fetched.rendering {
        (document.screenshot, document.actions) = (rendering.screenshot, rendering.actions);
    } else if !job.options.wait_for.is_zero() {
        warn(&mut document, "waitFor has no effect: no browser rendered this page");
    }
    let cost = credits(&job.options, &document, found.pages_converted, job.zero_data_retention);
    document.metadata.credits_used = Some(cost);

    let Some(crawl) = &job.crawl else {
        page.outcome = PageOutcome::Document(Box::new(document), cost);
        return found.text;
    };
    // Error pages are alike anyway, and of pages that only links are wanted of there is no text.
    let text = document.markdown.as_deref().filter(|_| shared.near_duplicates && fetched.status < 400);
    page.fingerprint = text.and_then(Fingerprint::of);
    let in_results = !job.is_start(leased.key)
        || [&leased.url, &fetched.url].into_iter().any(|url| crawl.scope.fits_patterns(url));
    let arrived = crawl.candidate(fetched.url, &mut 0);
    let external = leased.external || arrived.as_ref().is_some_and(|candidate| candidate.external);
    page.redirected_to = arrived.map(|candidate| candidate.key).filter(|key| *key != leased.key);
    if fetched.status < 400 && !external && crawl.sitemap != SitemapMode::Only {
        page.links = links_of(shared, job, leased, found.links, found.nofollow).await;
    }
    page.outcome =
        if in_results { PageOutcome::Document(Box::new(document), cost) } else { PageOutcome::Skipped };
    found.text
}

/// Those of the links of a page that belong to the job; the others are counted.
async fn links_of(
    shared: &Shared,
    job: &Arc<JobContext>,
    page: &LeasedPage,
    links: Vec<Url>,
    nofollow: Vec<Url>,
) -> Vec<Candidate> {
    if !nofollow.is_empty() {
        let (context, on) = (Arc::clone(job), page.url.clone());
        let count = move |url: Url, steps: &mut u64| {
            context.crawl.as_ref()?.unfollowed(&url, &on, steps);
            None::<()>
        };
        shared.slices.each(nofollow, count).await;
    }
    let (context, on, depth) = (Arc::clone(job), page.url.clone(), page.depth);
    let found = move |url, steps: &mut u64| {
        let on = FoundOn::Page { url: &on, depth };
        context.crawl.as_ref()?.found(url, on, Candidate::NORMAL, steps)
    };
    let found = shared.slices.each(links, found).await;
    shared.tell_costs(job).await;
    found
}

/// The standard's name of a status, such as `Not Found`.
fn reason(status: u16) -> String {
    let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    name.map_or_else(|| format!("HTTP status {status}"), str::to_owned)
}
