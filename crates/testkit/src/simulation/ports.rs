//! The scripted ways out: they answer from the web, as late as the seed says.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_runtime::{
    Fetch, FetchError, FetchRequest, Fetched, Purpose, RedirectCheck, Transform, TransformTask, Transformed,
};
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use url::Url;

use super::served::TOO_LATE;
use super::stage::{LEASE_TIME, Stage};
use super::task::Task;
use super::wire::Moment;
use super::world::{Flake, Kind, Resource, Robots, RobotsDelivery, Spelling};

#[derive(Debug)]
pub(super) struct Web(pub(super) Arc<Stage>);

/// A request under way; it ends when it is answered or given up.
struct UnderWay<'a> {
    stage: &'a Stage,
    job: usize,
    host: usize,
    place: Resource,
}

impl<'a> UnderWay<'a> {
    fn begin(stage: &'a Stage, job: usize, host: usize, place: Resource, hop: bool) -> Self {
        stage.wire().ask(stage.now(), job, host, place, hop);
        Self { stage, job, host, place }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.stage.wire().end(self.stage.now(), self.job, self.host, self.place);
    }
}

/// A fetch that follows redirects. Where it waits so long for their targets that its page is given up, the lease is lost
/// through no fault of its own: another fetch hangs and holds the host.
struct Detour<'a> {
    stage: &'a Stage,
    job: usize,
    asked_for: Resource,
    began: Moment,
    is_open: bool,
}

impl Drop for Detour<'_> {
    fn drop(&mut self) {
        if self.is_open && self.stage.now() - self.began > LEASE_TIME.as_millis() as u64 / 4 {
            self.stage.lose(self.job, self.asked_for);
        }
    }
}

/// What a place answers.
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
    /// To another page.
    Redirect(usize),
    /// To another address of the same place, without an end.
    Circle,
    /// To the address without the slash.
    Shed,
    Broken,
}

/// So many redirects of robots.txt are followed.
const MAX_ROBOTS_REDIRECTS: u32 = 5;

impl Web {
    fn host_of(&self, place: Resource) -> usize {
        self.0.world.host_of(place)
    }

    /// `tried` counts from 0.
    fn outcome(&self, place: Resource, url: &Url, tried: u32) -> Outcome {
        let world = &self.0.world;
        let busy = |status, retry_after| Outcome::Answer(Answer { status, body: Bytes::new(), retry_after });
        if world.hosts[self.host_of(place)].refuses {
            return Outcome::Broken;
        }
        match place {
            Resource::Robots(host) => match world.hosts[host].door {
                RobotsDelivery::Recovers { failures, busy: is_busy }
                    if self.0.robots_asked(host) <= failures =>
                {
                    if is_busy {
                        busy(503, Some(2))
                    } else {
                        Outcome::Broken
                    }
                }
                RobotsDelivery::Circle => Outcome::Circle,
                _ => Outcome::Answer(world.robots_body(host).into()),
            },
            Resource::Sitemap(host, file) => Outcome::Answer(world.sitemap_body(host, file).into()),
            Resource::Nothing(_) => busy(404, None),
            Resource::Page(id) if world.pages[id].sheds_slash && url.path().ends_with('/') => Outcome::Shed,
            Resource::Page(id) => match world.pages[id].kind {
                Kind::Html => busy(200, None),
                Kind::NotFound => busy(404, None),
                Kind::Redirect(to) => Outcome::Redirect(to),
                Kind::Dead => Outcome::Broken,
                Kind::Flaky { failures, how } if tried < failures => match how {
                    Flake::Breaks => Outcome::Broken,
                    Flake::Busy { retry_after } => busy(503, retry_after),
                    Flake::TooMany { retry_after } => busy(429, retry_after),
                },
                Kind::Flaky { .. } => busy(200, None),
            },
        }
    }

    /// How long one exchange takes.
    fn latency(&self, job: usize, place: Resource) -> (u32, u64) {
        let (tried, mut random) = self.0.try_of(job, place);
        let host = &self.0.world.hosts[self.host_of(place)];
        match (host.refuses, host.door, place) {
            (true, ..) => return (tried, 1),
            (_, RobotsDelivery::Late(late), Resource::Robots(_)) => return (tried, late),
            _ => {}
        }
        let usual = host.latency;
        let spread = usual + random.below(3 * usual as usize + 1) as u64;
        // Now and then an answer is very late.
        let late = if random.below(40) == 0 { spread * 10 } else { spread };
        // A robots.txt that is too late is one of [`RobotsDelivery::Late`].
        (tried, if matches!(place, Resource::Robots(_)) { late.min(TOO_LATE / 2) } else { late })
    }
}

fn broken(retryable: bool) -> FetchError {
    let error = PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() };
    FetchError { error, retryable, refused_hop: None }
}

