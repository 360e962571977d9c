//! From a transformed page to its complete document and the links that belong to the job.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_frontier::{Candidate, Fingerprint, SkipReason};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, scrape_id};
use gleaner_types::plan::SitemapMode;
use gleaner_types::{Document, PageError};
use http::StatusCode;
use url::{Position, Url};
use uuid::Uuid;

use crate::context::{CrawlContext, JobContext};
use crate::credits::credits;
use crate::explain::FoundOn;
use crate::hook_calls::{Hooks, LinkingPage};
use crate::ports::PageText;
use crate::rejections::Rejections;
use crate::second_pass::PageVersion;
use crate::shared::Shared;
use crate::warning::warn;

/// Completes the document with the facts of the fetch and selects the links that belong to the job. Returns
/// the text of the page if the extract port needs it.
pub(crate) async fn complete_page(
    shared: &Shared,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    version: PageVersion,
) -> Option<Box<PageText>> {
    let PageVersion { fetched, transformed, engine } = version;
    let leased = &page.lease;
    let mut document = transformed.document;
    let metadata = &mut document.metadata;
    metadata.source_url = Some(job.as_requested(leased).into_owned());
    metadata.url = Some(fetched.url.as_str().to_owned());
    metadata.status_code = Some(fetched.status);
    metadata.content_type = fetched.content_type;
    let (_, random) = Uuid::now_v7().as_u64_pair();
    metadata.scrape_id = Some(scrape_id(job.id, random).to_string());
    // Without a browser, every page has the same engine.
    metadata.engine = shared.browser.is_some().then_some(engine);
    metadata.proxy_used = Some(fetched.proxy_used);
    metadata.cache_state = fetched.cache_state;
    metadata.cached_at = fetched.cached_at;
    metadata.concurrency_limited = Some(leased.waited_for_slot);
    if fetched.status >= 400 {
        metadata.error = Some(status_text(fetched.status));
    }
    if let Some(rendering) = fetched.rendering {
        (document.screenshot, document.actions) = (rendering.screenshot, rendering.actions);
        for warning in &rendering.warnings {
            warn(&mut document, warning);
        }
    } else if !job.options.wait_for.is_zero() {
        warn(&mut document, "waitFor has no effect: no browser rendered this page");
    }
    let cost = credits(&job.options, &document, transformed.pages_converted, job.zero_data_retention);
    document.metadata.credits_used = Some(cost);

    let Some(crawl) = &job.crawl else {
        page.outcome = PageOutcome::Document(Box::new(document), cost);
        return transformed.text;
    };
    // Error pages resemble each other anyway. Pages fetched for their links alone have no text.
    let text = document.markdown.as_deref().filter(|_| shared.near_duplicates && fetched.status < 400);
    page.fingerprint = text.and_then(Fingerprint::of);
    let in_results = !job.is_start(leased.key)
        || [&leased.url, &fetched.url].into_iter().any(|url| crawl.scope.fits_patterns(url));
    if let Some((first, count)) = hash_routes(&fetched.url, &transformed.links) {
        let warning = format!(
            "This page links to {count} of its own routes behind \"#\", such as #{first}: a crawl visits no \
             routes; a batch of their addresses does"
        );
        warn(&mut document, &warning);
    }
    let hooked = shared.hooks.get().map(|hooks| (hooks, fetched.url.clone()));
    let final_page = crawl.candidate(fetched.url, &mut 0);
    let external = leased.external || final_page.as_ref().is_some_and(|candidate| candidate.external);
    let final_key = final_page.map(|candidate| crawl.key_after(leased, fetched.status, &candidate));
    page.redirected_to = final_key.filter(|key| *key != leased.key);
    if fetched.status < 400 && !external && crawl.sitemap != SitemapMode::Only {
        let (links, rejected) =
            select_links(shared, job, leased, transformed.links, transformed.nofollow).await;
        page.links = links;
        if let Some((hooks, url)) = hooked.filter(|_| !page.links.is_empty()) {
            let (status, depth) = (fetched.status, leased.depth);
            let linking = LinkingPage { job: job.id, url, status, depth, document };
            let links = std::mem::take(&mut page.links);
            let (complete, followed) = follow_links(hooks, crawl, linking, links, &rejected).await;
            document = complete;
            match followed {
                Ok(links) => page.links = links,
                Err(error) => {
                    (page.redirected_to, page.fingerprint) = (None, None);
                    page.outcome = PageOutcome::Failed(error);
                    return None;
                }
            }
        }
        page.notes.extend(shared.count_rejected(crawl, &rejected));
    }
    page.outcome =
        if in_results { PageOutcome::Document(Box::new(document), cost) } else { PageOutcome::Skipped };
    transformed.text
}

