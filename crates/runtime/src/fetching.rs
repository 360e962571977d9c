//! The first request for a leased page, and the outcome of a page whose request fails.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Observation, SkipReason, looks_like_file};
use gleaner_store::{FinishedPage, JobWarning, LeasedPage, PageOutcome};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, FetchEngine};
use tokio::time::Instant;

use crate::attempts::{AttemptEnd, after_exhaustion, page_deadline, retry_page};
use crate::browser_access::EngineChoice;
use crate::context::JobContext;
use crate::exports::export;
use crate::hooks::RequestDraft;
use crate::host_limiter::HostLease;
use crate::page_request::{NotAnswered, PageRequest};
use crate::page_trace::trace;
use crate::permission::{permission, robots_blocked, robots_unreadable};
use crate::ports::{FetchError, Fetched, RedirectRefusal};
use crate::rejections::rejection_note;
use crate::rendering::{NotRendered, RenderNeed};
use crate::robots::RobotsFailure;
use crate::shared::Shared;
use crate::sitemap_lease::admit_sitemaps;
use crate::timings::Stopwatch;

/// The answer to the first request for a page.
pub(crate) struct FirstAnswer {
    pub(crate) fetched: Fetched,
    pub(crate) engine: FetchEngine,
    /// The crawl delay of robots.txt.
    pub(crate) gap: Duration,
    /// The options that the hooks of the embedder changed.
    pub(crate) options: Option<Box<ScrapeOptionsPlan>>,
    /// Why a page that needs its scripts stays as served; `None` if it is rendered next.
    pub(crate) not_rendered: Option<NotRendered>,
}

/// Fetches a page, if that is allowed. `None` if there is no answer: then the page has its outcome.
pub(crate) async fn fetch(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    lease: &HostLease,
    watch: &Stopwatch,
) -> Option<FirstAnswer> {
    // The options were checked at the submit, perhaps by an engine that had a browser.
    if shared.browser.is_none()
        && let Some(error) = RenderNeed::refusal(job.options_for(&page.lease))
    {
        (page.outcome, page.request_sent) = (PageOutcome::Failed(error), false);
        trace(job, page, None, false);
        return None;
    }
    let lease_left = page.lease.expires_at.saturating_sub(shared.clock.now());
    // A screenshot and actions are for the page that people see.
    let export = match RenderNeed::of(&job.options) {
        RenderNeed::Required => None,
        RenderNeed::No | RenderNeed::Asked => export(&page.lease.url),
    };
    let began = Instant::now();
    let permitted = permission(shared, job, page, export.as_ref(), lease).await;
    watch.add(|timings| &mut timings.waited, began);
    let Some(gap) = permitted else {
        trace(job, page, None, false);
        return None;
    };
    let prepared = match prepare(shared, job, &page.lease).await {
        Ok(prepared) => prepared,
        Err(failure) => {
            page.request_sent = false;
            finish_failed(shared, job, page, *failure, None).await;
            return None;
        }
    };
    let leased = &page.lease;
    let options = prepared.options.as_deref().unwrap_or_else(|| job.options_for(leased));
    let choice = match (&export, prepared.rendered) {
        (Some(_), _) => EngineChoice::Static(NotRendered::NotAsked),
        (None, Some(true)) if shared.browser.is_some() => EngineChoice::Browser,
        (None, Some(false)) if RenderNeed::of(options) != RenderNeed::Required => {
            EngineChoice::Static(NotRendered::NotAsked)
        }
        (None, _) => shared.engine_choice(job, &leased.url, options),
    };
    let mut request = PageRequest {
        shared,
        job,
        page: &leased.url,
        export: export.as_ref(),
        scheme_assumed: job.is_scheme_assumed(leased.key),
        options,
        is_start: job.is_start(leased.key),
        engine: choice.engine(),
        gap,
        // A request that starts later would be cut off by the end of the lease.
        latest_start: shared.clock.instant(leased.expires_at) - lease_left / 2,
        page_deadline: page_deadline(shared, job, leased),
        watch,
    };
    let mut render_failure = None;
    let answered = loop {
        match request.send().await {
            Ok(answered) => break answered,
            Err(NotAnswered::TooLate) => {
                let is_first = render_failure.is_none();
                (page.outcome, page.request_sent) = (PageOutcome::Return(shared.clock.now()), !is_first);
                return None;
            }
            // The options do not ask for a browser, so the page as served satisfies them.
            Err(NotAnswered::Failed { failure, .. })
                if choice == EngineChoice::BrowserFirst
                    && render_failure.is_none()
                    && is_render_failure(&failure) =>
            {
                render_failure = Some(NotRendered::Failed(failure.error.message));
                request.engine = FetchEngine::Static;
            }
            Err(NotAnswered::Failed { failure, observed }) => {
                finish_failed(shared, job, page, failure, observed).await;
                return None;
            }
        }
    };
    let (engine, feedback) = (request.engine, answered.feedback);
    (page.observed, page.address) = (feedback.observed, feedback.address);
    let not_rendered = match choice {
        EngineChoice::Static(reason) => Some(reason),
        EngineChoice::StaticFirst | EngineChoice::Browser | EngineChoice::BrowserFirst => render_failure,
    };
    Some(FirstAnswer { fetched: answered.fetched, engine, gap, options: prepared.options, not_rendered })
}

