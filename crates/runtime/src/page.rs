//! The work on one leased page, step by step: fetch, transform, conclude, then what is read off the page and
//! its comparison with an earlier scrape, then the commit. Each step writes into the [`FinishedPage`] that
//! the store gets.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome, Receipt, is_heavier};
use gleaner_types::{ErrorCode, PageError};

use crate::attempts::{end_of_page, end_of_work, try_again};
use crate::blocking::blocking_operation;
use crate::conclude::conclude;
use crate::context::JobContext;
use crate::fetching::fetch;
use crate::host_limiter::Lease;
use crate::hosts::is_busy;
use crate::log_suppression::without_logs;
use crate::page_trace::{trace, trace_links};
use crate::ports::PageText;
use crate::read_page::read_page;
use crate::shared::Shared;
use crate::sitemap_lease::{admit_sitemaps, read_sitemap};
use crate::track_changes::track_changes;
use crate::transforming::transform;

/// A page of a job that is not known here is not leased again before this.
const OTHERS_PAUSE: Duration = Duration::from_secs(5);
/// More links of one page than these are taken in on a thread for blocking work.
const MANY_LINKS: usize = 4_096;
/// So is a document of more bytes than this: writing it as JSON takes a millisecond or two.
pub const LARGE_DOCUMENT: usize = 1 << 20;

/// Works on a leased page and finishes it, unless its job ends first.
pub(crate) async fn work(shared: Arc<Shared>, leased: LeasedPage) {
    let now = shared.clock.now();
    let Some(job) = shared.context(leased.job) else {
        // Of another engine, which may be away for a while; nothing was tried here.
        return shared.give_back(leased, PageOutcome::Return(now + OTHERS_PAUSE)).await;
    };
    let again = || PageOutcome::Retry(now);
    let lease = shared.host_limiter.lease(&leased.url, leased.max_concurrent);
    let end = end_of_work(&shared, &leased);
    let mut page = FinishedPage::new(leased, again());
    let processing = process(&shared, &job, &mut page, &lease);
    let processing = AssertUnwindSafe(without_logs(job.zero_data_retention, processing)).catch_unwind();
    let text = tokio::select! {
        // In this order: nothing is done for a job that has ended, nor on a lease that will have.
        biased;
        () = job.cancelled.cancelled() => return shared.give_back(page.lease, again()).await,
        () = tokio::time::sleep_until(end) => {
            let url = job.shown(&page.lease.url).map(tracing::field::display);
            tracing::warn!(job = %job.id, url, "a page was not done when its lease ended");
            return shared.give_back(page.lease, PageOutcome::Retry(shared.clock.now())).await;
        }
        // A panic is one page's failure.
        text = processing => text.unwrap_or_else(|_| {
            let url = job.shown(&page.lease.url).map(tracing::field::display);
            tracing::error!(job = %job.id, url, "a page made the engine panic");
            // Nothing of what it has so far.
            (page.links, page.redirected_to, page.fingerprint) = (Vec::new(), None, None);
            (page.observed, page.address, page.request_sent) = (None, None, true);
            page.outcome = failed(ErrorCode::UnknownError, "the engine failed on this page");
            None
        }),
    };
    drop(lease);
    if !matches!(page.outcome, PageOutcome::Retry(_) | PageOutcome::Return(_)) {
        job.earn_retry();
    }
    let fields = tokio::select! {
        biased;
        () = job.cancelled.cancelled() => return shared.give_back(page.lease, again()).await,
        fields = read_page(&shared, &job, text, &mut page) => fields,
    };
    track_changes(&shared, &job, fields, &mut page).await;
    page.outcome = reported(&job, page.outcome);
    page.slash_added = job.is_slash_added(page.lease.key);
    // Redirects to the host may wait for what its answer gives it.
    let waited_for = shared.host_limiter.is_waited_for(&page.lease.url).then(|| page.lease.url.clone());
    match finish(&shared, page).await {
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

fn failed(code: ErrorCode, message: impl Into<String>) -> PageOutcome {
    PageOutcome::Failed(PageError { code, message: message.into() })
}

/// From the lease to the outcome. Returns the text of the page if something is left to be read off it.
async fn process(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    lease: &Lease,
) -> Option<Box<PageText>> {
    if let Some(crawl) = job.crawl.as_ref().filter(|crawl| crawl.sitemaps.contains(page.lease.key)) {
        read_sitemap(shared, job, crawl, page).await;
        return None;
    }
    let fetched = fetch(shared, job, page, lease).await?;
    admit_sitemaps(shared, job, &page.lease, &fetched.url).await;
    if is_busy(fetched.status)
        && let Some(outcome) = try_again(shared, job, &page.lease, fetched.retry_after)
    {
        page.outcome = outcome;
        return None;
    }
    if page.lease.external
        && let Some(crawl) = &job.crawl
        && let Some(inside) = crawl.candidate(fetched.url.clone(), &mut 0)
        && !inside.external
        && inside.key != page.lease.key
    {
        // It leads back into the site. Its target is a page of the site as far away as this one, whose links
        // are followed: it is fetched as such, and gives the document.
        (page.outcome, page.redirected_to) = (PageOutcome::Skipped, Some(inside.key));
        let (depth, now) = (page.lease.depth, shared.clock.now());
        if let Err(error) = shared.store.admit(job.id, depth, vec![inside], now).await {
            tracing::debug!(%error, "a job ended before a page was admitted");
        }
        trace(job, page, Some(&fetched.url), true);
        return None;
    }
    let until = end_of_page(shared, job, &page.lease);
    let (fetched, transformed) = transform(shared, job, fetched, until).await;
    let answered = job.is_traced().then(|| fetched.url.clone());
    let text = match transformed {
        Ok(transformed) => conclude(shared, job, page, fetched, transformed).await,
        Err(error) => {
            page.outcome = PageOutcome::Failed(error);
            None
        }
    };
    trace(job, page, answered.as_ref(), page.redirected_to.is_some());
    if job.is_traced() {
        trace_links(shared, job, &page.links).await;
    }
    text
}
