//! A fake web whose pages behave as their path says, and services over it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{
    Clock, Executor, Fetch, FetchError, FetchRequest, Fetched, MemoryBudget, PageText, RedirectCheck,
    Runtime, RuntimeConfig, Transform, TransformTask, Transformed,
};
use gleaner_service::{
    Deliver, DeliverError, Delivery, JobService, MemoryAccounts, Page, ServiceConfig, StatusBody,
    SubmitContext, Team, TeamConfig,
};
use gleaner_store::{MemoryConfig, MemoryStore, Store, TeamId};
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::BatchScrapeRequest;
use gleaner_types::response::JobStatus;
use gleaner_types::{
    BoxFuture, CacheState, Document, ErrorCode, JobId, JobKind, JobState, PageError, ProxyUsed,
};
use serde_json::Value;
use tokio::runtime::Handle;
use url::Url;

pub(crate) const START: Duration = Duration::from_secs(1_700_000_000);
pub(crate) const BATCH: JobKind = JobKind::BatchScrape;

/// `/slow` takes a minute, `/broken` gives no response, `/panic` makes the transform panic, `/pdf-9` is a PDF
/// of nine pages, `/large-9` has nine bytes of Markdown, `/text` has the text of [`FakeWeb::set_text`].
#[derive(Debug, Default)]
pub(crate) struct FakeWeb {
    text: Mutex<String>,
    pub(crate) fetched: AtomicU64,
}

impl FakeWeb {
    pub(crate) fn set_text(&self, text: &str) {
        *self.text.lock().unwrap() = text.to_owned();
    }
}

#[derive(Debug)]
struct FakePorts(Arc<FakeWeb>);

impl Fetch for FakePorts {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        _: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let path = request.url.path();
            let time = if path.contains("slow") { 60_000 } else { 10 };
            tokio::time::sleep(Duration::from_millis(time)).await;
            self.0.fetched.fetch_add(1, Ordering::Relaxed);
            if path.contains("broken") {
                let error = PageError {
                    code: ErrorCode::ScrapeSiteError,
                    message: "the connection broke".to_owned(),
                };
                return Err(FetchError {
                    error,
                    retryable: false,
                    browser_crashed: false,
                    exhausted: false,
                    refused_redirect: None,
                });
            }
            Ok(Fetched {
                url: request.url.clone(),
                status: if path.contains("robots.txt") { 404 } else { 200 },
                content_type: None,
                body: Bytes::new(),
                retry_after: None,
                latency: Duration::from_millis(10),
                address: None,
                proxy_used: ProxyUsed::Basic,
                cache_state: Some(CacheState::Miss),
                cached_at: None,
                rendering: None,
                robots_tag: String::new(),
            })
        })
    }
}

impl Transform for FakePorts {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let TransformTask { page, options, .. } = task;
        let path = page.url.path();
        assert!(!path.contains("panic"), "a transform that panics");
        let number = |prefix: &str| path.strip_prefix(prefix).and_then(|number| number.parse::<usize>().ok());
        let mut document = Document::default();
        let pages_converted = number("/pdf-").map(|pages| pages as u32);
        document.markdown = Some(match number("/large-") {
            Some(bytes) => "x".repeat(bytes),
            None if path == "/text" => self.0.text.lock().unwrap().clone(),
            None => path.to_owned(),
        });
        let markdown = document.markdown.clone().unwrap_or_default();
        let text = PageText::new(String::new(), markdown);
        let text = options.formats.json.is_some().then(|| Box::new(text));
        Ok(Transformed { document, text, pages_converted, ..Transformed::default() })
    }
}

pub(crate) fn team(name: &str) -> Team {
    Team::new(TeamId::new(name))
}

/// Accounts of team `a` with the key `key-a`.
pub(crate) fn credits(credits: u64) -> MemoryAccounts {
    let config = TeamConfig::new(team("a")).credits(credits);
    MemoryAccounts::new().with_team("key-a", config)
}

/// Teams `a`, `b` and `c` with a thousand credits each.
pub(crate) fn three_teams() -> MemoryAccounts {
    ["a", "b", "c"].iter().fold(MemoryAccounts::new(), |accounts, name| {
        let config = TeamConfig::new(team(name)).credits(1_000);
        accounts.with_team(format!("key-{name}"), config)
    })
}

pub(crate) fn runtime(web: &Arc<FakeWeb>) -> Arc<Runtime> {
    runtime_with(web, MemoryConfig::default())
}

pub(crate) fn runtime_with(web: &Arc<FakeWeb>, config: MemoryConfig) -> Arc<Runtime> {
    runtime_over(web, Arc::new(MemoryStore::new(config)), Clock::starting_at(START))
}

