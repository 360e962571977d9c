//! The work on one leased page: robots, fetch, transform, and what is told to the store.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_frontier::{Candidate, Fingerprint, HostFeedback, Observation, UrlKey};
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, Receipt, is_heavier, scrape_id};
use gleaner_types::plan::SitemapMode;
use gleaner_types::{CacheState, ErrorCode, PageError};
use http::StatusCode;
use tokio::time::Instant;
use url::Url;
use uuid::Uuid;

use crate::blocking::blocking_operation;
use crate::context::JobContext;
use crate::credits::credits;
use crate::explain::FoundOn;
use crate::exports::export;
use crate::host_limiter::Lease;
use crate::log_suppression::without_logs;
use crate::permission::{CrawlRedirects, Ended, forbidden, robots_of};
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose, RedirectRefusal, Transformed};
use crate::reading::{self, PageText};
use crate::robots::ROBOTS_RETRY;
use crate::shared::{RequestChain, Shared, is_busy, same_host};
use crate::sitemap_lease::{admit_sitemaps, read_sitemap};
use crate::tracking;
use crate::transforming::transform;

/// A page is tried at most so often.
pub const MAX_ATTEMPTS: u32 = 3;
/// Before the second try, where the host does not say; doubled for each further one.
pub const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// A host that asks to be left alone for longer is not waited for: its answer is the document.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(gleaner_types::limits::MAX_RETRY_AFTER_SECONDS);
/// A page of a job that is not known here is not leased again before this.
const OTHERS_PAUSE: Duration = Duration::from_secs(5);
/// A page is given back so long before its lease ends, whatever it waits for.
const LEASE_MARGIN: Duration = Duration::from_secs(10);
/// More links of one page than these are taken in on a thread for blocking work.
const MANY_LINKS: usize = 4_096;
/// So is a document of more bytes than this: writing it as JSON takes a millisecond or two.
pub(crate) const LARGE_DOCUMENT: usize = 1 << 20;

/// What came of a page, on its way to the store.
struct Work {
    outcome: PageOutcome,
    /// False where nothing was asked of the host.
    asked: bool,
    redirected_to: Option<UrlKey>,
    /// How the host answered, and where.
    feedback: HostFeedback,
    fingerprint: Option<Fingerprint>,
    links: Vec<Candidate>,
    /// What the transform left to be read.
    text: Option<Box<PageText>>,
}

impl From<PageOutcome> for Work {
    fn from(outcome: PageOutcome) -> Self {
        let (feedback, links) = (HostFeedback::default(), Vec::new());
        let asked = !matches!(outcome, PageOutcome::Return(_));
        Self { outcome, asked, redirected_to: None, feedback, fingerprint: None, links, text: None }
    }
}

impl Work {
    fn told(self, feedback: HostFeedback) -> Self {
        Self { feedback, ..self }
    }
}

/// Works on a leased page and finishes it, unless its job ends first.
pub(crate) async fn work(shared: Arc<Shared>, page: LeasedPage) {
    let Some(job) = shared.context(page.job) else {
        // Of another engine, which may be away for a while; nothing was tried here.
        let later = PageOutcome::Return(shared.clock.now() + OTHERS_PAUSE);
        return shared.give_back(page, later).await;
    };
    let again = PageOutcome::Retry(shared.clock.now());
    let lease = shared.host_limiter.lease(&page.url, page.places);
    let mut work = tokio::select! {
        // In this order: nothing is done for a job that has ended, nor on a lease that will have.
        biased;
        () = job.cancelled.cancelled() => return shared.give_back(page, again).await,
        () = tokio::time::sleep_until(end_of_work(&shared, &page)) => {
            let url = job.shown(&page.url).map(tracing::field::display);
            tracing::warn!(job = %job.id, url, "a page was not done when its lease ended");
            return shared.give_back(page, PageOutcome::Retry(shared.clock.now())).await;
        }
        // A panic is one page's failure.
        work = AssertUnwindSafe(without_logs(job.zero_data_retention, process(&shared, &job, &page, &lease))).catch_unwind() => work.unwrap_or_else(|_| {
            let url = job.shown(&page.url).map(tracing::field::display);
            tracing::error!(job = %job.id, url, "a page made the engine panic");
            failed(ErrorCode::UnknownError, "the engine failed on this page").into()
        }),
    };
    drop(lease);
    if !matches!(work.outcome, PageOutcome::Retry(_) | PageOutcome::Return(_)) {
        job.earn_retry();
    }
    let compared = tokio::select! {
        biased;
        () = job.cancelled.cancelled() => return shared.give_back(page, again).await,
        compared = reading::read(&shared, &job, &page, work.text.take(), &mut work.outcome) => compared,
    };
    let remembered = match &job.options.formats.change_tracking {
        Some(asked) => {
            let until = end_of_page(&shared, &job, &page);
            tracking::track(&shared, &job, asked, compared, &mut work.outcome, until).await
        }
        None => None,
    };
    let Work { outcome, asked, redirected_to, feedback, fingerprint, links, text: _ } = work;
    let outcome = reported(&job, outcome);
    let HostFeedback { observed, address, .. } = feedback;
    // Redirects to the host may wait for what its answer gives it.
    let waited_for = shared.host_limiter.is_waited_for(&page.url).then(|| page.url.clone());
    let finished = FinishedPage {
        slash_added: job.is_slash_added(page.key),
        lease: page,
        outcome,
        redirected_to,
        asked,
        observed,
        address,
        fingerprint,
        links,
        remembered,
    };
    match finish(&shared, finished).await {
        Ok(receipt) if receipt.job_ended => shared.forget(job.id),
        Ok(_) => {}
        // The lease expires, and the page is done again.
        Err(error) => tracing::error!(%error, "a page could not be stored"),
    }
    if let Some(url) = waited_for {
        shared.refresh_limits(&url).await;
    }
}

