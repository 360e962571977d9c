//! The scripted ports of the worker loop: responses come from the generated web, with generated delays.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{
    Fetch, FetchError, FetchRequest, Fetched, Purpose, RedirectCheck, Transform, TransformTask, Transformed,
};
use gleaner_types::{BoxFuture, CacheState, ErrorCode, PageError, ProxyUsed};
use url::Url;

use super::context::{Context, LEASE_TIME};
use super::crawl_task::CrawlTask;
use super::monitor::Moment;
use super::served::ROBOTS_TIMEOUT;
use super::world::{Asked, Flake, Form, Kind, Resource, Robots, RobotsDelivery, Spelling};

#[derive(Debug)]
pub(super) struct SimulatedFetch(pub(super) Arc<Context>);

/// A request in flight. It ends with a response or when its fetch is dropped.
struct OpenRequest<'a> {
    context: &'a Context,
    job: usize,
    host: usize,
    resource: Resource,
}

impl<'a> OpenRequest<'a> {
    /// `form` is `None` for a redirect hop.
    fn begin(context: &'a Context, job: usize, host: usize, resource: Resource, form: Option<Form>) -> Self {
        context.monitor().begin(context.now(), job, host, resource, form);
        Self { context, job, host, resource }
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.context.monitor().end(self.context.now(), self.job, self.host, self.resource);
    }
}

/// A fetch that follows redirects. The worker loop drops its page if the wait for the host of a target takes
/// too long. The fetch then records the lost lease: another fetch hangs and occupies that host.
struct RedirectWait<'a> {
    context: &'a Context,
    requested: Asked,
    began: Moment,
    waits: bool,
}

impl Drop for RedirectWait<'_> {
    fn drop(&mut self) {
        if self.waits && self.context.now() - self.began > LEASE_TIME.as_millis() as u64 / 4 {
            self.context.lose(self.requested);
        }
    }
}

/// The response of a resource.
struct Answer {
    status: u16,
    body: Bytes,
    retry_after: Option<u64>,
}

impl From<(u16, String)> for Answer {
    fn from((status, body): (u16, String)) -> Self {
        Self { status, body: body.into(), retry_after: None }
    }
}

enum Outcome {
    Answer(Answer),
    /// A redirect to another page.
    Redirect(usize),
    /// A redirect to the same URL, repeated forever.
    RedirectLoop,
    /// A redirect to the URL without the slash at its end.
    StripSlash,
    Broken,
}

/// Upper bound on the redirects followed for robots.txt.
const MAX_ROBOTS_REDIRECTS: u32 = 5;

impl SimulatedFetch {
    fn host_of(&self, resource: Resource) -> usize {
        self.0.world.host_of(resource)
    }

    /// `attempt` counts from 0.
    fn outcome(&self, resource: Resource, url: &Url, attempt: u32) -> Outcome {
        let world = &self.0.world;
        let status_only =
            |status, retry_after| Outcome::Answer(Answer { status, body: Bytes::new(), retry_after });
        if world.hosts[self.host_of(resource)].refuses_connections {
            return Outcome::Broken;
        }
        match resource {
            Resource::Robots(host) => match world.hosts[host].robots_delivery {
                RobotsDelivery::Recovers { failures, busy }
                    if self.0.count_robots_request(host) <= failures =>
                {
                    if busy {
                        status_only(503, Some(2))
                    } else {
                        Outcome::Broken
                    }
                }
                RobotsDelivery::RedirectLoop => Outcome::RedirectLoop,
                _ => Outcome::Answer(world.robots_body(host).into()),
            },
            Resource::Sitemap(host, file) => Outcome::Answer(world.sitemap_body(host, file).into()),
            Resource::Missing(_) => status_only(404, None),
            Resource::Page(id) if world.pages[id].strips_slash && url.path().ends_with('/') => {
                Outcome::StripSlash
            }
            Resource::Page(id) => match world.pages[id].kind {
                Kind::Html => status_only(200, None),
                Kind::NotFound => status_only(404, None),
                Kind::Redirect(to) => Outcome::Redirect(to),
                Kind::Dead => Outcome::Broken,
                Kind::Flaky { failures, how } if attempt < failures => match how {
                    Flake::Breaks => Outcome::Broken,
                    Flake::Busy { retry_after } => status_only(503, retry_after),
                    Flake::TooMany { retry_after } => status_only(429, retry_after),
                },
                Kind::Flaky { .. } => status_only(200, None),
            },
        }
    }

    /// The number of this attempt and its latency in milliseconds.
    fn latency(&self, job: usize, resource: Resource) -> (u32, u64) {
        let (attempt, mut random) = self.0.next_try(job, resource);
        let host = &self.0.world.hosts[self.host_of(resource)];
        match (host.refuses_connections, host.robots_delivery, resource) {
            (true, ..) => return (attempt, 1),
            (_, RobotsDelivery::Late(late), Resource::Robots(_)) => return (attempt, late),
            _ => {}
        }
        let base = host.latency;
        let spread = base + random.below(3 * base as usize + 1) as u64;
        // A few responses are very late.
        let late = if random.below(40) == 0 { spread * 10 } else { spread };
        // Only [`RobotsDelivery::Late`] may exceed the timeout of robots.txt.
        (attempt, if matches!(resource, Resource::Robots(_)) { late.min(ROBOTS_TIMEOUT / 2) } else { late })
    }
}

fn broken(retryable: bool) -> FetchError {
    let error = PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() };
    FetchError { error, retryable, browser_crashed: false, exhausted: false, refused_redirect: None }
}

