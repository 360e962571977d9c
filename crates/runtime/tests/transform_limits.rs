//! Pages whose transform does not end: they fail, and all other work continues.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{
    Clock, Executor, Fetch, FetchError, FetchRequest, Fetched, Job, MAX_CONCURRENT_PDFS, MemoryBudget,
    PdfTask, ReadPdf, RedirectCheck, Runtime, RuntimeConfig, StartOptions, Transform, TransformTask,
    Transformed,
};
use gleaner_store::MemoryStore;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_types::{BoxFuture, CacheState, ErrorCode, PageError, ProxyUsed};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// A site with a start page that links to another page and to four PDFs.
#[derive(Debug)]
struct Site;

impl Fetch for Site {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        _: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let (status, body) = match request.url.path() {
                "/" => (200, "/1\n/2\n/3\n/4\n/other"),
                "/other" => (200, ""),
                "/robots.txt" | "/sitemap.xml" => (404, ""),
                _ => (200, "%PDF-1.7"),
            };
            Ok(answer(&request, status, Bytes::from_static(body.as_bytes())))
        })
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

/// Blocks threads until it is opened.
type Gate = Arc<(Mutex<bool>, Condvar)>;

/// Waits until the gate is open. Bounded, so that a failing test ends.
fn wait(gate: &Gate) {
    let (is_open, opened) = &**gate;
    let limit = Duration::from_secs(60);
    drop(opened.wait_timeout_while(is_open.lock().unwrap(), limit, |is_open| !*is_open).unwrap());
}

fn open(gate: &Gate) {
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
}

/// Reports the paths that it starts with. A PDF does not end before the gate is open.
#[derive(Debug)]
struct GatedPdfs {
    started: UnboundedSender<String>,
    gate: Gate,
}

impl Transform for GatedPdfs {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        self.started.send(page.url.path().to_owned()).unwrap();
        let text = std::str::from_utf8(&page.body).unwrap();
        if text.starts_with("%PDF-") {
            wait(&self.gate);
            return Ok(Transformed::default());
        }
        let links = text.lines().map(|link| page.url.join(link).unwrap()).collect();
        Ok(Transformed { links, ..Transformed::default() })
    }
}

#[tokio::test(start_paused = true)]
async fn endless_pdfs_block_other_pdfs_only() {
    let (started, mut reports) = unbounded_channel();
    let gate = Gate::default();
    let runtime = Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(GatedPdfs { started, gate: Arc::clone(&gate) }),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let request = CrawlRequest::new("https://a.example/").check().unwrap();
    let mut job = runtime.start(request, StartOptions::default()).await.unwrap();
    let ended = tokio::spawn(async move { job.wait().await });

    let mut started: Vec<String> = Vec::new();
    // Paused time does not advance by itself while a blocking thread is busy, which they are from here on.
    while started.iter().filter(|path| path.len() == 2).count() < MAX_CONCURRENT_PDFS {
        started.push(reports.recv().await.unwrap());
    }
    while !ended.is_finished() {
        tokio::time::advance(Duration::from_secs(1)).await;
        while let Ok(path) = reports.try_recv() {
            started.push(path);
        }
    }
    let result = ended.await.unwrap().unwrap();
    let (pdfs, pages): (Vec<_>, Vec<_>) = started.iter().partition(|path| path.len() == 2);
    assert_eq!(pages, ["/", "/other"]);
    assert_eq!(pdfs.len(), MAX_CONCURRENT_PDFS, "waiting PDFs have not started: {started:?}");
    assert_eq!(result.documents.len(), 2);
    let codes: Vec<ErrorCode> = result.failures.iter().map(|failure| failure.error.code).collect();
    assert_eq!(codes, [ErrorCode::ScrapeTimeout; 4]);
    open(&gate);
}

/// Pages of half a MiB. The first bytes of `/about-pdf` look like a PDF, which it is not.
#[derive(Debug)]
struct LargePages;

impl Fetch for LargePages {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        _: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let start = if request.url.path() == "/about-pdf" { "<!-- %PDF-1.7 -->" } else { "" };
            let body = format!("{start}{}", "x".repeat(512 << 10));
            Ok(answer(&request, 200, body.into()))
        })
    }
}

