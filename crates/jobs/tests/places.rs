//! Files that keep their parser busy without end: everything else goes on, and they are given up.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_jobs::{
    Clock, Fetch, FetchError, FetchRequest, Fetched, HopCheck, MAX_PDFS_AT_ONCE, Parts, Room, Transform,
    TransformTask, Transformed,
};
use gleaner_store::MemoryStore;
use gleaner_types::request::CrawlRequest;
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A site of one page that links to another one and to four PDFs.
#[derive(Debug)]
struct Site;

#[async_trait]
impl Fetch for Site {
    async fn fetch(&self, request: FetchRequest<'_>, _: &dyn HopCheck) -> Result<Fetched, FetchError> {
        let (status, body) = match request.url.path() {
            "/" => (200, "/1\n/2\n/3\n/4\n/other"),
            "/other" => (200, ""),
            "/robots.txt" | "/sitemap.xml" => (404, ""),
            _ => (200, "%PDF-1.7"),
        };
        Ok(Fetched {
            url: request.url.clone(),
            status,
            content_type: None,
            body: Bytes::from_static(body.as_bytes()),
            retry_after: None,
            latency: Duration::from_millis(10),
            address: None,
            proxy_used: ProxyUsed::Basic,
            cache_state: Some(CacheState::Miss),
            cached_at: None,
            rendering: None,
            robots_tag: String::new(),
        })
    }
}

/// Tells what it begins, and does not come back from a PDF before it is let go.
#[derive(Debug)]
struct Stuck {
    begun: UnboundedSender<String>,
    let_go: Arc<(Mutex<bool>, Condvar)>,
}

impl Transform for Stuck {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let page = task.page;
        self.begun.send(page.url.path().to_owned()).unwrap();
        let text = std::str::from_utf8(&page.body).unwrap();
        if text.starts_with("%PDF-") {
            let (free, told) = &*self.let_go;
            // Bounded, so that a test that fails also ends.
            drop(
                told.wait_timeout_while(free.lock().unwrap(), Duration::from_secs(60), |free| !*free)
                    .unwrap(),
            );
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
    let room = Room::new(Parts {
        store: Arc::new(MemoryStore::default()),
        fetch: Arc::new(Site),
        transform: Arc::new(Stuck { begun, let_go: Arc::clone(&let_go) }),
        clock: Clock::starting_at(Duration::from_secs(1_700_000_000)),
        robots_agent: "gleaner".to_owned(),
        max_in_flight: 50,
        near_duplicates: true,
    });
    let request = CrawlRequest::new("https://a.example/").check().unwrap();
    let job = room.crawl(request, Value::Null).await.unwrap();
    let ended = tokio::spawn(job.wait());

    let mut seen: Vec<String> = Vec::new();
    // Time stands still while a thread is busy, as they are from here to the end.
    while seen.iter().filter(|path| path.len() == 2).count() < MAX_PDFS_AT_ONCE {
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
    assert_eq!(pdfs.len(), MAX_PDFS_AT_ONCE, "those who wait have not begun: {seen:?}");
    assert_eq!(result.documents.len(), 2);
    let codes: Vec<ErrorCode> = result.failures.failures.iter().map(|failure| failure.error.code).collect();
    assert_eq!(codes, [ErrorCode::ScrapeTimeout; 4]);
    *let_go.0.lock().unwrap() = true;
    let_go.1.notify_all();
}
