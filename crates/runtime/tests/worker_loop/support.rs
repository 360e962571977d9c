//! A web of scripted answers, and runtimes that fetch from it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{
    Clock, Executor, Fetch, FetchError, FetchRequest, Fetched, JobEnd, MemoryBudget, RedirectCheck, Runtime,
    RuntimeConfig, StartOptions, Transform, TransformTask, Transformed,
};
use gleaner_store::{MemoryConfig, MemoryStore, Store};
use gleaner_types::plan::{ProxyMode, ScrapeOptionsPlan};
use gleaner_types::request::CrawlRequest;
use gleaner_types::{BoxFuture, CacheState, Document, ErrorCode, JobState, PageError, ProxyUsed};
use tokio::runtime::Handle;
use tokio::time::Instant;
use url::Url;

/// The answer of a URL. The body of a page is a list of links, one per line; nofollow links have the prefix
/// `nofollow `.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Ok(&'static str),
    Busy {
        status: u16,
        retry_after: Option<u64>,
    },
    Redirect(&'static str),
    Broken,
    /// This machine has no descriptor for the request.
    Exhausted,
    Silent,
    /// After this many seconds.
    Late(u64, &'static str),
    /// No connection, with this code and at once; the flag tells whether it is retryable.
    Refused(ErrorCode, bool),
    /// An answer over the stealth proxies; a timeout over any other route.
    ByStealth(&'static str),
}

impl Answer {
    pub(crate) const fn status(status: u16) -> Self {
        Self::Busy { status, retry_after: None }
    }
}

/// A web of scripted answers. The last answer of a URL repeats.
#[derive(Debug, Default)]
pub(crate) struct Web {
    pub(crate) answers: Mutex<HashMap<String, Vec<Answer>>>,
    requests: Mutex<Vec<Request>>,
    latency: Duration,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) began: Instant,
    pub(crate) ended: Option<Instant>,
    pub(crate) options: ScrapeOptionsPlan,
}

impl Web {
    pub(crate) fn new(answers: impl IntoIterator<Item = (&'static str, Vec<Answer>)>) -> Arc<Self> {
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

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, url: &str) -> usize {
        self.requests().iter().filter(|request| request.url == url).count()
    }
}

#[derive(Debug)]
struct WebPort(Arc<Web>);

impl Fetch for WebPort {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        redirects: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let failure = |code, message: &str, retryable| FetchError {
                error: PageError { code, message: message.to_owned() },
                retryable,
                browser_crashed: false,
                exhausted: false,
                refused_redirect: None,
            };
            let broken = || failure(ErrorCode::ScrapeSiteError, "the connection broke", true);
            let web = &self.0;
            let index = {
                let mut requests = web.requests.lock().unwrap();
                requests.push(Request {
                    url: request.url.as_str().to_owned(),
                    began: Instant::now(),
                    ended: None,
                    options: request.options.clone(),
                });
                requests.len() - 1
            };
            tokio::time::sleep(web.latency).await;
            web.requests.lock().unwrap()[index].ended = Some(Instant::now());
            let mut url = request.url.clone();
            loop {
                let (status, body, retry_after) = match web.answer(&url) {
                    Answer::Ok(body) => (200, body, None),
                    Answer::Late(seconds, body) => {
                        tokio::time::sleep(Duration::from_secs(seconds)).await;
                        (200, body, None)
                    }
                    Answer::Busy { status, retry_after } => (status, "", retry_after),
                    Answer::Broken => return Err(broken()),
                    Answer::Exhausted => return Err(FetchError { exhausted: true, ..broken() }),
                    Answer::Refused(code, retryable) => {
                        return Err(failure(code, "the connection was refused", retryable));
                    }
                    Answer::ByStealth(body) if request.options.proxy == ProxyMode::Stealth => {
                        (200, body, None)
                    }
                    Answer::ByStealth(_) => {
                        return Err(failure(ErrorCode::ScrapeTimeout, "no answer in time", false));
                    }
                    Answer::Silent => std::future::pending().await,
                    Answer::Redirect(to) => {
                        let to = Url::parse(to).unwrap();
                        redirects.check(&url, &to).await.map_err(|refusal| FetchError {
                            retryable: false,
                            browser_crashed: false,
                            exhausted: false,
                            refused_redirect: Some(refusal),
                            ..broken()
                        })?;
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
                    cache_state: Some(CacheState::Miss),
                    cached_at: None,
                    rendering: None,
                    robots_tag: String::new(),
                });
            }
        })
    }
}

#[derive(Debug)]
struct LinkLines;

impl Transform for LinkLines {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        assert!(!page.url.path().contains("panic"), "the parser panics");
        let text = std::str::from_utf8(&page.body).unwrap();
        let url = |link: &str| page.url.join(link).unwrap();
        let (nofollow, links): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|link| link.starts_with("nofollow "));
        let nofollow = nofollow.iter().filter_map(|link| link.split_once(' ')).map(|(_, link)| url(link));
        Ok(Transformed {
            nofollow: nofollow.collect(),
            links: links.into_iter().map(url).collect(),
            ..Transformed::default()
        })
    }
}

pub(crate) fn runtime(web: &Arc<Web>) -> Arc<Runtime> {
    runtime_over(web, Arc::new(MemoryStore::default()))
}

/// A runtime whose queue holds at most this many pages per job.
pub(crate) fn runtime_with_queue_limit(web: &Arc<Web>, pages: u64) -> Arc<Runtime> {
    let mut config = MemoryConfig::default();
    config.frontier.max_queued_per_job = pages;
    runtime_over(web, Arc::new(MemoryStore::new(config)))
}

pub(crate) fn runtime_over(web: &Arc<Web>, store: Arc<dyn Store>) -> Arc<Runtime> {
    Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store,
        fetch: Arc::new(WebPort(Arc::clone(web))),
        transform: Arc::new(LinkLines),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(NOW),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    })
}

/// The start time of every test.
pub(crate) const NOW: Duration = Duration::from_secs(1_700_000_000);

pub(crate) async fn crawl(web: &Arc<Web>, request: CrawlRequest) -> JobEnd {
    let result = runtime(web)
        .start(request.check().unwrap(), StartOptions::default())
        .await
        .unwrap()
        .wait()
        .await
        .unwrap();
    assert_eq!(result.snapshot.state, JobState::Completed);
    assert_eq!(result.snapshot.completed, result.documents.len() as u64);
    result
}

pub(crate) fn paths(result: &JobEnd) -> Vec<String> {
    let url = |document: &Document| Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
    let mut paths: Vec<String> =
        result.documents.iter().map(|document| url(document).path().to_owned()).collect();
    paths.sort();
    paths
}

/// A site with a start page and 30 other pages, each with the given answer.
pub(crate) fn site_of(first: &Answer, others: &Answer) -> Vec<(&'static str, Vec<Answer>)> {
    let mut answers = vec![("https://a.example/", vec![first.clone()])];
    for page in 0..30 {
        answers.push((format!("https://a.example/{page}").leak(), vec![others.clone()]));
    }
    answers
}
