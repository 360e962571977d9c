//! Pages and browsers: which engine requests a page, the slots, the second request, and the memory.

mod options;
mod readers;
mod slots;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{
    Clock, Executor, Fetch, FetchError, FetchRequest, Fetched, Job, MemoryBudget, PageText, Purpose,
    RedirectCheck, RenderPolicy, RenderSettings, Rendering, Runtime, RuntimeConfig, StartOptions, Transform,
    TransformTask, Transformed,
};
use gleaner_store::{MemoryConfig, MemoryStore};
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, MapRequest, ScrapeRequest};
use gleaner_types::{BoxFuture, Document, ErrorCode, FetchEngine, PageError, ProxyUsed};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use url::Url;

use crate::support::NOW;

/// The time of a request without a browser.
const LATENCY: Duration = Duration::from_millis(10);

#[derive(Debug, Clone)]
enum Reply {
    /// The body has one item per line: `shell` for a page that needs its scripts, `text ...`, or a link.
    Page(u16, &'static str),
    /// A 503 with this `Retry-After` in seconds.
    Busy(u64),
    Fails(ErrorCode),
    /// The browser ends before it answers.
    Crash,
    /// This machine has no descriptor for the browser.
    Exhausted,
    Redirect(&'static str),
}

/// A request for a page.
#[derive(Debug, Clone)]
struct Sent {
    url: String,
    engine: FetchEngine,
    began: Instant,
    deadline: Instant,
    ended: Option<Instant>,
}

/// A web whose pages are served to the two engines differently. The last reply of a URL repeats.
#[derive(Debug)]
struct Site {
    served: Mutex<HashMap<&'static str, Vec<Reply>>>,
    rendered: Mutex<HashMap<&'static str, Vec<Reply>>>,
    /// The replies for other URLs.
    other_served: Reply,
    other_rendered: Mutex<Reply>,
    robots: &'static str,
    render_time: Duration,
    sent: Mutex<Vec<Sent>>,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            served: Mutex::default(),
            rendered: Mutex::default(),
            other_served: Reply::Page(200, "shell"),
            other_rendered: Mutex::new(Reply::Page(200, "text from scripts")),
            robots: "",
            render_time: Duration::from_secs(1),
            sent: Mutex::default(),
        }
    }
}

impl Site {
    fn serving(self, url: &'static str, replies: Vec<Reply>) -> Self {
        self.served.lock().unwrap().insert(url, replies);
        self
    }

    fn rendering(self, url: &'static str, replies: Vec<Reply>) -> Self {
        self.rendered.lock().unwrap().insert(url, replies);
        self
    }

    fn reply(&self, url: &Url, engine: FetchEngine) -> Reply {
        let (replies, other) = match engine {
            FetchEngine::Browser => (&self.rendered, self.other_rendered.lock().unwrap().clone()),
            _ => (&self.served, self.other_served.clone()),
        };
        match replies.lock().unwrap().get_mut(url.as_str()) {
            Some(replies) if replies.len() > 1 => replies.remove(0),
            Some(replies) => replies[0].clone(),
            None => other,
        }
    }

    fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// The requests so far, by path and engine.
    fn requests(&self) -> Vec<(String, FetchEngine)> {
        let path = |sent: &Sent| Url::parse(&sent.url).unwrap().path().to_owned();
        self.sent().iter().map(|sent| (path(sent), sent.engine)).collect()
    }

    fn count(&self, engine: FetchEngine) -> usize {
        self.sent().iter().filter(|sent| sent.engine == engine).count()
    }
}

#[derive(Debug)]
struct Ports(Arc<Site>);

