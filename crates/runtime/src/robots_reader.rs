//! robots.txt as jobs read it: fetched through the cache, by the usual route or by that of the job.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostFeedback, RobotsPolicy};
use gleaner_types::plan::{Location, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, PageError, SCRAPE_TIMED_OUT, SafeUrl};
use url::Url;

use crate::context::JobContext;
use crate::host_limiter::RequestPacing;
use crate::hosts::{HostRedirects, same_host};
use crate::log_suppression::without_logs;
use crate::ports::{FetchError, FetchRequest, Fetched, Purpose};
use crate::robots::{Known, MAX_ROBOTS_TIME, ROBOTS_TIMEOUT, Robots, RobotsFailure, StartSignal, address_of};
use crate::route::{RouteKey, route_key};
use crate::shared::Shared;

/// A longer robots.txt, in bytes, takes milliseconds to read.
const SHORT_ROBOTS: usize = 64 << 10;

impl Shared {
    /// robots.txt of the origin of `url`. What came by the job's own way is looked for first: it is there
    /// only where the usual way failed, which is not to be waited for again with each page. By each way the
    /// job waits at most for the timeout of its pages.
    pub(crate) async fn robots(
        self: &Arc<Self>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Known {
        let route = route_key(&job.options);
        let now = self.clock.now();
        if let Some(robots) = route.as_ref().and_then(|route| self.robots.current(agent, url, route, now)) {
            return Known { robots, fresh: false };
        }
        let usual = self.robots_by(None, agent, url, scheme_assumed, job).await;
        if usual.robots.trouble.is_none() || route.is_none() {
            return usual;
        }
        self.robots_by(route, agent, url, scheme_assumed, job).await
    }

    async fn robots_by(
        self: &Arc<Self>,
        route: Option<RouteKey>,
        agent: &str,
        url: &Url,
        scheme_assumed: bool,
        job: &JobContext,
    ) -> Known {
        let clock = self.clock;
        let by = route.clone();
        let load = |address, begun| {
            let asked = RobotsRequest {
                address,
                agent: agent.to_owned(),
                scheme_assumed,
                options: robots_options(job, by),
                pacing: job.pacing(Duration::ZERO),
            };
            let load = load_robots(Arc::clone(self), asked, begun);
            // It may go on for others when the job that asked first has ended.
            let log_suppression = job.zero_data_retention;
            async move { without_logs(log_suppression, load).await }
        };
        let patience = job.options.timeout;
        let known = self.robots.get(agent, url, route, patience, move || clock.now(), load).await;
        known.unwrap_or_else(|| {
            let cause = format!("the timeout of {} ms ran out", patience.as_millis());
            let error = unread(&address_of(url), ErrorCode::ScrapeTimeout, &cause);
            let robots = Robots::unreachable(RobotsFailure { error, passes: true, answered: false });
            Known { robots: Arc::new(robots), fresh: true }
        })
    }

    /// What an answer to the request for a robots.txt says; a long one is read away from the runtime.
    pub(crate) async fn robots_policy(&self, answer: &Fetched, agent: &str) -> RobotsPolicy {
        let (status, body) = (answer.status, answer.body.clone());
        if body.len() <= SHORT_ROBOTS {
            return RobotsPolicy::from_status(status, &body, agent);
        }
        let agent = agent.to_owned();
        let read = self.slices.blocking(move || RobotsPolicy::from_status(status, &body, &agent)).await;
        read.unwrap_or_else(RobotsPolicy::unreachable)
    }

    /// What `agent` was told by the robots.txt that was read of the origin of `url`, where one could be: by
    /// the job's own way, or else by the usual one.
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

/// What is needed to fetch a robots.txt, whatever becomes of the job that asked for it first.
struct RobotsRequest {
    address: Url,
    agent: String,
    scheme_assumed: bool,
    options: ScrapeOptionsPlan,
    pacing: RequestPacing,
}

async fn load_robots(shared: Arc<Shared>, asked: RobotsRequest, begun: StartSignal) -> Robots {
    let RobotsRequest { address, agent, scheme_assumed, options, pacing } = asked;
    let request = FetchRequest {
        url: &address,
        scheme_assumed,
        options: &options,
        purpose: Purpose::Robots,
        session: None,
    };
    let redirects = HostRedirects::begin(&shared, &address, pacing).await;
    begun.now();
    let fetched = tokio::time::timeout(MAX_ROBOTS_TIME, shared.fetch.fetch(request, &redirects)).await;
    let answer = match fetched {
        Ok(Ok(answer)) => answer,
        Err(_) => {
            let cause = format!("{} s ran out", MAX_ROBOTS_TIME.as_secs());
            let error = unread(&address, ErrorCode::ScrapeTimeout, &cause);
            return Robots::unreachable(RobotsFailure { error, passes: true, answered: false });
        }
        Ok(Err(FetchError { error: PageError { code, message }, retryable, .. })) => {
            let passes = retryable || code == ErrorCode::ScrapeTimeout;
            let error = unread(&address, code, &message);
            return Robots::unreachable(RobotsFailure { error, passes, answered: false });
        }
    };
    let policy = shared.robots_policy(&answer, &agent).await;
    // What it asks of an agent that one job chose is kept by that job alone; one that cannot be read asks for
    // nothing.
    let is_everybodys = agent == shared.agent && !policy.is_unreachable();
    let min_gap = is_everybodys.then(|| policy.crawl_delay().unwrap_or_default());
    if let Some(gap) = min_gap {
        // At once, so that nothing comes between the answer and what it asks for.
        shared.host_limiter.set_gap(&address, gap);
    }
    let found_at = answer.address.filter(|_| same_host(&address, &answer.url));
    let feedback = HostFeedback { min_gap, address: found_at, ..HostFeedback::default() };
    if feedback != HostFeedback::default() {
        shared.feedback(&address, feedback).await;
    }
    shared.heed(&answer).await;
    if !policy.is_unreachable() {
        return Robots::of(policy);
    }
    let cause = format!("its server answered with status {}", answer.status);
    let error = unread(&address, ErrorCode::ScrapeSiteError, &cause);
    Robots::unreachable(RobotsFailure { error, passes: true, answered: true })
}

/// Why no page of a host is fetched whose robots.txt could not be read.
fn unread(address: &Url, code: ErrorCode, cause: &str) -> PageError {
    // The address is named once, and so is it that time ran out.
    let address = SafeUrl::from(address).to_string();
    let cause = [address.as_str(), SCRAPE_TIMED_OUT]
        .into_iter()
        .find_map(|known| cause.strip_prefix(known)?.strip_prefix(": "))
        .unwrap_or(cause);
    PageError::new(code, format!("{address} could not be read: {cause}"))
}

/// The options with which robots.txt is fetched. Those of the job that are left have no effect on it.
fn robots_options(job: &JobContext, route: Option<RouteKey>) -> ScrapeOptionsPlan {
    let RouteKey { proxy, country } = route.unwrap_or_else(RouteKey::usual);
    ScrapeOptionsPlan {
        timeout: ROBOTS_TIMEOUT,
        mobile: false,
        skip_tls_verification: true,
        location: Location { country, languages: Vec::new() },
        proxy,
        ..job.foreign_options.clone()
    }
}
