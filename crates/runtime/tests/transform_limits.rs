//! Files that keep their parser busy without end: everything else goes on, and they are given up.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_runtime::{
    Clock, Fetch, FetchError, FetchRequest, Fetched, Job, MAX_CONCURRENT_PDFS, MemoryBudget, PdfTurn,
    ReadPdf, RedirectCheck, Runtime, RuntimeConfig, StartOptions, Transform, TransformTask, Transformed,
};
use gleaner_store::MemoryStore;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// A site of one page that links to another one and to four PDFs.
#[derive(Debug)]
struct Site;

#[async_trait]
impl Fetch for Site {
    async fn fetch(&self, request: FetchRequest<'_>, _: &dyn RedirectCheck) -> Result<Fetched, FetchError> {
        let (status, body) = match request.url.path() {
            "/" => (200, "/1\n/2\n/3\n/4\n/other"),
            "/other" => (200, ""),
            "/robots.txt" | "/sitemap.xml" => (404, ""),
            _ => (200, "%PDF-1.7"),
        };
        Ok(answer(&request, status, Bytes::from_static(body.as_bytes())))
    }
}

fn answer(request: &FetchRequest<'_>, status: u16, body: Bytes) -> Fetched {
    Fetched {
        url: request.url.clone(),
        status,
        content_type: None,
        body,
        retry_after: None,
        latency: Duration::from_millis(10),
        address: None,
        proxy_used: ProxyUsed::Basic,
        cache_state: Some(CacheState::Miss),
        cached_at: None,
        rendering: None,
        robots_tag: String::new(),
    }
}

type LetGo = Arc<(Mutex<bool>, Condvar)>;

/// Waits to be let go. Bounded, so that a test that fails also ends.
fn wait(let_go: &LetGo) {
    let (free, told) = &**let_go;
    drop(told.wait_timeout_while(free.lock().unwrap(), Duration::from_secs(60), |free| !*free).unwrap());
}

fn free(let_go: &LetGo) {
    *let_go.0.lock().unwrap() = true;
    let_go.1.notify_all();
}

/// Tells what it begins, and does not come back from a PDF before it is let go.
#[derive(Debug)]
struct Stuck {
    begun: UnboundedSender<String>,
    let_go: LetGo,
}

impl Transform for Stuck {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        self.begun.send(page.url.path().to_owned()).unwrap();
        let text = std::str::from_utf8(&page.body).unwrap();
        if text.starts_with("%PDF-") {
            wait(&self.let_go);
            return Ok(Transformed::default());
        }
        let links = text.lines().map(|link| page.url.join(link).unwrap()).collect();
        Ok(Transformed { links, ..Transformed::default() })
    }
}

#[tokio::test(start_paused = true)]
async fn pdfs_without_end_stop_nothing_but_themselves() {
    let (begun, mut told) = unbounded_channel();
    let let_go = Arc::new((Mutex::new(false), Condvar::new()));
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(Stuck { begun, let_go: Arc::clone(&let_go) }),
        pdfs: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let request = CrawlRequest::new("https://a.example/").check().unwrap();
    let job = runtime.start(request, StartOptions::default()).await.unwrap();
    let ended = tokio::spawn(job.wait());

    let mut seen: Vec<String> = Vec::new();
    // Time stands still while a thread is busy, as they are from here to the end.
    while seen.iter().filter(|path| path.len() == 2).count() < MAX_CONCURRENT_PDFS {
        seen.push(told.recv().await.unwrap());
    }
    while !ended.is_finished() {
        tokio::time::advance(Duration::from_secs(1)).await;
        while let Ok(path) = told.try_recv() {
            seen.push(path);
        }
    }
    let result = ended.await.unwrap().unwrap();
    let (pdfs, pages): (Vec<_>, Vec<_>) = seen.iter().partition(|path| path.len() == 2);
    assert_eq!(pages, ["/", "/other"]);
    assert_eq!(pdfs.len(), MAX_CONCURRENT_PDFS, "those who wait have not begun: {seen:?}");
    assert_eq!(result.documents.len(), 2);
    let codes: Vec<ErrorCode> = result.failures.iter().map(|failure| failure.error.code).collect();
    assert_eq!(codes, [ErrorCode::ScrapeTimeout; 4]);
    free(&let_go);
}

