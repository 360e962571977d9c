//! One request for a page: its browser slot, its permit, its redirects, and its feedback about the hosts.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostFeedback, Observation};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{CacheState, ErrorCode, FetchEngine};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::context::JobContext;
use crate::holds::MAX_PLACE_WAIT;
use crate::hosts::{HeldPermit, RequestChain, same_host};
use crate::permission::CrawlRedirects;
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose};
use crate::shared::Shared;
use crate::timings::Stopwatch;

/// The time for the transform of a page between its answer and its deadline: a tenth of the time left, and at
/// most this.
const MAX_TRANSFORM_RESERVE: Duration = Duration::from_secs(1);

/// A request for a page that robots.txt allows.
#[derive(Clone, Copy)]
pub(crate) struct PageRequest<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) job: &'a JobContext,
    /// The URL of the page, whose host is held. The permit is for this host.
    pub(crate) page: &'a Url,
    /// The URL that the page is read from, if it is not its own.
    pub(crate) export: Option<&'a Url>,
    pub(crate) scheme_assumed: bool,
    pub(crate) options: &'a ScrapeOptionsPlan,
    /// The start page of a crawl.
    pub(crate) is_start: bool,
    pub(crate) engine: FetchEngine,
    /// The crawl delay of robots.txt.
    pub(crate) gap: Duration,
    /// The request is not sent after this time.
    pub(crate) latest_start: Instant,
    /// The deadline of the page.
    pub(crate) page_deadline: Instant,
    /// Measures the waits and the request.
    pub(crate) watch: &'a Stopwatch,
}

/// An answer.
pub(crate) struct Answered {
    pub(crate) fetched: Fetched,
    /// The feedback about the host of the page, not reported yet.
    pub(crate) feedback: HostFeedback,
}

/// Why there is no answer.
pub(crate) enum NotAnswered {
    /// No browser slot or no permit was free in time. No request was sent.
    TooLate,
    /// The request failed.
    Failed {
        failure: FetchError,
        /// The observation of the host of the page, not reported yet.
        observed: Option<Observation>,
    },
}

impl PageRequest<'_> {
    /// Waits for a browser slot, if the request is for a browser, and for a permit of the host; then sends
    /// the request. The waits come before its timeout starts.
    pub(crate) async fn send(&self) -> Result<Answered, NotAnswered> {
        let Self { shared, job, page, watch, .. } = *self;
        let began = Instant::now();
        let waited = || watch.add(|timings| &mut timings.waited, began);
        let too_late = || {
            waited();
            NotAnswered::TooLate
        };
        // The slot comes before the permit: a page that waits for a browser keeps no other page from its
        // host. No page waits for a slot while it holds a permit, so pages cannot deadlock.
        let _slot = match (self.engine, &shared.browser) {
            (FetchEngine::Browser, Some(browser)) => {
                let slot = timeout_at(self.latest_start, browser.slot(job.team.as_ref(), page)).await;
                Some(slot.map_err(|_| too_late())?)
            }
            _ => None,
        };
        let permit = async {
            let permit = shared.host_limiter.permit(page, job.pacing(self.gap)).await;
            shared.term.lasts().await;
            permit
        };
        // The gap of a slow host is no lack of a place.
        let longest = MAX_PLACE_WAIT.max(self.gap * 2);
        let latest = self.latest_start.min(Instant::now() + longest);
        let permit = timeout_at(latest, permit).await;
        let Some(permit) = permit.ok().filter(|_| Instant::now() < self.latest_start) else {
            return Err(too_late());
        };
        waited();
        let request = FetchRequest {
            url: self.export.unwrap_or(page),
            scheme_assumed: self.scheme_assumed,
            options: self.options,
            purpose: Purpose::Page,
            session: Some(&job.fetch_session),
            team: job.team.as_ref(),
            engine: self.engine,
            deadline: self.due(Instant::now()),
            zero_data_retention: job.zero_data_retention,
        };
        let redirects = CrawlRedirects {
            shared,
            job,
            is_start: self.is_start,
            is_export: self.export.is_some(),
            chain: RequestChain::start(shared, page, HeldPermit::of_lease(permit)),
        };
        let sent = Instant::now();
        let fetched = shared.fetch.fetch(request, &redirects).await;
        watch.add(|timings| &mut timings.fetched, sent);
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(failure) => {
                let observed = self.report_failure(redirects, &failure);
                return Err(NotAnswered::Failed { failure, observed });
            }
        };
        watch.answered(fetched.status, fetched.body.len(), fetched.cache_state, self.engine);
        // Before `redirects` drops the permit of the host.
        shared.apply_retry_after(&fetched);
        let mut feedback = HostFeedback {
            observed: observation(&fetched),
            address: fetched.address,
            ..HostFeedback::default()
        };
        if !same_host(page, &fetched.url) {
            // After a redirect to another host, that host is reported at once. The host of the page was
            // reported when it redirected.
            let other = std::mem::take(&mut feedback);
            if other != HostFeedback::default() {
                let in_flight = redirects.chain.progress().in_flight;
                shared.observe(&fetched.url, HostFeedback { in_flight, ..other });
            }
        }
        Ok(Answered { fetched, feedback })
    }

    /// When the answer is due if the request starts `now`.
    fn due(&self, now: Instant) -> Instant {
        let left = self.page_deadline.saturating_duration_since(now);
        let reserve = MAX_TRANSFORM_RESERVE.min(left / 10);
        // A hook may set any timeout.
        now + self.options.timeout.min(left.saturating_sub(reserve))
    }

    /// Reports the host of a failed request, unless it is the host of the page: then returns its observation.
    fn report_failure(&self, redirects: CrawlRedirects<'_>, failure: &FetchError) -> Option<Observation> {
        // The host of the last request is the one that failed.
        let progress = redirects.chain.progress();
        let no_answer = Observation { status: None, latency: progress.elapsed };
        let mut observed = is_host_failure(failure).then_some(no_answer);
        if !same_host(self.page, &progress.url) {
            // Even without an observation: the gap of the host starts at the end of the request.
            self.shared.observe(&progress.url, progress.feedback(observed.take()));
        }
        // The next steps can send another request to the same host.
        drop(redirects);
        if failure.refused_redirect.is_some() {
            let answered = HostFeedback { answered: true, ..HostFeedback::default() };
            self.shared.feedback(self.page, answered);
        }
        observed
    }
}

/// Does this failure indicate an overloaded host? Most do not. Failures of the engine's own side do not
/// either: of a proxy, of the resolver, of a browser, or of a body that exceeds the memory budget.
fn is_host_failure(failure: &FetchError) -> bool {
    let is_own_failure = matches!(
        failure.error.code,
        ErrorCode::ScrapeAllEnginesFailed | ErrorCode::ScrapeDnsResolutionError | ErrorCode::ScrapeTimeout
    );
    failure.retryable && !failure.exhausted && !is_own_failure
}

/// The observation of the host in an answer.
fn observation(answer: &Fetched) -> Option<Observation> {
    // A cached answer says nothing about the host.
    if answer.cache_state == Some(CacheState::Hit) {
        return None;
    }
    // The time of a rendered page includes the work of the browser.
    let latency = if answer.rendering.is_some() { Duration::ZERO } else { answer.latency };
    Some(Observation { status: Some(answer.status), latency })
}