/// Reports the paths that it starts with. Each takes 20 MiB except `/small`. `/block` does not end before the
/// gate is open.
#[derive(Debug)]
struct GatedMemory {
    started: UnboundedSender<String>,
    gate: Gate,
}

impl Transform for GatedMemory {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let path = task.page.url.path();
        self.started.send(path.to_owned()).unwrap();
        assert_ne!(path, "/panic", "the parser panics");
        if path == "/block" {
            wait(&self.gate);
        }
        Ok(Transformed::default())
    }

    fn memory(&self, page: &Fetched) -> usize {
        if page.url.path() == "/small" { 1 << 20 } else { 20 << 20 }
    }
}

/// A runtime with 64 MiB for its pages, half of it for large ones.
fn gated_memory_runtime() -> (Arc<Runtime>, UnboundedReceiver<String>, Gate) {
    let (started, reports) = unbounded_channel();
    let gate = Gate::default();
    let runtime = Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(LargePages),
        transform: Arc::new(GatedMemory { started, gate: Arc::clone(&gate) }),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::of(64 << 20),
    });
    (runtime, reports, gate)
}

async fn batch(runtime: &Arc<Runtime>, path: &str) -> Job {
    let request =
        BatchScrapeRequest::new(vec![format!("https://host-of{}.example{path}", path.replace('/', "-"))]);
    runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap()
}

async fn documents(mut job: Job) -> usize {
    job.wait().await.unwrap().documents.len()
}