/// Pages of half a MiB. `/about-pdf` names PDFs in its first bytes, and is none.
#[derive(Debug)]
struct Heavy;

#[async_trait]
impl Fetch for Heavy {
    async fn fetch(&self, request: FetchRequest<'_>, _: &dyn RedirectCheck) -> Result<Fetched, FetchError> {
        let begin = if request.url.path() == "/about-pdf" { "<!-- %PDF-1.7 -->" } else { "" };
        let body = format!("{begin}{}", "x".repeat(512 << 10));
        Ok(answer(&request, 200, body.into()))
    }
}

/// Tells what it begins, of which each takes 20 MiB but for `/small`. `/block` does not come back before it
/// is let go.
#[derive(Debug)]
struct Weighed {
    begun: UnboundedSender<String>,
    let_go: LetGo,
}

impl Transform for Weighed {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let path = task.page.url.path();
        self.begun.send(path.to_owned()).unwrap();
        assert_ne!(path, "/panic", "a parser that panics");
        if path == "/block" {
            wait(&self.let_go);
        }
        Ok(Transformed::default())
    }

    fn memory(&self, page: &Fetched) -> usize {
        if page.url.path() == "/small" { 1 << 20 } else { 20 << 20 }
    }
}

/// An engine room with 64 MiB for its pages, half of it for large ones.
fn weighed() -> (Arc<Runtime>, UnboundedReceiver<String>, LetGo) {
    let (begun, told) = unbounded_channel();
    let let_go = LetGo::default();
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Heavy),
        transform: Arc::new(Weighed { begun, let_go: Arc::clone(&let_go) }),
        pdfs: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::of(64 << 20),
    });
    (runtime, told, let_go)
}

async fn batch(runtime: &Arc<Runtime>, path: &str) -> Job {
    let request =
        BatchScrapeRequest::new(vec![format!("https://host-of{}.example{path}", path.replace('/', "-"))]);
    runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap()
}

async fn documents(job: Job) -> usize {
    job.wait().await.unwrap().documents.len()
}