/// What the hooks of the embedder changed of a request.
#[derive(Default)]
struct PreparedRequest {
    /// `None` for the options of the job.
    options: Option<Box<ScrapeOptionsPlan>>,
    /// Whether a browser renders the page, if that was set.
    rendered: Option<bool>,
}

/// Lets the hooks of the embedder, if there are any, change the request for a page.
async fn prepare(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
) -> Result<PreparedRequest, Box<FetchError>> {
    let Some(hooks) = shared.hooks.get() else { return Ok(PreparedRequest::default()) };
    let attempt = page.attempt.saturating_add(1);
    let mut draft = RequestDraft::new(job.id, &page.url, attempt, job.options_for(page).clone());
    let prepared = hooks.prepare(&mut draft, page_deadline(shared, job, page)).await;
    prepared.map_err(|error| {
        Box::new(FetchError {
            error,
            retryable: false,
            browser_crashed: false,
            exhausted: false,
            refused_redirect: None,
        })
    })?;
    let (options, rendered) = draft.into_parts();
    Ok(PreparedRequest { options: Some(Box::new(options)), rendered })
}

/// Did the browser fail, not the host?
fn is_render_failure(failure: &FetchError) -> bool {
    failure.refused_redirect.is_none() && failure.error.code == ErrorCode::ScrapeAllEnginesFailed
}

/// Ends a page whose request failed.
async fn finish_failed(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &mut FinishedPage,
    failure: FetchError,
    observed: Option<Observation>,
) {
    page.observed = observed;
    if let Some(crawl) = &job.crawl
        && failure.error.code == ErrorCode::ScrapeUnsupportedFileError
        && page.lease.key != crawl.start_key
        && looks_like_file(&page.lease.url)
    {
        // The name was a hint, and it was right: the link is left out as if it had not been followed.
        let reason = SkipReason::BinaryFile;
        crawl.records.rejections.count(reason);
        page.notes.extend(shared.notes(|| rejection_note(reason, 1).into_iter().collect()));
        page.outcome = PageOutcome::Skipped;
        if job.is_traced() {
            crawl.records.traces.record_rejected(crawl.identity.key(&page.lease.url), reason);
        }
        return;
    }
    page.outcome = failure_outcome(shared, job, &page.lease, failure).await;
    if matches!(page.outcome, PageOutcome::Failed(_)) {
        admit_sitemaps(shared, job, &page.lease, &page.lease.url).await;
    }
    trace(job, page, None, false);
}

async fn failure_outcome(
    shared: &Shared,
    job: &JobContext,
    page: &LeasedPage,
    failure: FetchError,
) -> PageOutcome {
    match failure.refused_redirect {
        Some(RedirectRefusal::Robots { rule }) => robots_blocked(shared, job, page, rule).await,
        Some(RedirectRefusal::RobotsUnreadable { cause, is_transient, answered }) => {
            robots_unreadable(
                shared,
                job,
                page,
                &RobotsFailure { error: cause, is_transient, answered, exhausted: false },
            )
            .await
        }
        Some(RedirectRefusal::HostBusy { not_before }) => PageOutcome::Return(not_before),
        None if failure.exhausted => after_exhaustion(shared),
        Some(RedirectRefusal::OutOfScope(_)) | None => {
            if let Some(crawl) = &job.crawl
                && page.key == crawl.start_key
                && failure.refused_redirect.is_some()
            {
                let warning = JobWarning::StartRedirect(failure.error.message.clone());
                let _ = shared.store.warn(job.id, warning).await;
            }
            let may_retry = failure.retryable && !(failure.browser_crashed && page.attempt > 0);
            let end = AttemptEnd {
                status: None,
                error: Some(&failure.error),
                retry_after: None,
                is_retryable: may_retry,
            };
            let retried = retry_page(shared, job, page, end).await;
            retried.unwrap_or(PageOutcome::Failed(failure.error))
        }
    }
}
