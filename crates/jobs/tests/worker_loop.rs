//! The worker loop over scripted ports, in virtual time.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test"
)]

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_jobs::{
    Clock, Fetch, FetchError, FetchRequest, Fetched, HopCheck, JobResult, Parts, Room, Transform, Transformed,
};
use gleaner_store::MemoryStore;
use gleaner_types::plan::{ScrapeOptionsPlan, SitemapMode};
use gleaner_types::request::{CrawlRequest, MapRequest, ScrapeOptions, ScrapeRequest};
use gleaner_types::{CacheState, Document, ErrorCode, JobState, PageError, ProxyUsed};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

/// How an address answers. The body of a page is a list of links, one a line.
#[derive(Debug, Clone)]
enum Answer {
    Ok(&'static str),
    Busy { status: u16, retry_after: Option<u64> },
    Redirect(&'static str),
    Broken,
    Silent,
}

/// A web of scripted answers; the last of an address stays.
#[derive(Debug, Default)]
struct Web {
    answers: Mutex<HashMap<String, Vec<Answer>>>,
    requests: Mutex<Vec<Request>>,
    latency: Duration,
}

#[derive(Debug, Clone)]
struct Request {
    url: String,
    began: Instant,
    ended: Option<Instant>,
    headers: BTreeMap<String, String>,
}

impl Web {
    fn new(answers: impl IntoIterator<Item = (&'static str, Vec<Answer>)>) -> Arc<Self> {
        let answers = answers.into_iter().map(|(url, answers)| (url.to_owned(), answers)).collect();
        Arc::new(Self { answers: Mutex::new(answers), latency: Duration::from_millis(10), ..Self::default() })
    }

    fn answer(&self, url: &Url) -> Answer {
        let mut answers = self.answers.lock().unwrap();
        match answers.get_mut(url.as_str()) {
            Some(script) if script.len() > 1 => script.remove(0),
            Some(script) => script[0].clone(),
            None => Answer::Busy { status: 404, retry_after: None },
        }
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    fn count(&self, url: &str) -> usize {
        self.requests().iter().filter(|request| request.url == url).count()
    }
}

#[derive(Debug)]
struct WebPort(Arc<Web>);

#[async_trait]
impl Fetch for WebPort {
    async fn fetch(&self, request: FetchRequest<'_>, hops: &dyn HopCheck) -> Result<Fetched, FetchError> {
        let broken = |retryable, refused_hop| FetchError {
            error: PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() },
            retryable,
            refused_hop,
        };
        let web = &self.0;
        let place = {
            let mut requests = web.requests.lock().unwrap();
            requests.push(Request {
                url: request.url.as_str().to_owned(),
                began: Instant::now(),
                ended: None,
                headers: request.options.headers.clone(),
            });
            requests.len() - 1
        };
        tokio::time::sleep(web.latency).await;
        web.requests.lock().unwrap()[place].ended = Some(Instant::now());
        let mut url = request.url.clone();
        loop {
            let (status, body, retry_after) = match web.answer(&url) {
                Answer::Ok(body) => (200, body, None),
                Answer::Busy { status, retry_after } => (status, "", retry_after),
                Answer::Broken => return Err(broken(true, None)),
                Answer::Silent => std::future::pending().await,
                Answer::Redirect(to) => {
                    let to = Url::parse(to).unwrap();
                    hops.check(&url, &to).await.map_err(|refusal| broken(false, Some(refusal)))?;
                    url = to;
                    continue;
                }
            };
            return Ok(Fetched {
                url,
                status,
                content_type: None,
                body: Bytes::from_static(body.as_bytes()),
                retry_after: retry_after.map(Duration::from_secs),
                latency: web.latency,
                address: None,
                proxy_used: ProxyUsed::Basic,
                cache_state: CacheState::Miss,
                cached_at: None,
                rendering: None,
            });
        }
    }
}

#[derive(Debug)]
struct Lines;

impl Transform for Lines {
    fn transform(&self, page: &Fetched, _options: &ScrapeOptionsPlan) -> Result<Transformed, PageError> {
        assert!(!page.url.path().contains("panic"), "a parser that panics");
        let text = std::str::from_utf8(&page.body).unwrap();
        let links = text.lines().map(|link| page.url.join(link).unwrap()).collect();
        Ok(Transformed { links, ..Transformed::default() })
    }
}

fn room(web: &Arc<Web>) -> Arc<Room> {
    Room::new(Parts {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(WebPort(Arc::clone(web))),
        transform: Arc::new(Lines),
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
    })
}

async fn crawl(web: &Arc<Web>, request: CrawlRequest) -> JobResult {
    let result = room(web).crawl(request.check().unwrap(), Value::Null).await.unwrap().wait().await.unwrap();
    assert_eq!(result.snapshot.state, JobState::Completed);
    assert_eq!(result.snapshot.completed, result.documents.len() as u64);
    result
}

fn paths(result: &JobResult) -> Vec<String> {
    let url = |document: &Document| Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
    let mut paths: Vec<String> =
        result.documents.iter().map(|document| url(document).path().to_owned()).collect();
    paths.sort();
    paths
}

#[tokio::test(start_paused = true)]
async fn a_parser_that_panics_costs_one_page() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/one\n/panic\n/two")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
        ("https://a.example/two", vec![Answer::Ok("/three")]),
        ("https://a.example/three", vec![Answer::Ok("")]),
        ("https://a.example/panic", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/one", "/three", "/two"]);
    let failure = &result.failures.failures[0];
    assert_eq!((failure.url.path(), failure.error.code), ("/panic", ErrorCode::UnknownError));
}

#[tokio::test(start_paused = true)]
async fn a_busy_page_is_asked_again_when_it_said() {
    let busy = Answer::Busy { status: 503, retry_after: Some(7) };
    let web = Web::new([("https://a.example/", vec![busy, Answer::Ok("")])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(200));
    let asked: Vec<Instant> = web
        .requests()
        .iter()
        .filter(|request| request.url == "https://a.example/")
        .map(|request| request.began)
        .collect();
    assert!(asked[1] - asked[0] >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_stays_busy_is_a_document_that_says_so() {
    let busy = Answer::Busy { status: 503, retry_after: None };
    let web = Web::new([("https://a.example/", vec![busy])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(503));
    assert_eq!(result.documents[0].metadata.error.as_deref(), Some("Service Unavailable"));
    assert_eq!(web.count("https://a.example/"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_site_that_fails_every_request_is_asked_little_more_than_once_a_page() {
    let links: &'static str = (0..1_000).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let mut answers = vec![("https://a.example/", vec![Answer::Ok(links)])];
    for page in 0..1_000 {
        answers.push((format!("https://a.example/{page}").leak(), vec![Answer::Broken]));
    }
    let web = Web::new(answers);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.snapshot.failed, 1_000);
    let asked = web.requests().len();
    assert!(asked <= 1_000 + 1_000 / 10 + 20, "{asked} requests for 1,000 pages");
}

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_holds_from_the_first_request_on() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nCrawl-delay: 5")]),
        ("https://a.example/", vec![Answer::Ok("/1\n/2\n/3")]),
        ("https://a.example/1", vec![Answer::Ok("")]),
        ("https://a.example/2", vec![Answer::Redirect("https://a.example/4")]),
        ("https://a.example/3", vec![Answer::Ok("")]),
        ("https://a.example/4", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/5")]),
        ("https://a.example/5", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/1", "/2", "/3", "/5"]);
    let requests = web.requests();
    for pair in requests.windows(2) {
        let gap = pair[1].began.duration_since(pair[0].ended.unwrap());
        assert!(gap >= Duration::from_secs(5), "{} came {gap:?} after {}", pair[1].url, pair[0].url);
    }
}

#[tokio::test(start_paused = true)]
async fn headers_of_the_user_stay_with_the_site() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/one\nhttps://b.example/two")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
        ("https://b.example/two", vec![Answer::Ok("https://b.example/three")]),
    ]);
    let headers = BTreeMap::from([("Authorization".to_owned(), "secret".to_owned())]);
    let request = CrawlRequest {
        allow_external_links: Some(true),
        scrape_options: Some(ScrapeOptions { headers: Some(headers), ..ScrapeOptions::default() }),
        ..CrawlRequest::new("https://a.example/")
    };
    let result = crawl(&web, request).await;
    assert_eq!(paths(&result), ["/", "/one", "/two"], "an external page's links are not followed");
    for request in web.requests() {
        // robots.txt is read for all jobs, and so with the headers of none.
        let bare = request.url.starts_with("https://b.example") || request.url.ends_with("/robots.txt");
        assert_eq!(request.headers.is_empty(), bare, "{}", request.url);
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_page_that_the_patterns_leave_out_is_left_out_behind_a_redirect_too() {
    for (start, shown) in [("https://www.a.example/", false), ("https://a.example/blog/", true)] {
        let home = Box::leak(start.to_owned().into_boxed_str());
        let web = Web::new([
            ("https://a.example/", vec![Answer::Redirect(home)]),
            (home, vec![Answer::Ok("/blog/one\n/about")]),
            ("https://a.example/blog/one", vec![Answer::Ok("")]),
            ("https://www.a.example/blog/one", vec![Answer::Ok("")]),
        ]);
        let request = CrawlRequest {
            include_paths: Some(vec!["^/blog/".to_owned()]),
            ..CrawlRequest::new("https://a.example/")
        };
        let result = crawl(&web, request).await;
        assert_eq!(result.documents.len(), 1 + usize::from(shown), "{start}: {:?}", paths(&result));
    }
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_comes_a_moment_late_loses_no_redirect() {
    let moved = || ("https://a.example/", vec![Answer::Redirect("https://www.a.example/")]);
    let home = || ("https://www.a.example/", vec![Answer::Ok("")]);
    let fails = Answer::Busy { status: 503, retry_after: None };
    for (name, robots, shown) in [
        ("once", vec![fails.clone(), Answer::Ok("")], true),
        ("always", vec![fails], false),
        ("and forbids it", vec![Answer::Ok("User-agent: *\nDisallow: /")], false),
    ] {
        let web = Web::new([moved(), home(), ("https://www.a.example/robots.txt", robots)]);
        let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
        assert_eq!(result.documents.len(), usize::from(shown), "{name}");
        assert_eq!(result.failures.robots_blocked.len(), usize::from(!shown), "{name}");
        assert_eq!(result.snapshot.warning.is_some(), !shown, "{name}: an empty crawl says why");
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_an_agent_that_one_job_chose_holds_for_that_job() {
    let pages: &'static str = (0..20).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let mut answers = site_of(&Answer::Ok(pages), &Answer::Ok(""));
    answers.push(("https://a.example/robots.txt", vec![Answer::Ok("User-agent: slowbot\nCrawl-delay: 60")]));
    let web = Web::new(answers);
    let room = room(&web);
    for (agent, slow) in [(Some("slowbot"), true), (None, false)] {
        let request = CrawlRequest {
            robots_user_agent: agent.map(str::to_owned),
            ..CrawlRequest::new("https://a.example/")
        };
        let began = Instant::now();
        let result = room.crawl(request.check().unwrap(), Value::Null).await.unwrap().wait().await.unwrap();
        assert_eq!(result.documents.len(), 21, "{agent:?}");
        let least = Duration::from_secs(20 * 60);
        assert_eq!(began.elapsed() >= least, slow, "{agent:?}: {:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_map_asks_nothing_of_a_site_whose_robots_txt_fails() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Busy { status: 503, retry_after: None }]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
    ]);
    let result = room(&web).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap();
    assert!(result.links.is_empty());
    assert!(result.warning.is_some_and(|warning| warning.contains("robots.txt")));
    assert!(web.requests().iter().all(|request| request.url.ends_with("/robots.txt")));
}

#[tokio::test(start_paused = true)]
async fn robots_txt_holds_for_sitemaps_that_it_does_not_name() {
    for (robots, read) in [
        ("User-agent: *\nDisallow: /sitemap", 0),
        ("User-agent: *\nDisallow: /sitemap\nSitemap: https://a.example/sitemap.xml", 1),
        ("", 1),
    ] {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![Answer::Ok(robots)]),
            ("https://a.example/", vec![Answer::Ok("")]),
            ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/listed")]),
            ("https://a.example/listed", vec![Answer::Ok("")]),
        ]);
        let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
        assert_eq!(result.documents.len(), 1 + read, "{robots}");
        assert_eq!(web.count("https://a.example/sitemap.xml"), read, "{robots}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_fetched_where_robots_txt_cannot_be_had() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Busy { status: 500, retry_after: None }]),
        ("https://b.example/robots.txt", vec![Answer::Broken]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.failures.robots_blocked.len(), 1);
    let result = crawl(&web, CrawlRequest::new("https://b.example/")).await;
    let failure = &result.failures.failures[0];
    assert!(failure.error.message.contains("robots.txt"), "{}", failure.error);
    assert!(web.requests().iter().all(|request| request.url.ends_with("/robots.txt")));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_held_to_the_rules_of_the_crawl() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nDisallow: /secret")]),
        ("https://a.example/", vec![Answer::Ok("/out\n/in\n/hidden")]),
        ("https://a.example/out", vec![Answer::Redirect("https://b.example/")]),
        ("https://a.example/in", vec![Answer::Redirect("https://a.example/target")]),
        ("https://a.example/target", vec![Answer::Ok("")]),
        ("https://a.example/hidden", vec![Answer::Redirect("https://a.example/secret")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/in"]);
    assert_eq!(result.failures.failures[0].url.path(), "/out");
    assert_eq!(result.failures.robots_blocked[0].path(), "/hidden");
}

#[tokio::test(start_paused = true)]
async fn a_scrape_ends_at_its_deadline_whatever_it_waits_for() {
    let web = Web::new([("https://a.example/", vec![Answer::Silent])]);
    let room = room(&web);
    let began = Instant::now();
    let request = ScrapeRequest {
        options: ScrapeOptions { timeout: Some(2_000), ..ScrapeOptions::default() },
        ..ScrapeRequest::new("https://a.example/")
    };
    let scrapes = (0..60).map(|_| {
        let (room, plan) = (Arc::clone(&room), request.clone().check().unwrap());
        tokio::spawn(async move { room.scrape(plan, Value::Null).await })
    });
    for scrape in scrapes.collect::<Vec<_>>() {
        let error = scrape.await.unwrap().unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapeTimeout);
    }
    assert_eq!(began.elapsed(), Duration::from_secs(2));
    // Their places are free again.
    web.answers.lock().unwrap().insert("https://a.example/".to_owned(), vec![Answer::Ok("")]);
    assert!(room.scrape(request.check().unwrap(), Value::Null).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn robots_txt_does_not_hold_for_a_page_that_the_user_named() {
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let plan = ScrapeRequest::new("https://a.example/").check().unwrap();
    assert!(room(&web).scrape(plan, Value::Null).await.is_ok());
    assert_eq!(web.count("https://a.example/robots.txt"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_page_of_another_site_that_leads_back_is_as_good_as_a_link() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("https://b.example/back")]),
        ("https://b.example/back", vec![Answer::Redirect("https://a.example/inner")]),
        ("https://a.example/inner", vec![Answer::Ok("/deep")]),
        ("https://a.example/deep", vec![Answer::Ok("")]),
    ]);
    for max_discovery_depth in [None, Some(2)] {
        let request = CrawlRequest {
            allow_external_links: Some(true),
            max_discovery_depth,
            ..CrawlRequest::new("https://a.example/")
        };
        assert_eq!(paths(&crawl(&web, request).await), ["/", "/deep", "/inner"], "{max_discovery_depth:?}");
    }
    let request = CrawlRequest {
        allow_external_links: Some(true),
        max_discovery_depth: Some(1),
        ..CrawlRequest::new("https://a.example/")
    };
    assert_eq!(paths(&crawl(&web, request).await), ["/", "/inner"], "a redirect is no click");
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_hangs_is_given_up_before_its_lease_ends_and_done_again() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nCrawl-delay: 1")]),
        ("https://a.example/", vec![Answer::Ok("/hangs\n/other")]),
        ("https://a.example/hangs", vec![Answer::Silent, Answer::Ok("")]),
        ("https://a.example/other", vec![Answer::Ok("")]),
    ]);
    let began = Instant::now();
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/hangs", "/other"]);
    assert_eq!(web.count("https://a.example/hangs"), 2);
    assert_eq!(web.count("https://a.example/other"), 1, "who waited for it is asked for once");
    assert!(began.elapsed() < Duration::from_secs(16 * 60), "{:?}", began.elapsed());
}

/// A site of a start page that links to 30 others, each of which answers so.
fn site_of(first: &Answer, others: &Answer) -> Vec<(&'static str, Vec<Answer>)> {
    let mut answers = vec![("https://a.example/", vec![first.clone()])];
    for page in 0..30 {
        answers.push((format!("https://a.example/{page}").leak(), vec![others.clone()]));
    }
    answers
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_overloaded_is_asked_again_when_its_rest_is_over() {
    let links: &'static str = (0..30).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let all_well = || site_of(&Answer::Ok(links), &Answer::Ok(""));
    let sitemap: &'static str =
        (0..30).map(|page| format!("https://a.example/{page}\n")).collect::<String>().leak();
    // Back-off doubles from a second to a minute, from answer to answer; what the host itself says counts where it is
    // more, up to a minute. A crawl that is begun ten minutes later is not held up by what came before.
    for (name, status, retry_after, long, idle, waits, all) in [
        ("three refusals", 503, None, false, 0, 2, 6),
        ("three refusals that say when", 429, Some(30), false, 0, 30, 35),
        ("for a day, it says", 429, Some(86_400), false, 0, 60, 65),
        ("refusals to 31 pages", 503, None, true, 0, 60, 160),
        ("some minutes ago", 503, None, true, 300, 0, 100),
        ("ten minutes ago", 503, None, true, 601, 0, 5),
    ] {
        let busy = Answer::Busy { status, retry_after };
        let mut answers = site_of(&busy, &busy);
        if long {
            answers.push(("https://a.example/sitemap.xml", vec![Answer::Ok(sitemap)]));
        }
        let web = Web::new(answers);
        let room = room(&web);
        let plan = || {
            let sitemap = Some(if long { SitemapMode::Include } else { SitemapMode::Skip });
            CrawlRequest { sitemap, ..CrawlRequest::new("https://a.example/") }.check().unwrap()
        };
        let first = room.crawl(plan(), Value::Null).await.unwrap().wait().await.unwrap();
        let refused = |document: &Document| document.metadata.status_code == Some(status);
        assert!(first.documents.iter().all(refused), "{name}");
        assert_eq!(first.documents.len(), if long { 31 } else { 1 }, "{name}");
        let asked = web.requests().len();

        web.answers.lock().unwrap().clear();
        web.answers.lock().unwrap().extend(all_well().into_iter().map(|(url, said)| (url.to_owned(), said)));
        tokio::time::sleep(Duration::from_secs(idle)).await;
        let began = Instant::now();
        let second = room.crawl(plan(), Value::Null).await.unwrap().wait().await.unwrap();
        let waited = web.requests()[asked].began - began;
        assert_eq!(second.documents.len(), 31, "{name}");
        assert_eq!(waited.as_secs(), waits, "{name}: {waited:?}");
        assert!(began.elapsed() < Duration::from_secs(all), "{name}: {:?} in all", began.elapsed());
    }
}