impl Fetch for SimulatedFetch {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        hops: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let context = &*self.0;
            let job = CrawlTask::number_of(request.options.max_age).unwrap_or(context.map_job);
            let mut url = request.url.clone();
            let Some(mut resource) = context.world.resource(&url) else {
                context.monitor().violate(context.now(), format!("{url} is not in this web"));
                return Err(broken(false));
            };
            let is_page = matches!(resource, Resource::Page(_));
            if is_page != (request.purpose == Purpose::Page) {
                context
                    .monitor()
                    .violate(context.now(), format!("{url} is fetched as {:?}", request.purpose));
            }
            let began = context.now();
            let host = self.host_of(resource);
            let requested = (job, resource, Form::of(&url));
            let (hangs_before, hangs_after) = self.injected_hangs(job, resource);
            if hangs_before {
                context.hang(job, resource).await;
            }
            let mut redirect_wait = RedirectWait { context, requested, began, waits: false };
            let mut open_request = OpenRequest::begin(context, job, host, resource, Some(requested.2));
            let mut sent_at = began;
            // Applies to each hop by itself: waiting for the host of a redirect target does not count.
            let timeout = request.options.timeout.as_millis() as u64;
            let mut redirects = 0;
            loop {
                let (attempt, latency) = self.latency(job, resource);
                context.sleep(latency.min(timeout)).await;
                if latency > timeout {
                    let error = PageError {
                        code: ErrorCode::ScrapeTimeout,
                        message: "no response before the timeout".to_owned(),
                    };
                    return Err(FetchError {
                        error,
                        retryable: false,
                        browser_crashed: false,
                        exhausted: false,
                        refused_redirect: None,
                    });
                }
                let (next, next_resource) = match self.outcome(resource, &url, attempt) {
                    Outcome::Broken => {
                        redirect_wait.waits = false;
                        return Err(broken(true));
                    }
                    Outcome::Redirect(to) => (context.world.url(to, Spelling::Plain), Resource::Page(to)),
                    Outcome::RedirectLoop if redirects < MAX_ROBOTS_REDIRECTS => (url.clone(), resource),
                    Outcome::RedirectLoop => {
                        return Ok(self.fetched(url, resource, Answer::from((302, String::new())), sent_at));
                    }
                    Outcome::StripSlash => {
                        let mut bare = url.clone();
                        bare.set_path(url.path().trim_end_matches('/'));
                        (bare, resource)
                    }
                    Outcome::Answer(answer) => {
                        drop(open_request);
                        redirect_wait.waits = false;
                        let hangs = context
                            .faults
                            .hangs
                            .iter()
                            .any(|moment| (began..=context.now()).contains(moment));
                        if hangs_after || hangs {
                            context.lose(requested);
                            context.hang(job, requested.1).await;
                        }
                        if let (404, Resource::Page(page)) = (answer.status, requested.1) {
                            context.monitor().missing(job, page);
                        }
                        // From here on the engine knows the demands of this response.
                        self.record_pacing(resource, request.purpose, &answer);
                        return Ok(self.fetched(url, resource, answer, sent_at));
                    }
                };
                redirects += 1;
                drop(open_request);
                redirect_wait.waits = true;
                if let Err(refusal) = hops.check(&url, &next).await {
                    redirect_wait.waits = false;
                    return Err(FetchError { refused_redirect: Some(refusal), ..broken(false) });
                }
                (url, resource) = (next, next_resource);
                let next_host = self.host_of(resource);
                context.monitor().cross_host_hops += u64::from(next_host != host);
                open_request = OpenRequest::begin(context, job, next_host, resource, None);
                sent_at = context.now();
            }
        })
    }
}

impl SimulatedFetch {
    /// Whether the fetch hangs before the request and after the response.
    fn injected_hangs(&self, job: usize, resource: Resource) -> (bool, bool) {
        let (_, mut random) = self.0.next_try(job + 1_000, resource);
        let faults = &self.0.faults;
        (random.below(1_000) < faults.hang_before, random.below(1_000) < faults.hang_after)
    }

    fn fetched(&self, url: Url, resource: Resource, answer: Answer, sent_at: Moment) -> Fetched {
        let context = &*self.0;
        Fetched {
            url,
            status: answer.status,
            content_type: None,
            body: answer.body,
            retry_after: answer.retry_after.map(Duration::from_secs),
            latency: Duration::from_millis(context.now() - sent_at),
            address: Some(context.world.hosts[self.host_of(resource)].address),
            proxy_used: ProxyUsed::Basic,
            cache_state: Some(CacheState::Miss),
            cached_at: None,
            rendering: None,
            robots_tag: String::new(),
        }
    }

    /// Applies the crawl delay and `Retry-After` of this response from now on. A job that reads robots.txt
    /// only for its sitemaps ignores the crawl delay.
    fn record_pacing(&self, resource: Resource, purpose: Purpose, answer: &Answer) {
        let context = &*self.0;
        let host = self.host_of(resource);
        if matches!(resource, Resource::Robots(_))
            && purpose == Purpose::Robots
            && answer.status == 200
            && let Robots::Rules { delay } = context.world.hosts[host].robots
        {
            context.monitor().set_gap(host, delay);
        }
        if let Some(seconds) = answer.retry_after {
            context.monitor().set_not_before(host, context.now() + seconds * 1_000);
        }
    }
}

/// Returns the links of a page as the generated web lists them.
#[derive(Debug)]
pub(super) struct SimulatedTransform(pub(super) Arc<Context>);

impl Transform for SimulatedTransform {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        let world = &self.0.world;
        let links: Vec<Url> = match world.resource(&page.url) {
            Some(Resource::Page(id)) if page.status == 200 => {
                world.pages[id].links.iter().map(|(target, spelling)| world.url(*target, *spelling)).collect()
            }
            _ => Vec::new(),
        };
        Ok(Transformed { links, ..Transformed::default() })
    }
}
