//! The work on one leased page, step by step: fetch, transform, render it if it needs its scripts, complete
//! the document, extract fields, compare with an earlier scrape, commit. Each step writes into the
//! [`FinishedPage`] for the store.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_frontier::SkipReason;
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome};
use gleaner_types::{ErrorCode, PageError};
use tokio::time::Instant;

use crate::attempts::{AttemptEnd, page_deadline, retry_page, work_deadline};
use crate::complete_page::complete_page;
use crate::context::{CrawlContext, JobContext, retry_note};
use crate::deliver::deliver;
use crate::fetching::{FirstAnswer, fetch};
use crate::holds::hold_of;
use crate::hook_calls::EndedPage;
use crate::host_limiter::HostLease;
use crate::hosts::is_busy;
use crate::log_suppression::without_logs;
use crate::page_event::PageEvent;
use crate::page_trace::{trace, trace_links};
use crate::ports::PageText;
use crate::read_page::read_page;
use crate::rejections::rejection_note;
use crate::second_pass::{PageVersion, SecondRequest, render_if_needed};
use crate::session_notes::session_notes;
use crate::shared::Shared;
use crate::sitemap_lease::{admit_sitemaps, read_sitemap};
use crate::term::PageInWork;
use crate::timings::Stopwatch;
use crate::track_changes::track_changes;
use crate::transforming::transform;

/// Delay before a page of a job that this engine does not run can be leased again.
const UNKNOWN_JOB_PAUSE: Duration = Duration::from_secs(5);

/// Works on a leased page and finishes it, unless its job ends or its lease is lost first.
pub(crate) async fn run(shared: Arc<Shared>, leased: LeasedPage, in_work: PageInWork) {
    let now = shared.clock.now();
    let Some(job) = shared.context_of(leased.job).await else {
        // The job has ended, or belongs to another engine. No attempt was made here.
        return shared.return_lease(leased, PageOutcome::Return(now + UNKNOWN_JOB_PAUSE)).await;
    };
    let retry_now = || PageOutcome::Retry(now);
    let watch = Stopwatch::start();
    if shared.hooks.get().is_some() {
        shared.ask_pace(&leased.url).await;
    }
    let lease = shared.host_limiter.lease(&leased.url, leased.max_concurrent);
    let deadline = work_deadline(&shared, &leased);
    let mut page = FinishedPage::new(leased, retry_now());
    let processing = process(&shared, &job, &mut page, &lease, &watch);
    let processing = AssertUnwindSafe(without_logs(job.zero_data_retention, processing)).catch_unwind();
    let text = tokio::select! {
        // In this order, so that no work is done for an ended job or on a lease that is about to end.
        biased;
        () = job.cancelled.cancelled() => return shared.return_lease(page.lease, retry_now()).await,
        () = in_work.stopped() => return shared.return_stopped(page.lease).await,
        () = tokio::time::sleep_until(deadline) => {
            let url = job.log_url(&page.lease.url).map(tracing::field::display);
            tracing::warn!(job = %job.id, url, "a page was not done when its lease ended");
            return shared.return_lease(page.lease, PageOutcome::Retry(shared.clock.now())).await;
        }
        // A panic fails this page only.
        text = processing => text.unwrap_or_else(|_| {
            let url = job.log_url(&page.lease.url).map(tracing::field::display);
            tracing::error!(job = %job.id, url, "a page made the engine panic");
            // Partial results are dropped.
            (page.links, page.redirected_to, page.fingerprint) = (Vec::new(), None, None);
            (page.observed, page.address, page.request_sent) = (None, None, true);
            page.outcome = failed(ErrorCode::UnknownError, "the engine failed on this page");
            None
        }),
    };
    drop(lease);
    if shared.term.is_over() {
        // The process may have been suspended, so that a time limit has passed without an answer.
        return shared.return_stopped(page.lease).await;
    }
    match page.outcome {
        PageOutcome::Retry(_) => page.notes.extend(shared.notes(|| vec![retry_note()])),
        PageOutcome::Return(_) => {}
        _ => job.earn_retry(),
    }
    let began = Instant::now();
    let fields = tokio::select! {
        biased;
        () = job.cancelled.cancelled() => return shared.return_lease(page.lease, retry_now()).await,
        () = in_work.stopped() => return shared.return_stopped(page.lease).await,
        fields = read_page(&shared, &job, text, &mut page) => fields,
    };
    track_changes(&shared, &job, fields, &mut page).await;
    watch.add(|timings| &mut timings.extracted, began);
    page.outcome = with_contract_names(&job, page.outcome);
    if let PageOutcome::Document(document, _) = &mut page.outcome {
        document.metadata.duration = Some(watch.elapsed());
    }
    if let Some(sink) = shared.sink.get().filter(|_| job.to_sink) {
        let began = Instant::now();
        tokio::select! {
            biased;
            () = job.cancelled.cancelled() => return shared.return_lease(page.lease, retry_now()).await,
            () = in_work.stopped() => return shared.return_stopped(page.lease).await,
            () = deliver(&shared, &job, &**sink, &mut page) => {}
        }
        watch.add(|timings| &mut timings.stored, began);
    }
    page.slash_added = job.is_slash_added(page.lease.key);
    if job.crawl.is_some() && matches!(page.outcome, PageOutcome::RobotsBlocked(_)) {
        page.notes.extend(shared.notes(|| rejection_note(SkipReason::RobotsTxt, 1).into_iter().collect()));
    }
    page.notes.extend(session_notes(&shared, &job, false));
    // Redirects that wait for the host can use the limits that result from its answer.
    let has_waiters = shared.host_limiter.has_waiters(&page.lease.url);
    let host_to_refresh = has_waiters.then(|| page.lease.url.clone());
    let ended = finish(&shared, &job, page, &watch).await;
    if let Some(url) = host_to_refresh {
        shared.refresh_limits(&url);
    }
    if let (Some(hooks), Some(ended)) = (shared.hooks.get(), ended) {
        hooks.ended(ended, watch.measured(), watch.elapsed()).await;
    }
}

