//! Hooks, a layer around the fetcher and a sink, over loopback.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use gleaner::hooks::{
    DocumentSink, Follow, FoundLink, HookError, PageFacts, PageHooks, RequestDraft, SinkPage,
};
use gleaner::layer::{AnswerBody, FetchError, FetchLayer, HeaderValue, LayerAnswer, LayerRequest, Next};
use gleaner::{
    BoxFuture, CrawlRequest, Document, Engine, JobId, Network, Resolve, ScrapeRequest, SkipReason,
    conformance, http, request::Format,
};
use gleaner_testkit::{HostilePage, PageServer, RawServer, Site, SiteSpec, Step};

use super::on_loopback;

/// Follows the links of pages about tea.
struct AboutTea;

impl PageHooks for AboutTea {
    fn follow(&self, _: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        let text = page.document.markdown.as_deref().unwrap_or_default();
        if text.contains("tea") { Follow::Yes } else { Follow::skip("the page is not about tea") }
    }
}

#[tokio::test]
async fn links_are_followed_by_the_content_of_their_page() {
    let pages = [
        ("/", "<p>About tea: <a href=/green>green</a> and <a href=/coffee>more</a>."),
        ("/green", "<p>Green tea, <a href=/sencha>Sencha</a>."),
        ("/coffee", "<p>Coffee, <a href=/espresso>Espresso</a>."),
        ("/sencha", "<p>Sencha."),
        ("/espresso", "<p>Espresso."),
    ];
    let server = PageServer::start(pages.map(|(path, html)| HostilePage::html(path, html)).to_vec()).unwrap();
    let engine = on_loopback().hooks(Arc::new(AboutTea)).build().unwrap();
    let start = format!("{}/", server.base_url());
    let mut job = engine.crawl(CrawlRequest::new(start)).await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {}
    assert_eq!(["/sencha", "/espresso"].map(|path| server.requests(path)), [1, 0]);
    assert_eq!(job.rejections(), [(SkipReason::Hook, 1)]);
}

/// Sends a key, which HTTP allows on one page only.
struct WithKey;

impl PageHooks for WithKey {
    fn prepare<'a>(&'a self, request: &'a mut RequestDraft<'_>) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let key = if request.url().path() == "/good" { "secret" } else { "two\nlines" };
            request.set_header("X-Key", key);
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_header_that_http_forbids_fails_its_page_only() {
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond("200 OK", &[("Content-Type", "text/html")], "<p>text"),
        Step::Repeat,
    ])
    .unwrap();
    let engine = on_loopback().hooks(Arc::new(WithKey)).build().unwrap();
    let scrape = |path: &str| engine.scrape(ScrapeRequest::new(format!("{}{path}", server.base_url())));
    let error = scrape("/bad").await.unwrap_err();
    assert!(error.is_page(), "{error}");
    scrape("/good").await.unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "the other page sent none");
    let head = String::from_utf8_lossy(&requests[0]).to_ascii_lowercase();
    assert!(head.contains("x-key: secret"), "{head}");
}

/// One name with a private address, and no other name.
#[derive(Debug)]
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            match host {
                "inside.example" => Ok(vec![IpAddr::from([10, 0, 0, 1])]),
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}

/// Answers from a recorded session.
#[derive(Default)]
struct Recorded {
    asked: AtomicUsize,
}

impl FetchLayer for Recorded {
    fn send<'a>(
        &'a self,
        request: LayerRequest,
        _: Next<'a>,
    ) -> BoxFuture<'a, Result<LayerAnswer, FetchError>> {
        Box::pin(async move {
            self.asked.fetch_add(1, SeqCst);
            let answer = match request.url().path() {
                "/" => http::Response::builder()
                    .header("content-type", "text/html")
                    .body("<p>Start. <a href=/moved>next</a>".into()),
                "/moved" => http::Response::builder().status(302).header("location", "/two").body("".into()),
                "/two" => http::Response::builder()
                    .header("content-type", "text/html")
                    .body(AnswerBody::from(b"<p>The second page.".to_vec())),
                _ => http::Response::builder().status(404).body("".into()),
            };
            Ok(answer.unwrap())
        })
    }
}

#[tokio::test]
async fn a_layer_answers_a_crawl_from_a_recorded_session() {
    let layer = Arc::new(Recorded::default());
    let builder = Engine::builder().network(Network::new().resolver(Arc::new(Names)));
    let engine = builder.wrap_fetch(Arc::clone(&layer) as Arc<dyn FetchLayer>).build().unwrap();
    let request = CrawlRequest::new("https://recorded.example/").formats([Format::Markdown]);
    let end = engine.crawl(request).await.unwrap().wait().await.unwrap();
    let mut pages: Vec<(&str, &str)> = end
        .documents
        .iter()
        .map(|page| (page.metadata.url.as_deref().unwrap(), page.markdown.as_deref().unwrap().trim()))
        .collect();
    pages.sort_unstable();
    assert_eq!(pages.len(), 2, "{pages:?}: the redirect is followed by the engine");
    assert_eq!(pages[1], ("https://recorded.example/two", "The second page."));
}

