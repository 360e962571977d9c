//! robots.txt for jobs: fetched through the cache, over the default route or the route of the job.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostFeedback, RobotsPolicy};
use gleaner_types::plan::{Location, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, FetchEngine, PageError, SCRAPE_TIMED_OUT, SafeUrl};
use tokio::time::Instant;
use url::Url;

use crate::context::JobContext;
use crate::host_limiter::RequestPacing;
use crate::hosts::{AuxiliaryRedirects, same_host};
use crate::log_suppression::without_logs;
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose};
use crate::robots::{
    MAX_ROBOTS_TIME, ROBOTS_TIMEOUT, RequestStartReporter, Robots, RobotsFailure, RobotsLookup, robots_url,
};
use crate::route::{RouteKey, route_key};
use crate::shared::Shared;

/// Maximum bytes of a robots.txt parsed on a runtime thread: a longer one takes milliseconds.
const MAX_INLINE_ROBOTS: usize = 64 << 10;

impl Shared {
    /// robots.txt of the origin of `url`. A result for the job's own route comes first: it exists only after
    /// the default route failed, and this avoids waiting for that failure with each page. The job waits on
    /// each route for at most the timeout of its pages.
    pub(crate) async fn robots(
        self: &Arc<Self>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> RobotsLookup {
        let route = route_key(&job.options);
        let now = self.clock.now();
        if let Some(robots) = route.as_ref().and_then(|route| self.robots.current(agent, url, route, now)) {
            return RobotsLookup { robots, fresh: false };
        }
        let by_default = self.robots_over(None, agent, url, scheme_assumed, job).await;
        if by_default.robots.failure.is_none() || route.is_none() {
            return by_default;
        }
        self.robots_over(route, agent, url, scheme_assumed, job).await
    }

    async fn robots_over(
        self: &Arc<Self>,
        route: Option<RouteKey>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> RobotsLookup {
        let clock = self.clock;
        let request_route = route.clone();
        let load = |url, start_reporter| {
            let request = RobotsRequest {
                url,
                agent: agent.to_owned(),
                scheme_assumed,
                options: robots_options(job, request_route),
                pacing: job.pacing(Duration::ZERO),
            };
            let load = load_robots(Arc::clone(self), request, start_reporter);
            // The fetch can continue for other jobs after the job that started it has ended.
            let suppress_logs = job.zero_data_retention;
            async move { without_logs(suppress_logs, load).await }
        };
        let timeout = job.options.timeout;
        let lookup = self.robots.get(agent, url, route, timeout, move || clock.now(), load).await;
        lookup.unwrap_or_else(|| {
            let cause = format!("the timeout of {} ms ran out", timeout.as_millis());
            let error = unreadable(&robots_url(url), ErrorCode::ScrapeTimeout, &cause);
            let robots = Robots::unreachable(RobotsFailure {
                error,
                is_transient: true,
                answered: false,
                exhausted: false,
            });
            RobotsLookup { robots: Arc::new(robots), fresh: true }
        })
    }

    /// The policy in an answer to a request for robots.txt. A long one is parsed on a blocking thread.
    pub(crate) async fn robots_policy(&self, answer: &Fetched, agent: &str) -> RobotsPolicy {
        let (status, body) = (answer.status, answer.body.clone());
        if body.len() <= MAX_INLINE_ROBOTS {
            return RobotsPolicy::from_status(status, &body, agent);
        }
        let agent = agent.to_owned();
        let parse = move || RobotsPolicy::from_status(status, &body, &agent);
        self.slices.blocking(parse).await.unwrap_or_else(RobotsPolicy::unreachable)
    }

    /// The robots.txt last read for `agent` at the origin of `url`: over the job's own route, or else over
    /// the default one.
    pub(crate) fn robots_read(
        &self,
        agent: &str,
        url: &Url,
        route: Option<&RouteKey>,
    ) -> Option<Arc<Robots>> {
        let own = route.and_then(|route| self.robots.peek(agent, url, Some(route)));
        own.or_else(|| self.robots.peek(agent, url, None))
    }
}

/// A request for a robots.txt, independent of the job that started it.
struct RobotsRequest {
    url: Url,
    agent: String,
    scheme_assumed: bool,
    options: ScrapeOptionsPlan,
    pacing: RequestPacing,
}

async fn load_robots(
    shared: Arc<Shared>,
    request: RobotsRequest,
    start_reporter: RequestStartReporter,
) -> Robots {
    let RobotsRequest { url, agent, scheme_assumed, options, pacing } = request;
    let redirects = AuxiliaryRedirects::start(&shared, &url, pacing).await;
    start_reporter.report_now();
    let request = FetchRequest {
        url: &url,
        scheme_assumed,
        options: &options,
        purpose: Purpose::Robots,
        session: None,
        team: None,
        engine: FetchEngine::Static,
        deadline: Instant::now() + MAX_ROBOTS_TIME,
        zero_data_retention: false,
    };
    let fetched = tokio::time::timeout(MAX_ROBOTS_TIME, shared.fetch.fetch(request, &redirects)).await;
    let answer = match fetched {
        Ok(Ok(answer)) => answer,
        Err(_) => {
            let cause = format!("{} s ran out", MAX_ROBOTS_TIME.as_secs());
            let error = unreadable(&url, ErrorCode::ScrapeTimeout, &cause);
            return Robots::unreachable(RobotsFailure {
                error,
                is_transient: true,
                answered: false,
                exhausted: false,
            });
        }
        Ok(Err(FetchError { error: PageError { code, message }, retryable, exhausted, .. })) => {
            let is_transient = retryable || code == ErrorCode::ScrapeTimeout;
            let error = unreadable(&url, code, &message);
            return Robots::unreachable(RobotsFailure { error, is_transient, answered: false, exhausted });
        }
    };
    let policy = shared.robots_policy(&answer, &agent).await;
    // The crawl delay for an agent that one job chose applies to that job only. An unreadable robots.txt sets
    // none.
    let applies_to_all = agent == shared.agent && !policy.is_unreachable();
    let delay = applies_to_all.then(|| policy.crawl_delay().unwrap_or_default());
    // At once, so that no request starts between the answer and its crawl delay.
    let min_gap = delay.map(|gap| shared.host_limiter.set_gap(&url, gap));
    let address = answer.address.filter(|_| same_host(&url, &answer.url));
    let feedback = HostFeedback { min_gap, address, ..HostFeedback::default() };
    if feedback != HostFeedback::default() {
        shared.feedback(&url, feedback);
    }
    shared.apply_retry_after(&answer);
    if !policy.is_unreachable() {
        return Robots::with_policy(policy);
    }
    let cause = format!("its server answered with status {}", answer.status);
    let error = unreadable(&url, ErrorCode::ScrapeSiteError, &cause);
    Robots::unreachable(RobotsFailure { error, is_transient: true, answered: true, exhausted: false })
}

/// The failure of pages whose robots.txt could not be read.
fn unreadable(url: &Url, code: ErrorCode, cause: &str) -> PageError {
    // Avoids repeating the URL or the phrase for a timeout.
    let url = SafeUrl::from(url).to_string();
    let cause = [url.as_str(), SCRAPE_TIMED_OUT]
        .into_iter()
        .find_map(|prefix| cause.strip_prefix(prefix)?.strip_prefix(": "))
        .unwrap_or(cause);
    PageError::new(code, format!("{url} could not be read: {cause}"))
}

/// The options to fetch robots.txt with. The other options of the job have no effect on the fetch.
fn robots_options(job: &JobContext, route: Option<RouteKey>) -> ScrapeOptionsPlan {
    let RouteKey { proxy, country } = route.unwrap_or_else(RouteKey::default_route);
    ScrapeOptionsPlan {
        timeout: ROBOTS_TIMEOUT,
        mobile: false,
        skip_tls_verification: true,
        location: Location { country, languages: Vec::new() },
        proxy,
        ..job.external_options.clone()
    }
}