#[async_trait]
impl Fetch for Web {
    async fn fetch(
        &self,
        request: FetchRequest<'_>,
        hops: &dyn RedirectCheck,
    ) -> Result<Fetched, FetchError> {
        let stage = &*self.0;
        let job = Task::number_of(request.options.max_age).unwrap_or(stage.map_job);
        let mut url = request.url.clone();
        let Some(mut place) = stage.world.place(&url) else {
            stage.wire().violate(stage.now(), format!("{url} is not of this web"));
            return Err(broken(false));
        };
        let asked_for_a_page = matches!(place, Resource::Page(_));
        if asked_for_a_page != (request.purpose == Purpose::Page) {
            stage.wire().violate(stage.now(), format!("{url} is fetched as {:?}", request.purpose));
        }
        let began = stage.now();
        let host = self.host_of(place);
        let asked_for = place;
        let (hangs_before, hangs_after) = self.fate(job, place);
        if hangs_before {
            stage.hang(job, place).await;
        }
        let mut detour = Detour { stage, job, asked_for, began, is_open: false };
        let mut under_way = UnderWay::begin(stage, job, host, place, false);
        let mut asked_at = began;
        // Time at which another host's turn is waited for does not count.
        let patience = request.options.timeout.as_millis() as u64;
        let mut redirects = 0;
        loop {
            let (tried, latency) = self.latency(job, place);
            stage.sleep(latency.min(patience)).await;
            if latency > patience {
                let error =
                    PageError { code: ErrorCode::ScrapeTimeout, message: "no answer in time".to_owned() };
                return Err(FetchError { error, retryable: false, refused_hop: None });
            }
            let (next, next_place) = match self.outcome(place, &url, tried) {
                Outcome::Broken => {
                    detour.is_open = false;
                    return Err(broken(true));
                }
                Outcome::Redirect(to) => (stage.world.url(to, Spelling::Plain), Resource::Page(to)),
                Outcome::Circle if redirects < MAX_ROBOTS_REDIRECTS => (url.clone(), place),
                Outcome::Circle => {
                    return Ok(self.answered(url, place, Answer::from((302, String::new())), asked_at));
                }
                Outcome::Shed => {
                    let mut bare = url.clone();
                    bare.set_path(url.path().trim_end_matches('/'));
                    (bare, place)
                }
                Outcome::Answer(answer) => {
                    drop(under_way);
                    detour.is_open = false;
                    let hangs =
                        stage.faults.hangs.iter().any(|moment| (began..=stage.now()).contains(moment));
                    if hangs_after || hangs {
                        stage.lose(job, asked_for);
                        stage.hang(job, asked_for).await;
                    }
                    // From here on the engine knows.
                    self.remember_wishes(place, request.purpose, &answer);
                    return Ok(self.answered(url, place, answer, asked_at));
                }
            };
            redirects += 1;
            drop(under_way);
            detour.is_open = true;
            if let Err(refusal) = hops.check(&url, &next).await {
                detour.is_open = false;
                return Err(FetchError { refused_hop: Some(refusal), ..broken(false) });
            }
            (url, place) = (next, next_place);
            let next_host = self.host_of(place);
            stage.wire().across_hosts += u64::from(next_host != host);
            under_way = UnderWay::begin(stage, job, next_host, place, true);
            asked_at = stage.now();
        }
    }
}

impl Web {
    /// Whether the fetch hangs before the request and after the answer.
    fn fate(&self, job: usize, place: Resource) -> (bool, bool) {
        let (_, mut random) = self.0.try_of(job + 1_000, place);
        let faults = &self.0.faults;
        (random.below(1_000) < faults.before, random.below(1_000) < faults.after)
    }

    fn answered(&self, url: Url, place: Resource, answer: Answer, asked_at: Moment) -> Fetched {
        let stage = &*self.0;
        Fetched {
            url,
            status: answer.status,
            content_type: None,
            body: answer.body,
            retry_after: answer.retry_after.map(Duration::from_secs),
            latency: Duration::from_millis(stage.now() - asked_at),
            address: Some(stage.world.hosts[self.host_of(place)].address),
            proxy_used: ProxyUsed::Basic,
            cache_state: Some(CacheState::Miss),
            cached_at: None,
            rendering: None,
            robots_tag: String::new(),
        }
    }

    /// What the host has asked for with this answer holds from now on. Who reads robots.txt for its sitemaps alone does not
    /// heed its pace.
    fn remember_wishes(&self, place: Resource, purpose: Purpose, answer: &Answer) {
        let stage = &*self.0;
        let host = self.host_of(place);
        if matches!(place, Resource::Robots(_))
            && purpose == Purpose::Robots
            && answer.status == 200
            && let Robots::Rules { delay } = stage.world.hosts[host].robots
        {
            stage.wire().told_gap(host, delay);
        }
        if let Some(seconds) = answer.retry_after {
            stage.wire().told_not_before(host, stage.now() + seconds * 1_000);
        }
    }
}

/// The links of a page, off the web itself.
#[derive(Debug)]
pub(super) struct Reader(pub(super) Arc<Stage>);

impl Transform for Reader {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        let world = &self.0.world;
        let links: Vec<Url> = match world.place(&page.url) {
            Some(Resource::Page(id)) if page.status == 200 => {
                world.pages[id].links.iter().map(|(target, spelling)| world.url(*target, *spelling)).collect()
            }
            _ => Vec::new(),
        };
        Ok(Transformed { links, ..Transformed::default() })
    }
}