#[tokio::test]
async fn a_layer_is_not_asked_for_an_address_that_the_guard_refuses() {
    let layer = Arc::new(Recorded::default());
    let builder = Engine::builder().network(Network::new().resolver(Arc::new(Names)));
    let engine = builder.wrap_fetch(Arc::clone(&layer) as Arc<dyn FetchLayer>).build().unwrap();
    for url in ["http://127.0.0.1/", "http://inside.example/", "http://[::1]/"] {
        let error = engine.scrape(ScrapeRequest::new(url)).await.unwrap_err();
        assert!(error.is_egress_denied(), "{url}: {error}");
    }
    assert_eq!(layer.asked.load(SeqCst), 0);
}

/// Adds a header to each request, and records the answers.
#[derive(Default)]
struct Recording(Mutex<Vec<(String, Vec<u8>)>>);

impl FetchLayer for Recording {
    fn send<'a>(
        &'a self,
        mut request: LayerRequest,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<LayerAnswer, FetchError>> {
        Box::pin(async move {
            assert_ne!(request.url().path(), "/panics", "on purpose");
            let url = request.url().clone();
            request.headers_mut().insert("x-layer", HeaderValue::from_static("1"));
            let (head, body) = next.send(request).await?.into_parts();
            let bytes =
                body.read(1 << 20).await.map_err(|error| FetchError::layer(&url, &error.to_string()))?;
            self.0.lock().unwrap().push((url.path().to_owned(), bytes.clone()));
            Ok(LayerAnswer::from_parts(head, bytes.into()))
        })
    }
}

#[tokio::test]
async fn a_layer_changes_and_records_what_the_engine_fetches() {
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond("200 OK", &[("Content-Type", "text/html")], "<p>text"),
        Step::Repeat,
    ])
    .unwrap();
    let layer = Arc::new(Recording::default());
    let engine = on_loopback().wrap_fetch(Arc::clone(&layer) as Arc<dyn FetchLayer>).build().unwrap();
    let scrape = |path: &str| engine.scrape(ScrapeRequest::new(format!("{}{path}", server.base_url())));
    assert_eq!(scrape("/one").await.unwrap().markdown.as_deref().map(str::trim), Some("text"));
    assert_eq!(*layer.0.lock().unwrap(), [("/one".to_owned(), b"<p>text".to_vec())]);
    let head = String::from_utf8_lossy(&server.requests()[0]).to_ascii_lowercase();
    assert!(head.contains("x-layer: 1"), "{head}");
    let error = scrape("/panics").await.unwrap_err();
    assert!(error.to_string().contains("it panicked"), "{error}");
}

/// Keeps documents by their keys.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<u64, Document>>);

impl DocumentSink for Kept {
    fn write<'a>(
        &'a self,
        document: &'a Document,
        page: SinkPage<'a>,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            self.0.lock().unwrap().insert(page.page, document.clone());
            Ok(())
        })
    }
}

#[tokio::test]
async fn the_documents_of_a_crawl_are_in_the_sink_and_their_metadata_in_the_job() {
    let site = Site::generate(SiteSpec::pages(20)).serve().unwrap();
    let sink = Arc::new(Kept::default());
    let engine = on_loopback().sink(Arc::clone(&sink) as Arc<dyn DocumentSink>).build().unwrap();
    let end = engine.crawl(CrawlRequest::new(site.url("/"))).await.unwrap().wait().await.unwrap();
    let kept = sink.0.lock().unwrap();
    assert_eq!((end.snapshot.completed, kept.len()), (20, 20));
    assert!(kept.values().all(|page| page.markdown.as_deref().is_some_and(|text| !text.is_empty())));
    assert!(end.documents.iter().all(|page| page.markdown.is_none() && page.metadata.url.is_some()));
}

/// Keeps each document that it gets, and does not know its page again.
#[derive(Default)]
struct Appending(Mutex<Vec<(JobId, u64, String)>>);

impl DocumentSink for Appending {
    fn write<'a>(
        &'a self,
        document: &'a Document,
        page: SinkPage<'a>,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let text = document.markdown.clone().unwrap_or_default();
            self.0.lock().unwrap().push((page.job, page.page, text));
            Ok(())
        })
    }
}

#[tokio::test]
#[should_panic(expected = "a page that is written again is no error, and is kept once")]
async fn the_suite_finds_a_sink_that_keeps_a_page_twice() {
    let sink = Appending::default();
    conformance::document_sink(&sink, async || sink.0.lock().unwrap().clone(), None).await;
}