impl Fetch for Ports {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        redirects: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let site = &self.0;
            let failure = |code| FetchError {
                error: PageError { code, message: "the reason".to_owned() },
                retryable: false,
                browser_crashed: false,
                exhausted: false,
                refused_redirect: None,
            };
            let mut url = request.url.clone();
            let (status, body, retry_after) = match request.purpose {
                Purpose::Robots if !site.robots.is_empty() => (200, site.robots, None),
                Purpose::Robots | Purpose::Sitemap => (404, "", None),
                Purpose::Page => {
                    let index = {
                        let mut sent = site.sent.lock().unwrap();
                        sent.push(Sent {
                            url: url.as_str().to_owned(),
                            engine: request.engine,
                            began: Instant::now(),
                            deadline: request.deadline,
                            ended: None,
                        });
                        sent.len() - 1
                    };
                    sleep(match request.engine {
                        FetchEngine::Browser => site.render_time,
                        _ => LATENCY,
                    })
                    .await;
                    site.sent.lock().unwrap()[index].ended = Some(Instant::now());
                    match site.reply(&url, request.engine) {
                        Reply::Page(status, body) => (status, body, None),
                        Reply::Busy(seconds) => (503, "", Some(Duration::from_secs(seconds))),
                        Reply::Fails(code) => return Err(failure(code)),
                        Reply::Crash => {
                            let failure = failure(ErrorCode::ScrapeAllEnginesFailed);
                            return Err(FetchError { retryable: true, browser_crashed: true, ..failure });
                        }
                        Reply::Exhausted => {
                            return Err(FetchError { exhausted: true, ..failure(ErrorCode::UnknownError) });
                        }
                        Reply::Redirect(to) => {
                            let to = Url::parse(to).unwrap();
                            let checked = redirects.check(&url, &to).await;
                            checked.map_err(|refusal| FetchError {
                                refused_redirect: Some(refusal),
                                ..failure(ErrorCode::CrawlDenial)
                            })?;
                            url = to;
                            (200, "text moved", None)
                        }
                    }
                }
            };
            Ok(Fetched {
                url,
                status,
                content_type: None,
                body: Bytes::from_static(body.as_bytes()),
                retry_after,
                latency: LATENCY,
                address: None,
                proxy_used: ProxyUsed::Basic,
                cache_state: None,
                cached_at: None,
                rendering: (request.engine == FetchEngine::Browser).then(|| Box::new(Rendering::default())),
                robots_tag: String::new(),
            })
        })
    }
}

impl Transform for Ports {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let mut transformed = Transformed::default();
        let mut text = String::new();
        for line in std::str::from_utf8(&task.page.body).unwrap().lines() {
            match line.strip_prefix("text ") {
                Some(words) => text.push_str(words),
                None if line == "shell" => transformed.needs_scripts = true,
                None => transformed.links.push(task.page.url.join(line).unwrap()),
            }
        }
        if task.options.formats.json.is_some() {
            transformed.text = Some(Box::new(PageText::new(String::new(), text.clone())));
        }
        transformed.document = Document::of_markdown(text);
        Ok(transformed)
    }
}

fn runtime_over(site: &Arc<Site>, rendering: Option<RenderSettings>, config: MemoryConfig) -> Arc<Runtime> {
    Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(MemoryStore::new(config)),
        fetch: Arc::new(Ports(Arc::clone(site))),
        transform: Arc::new(Ports(Arc::clone(site))),
        pdfs: None,
        rendering,
        clock: Clock::starting_at(NOW),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    })
}

/// A runtime with the policy [`RenderPolicy::Auto`].
fn runtime(site: &Arc<Site>, slots: usize) -> Arc<Runtime> {
    runtime_over(site, Some(RenderSettings { policy: RenderPolicy::Auto, slots }), MemoryConfig::default())
}

async fn scrape_as(runtime: &Arc<Runtime>, request: ScrapeRequest) -> Document {
    runtime.scrape(request.check().unwrap(), StartOptions::default()).await.unwrap()
}

async fn scrape(runtime: &Arc<Runtime>, url: &str) -> Document {
    scrape_as(runtime, ScrapeRequest::new(url)).await
}

/// Starts a batch of pages that ask for a browser.
async fn render_batch(runtime: &Arc<Runtime>, urls: &[&str], options: StartOptions) -> Job {
    let request = BatchScrapeRequest::new(urls.iter().copied()).wait_for(1_000).timeout(10_000);
    runtime.start(request.check().unwrap(), options).await.unwrap()
}

fn warning(document: &Document) -> &str {
    document.warning.as_deref().unwrap_or_default()
}

const STATIC: FetchEngine = FetchEngine::Static;
const BROWSER: FetchEngine = FetchEngine::Browser;

#[tokio::test(start_paused = true)]
async fn a_shell_is_rendered_and_counts_as_one_page() {
    let site = Arc::new(
        Site { other_served: Reply::Page(200, "text served"), ..Site::default() }
            .serving("https://a.example/", vec![Reply::Page(200, "shell")])
            .rendering("https://a.example/", vec![Reply::Page(200, "text start\n/one\n/two")]),
    );
    let request = CrawlRequest::new("https://a.example/").limit(2).check().unwrap();
    let end = runtime(&site, 2).start(request, StartOptions::default()).await.unwrap().wait().await.unwrap();
    let documents: Vec<_> = end
        .documents
        .iter()
        .map(|document| {
            (document.markdown.as_deref(), document.metadata.engine, document.metadata.credits_used)
        })
        .collect();
    let wanted = [(Some("start"), Some(BROWSER), Some(1)), (Some("served"), Some(STATIC), Some(1))];
    assert_eq!(documents, wanted);
    assert_eq!((end.snapshot.completed, end.snapshot.failed, end.snapshot.credits_used), (2, 0, 2));
    assert!(end.documents.iter().all(|document| document.warning.is_none()));
    let requests = site.requests();
    assert_eq!(requests[..2], [("/".to_owned(), STATIC), ("/".to_owned(), BROWSER)]);
    assert_eq!((requests.len(), requests[2].1), (3, STATIC));
}