/// Commits a page, and logs its end. Returns the end for the hooks of the embedder, if there are any.
async fn finish(
    shared: &Shared,
    job: &JobContext,
    page: FinishedPage,
    watch: &Stopwatch,
) -> Option<EndedPage> {
    let event = PageEvent::of(job, &page);
    let ended = shared.hooks.get().and_then(|_| EndedPage::of(&page));
    let began = Instant::now();
    match shared.finish(page).await {
        Ok(receipt) => {
            watch.add(|timings| &mut timings.stored, began);
            // Otherwise its lease was lost, and it ends elsewhere.
            if let Some(event) = event.filter(|_| receipt.accepted) {
                event.log(watch.measured(), watch.elapsed());
            }
            if receipt.job_ended {
                shared.forget(job.id);
            }
            ended.filter(|_| receipt.accepted)
        }
        // The lease expires, and the page is scraped again.
        Err(error) => {
            shared.log_failure(&error, "a page could not be stored");
            None
        }
    }
}

/// The outcome with the field names of the request's API version and the messages of the contract.
fn with_contract_names(job: &JobContext, outcome: PageOutcome) -> PageOutcome {
    match outcome {
        PageOutcome::Document(mut document, credits) => {
            if job.options.formats.json.as_ref().is_some_and(|json| json.as_extract) {
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

fn failed(code: ErrorCode, message: impl Into<String>) -> PageOutcome {
    PageOutcome::Failed(PageError { code, message: message.into() })
}

/// Fetches and transforms a page, and sets its outcome. Returns the text of the page if the extract port
/// needs it.
async fn process(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    lease: &HostLease,
    watch: &Stopwatch,
) -> Option<Box<PageText>> {
    let began = Instant::now();
    let hold = hold_of(shared, &page.lease).await;
    watch.add(|timings| &mut timings.waited, began);
    let hold = match hold {
        Ok(hold) => hold,
        Err(not_before) => {
            (page.outcome, page.request_sent) = (PageOutcome::Return(not_before), false);
            trace(job, page, None, false);
            return None;
        }
    };
    let text = process_held(shared, job, page, lease, watch).await;
    drop(hold);
    text
}

/// As [`process`], while no other process sends requests to the host.
async fn process_held(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    lease: &HostLease,
    watch: &Stopwatch,
) -> Option<Box<PageText>> {
    let is_sitemap = |crawl: &&CrawlContext| page.lease.auxiliary || crawl.sitemaps.contains(page.lease.key);
    if let Some(crawl) = job.crawl.as_ref().filter(is_sitemap) {
        read_sitemap(shared, job, crawl, page).await;
        return None;
    }
    let FirstAnswer { fetched, engine, gap, options, not_rendered } =
        fetch(shared, job, page, lease, watch).await?;
    admit_sitemaps(shared, job, &page.lease, &fetched.url).await;
    if fetched.status >= 400 {
        let end = AttemptEnd {
            status: Some(fetched.status),
            error: None,
            retry_after: fetched.retry_after,
            is_retryable: is_busy(fetched.status),
        };
        if let Some(outcome) = retry_page(shared, job, &page.lease, end).await {
            page.outcome = outcome;
            return None;
        }
    }
    if fetched.status >= 400
        && !is_busy(fetched.status)
        && let Some(crawl) = &job.crawl
    {
        // At the same depth: it is the same page.
        let twins = crawl.twins_of(&page.lease);
        if !twins.is_empty() {
            shared.admit_at(job.id, page.lease.depth, twins).await;
        }
    }
    if page.lease.external
        && let Some(crawl) = &job.crawl
        && let Some(inside) = crawl.candidate(fetched.url.clone(), &mut 0)
        && !inside.external
        && inside.key != page.lease.key
    {
        // An external link that redirects back into the site. The target is queued as a page of the site at
        // the same depth, so that its links are followed; that page gives the document.
        (page.outcome, page.redirected_to) = (PageOutcome::Skipped, Some(inside.key));
        shared.admit_at(job.id, page.lease.depth, vec![inside]).await;
        trace(job, page, Some(&fetched.url), true);
        return None;
    }
    let deadline = page_deadline(shared, job, &page.lease);
    let began = Instant::now();
    let (fetched, transformed) = transform(shared, job, fetched, deadline).await;
    watch.add(|timings| &mut timings.transformed, began);
    let mut answered = job.is_traced().then(|| fetched.url.clone());
    let text = match transformed {
        Ok(transformed) => {
            let first = PageVersion { fetched, transformed, engine };
            let second = SecondRequest { gap, options, not_rendered };
            let version = render_if_needed(shared, job, page, first, second, watch).await;
            answered = job.is_traced().then(|| version.fetched.url.clone());
            let began = Instant::now();
            let text = complete_page(shared, job, page, version).await;
            watch.add(|timings| &mut timings.transformed, began);
            text
        }
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