/// What came of a page, under the names and in the words that its reader knows.
fn reported(job: &JobContext, outcome: PageOutcome) -> PageOutcome {
    match outcome {
        PageOutcome::Document(mut document, credits) => {
            if job.options.formats.json.as_ref().is_some_and(|asked| asked.as_extract) {
                document.extract = document.json.take();
            }
            PageOutcome::Document(document, credits)
        }
        PageOutcome::Failed(PageError { code, message }) => {
            PageOutcome::Failed(PageError::new(code, message))
        }
        outcome => outcome,
    }
}

/// Finishes a page, off the runtime where it has very many links or a large document.
async fn finish(shared: &Shared, page: FinishedPage) -> Result<Receipt, gleaner_store::Error> {
    let now = shared.clock.now();
    let is_large = match &page.outcome {
        PageOutcome::Document(document, _) => is_heavier(document, LARGE_DOCUMENT),
        _ => false,
    };
    if page.links.len() <= MANY_LINKS && !is_large {
        return shared.store.finish(page, now).await;
    }
    let store = Arc::clone(&shared.store);
    blocking_operation(async move { store.finish(page, now).await }).await
}

/// When the work on a page stops: before its lease ends, so that no request of it is under way when the page is leased
/// to another. Waiting at the [`HostLimiter`](crate::host_limiter::HostLimiter) and a fetch that hangs are bounded by it too.
pub(crate) fn end_of_work(shared: &Shared, page: &LeasedPage) -> Instant {
    let left = page.expires_at.saturating_sub(shared.clock.now());
    shared.clock.instant(page.expires_at) - LEASE_MARGIN.min(left / 10)
}

/// When nobody waits for a page any more: at the end of its request, or of its lease.
pub(crate) fn end_of_page(shared: &Shared, job: &JobContext, page: &LeasedPage) -> Instant {
    let end = end_of_work(shared, page);
    job.deadline.map_or(end, |deadline| end.min(shared.clock.instant(deadline)))
}

fn failed(code: ErrorCode, message: impl Into<String>) -> PageOutcome {
    PageOutcome::Failed(PageError { code, message: message.into() })
}