#[tokio::test(start_paused = true)]
async fn pages_that_do_not_fit_together_run_one_after_the_other() {
    for next in ["/next", "/about-pdf"] {
        let (runtime, mut reports, gate) = gated_memory_runtime();
        let blocked = batch(&runtime, "/block").await;
        assert_eq!(reports.recv().await.unwrap(), "/block");
        let waiting = batch(&runtime, next).await;
        let small = batch(&runtime, "/small").await;
        assert_eq!(reports.recv().await.unwrap(), "/small", "small pages do not wait for large ones");
        assert_eq!(documents(small).await, 1);
        assert!(reports.try_recv().is_err(), "a page started that does not fit");
        open(&gate);
        assert_eq!(reports.recv().await.unwrap(), next);
        assert_eq!((documents(blocked).await, documents(waiting).await), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn memory_is_released_after_a_panic_and_by_cancelled_pages() {
    let (runtime, mut reports, gate) = gated_memory_runtime();
    let panicked = batch(&runtime, "/panic").await.wait().await.unwrap();
    assert_eq!(panicked.failures.len(), 1);
    assert_eq!(reports.recv().await.unwrap(), "/panic");
    let blocked = batch(&runtime, "/block").await;
    assert_eq!(reports.recv().await.unwrap(), "/block");
    let cancelled = batch(&runtime, "/cancelled").await;
    let waiting = batch(&runtime, "/next").await;
    let small = batch(&runtime, "/small").await;
    assert_eq!(documents(small).await, 1);
    assert_eq!(reports.recv().await.unwrap(), "/small");
    cancelled.cancel().await.unwrap();
    open(&gate);
    assert_eq!(reports.recv().await.unwrap(), "/next");
    assert_eq!((documents(blocked).await, documents(waiting).await), (1, 1));
    assert!(reports.try_recv().is_err(), "a page of an ended job was transformed");
}

/// Reports the paths that it transforms.
#[derive(Debug)]
struct ReportingTransform(UnboundedSender<(&'static str, String)>);

impl Transform for ReportingTransform {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        self.0.send(("transform", task.page.url.path().to_owned())).unwrap();
        Ok(Transformed::default())
    }
}

/// Reports the paths that it gets, converts `/1`, fails on `/2`, and panics on `/3`.
#[derive(Debug)]
struct ReportingPdfs(UnboundedSender<(&'static str, String)>);

impl ReadPdf for ReportingPdfs {
    fn read_pdf<'a>(
        &'a self,
        page: &'a Fetched,
        _: &'a ScrapeOptionsPlan,
        turn: PdfTask<'a>,
    ) -> BoxFuture<'a, Option<Result<Transformed, PageError>>> {
        Box::pin(async move {
            let left = turn.deadline - Instant::now();
            assert!(left <= Duration::from_secs(9) && left > Duration::from_secs(8), "{left:?}");
            self.0.send(("pdfs", page.url.path().to_owned())).unwrap();
            assert!(page.url.path() != "/3", "the converter panics");
            let code = ErrorCode::ScrapePdfError;
            match page.url.path() {
                "/1" => Some(Ok(Transformed::default())),
                "/2" => Some(Err(PageError { code, message: "too much".to_owned() })),
                _ => None,
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_pdf_port_converts_pdfs_until_the_deadline_of_their_page() {
    let (calls, mut reports) = unbounded_channel();
    let runtime = Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(ReportingTransform(calls.clone())),
        pdfs: Some(Arc::new(ReportingPdfs(calls))),
        rendering: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let rows: [(&str, Option<ErrorCode>, &[&str]); 5] = [
        ("/other", None, &["transform"]),
        ("/1", None, &["pdfs"]),
        ("/2", Some(ErrorCode::ScrapePdfError), &["pdfs"]),
        ("/3", Some(ErrorCode::UnknownError), &["pdfs"]),
        ("/4", None, &["pdfs", "transform"]),
    ];
    for (path, code, expected_ports) in rows {
        let request = ScrapeRequest::new(format!("https://a.example{path}")).timeout(9_000);
        let result = runtime.scrape(request.check().unwrap(), StartOptions::default()).await;
        assert_eq!(result.err().as_ref().map(gleaner_runtime::Error::code), code, "{path}");
        let mut ports = Vec::new();
        while let Ok((port, reported)) = reports.try_recv() {
            assert_eq!(reported, path);
            ports.push(port);
        }
        assert_eq!(ports, expected_ports, "{path}");
    }
}

/// Works on a page until it is interrupted. Reports its thread at the start, and again at the end with the
/// units of work.
#[derive(Debug)]
struct Endless(UnboundedSender<(ThreadId, Option<u64>)>);

impl Transform for Endless {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let thread = thread::current().id();
        self.0.send((thread, None)).unwrap();
        // Bounded, so that a failing test ends.
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while !task.interrupt.spend(1) && std::time::Instant::now() < end {
            thread::yield_now();
        }
        self.0.send((thread, Some(task.interrupt.spent()))).unwrap();
        Ok(Transformed::default())
    }
}

#[tokio::test(start_paused = true)]
async fn an_endless_transform_moves_to_a_blocking_thread_and_stops_at_its_deadline() {
    let (sender, mut reports) = unbounded_channel();
    let runtime = Runtime::new(RuntimeConfig {
        executor: Executor::of(Handle::current()),
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(Endless(sender)),
        pdfs: None,
        rendering: None,
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
        memory: MemoryBudget::default(),
    });
    let request = ScrapeRequest::new("https://a.example/other").timeout(9_000);
    let plan = request.check().unwrap();
    let scrape = tokio::spawn(async move { runtime.scrape(plan, StartOptions::default()).await.map(drop) });
    // The tokio runtime of this test has one thread.
    let runtime_thread = thread::current().id();
    assert_eq!(reports.recv().await.unwrap(), (runtime_thread, None));
    let (thread, units) = reports.recv().await.unwrap();
    assert_eq!(thread, runtime_thread);
    assert!(units.unwrap() <= 1_000_000, "{units:?} on a runtime thread");
    let (blocking_thread, units) = reports.recv().await.unwrap();
    assert!(blocking_thread != runtime_thread && units.is_none());
    // Paused time does not advance by itself while that thread is busy.
    while !scrape.is_finished() {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    let error = scrape.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.http_status()), (ErrorCode::ScrapeTimeout, 408), "{error}");
    let (thread, units) = reports.recv().await.unwrap();
    assert!(thread == blocking_thread && units.is_some(), "the blocking thread stops as well");
}
