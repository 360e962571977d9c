//! The sink of an embedder: each document is in it before its page ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_runtime::{DocumentSink, HookError, Job, MAX_ATTEMPTS, MAX_SINK_WRITES, SinkPage, StartOptions};
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_types::{BoxFuture, Document};
use tokio::sync::Notify;

use crate::support::{Answer, Web, runtime};

/// Keeps documents in memory, and fails as told.
#[derive(Default)]
struct Kept {
    /// The paths of pages by their keys.
    pages: Mutex<BTreeMap<(String, u64), String>>,
    /// The calls by path.
    writes: Mutex<BTreeMap<String, u32>>,
    /// Lets a blocked write go on.
    go_on: Notify,
}

impl Kept {
    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.pages.lock().unwrap().values().cloned().collect();
        paths.sort();
        paths
    }

    fn writes(&self, path: &str) -> u32 {
        self.writes.lock().unwrap().get(path).copied().unwrap_or_default()
    }

    fn count(&self, path: &str) -> u32 {
        let mut writes = self.writes.lock().unwrap();
        let count = writes.entry(path.to_owned()).or_default();
        *count += 1;
        *count
    }
}

impl DocumentSink for Kept {
    fn write<'a>(
        &'a self,
        document: &'a Document,
        page: SinkPage<'a>,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let path = page.url.path();
            let count = self.count(path);
            assert_ne!(path, "/worse", "on purpose");
            match path {
                "/full" => return Err(HookError::new("the disk is full")),
                "/twice" if count < 3 => Err(std::fmt::Error)?,
                "/blocked" => self.go_on.notified().await,
                _ => {}
            }
            assert_eq!(document.metadata.source_url.as_deref(), Some(page.url.as_str()));
            self.pages.lock().unwrap().insert((page.job.to_string(), page.page), path.to_owned());
            Ok(())
        })
    }
}

async fn batch(web: &Arc<Web>, sink: &Arc<Kept>, urls: &[&str]) -> Job {
    let runtime = runtime(web);
    runtime.set_sink(Arc::clone(sink) as Arc<dyn DocumentSink>);
    let plan = BatchScrapeRequest::new(urls.iter().copied()).check().unwrap();
    runtime.start(plan, StartOptions::default()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_page_ends_only_after_its_document_is_in_the_sink() {
    let web = Web::new([("https://a.example/blocked", vec![Answer::Ok("")])]);
    let sink = Arc::new(Kept::default());
    let mut job = batch(&web, &sink, &["https://a.example/blocked"]).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!((sink.writes("/blocked"), job.status().await.unwrap().completed), (1, 0));
    sink.go_on.notify_one();
    assert_eq!(job.wait().await.unwrap().snapshot.completed, 1);
    assert_eq!(sink.paths(), ["/blocked"]);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_is_repeated_without_another_request() {
    let web = Web::new([("https://a.example/twice", vec![Answer::Ok("")])]);
    let sink = Arc::new(Kept::default());
    let end = batch(&web, &sink, &["https://a.example/twice"]).await.wait().await.unwrap();
    assert_eq!((end.snapshot.completed, sink.writes("/twice")), (1, 3));
    assert_eq!(sink.paths(), ["/twice"]);
    assert_eq!(web.count("https://a.example/twice"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_document_that_the_sink_never_takes_fails_its_page_only() {
    let urls = ["https://a.example/full", "https://a.example/worse", "https://a.example/one"];
    let web = Web::new(urls.map(|url| (url, vec![Answer::Ok("")])));
    let sink = Arc::new(Kept::default());
    let end = batch(&web, &sink, &urls).await.wait().await.unwrap();
    let mut messages: Vec<&str> = end.failures.iter().map(|failure| failure.error.message.as_str()).collect();
    messages.sort_unstable();
    let expected = "the sink of the embedding program did not take the document: ";
    assert_eq!(messages, [format!("{expected}it panicked"), format!("{expected}the disk is full")]);
    assert_eq!(sink.paths(), ["/one"]);
    for path in ["/full", "/worse"] {
        assert_eq!(sink.writes(path), MAX_ATTEMPTS * MAX_SINK_WRITES, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_crawl_have_keys_of_their_own_and_scrapes_have_none() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/one\n/two")]),
        ("https://a.example/one", vec![Answer::Ok("/two")]),
        ("https://a.example/two", vec![Answer::Ok("")]),
    ]);
    let (runtime, sink) = (runtime(&web), Arc::new(Kept::default()));
    runtime.set_sink(Arc::clone(&sink) as Arc<dyn DocumentSink>);
    let plan = CrawlRequest::new("https://a.example/").check().unwrap();
    let end = runtime.start(plan, StartOptions::default()).await.unwrap().wait().await.unwrap();
    assert_eq!((end.snapshot.completed, end.documents.len()), (3, 3));
    assert_eq!(sink.paths(), ["/", "/one", "/two"]);
    let plan = ScrapeRequest::new("https://a.example/one").check().unwrap();
    runtime.scrape(plan, StartOptions::default()).await.unwrap();
    assert_eq!(sink.writes("/one"), 1, "a scrape gives its document to its caller only");
}