/// The first route of an application behind the `#` of its own address, and the number of its routes. A crawl
/// visits none of them.
fn hash_routes<'l>(page: &Url, links: &'l [Url]) -> Option<(&'l str, usize)> {
    let own = &page[..Position::AfterQuery];
    let routes = links.iter().filter(|link| link[..Position::AfterQuery] == *own).filter_map(|link| {
        let path = link.fragment()?.trim_start_matches('!').strip_prefix('/')?;
        (!path.is_empty() && page.fragment() != link.fragment()).then(|| link.fragment())?
    });
    let routes: BTreeSet<&str> = routes.collect();
    Some((routes.first().copied()?, routes.len()))
}

/// The links of a page that belong to the job, and the counts of the others by reason.
async fn select_links(
    shared: &Shared,
    job: &Arc<JobContext>,
    page: &LeasedPage,
    links: Vec<Url>,
    nofollow: Vec<Url>,
) -> (Vec<Candidate>, Arc<Rejections>) {
    let rejected = Arc::new(Rejections::default());
    if !nofollow.is_empty() {
        let (context, on, counts) = (Arc::clone(job), page.url.clone(), Arc::clone(&rejected));
        let count = move |url: Url, steps: &mut u64| {
            context.crawl.as_ref()?.count_nofollow(&url, &on, &counts, steps);
            None::<()>
        };
        shared.slices.filter_map(nofollow, count).await;
    }
    let (context, on, depth) = (Arc::clone(job), page.url.clone(), page.depth);
    let counts = Arc::clone(&rejected);
    let select = move |url, steps: &mut u64| {
        let on = FoundOn::Page { url: &on, depth };
        context.crawl.as_ref()?.discovered(url, on, Candidate::NORMAL, &counts, steps)
    };
    let selected = shared.slices.filter_map(links, select).await;
    shared.warn_of_costly_patterns(job).await;
    (selected, rejected)
}

/// The links of a page that the embedder's hook follows. The others are counted and traced.
async fn follow_links(
    hooks: &Hooks,
    crawl: &CrawlContext,
    page: LinkingPage,
    links: Vec<Candidate>,
    rejected: &Rejections,
) -> (Document, Result<Vec<Candidate>, PageError>) {
    let (document, followed) = hooks.follow(page, links).await;
    let links = followed.map(|followed| {
        for (url, reason) in &followed.skipped {
            rejected.count(SkipReason::Hook);
            if !crawl.records.traces.is_empty() {
                crawl.records.traces.record_hook(crawl.identity.key(url), reason);
            }
        }
        followed.links
    });
    (document, links)
}

/// The standard reason phrase of a status, such as `Not Found`.
fn status_text(status: u16) -> String {
    let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    name.map_or_else(|| format!("HTTP status {status}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_behind_the_address_of_a_page_are_seen() {
        let links = |links: &[&str]| -> Vec<Url> { links.iter().map(|link| link.parse().unwrap()).collect() };
        let page = "https://a.example/app?x=1#/one".parse().unwrap();
        let routes = [
            "https://a.example/app?x=1#/two",
            "https://a.example/app?x=1#!/three",
            "https://a.example/app?x=1#/two",
        ];
        assert_eq!(hash_routes(&page, &links(&routes)), Some(("!/three", 2)));
        let others = [
            "https://a.example/app?x=1#/one",
            "https://a.example/app?x=1#top",
            "https://a.example/app?x=1#!",
            "https://a.example/app?x=1#/",
            "https://a.example/app#/two",
            "https://a.example/app?x=1",
        ];
        assert_eq!(hash_routes(&page, &links(&others)), None);
    }
}
