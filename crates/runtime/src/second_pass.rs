//! Renders a page that turned out to be an empty shell as served, within the same lease.
//!
//! Both requests are one attempt at one page: they give one document with one price, and the limits of the
//! job count one page. The second request waits for its own permit with the same pacing. If it does not give
//! more than the first, the page as served remains, with a warning; a failure of it is not one of the page.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::HostFeedback;
use gleaner_store::FinishedPage;
use gleaner_types::FetchEngine;
use gleaner_types::plan::ScrapeOptionsPlan;
use tokio::time::{Instant, sleep};

use crate::attempts::page_deadline;
use crate::context::JobContext;
use crate::limits::EXHAUSTED_PAUSE;
use crate::page_request::{NotAnswered, PageRequest};
use crate::ports::{Fetched, Transformed};
use crate::rendering::NotRendered;
use crate::shared::Shared;
use crate::timings::Stopwatch;
use crate::transforming::transform;
use crate::warning::warn;

/// A page is not rendered if less time is left.
pub(crate) const MIN_RENDER_TIME: Duration = Duration::from_secs(1);

/// A transformed page, as served or rendered.
pub(crate) struct PageVersion {
    pub(crate) fetched: Fetched,
    pub(crate) transformed: Transformed,
    pub(crate) engine: FetchEngine,
}

/// The second request for a page, if it needs one.
pub(crate) struct SecondRequest {
    /// The crawl delay of robots.txt.
    pub(crate) gap: Duration,
    /// The options that the hooks of the embedder changed; `None` for those of the job.
    pub(crate) options: Option<Box<ScrapeOptionsPlan>>,
    /// Why the page must stay as served.
    pub(crate) not_rendered: Option<NotRendered>,
}

/// Renders a page if it needs its scripts. Otherwise, or if that fails, returns the first version; it has a
/// warning if it needs its scripts.
pub(crate) async fn render_if_needed(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    mut first: PageVersion,
    second: SecondRequest,
    watch: &Stopwatch,
) -> PageVersion {
    let SecondRequest { gap, options, not_rendered } = second;
    if first.engine == FetchEngine::Browser {
        return first;
    }
    let is_error_page = first.fetched.status >= 400;
    if !first.transformed.needs_scripts {
        if not_rendered.is_none() && !is_error_page {
            record(shared, job, page, false);
        }
        return first;
    }
    // The body is not needed any more, and counts in the memory of pages.
    first.fetched.body = Bytes::new();
    let reason = match not_rendered {
        Some(reason) => reason,
        None if is_error_page => NotRendered::ErrorPage,
        None => match render(shared, job, page, &first, (gap, options.as_deref()), watch).await {
            Ok(second) => {
                let has_more = compare(&second.transformed, &first.transformed) == Ordering::Greater;
                record(shared, job, page, has_more);
                return second;
            }
            Err(reason) => {
                if matches!(reason, NotRendered::LessText(_)) {
                    record(shared, job, page, false);
                }
                reason
            }
        },
    };
    warn(&mut first.transformed.document, &reason.to_string());
    first
}

/// Sends the second request and transforms its answer.
async fn render(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: &mut FinishedPage,
    first: &PageVersion,
    (gap, options): (Duration, Option<&ScrapeOptionsPlan>),
    watch: &Stopwatch,
) -> Result<PageVersion, NotRendered> {
    let deadline = page_deadline(shared, job, &page.lease);
    // The wait for the pacing comes before the browser slot, so that no browser is idle meanwhile.
    let pause = gap.max(job.delay());
    if deadline.saturating_duration_since(Instant::now()) < pause + MIN_RENDER_TIME {
        return Err(NotRendered::NoTime);
    }
    // A finished page reports one response. This one is reported now.
    let feedback =
        HostFeedback { observed: page.observed.take(), address: page.address, ..HostFeedback::default() };
    if feedback != HostFeedback::default() {
        shared.observe(&page.lease.url, feedback);
    }
    if !pause.is_zero() {
        let began = Instant::now();
        sleep(pause).await;
        watch.add(|timings| &mut timings.waited, began);
    }
    let leased = &page.lease;
    let lease_left = leased.expires_at.saturating_sub(shared.clock.now());
    let request = PageRequest {
        shared,
        job,
        page: &leased.url,
        export: None,
        scheme_assumed: job.is_scheme_assumed(leased.key),
        options: options.unwrap_or_else(|| job.options_for(leased)),
        is_start: job.is_start(leased.key),
        engine: FetchEngine::Browser,
        gap,
        latest_start: (shared.clock.instant(leased.expires_at) - lease_left / 2)
            .min(deadline - MIN_RENDER_TIME),
        page_deadline: deadline,
        watch,
    };
    let fetched = loop {
        match request.send().await {
            Ok(answered) => {
                (page.observed, page.address) = (answered.feedback.observed, answered.feedback.address);
                break answered.fetched;
            }
            Err(NotAnswered::TooLate) => return Err(NotRendered::NoSlot),
            // This machine lacks what the request needs. The page waits for it until it is too late.
            Err(NotAnswered::Failed { failure, .. }) if failure.exhausted => sleep(EXHAUSTED_PAUSE).await,
            Err(NotAnswered::Failed { failure, observed }) => {
                page.observed = observed;
                return Err(NotRendered::Failed(failure.error.message));
            }
        }
    };
    if fetched.status >= 400 {
        return Err(NotRendered::Status(fetched.status));
    }
    let began = Instant::now();
    let (fetched, transformed) = transform(shared, job, fetched, deadline).await;
    watch.add(|timings| &mut timings.transformed, began);
    let transformed = transformed.map_err(|error| NotRendered::Failed(error.message))?;
    if compare(&transformed, &first.transformed) == Ordering::Less {
        let warnings = fetched.rendering.map(|rendering| rendering.warnings).unwrap_or_default();
        return Err(NotRendered::LessText((!warnings.is_empty()).then(|| warnings.join("; "))));
    }
    Ok(PageVersion { fetched, transformed, engine: FetchEngine::Browser })
}

/// Compares two versions by their text, and then by their links. Without a format with text, only the links
/// count.
fn compare(one: &Transformed, other: &Transformed) -> Ordering {
    let text = |version: &Transformed| {
        let document = &version.document;
        let text = document.markdown.as_ref().or(document.html.as_ref());
        text.map_or(0, |text| text.trim().len())
    };
    text(one).cmp(&text(other)).then(one.links.len().cmp(&other.links.len()))
}

/// Records whether the page needed its scripts, for other pages of its kind.
fn record(shared: &Shared, job: &JobContext, page: &FinishedPage, needed: bool) {
    if let Some(browser) = &shared.browser {
        browser.record(job, &page.lease.url, job.options_for(&page.lease), needed);
    }
}