async fn process(shared: &Arc<Shared>, job: &Arc<JobContext>, page: &LeasedPage, lease: &Lease) -> Work {
    let lease_left = page.expires_at.saturating_sub(shared.clock.now());
    if let Some(crawl) = job.crawl.as_ref().filter(|crawl| crawl.sitemaps.contains(page.key)) {
        let Ended { outcome, asked } = read_sitemap(shared, job, crawl, page).await;
        return Work { asked, ..outcome.into() };
    }
    let export = if job.wants_picture() { None } else { export(&page.url) };
    let url = export.as_ref().unwrap_or(&page.url);
    let robots = match robots_of(shared, job, page, url, lease).await {
        Ok(robots) => robots,
        Err(Ended { outcome, asked }) => {
            trace(job, page, None, false, &outcome);
            return Work { asked, ..outcome.into() };
        }
    };
    let pacing = job.pacing(robots.and_then(|robots| robots.policy.crawl_delay()).unwrap_or_default());
    let request = FetchRequest {
        url,
        scheme_assumed: job.is_scheme_assumed(page.key),
        options: job.options_for(page),
        purpose: Purpose::Page,
        session: Some(&job.session),
    };
    // The request is not begun late in the lease, where it would be cut off.
    let patience = shared.clock.instant(page.expires_at) - lease_left / 2;
    let permit = tokio::time::timeout_at(patience, lease.permit(pacing)).await;
    let Some(permit) = permit.ok().filter(|_| Instant::now() < patience) else {
        return PageOutcome::Return(shared.clock.now()).into();
    };
    let chain = RequestChain::from(shared, &page.url, permit);
    let hops =
        CrawlRedirects { shared, job, is_start: job.is_start(page.key), is_export: export.is_some(), chain };
    let fetched = shared.fetch.fetch(request, &hops).await;
    let fetched = match fetched {
        Ok(fetched) => fetched,
        Err(failure) => {
            // The host that was asked last is the one that failed.
            let stop = hops.chain.stop();
            let silence = Observation { status: None, latency: stop.took };
            let mut observed = tells_of_host(&failure).then_some(silence);
            if !same_host(&page.url, &stop.url) {
                // Also where it tells nothing: the gap of the host begins with the end of the request.
                shared.observe(&stop.url, stop.told(observed.take())).await;
            }
            // What follows may ask the same host for something else.
            drop(hops);
            if failure.refused_hop.is_some() {
                shared.feedback(&page.url, HostFeedback { answered: true, ..HostFeedback::default() }).await;
            }
            let outcome = after_failure(shared, job, page, failure).await;
            if matches!(outcome, PageOutcome::Failed(_)) {
                admit_sitemaps(shared, job, page, &page.url).await;
            }
            trace(job, page, None, false, &outcome);
            return Work::from(outcome).told(HostFeedback { observed, ..HostFeedback::default() });
        }
    };
    // Before the place at the host is free for another.
    shared.heed(&fetched).await;
    let mut feedback =
        HostFeedback { observed: observation(&fetched), address: fetched.address, ..HostFeedback::default() };
    if !same_host(&page.url, &fetched.url) && feedback != HostFeedback::default() {
        // A redirect led to another host, which is told of at once. Its page was told of when it redirected.
        let under_way = hops.chain.stop().under_way;
        shared.observe(&fetched.url, HostFeedback { under_way, ..std::mem::take(&mut feedback) }).await;
    }
    drop(hops);
    admit_sitemaps(shared, job, page, &fetched.url).await;
    if is_busy(fetched.status)
        && let Some(outcome) = try_again(shared, job, page, fetched.retry_after)
    {
        return Work::from(outcome).told(feedback);
    }
    if page.external
        && let Some(crawl) = &job.crawl
        && let Some(inside) = crawl.candidate(fetched.url.clone(), &mut 0)
        && !inside.external
        && inside.key != page.key
    {
        // It leads back into the site. Its target is a page of the site as far away as this one, whose links are
        // followed: it is fetched as such, and gives the document.
        let redirected_to = Some(inside.key);
        if let Err(error) = shared.store.admit(job.id, page.depth, vec![inside], shared.clock.now()).await {
            tracing::debug!(%error, "a job ended before a page was admitted");
        }
        let work = Work { redirected_to, ..PageOutcome::Skipped.into() };
        trace(job, page, Some(&fetched.url), true, &work.outcome);
        return work.told(feedback);
    }
    let until = end_of_page(shared, job, page);
    let (fetched, transformed) = transform(shared, job, fetched, until).await;
    let answered = job.is_traced().then(|| fetched.url.clone());
    let work = match transformed {
        Err(error) => PageOutcome::Failed(error).into(),
        Ok(transformed) => conclude(shared, job, page, fetched, transformed).await,
    };
    trace(job, page, answered.as_ref(), work.redirected_to.is_some(), &work.outcome);
    if job.is_traced() {
        trace_links(shared, job, &work.links).await;
    }
    work.told(feedback)
}

/// Does a failure tell how busy the host is? Most do not; nor do those of our own: of a proxy, of the resolver, or for want of
/// memory for the body.
fn tells_of_host(failure: &FetchError) -> bool {
    let ours = matches!(
        failure.error.code,
        ErrorCode::ScrapeAllEnginesFailed | ErrorCode::ScrapeDnsResolutionError | ErrorCode::ScrapeTimeout
    );
    failure.retryable && !ours
}

/// What an answer tells of its host.
fn observation(answer: &Fetched) -> Option<Observation> {
    // What a cache gave tells nothing of it.
    if answer.cache_state == Some(CacheState::Hit) {
        return None;
    }
    // How long a browser worked on a page does not either.
    let latency = if answer.rendering.is_some() { Duration::ZERO } else { answer.latency };
    Some(Observation { status: Some(answer.status), latency })
}

/// Notes which of the links that somebody wants to know about will be put off.
async fn trace_links(shared: &Shared, job: &JobContext, links: &[Candidate]) {
    let Some(crawl) = &job.crawl else { return };
    let traces = &crawl.records.traces;
    for link in links.iter().filter(|link| traces.is_new(link.key)) {
        if let Ok(Some(put_off)) = shared.store.would_defer(job.id, &link.url).await {
            traces.put_off(link.key, put_off.trap);
        }
    }
}