#[tokio::test(start_paused = true)]
async fn pages_that_do_not_fit_together_run_one_after_the_other() {
    for next in ["/next", "/about-pdf"] {
        let (runtime, mut told, let_go) = weighed();
        let blocked = batch(&runtime, "/block").await;
        assert_eq!(told.recv().await.unwrap(), "/block");
        let waiting = batch(&runtime, next).await;
        let small = batch(&runtime, "/small").await;
        assert_eq!(told.recv().await.unwrap(), "/small", "small pages do not wait for large ones");
        assert_eq!(documents(small).await, 1);
        assert!(told.try_recv().is_err(), "a page has begun that does not fit");
        free(&let_go);
        assert_eq!(told.recv().await.unwrap(), next);
        assert_eq!((documents(blocked).await, documents(waiting).await), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn memory_comes_back_after_a_panic_and_from_pages_that_are_given_up() {
    let (runtime, mut told, let_go) = weighed();
    let panicked = batch(&runtime, "/panic").await.wait().await.unwrap();
    assert_eq!(panicked.failures.len(), 1);
    assert_eq!(told.recv().await.unwrap(), "/panic");
    let blocked = batch(&runtime, "/block").await;
    assert_eq!(told.recv().await.unwrap(), "/block");
    let given_up = batch(&runtime, "/given-up").await;
    let waiting = batch(&runtime, "/next").await;
    let small = batch(&runtime, "/small").await;
    assert_eq!(documents(small).await, 1);
    assert_eq!(told.recv().await.unwrap(), "/small");
    given_up.cancel().await.unwrap();
    free(&let_go);
    assert_eq!(told.recv().await.unwrap(), "/next");
    assert_eq!((documents(blocked).await, documents(waiting).await), (1, 1));
    assert!(told.try_recv().is_err(), "a page was worked on whose job had ended");
}

/// Notes what it transforms.
#[derive(Debug)]
struct Here(UnboundedSender<(&'static str, String)>);

impl Transform for Here {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        self.0.send(("here", task.page.url.path().to_owned())).unwrap();
        Ok(Transformed::default())
    }
}

/// Notes what it is asked to read, reads `/1`, fails on `/2`, and breaks on `/3`.
#[derive(Debug)]
struct Elsewhere(UnboundedSender<(&'static str, String)>);

#[async_trait]
impl ReadPdf for Elsewhere {
    async fn read_pdf(
        &self,
        page: &Fetched,
        _: &ScrapeOptionsPlan,
        turn: PdfTurn<'_>,
    ) -> Option<Result<Transformed, PageError>> {
        let left = turn.until - Instant::now();
        assert!(left <= Duration::from_secs(9) && left > Duration::from_secs(8), "{left:?}");
        self.0.send(("elsewhere", page.url.path().to_owned())).unwrap();
        assert!(page.url.path() != "/3", "a fault of the reader");
        let code = ErrorCode::ScrapePdfError;
        match page.url.path() {
            "/1" => Some(Ok(Transformed::default())),
            "/2" => Some(Err(PageError { code, message: "too much".to_owned() })),
            _ => None,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pdfs_are_read_elsewhere_where_there_is_somebody_and_until_their_page_is_due() {
    let (noted, mut told) = unbounded_channel();
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(Here(noted.clone())),
        pdfs: Some(Arc::new(Elsewhere(noted))),
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let rows: [(&str, Option<ErrorCode>, &[&str]); 5] = [
        ("/other", None, &["here"]),
        ("/1", None, &["elsewhere"]),
        ("/2", Some(ErrorCode::ScrapePdfError), &["elsewhere"]),
        ("/3", Some(ErrorCode::UnknownError), &["elsewhere"]),
        ("/4", None, &["elsewhere", "here"]),
    ];
    for (path, code, by) in rows {
        let request = ScrapeRequest::new(format!("https://a.example{path}")).timeout(9_000);
        let scraped = runtime.scrape(request.check().unwrap(), StartOptions::default()).await;
        assert_eq!(scraped.err().as_ref().map(gleaner_runtime::Error::code), code, "{path}");
        let mut read = Vec::new();
        while let Ok((who, what)) = told.try_recv() {
            assert_eq!(what, path);
            read.push(who);
        }
        assert_eq!(read, by, "{path}");
    }
}

/// Works on a page until it is interrupted, and tells on which thread it begins and ends, and after how much
/// work.
#[derive(Debug)]
struct Endless(UnboundedSender<(ThreadId, Option<u64>)>);

impl Transform for Endless {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let thread = thread::current().id();
        self.0.send((thread, None)).unwrap();
        // Bounded, so that a test that fails also ends.
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while !task.interrupt.spend(1) && std::time::Instant::now() < end {
            thread::yield_now();
        }
        self.0.send((thread, Some(task.interrupt.spent()))).unwrap();
        Ok(Transformed::default())
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_without_end_leaves_the_runtime_and_ends_with_its_request() {
    let (tell, mut told) = unbounded_channel();
    let runtime = Runtime::new(RuntimeConfig {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(Endless(tell)),
        pdfs: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let request = ScrapeRequest::new("https://a.example/other").timeout(9_000);
    let plan = request.check().unwrap();
    let scrape = tokio::spawn(async move { runtime.scrape(plan, StartOptions::default()).await.map(drop) });
    // The runtime has one thread.
    let runtime = thread::current().id();
    assert_eq!(told.recv().await.unwrap(), (runtime, None));
    let (thread, units) = told.recv().await.unwrap();
    assert_eq!(thread, runtime);
    assert!(units.unwrap() <= 1_000_000, "{units:?} on a thread of the runtime");
    let (elsewhere, begins) = told.recv().await.unwrap();
    assert!(elsewhere != runtime && begins.is_none());
    // Time stands still while that thread is busy.
    while !scrape.is_finished() {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    let error = scrape.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.http_status()), (ErrorCode::ScrapeTimeout, 408), "{error}");
    let (thread, units) = told.recv().await.unwrap();
    assert!(thread == elsewhere && units.is_some(), "it ends too");
}