#[tokio::test(start_paused = true)]
async fn pages_that_cannot_be_rendered_stay_as_served() {
    let request = || ScrapeRequest::new("https://a.example/");
    for (name, request, served, requests, remark) in [
        ("cached copies only", request().lockdown(true), 200, 1, "`lockdown`"),
        ("no time", request().timeout(900), 200, 1, "no time left"),
        ("an error page", request(), 404, 1, "need JavaScript"),
    ] {
        let site = Arc::new(Site { other_served: Reply::Page(served, "shell\n/one"), ..Site::default() });
        let document = scrape_as(&runtime(&site, 1), request).await;
        assert_eq!((document.metadata.engine, site.requests().len()), (Some(STATIC), requests), "{name}");
        assert!(warning(&document).contains(remark), "{name}: {}", warning(&document));
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_as_served_remains_if_the_browser_gives_less() {
    for (name, served, rendered, remark) in [
        ("it fails", "shell", Reply::Fails(ErrorCode::ScrapeAllEnginesFailed), "rendered: the reason"),
        ("it crashes", "shell", Reply::Crash, "rendered: the reason"),
        ("it times out", "shell", Reply::Fails(ErrorCode::ScrapeTimeout), "rendered: the reason"),
        ("an error page", "shell", Reply::Page(404, "text missing"), "status 404"),
        ("a busy host", "shell", Reply::Busy(7), "status 503"),
        ("less text", "shell\ntext served", Reply::Page(200, "text no"), "has less"),
    ] {
        let site = Arc::new(
            Site { other_served: Reply::Page(200, served), ..Site::default() }
                .rendering("https://a.example/", vec![rendered]),
        );
        let runtime = runtime(&site, 1);
        let request = CrawlRequest::new("https://a.example/").limit(1).check().unwrap();
        let end = runtime.start(request, StartOptions::default()).await.unwrap().wait().await.unwrap();
        assert_eq!((end.snapshot.completed, end.snapshot.failed), (1, 0), "{name}");
        let document = &end.documents[0];
        assert_eq!(document.metadata.engine, Some(STATIC), "{name}");
        assert_eq!(document.metadata.status_code, Some(200), "{name}");
        assert!(warning(document).contains(remark), "{name}: {}", warning(document));
        assert_eq!(site.requests().len(), 2, "{name}: no request is repeated");
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_host_pauses_after_the_second_request_too() {
    let site = Arc::new(Site::default().rendering("https://a.example/", vec![Reply::Busy(7)]));
    let runtime = runtime(&site, 1);
    scrape(&runtime, "https://a.example/").await;
    scrape(&runtime, "https://a.example/next").await;
    let sent = site.sent();
    let pause = sent[2].began - sent[1].ended.unwrap();
    assert!(pause >= Duration::from_secs(7), "{pause:?}");
}

#[tokio::test(start_paused = true)]
async fn a_rendered_page_of_a_busy_host_is_retried_after_its_pause() {
    let replies = vec![Reply::Busy(7), Reply::Page(200, "text at last")];
    let site = Arc::new(Site::default().rendering("https://a.example/", replies));
    let mut job = render_batch(&runtime(&site, 1), &["https://a.example/"], StartOptions::default()).await;
    let end = job.wait().await.unwrap();
    assert_eq!(end.documents[0].markdown.as_deref(), Some("at last"));
    let sent = site.sent();
    assert_eq!((sent.len(), sent[0].engine, sent[1].engine), (2, BROWSER, BROWSER));
    assert!(sent[1].began - sent[0].ended.unwrap() >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_browser_crashes_is_retried_and_then_fails() {
    let url = "https://a.example/";
    let once = vec![Reply::Crash, Reply::Page(200, "text at last")];
    for (replies, requests, failure) in
        [(once, 2, None), (vec![Reply::Crash], 2, Some(ErrorCode::ScrapeAllEnginesFailed))]
    {
        let site = Arc::new(Site::default().rendering(url, replies));
        let mut job = render_batch(&runtime(&site, 1), &[url], StartOptions::default()).await;
        let end = job.wait().await.unwrap();
        assert_eq!(end.documents.len(), usize::from(failure.is_none()));
        assert_eq!(end.failures.first().map(|failed| failed.error.code), failure);
        assert_eq!(site.requests(), vec![("/".to_owned(), BROWSER); requests], "{failure:?}");
    }
}

/// A page whose options need a browser, and one whose scripts do.
#[tokio::test(start_paused = true)]
async fn a_page_waits_for_a_browser_that_this_machine_cannot_start() {
    let url = "https://a.example/";
    let replies = || [vec![Reply::Exhausted; 20], vec![Reply::Page(200, "text at last")]].concat();
    let began = Instant::now();
    let site = Arc::new(Site::default().rendering(url, replies()));
    let mut job = render_batch(&runtime(&site, 1), &[url], StartOptions::default()).await;
    let asked = job.wait().await.unwrap();
    let site = Arc::new(Site::default().rendering(url, replies()));
    let request = CrawlRequest::new(url).limit(1).check().unwrap();
    let mut job = runtime(&site, 1).start(request, StartOptions::default()).await.unwrap();
    let shell = job.wait().await.unwrap();
    for end in [asked, shell] {
        assert_eq!(end.failures.len(), 0);
        assert_eq!(end.documents[0].markdown.as_deref(), Some("at last"));
        assert_eq!(end.documents[0].metadata.engine, Some(BROWSER));
    }
    assert_eq!((site.count(STATIC), site.count(BROWSER)), (1, 21), "the page is not requested again");
    // Each of the forty pauses is short, and a request takes a second.
    assert!(began.elapsed() < Duration::from_secs(80), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_crawl_delay_separates_both_requests() {
    let site = Arc::new(Site { robots: "User-agent: *\nCrawl-delay: 2", ..Site::default() });
    let request = CrawlRequest::new("https://a.example/").limit(1).check().unwrap();
    let end = runtime(&site, 1).start(request, StartOptions::default()).await.unwrap().wait().await.unwrap();
    assert_eq!(end.documents[0].metadata.engine, Some(BROWSER));
    let sent = site.sent();
    assert!(sent[1].began - sent[0].ended.unwrap() >= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_kind_that_needs_a_browser_are_rendered_at_once_except_for_audits() {
    let site = Arc::new(Site::default());
    let runtime = runtime(&site, 1);
    for page in 0..3 {
        scrape(&runtime, &format!("https://a.example/p/first{page}")).await;
    }
    assert_eq!((site.count(STATIC), site.count(BROWSER)), (3, 3));
    for page in 0..64 {
        let document = scrape(&runtime, &format!("https://a.example/p/next{page}")).await;
        assert_eq!(document.metadata.engine, Some(BROWSER));
    }
    assert_eq!((site.count(STATIC), site.count(BROWSER)), (3 + 2, 3 + 64), "one page in 32 is audited");
    // A page of another kind is requested as served first.
    scrape(&runtime, "https://a.example/q/other").await;
    assert_eq!(site.count(STATIC), 6);
}

#[tokio::test(start_paused = true)]
async fn jobs_without_data_retention_leave_no_trace_in_the_memory() {
    let site = Arc::new(Site::default());
    let runtime = runtime(&site, 1);
    let private = |page: &str| ScrapeRequest::new(page).zero_data_retention(true);
    for page in 0..5 {
        scrape_as(&runtime, private(&format!("https://a.example/p/private{page}"))).await;
    }
    assert_eq!(site.count(STATIC), 5);
    for page in 0..3 {
        scrape(&runtime, &format!("https://a.example/p/public{page}")).await;
    }
    assert_eq!(site.count(STATIC), 8, "nothing was learned before");
    for page in 0..5 {
        scrape_as(&runtime, private(&format!("https://a.example/p/later{page}"))).await;
    }
    assert_eq!(site.count(STATIC), 13, "and what was learned since is not used");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_rendered_at_once_is_requested_as_served_if_the_browser_fails() {
    let site = Arc::new(Site::default());
    let runtime = runtime(&site, 1);
    for page in 0..3 {
        scrape(&runtime, &format!("https://a.example/p/first{page}")).await;
    }
    *site.other_rendered.lock().unwrap() = Reply::Fails(ErrorCode::ScrapeAllEnginesFailed);
    for page in 0..2 {
        let document = scrape(&runtime, &format!("https://a.example/p/next{page}")).await;
        assert_eq!(document.metadata.engine, Some(STATIC));
        assert!(warning(&document).contains("could not be rendered: the reason"), "{}", warning(&document));
    }
    assert_eq!((site.count(STATIC), site.count(BROWSER)), (3 + 2, 3 + 2));
}

#[tokio::test(start_paused = true)]
async fn the_start_page_of_a_map_is_rendered_if_it_is_a_shell() {
    let site =
        Arc::new(Site::default().rendering("https://a.example/", vec![Reply::Page(200, "/one\n/two")]));
    let map = MapRequest::new("https://a.example/").check().unwrap();
    let result = runtime(&site, 1).map(map).await.unwrap();
    let paths: Vec<&str> = result.links.iter().map(Url::path).collect();
    assert_eq!(paths, ["/", "/one", "/two"]);
    assert_eq!(site.requests(), [("/".to_owned(), STATIC), ("/".to_owned(), BROWSER)]);
}