/// Notes what came of the page, where somebody wants to know.
fn trace(job: &JobContext, page: &LeasedPage, answered: Option<&Url>, moved: bool, outcome: &PageOutcome) {
    if let Some(crawl) = job.crawl.as_ref().filter(|_| job.is_traced()) {
        crawl.records.traces.ended(page.key, &page.url, answered, moved, outcome);
    }
}

async fn after_failure(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    failure: FetchError,
) -> PageOutcome {
    match failure.refused_hop {
        Some(RedirectRefusal::Robots) => forbidden(shared, job, page, None).await,
        Some(RedirectRefusal::RobotsUnread { cause, passes }) => {
            let again = if passes { try_again(shared, job, page, Some(ROBOTS_RETRY)) } else { None };
            match again {
                Some(again) => again,
                None => forbidden(shared, job, page, Some(&cause)).await,
            }
        }
        Some(RedirectRefusal::OutOfScope(_)) | None => {
            if let Some(crawl) = &job.crawl
                && page.key == crawl.start_key
                && failure.refused_hop.is_some()
            {
                let warning = format!("nothing was crawled from the start page: {}", failure.error.message);
                let _ = shared.store.warn(job.id, &warning).await;
            }
            let again = if failure.retryable { try_again(shared, job, page, None) } else { None };
            again.unwrap_or(PageOutcome::Failed(failure.error))
        }
    }
}

/// Puts a page off that may do better later, while its tries and the job's retry budget last.
pub(crate) fn try_again(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    after: Option<Duration>,
) -> Option<PageOutcome> {
    let tries = page.attempt;
    let pause = after.unwrap_or(RETRY_PAUSE * 2_u32.saturating_pow(tries.min(6)));
    let at = shared.clock.now() + pause;
    let in_time = pause <= MAX_RETRY_AFTER && job.deadline.is_none_or(|deadline| at < deadline);
    let again = tries + 1 < MAX_ATTEMPTS && in_time && job.take_retry();
    if again {
        let url = job.shown(&page.url).map(tracing::field::display);
        tracing::debug!(job = %job.id, url, seconds = pause.as_secs_f64(), "a page is tried again after a pause");
    }
    again.then_some(PageOutcome::Retry(at))
}

/// Completes the document with the facts of the fetch and picks the links that belong to the job.
async fn conclude(
    shared: &Shared,
    job: &Arc<JobContext>,
    page: &LeasedPage,
    fetched: Fetched,
    found: Transformed,
) -> Work {
    let mut document = found.document;
    let metadata = &mut document.metadata;
    metadata.source_url = Some(job.asked_for(page).into_owned());
    metadata.url = Some(fetched.url.as_str().to_owned());
    metadata.status_code = Some(fetched.status);
    metadata.content_type = fetched.content_type;
    let (_, random) = Uuid::now_v7().as_u64_pair();
    metadata.scrape_id = Some(scrape_id(job.id, random).to_string());
    metadata.proxy_used = Some(fetched.proxy_used);
    metadata.cache_state = fetched.cache_state;
    metadata.cached_at = fetched.cached_at;
    metadata.concurrency_limited = Some(page.waited_for_slot);
    if fetched.status >= 400 {
        metadata.error = Some(reason(fetched.status));
    }
    if let Some(rendering) = fetched.rendering {
        (document.screenshot, document.actions) = (rendering.screenshot, rendering.actions);
    } else if !job.options.wait_for.is_zero() {
        reading::warn(&mut document, "waitFor has no effect: no browser rendered this page");
    }
    let cost = credits(&job.options, &document, found.pages_converted, job.zero_data_retention);
    document.metadata.credits_used = Some(cost);

    let Some(crawl) = &job.crawl else {
        let work = Work::from(PageOutcome::Document(Box::new(document), cost));
        return Work { text: found.text, ..work };
    };
    // Errors say the same anyway, and what links alone are wanted of was not read.
    let text = document.markdown.as_deref().filter(|_| shared.near_duplicates && fetched.status < 400);
    let fingerprint = text.and_then(Fingerprint::of);
    let in_results = !job.is_start(page.key)
        || [&page.url, &fetched.url].into_iter().any(|url| crawl.scope.fits_patterns(url));
    let arrived = crawl.candidate(fetched.url, &mut 0);
    let external = page.external || arrived.as_ref().is_some_and(|candidate| candidate.external);
    let redirected_to = arrived.map(|candidate| candidate.key).filter(|key| *key != page.key);
    let follow = fetched.status < 400 && !external && crawl.sitemap != SitemapMode::Only;
    let links =
        if follow { links_of(shared, job, page, found.links, found.nofollow).await } else { Vec::new() };
    let outcome =
        if in_results { PageOutcome::Document(Box::new(document), cost) } else { PageOutcome::Skipped };
    Work { redirected_to, fingerprint, links, text: found.text, ..outcome.into() }
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