pub(crate) fn runtime_over(web: &Arc<FakeWeb>, store: Arc<dyn Store>, clock: Clock) -> Arc<Runtime> {
    Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store,
        fetch: Arc::new(FakePorts(Arc::clone(web))),
        transform: Arc::new(FakePorts(Arc::clone(web))),
        pdfs: None,
        rendering: None,
        clock,
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    })
}

pub(crate) fn service(service_config: ServiceConfig) -> (Arc<JobService>, Arc<FakeWeb>) {
    let web = Arc::new(FakeWeb::default());
    (JobService::new(runtime(&web), service_config), web)
}

/// Each page has a host of its own, so that politeness plays no role.
pub(crate) fn urls(paths: &[&str]) -> Vec<String> {
    let urls = paths.iter().enumerate();
    urls.map(|(number, path)| format!("https://h{number}.example/{path}")).collect()
}

pub(crate) fn plan(paths: &[&str]) -> BatchPlan {
    BatchScrapeRequest::new(urls(paths)).check().unwrap()
}

pub(crate) async fn batch(service: &Arc<JobService>, paths: &[&str]) -> JobId {
    service.batch(&team("a"), plan(paths), SubmitContext::default()).await.unwrap().id
}

pub(crate) fn next_url(skip: u64) -> String {
    format!("http://host.example/v2/batch/scrape/x?skip={skip}")
}

pub(crate) async fn status(
    service: &JobService,
    id: JobId,
    skip: Option<u64>,
    limit: Option<u64>,
) -> StatusBody {
    service.status(&TeamId::new("a"), BATCH, id, Page { skip, limit }, &next_url).await.unwrap()
}

pub(crate) fn read(body: &StatusBody) -> JobStatus {
    serde_json::from_slice(&body.json.to_vec()).unwrap()
}

/// Waits for the end and returns the first page of the status.
pub(crate) async fn ended(service: &JobService, id: JobId) -> JobStatus {
    loop {
        let status = read(&status(service, id, None, None).await);
        if status.status != JobState::Scraping {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits for the background work of the service, in virtual time.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

pub(crate) async fn balance(service: &JobService) -> i64 {
    service.credit_usage(&TeamId::new("a")).await.unwrap().data.remaining_credits
}

/// A receiver that answers with the statuses of a script and repeats the last one. Status 0 is a missing
/// answer, and 1 a refusal by the guard. During an outage, it answers with another status.
#[derive(Debug)]
pub(crate) struct Receiver {
    script: Mutex<Vec<u16>>,
    /// The end of the outage, and the status until then.
    outage: Option<(Duration, u16)>,
    pub(crate) received: Mutex<Vec<Received>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) at: Duration,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.json()[name].as_str().unwrap().to_owned()
    }
}

impl Receiver {
    pub(crate) fn new(script: &[u16]) -> Arc<Self> {
        Arc::new(Self { script: Mutex::new(script.to_vec()), outage: None, received: Mutex::default() })
    }

    /// Answers with this status until the given time, and accepts everything after it.
    pub(crate) fn failing_until(until: Duration, status: u16) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(vec![200]),
            outage: Some((until, status)),
            received: Mutex::default(),
        })
    }

    /// The accepted events.
    pub(crate) fn accepted(&self) -> Vec<Received> {
        self.all().into_iter().filter(|event| event.status == 200).collect()
    }

    /// Every post, accepted or not.
    pub(crate) fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

#[derive(Debug)]
pub(crate) struct DeliverToReceiver(pub(crate) Arc<Receiver>, pub(crate) tokio::time::Instant);

impl Deliver for DeliverToReceiver {
    fn check<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<(), DeliverError>> {
        Box::pin(async move {
            match url.host_str() {
                Some("10.0.0.1") => Err(DeliverError::refused("the address is not public")),
                _ => Ok(()),
            }
        })
    }

    fn deliver<'a>(&'a self, delivery: Delivery<'a>) -> BoxFuture<'a, Result<u16, DeliverError>> {
        Box::pin(async move {
            let at = self.1.elapsed();
            let status = if let Some((_, status)) = self.0.outage.filter(|(until, _)| at < *until) {
                status
            } else {
                let mut script = self.0.script.lock().unwrap();
                if script.len() > 1 { script.remove(0) } else { script[0] }
            };
            self.0.received.lock().unwrap().push(Received {
                at,
                status,
                headers: delivery.headers.clone(),
                body: delivery.body.to_vec(),
            });
            match status {
                0 => std::future::pending().await,
                1 => Err(DeliverError::refused("the address is refused")),
                status => Ok(status),
            }
        })
    }
}

pub(crate) fn deliver_to(receiver: &Arc<Receiver>) -> Option<Arc<dyn Deliver>> {
    Some(Arc::new(DeliverToReceiver(Arc::clone(receiver), tokio::time::Instant::now())))
}
