//! A job with zero data retention logs nothing of its pages.

use std::sync::Arc;
use std::time::Duration;

use gleaner::{BatchScrapeRequest, CrawlRequest, Engine, ExtractRequest, ScrapeRequest};
use gleaner_models::Provider;
use gleaner_testkit::{ClosedPort, RawServer, Step};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine, engine_builder, model};
use serde_json::json;
use tokio::task::JoinSet;

use crate::log::with_exclusive_log;

/// Contained in every URL, title and text.
const CANARY: &str = "c4nary";

/// Pages of many kinds: a valid page, a redirect, a 404, a truncated response, an invalid response, an
/// invalid PDF, a refused connection, a forbidden address, and a failed TLS handshake.
struct Web {
    servers: Vec<RawServer>,
    closed: ClosedPort,
    urls: Vec<String>,
}

fn web() -> Web {
    let page = format!("<title>{CANARY}</title><h1>{CANARY}</h1><a href=/{CANARY}-2>{CANARY}</a>");
    let html = [("Content-Type", "text/html")];
    let moved = format!("/{CANARY}-moved");
    let scripts = [
        vec![Step::respond("200 OK", &html, &page)],
        vec![
            Step::respond("302 Found", &[("Location", &moved)], ""),
            Step::ReadRequest,
            Step::respond("200 OK", &html, &page),
        ],
        vec![Step::respond("404 Not Found", &html, &page)],
        vec![Step::send(format!("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{CANARY}"))],
        vec![Step::send(CANARY)],
        vec![Step::respond("200 OK", &[("Content-Type", "application/pdf")], format!("%PDF-1.4 {CANARY}"))],
    ];
    let serve = |script: Vec<Step>| {
        RawServer::start([vec![Step::ReadRequest], script, vec![Step::Close]].concat()).unwrap()
    };
    let mut servers: Vec<RawServer> = scripts.into_iter().map(serve).collect();
    let mut urls: Vec<String> = servers.iter().map(|server| format!("{}{CANARY}", base(server))).collect();
    let closed = ClosedPort::take().unwrap();
    urls.push(format!("{}/{CANARY}", closed.base_url()));
    urls.push(format!("http://10.0.0.1/{CANARY}"));
    // Sends plain text on connect, so the TLS handshake fails immediately.
    let plain = RawServer::start([Step::send(CANARY), Step::Close]).unwrap();
    urls.push(base(&plain).replace("http:", "https:") + CANARY);
    servers.push(plain);
    Web { servers, closed, urls }
}

fn base(server: &RawServer) -> String {
    format!("{}/", server.base_url().trim_end_matches('/'))
}

/// Runs a batch of all pages and returns the number of documents.
async fn batch(web: &Web, zero_data_retention: Option<bool>) -> usize {
    let urls = web.urls.iter().map(String::as_str);
    let mut request = BatchScrapeRequest::new(urls);
    request.zero_data_retention = zero_data_retention;
    let batch = engine().batch(request).await.unwrap().wait().await.unwrap();
    assert_eq!(batch.documents.len() + batch.failures.len(), web.urls.len());
    batch.documents.len()
}

/// A crawl from one page, with zero data retention.
async fn crawl(engine: Engine, url: String) {
    let request = CrawlRequest::new(&url).zero_data_retention(true).limit(3);
    engine.crawl(request).await.unwrap().wait().await.unwrap();
}

/// A scrape and extracts of one page, with zero data retention.
async fn other_jobs(engine: Engine, url: String) {
    let request = ScrapeRequest::new(&url).zero_data_retention(true);
    let _result = engine.scrape(request).await;
    let schema = json!({ "properties": { "name": { "type": "string" } } });
    let request = ExtractRequest::default().zero_data_retention(true).schema(schema);
    let wildcard = format!("{url}/*");
    for url in [url, wildcard] {
        let request = request.clone().urls([url]);
        let _result = engine.extract(request).await;
    }
}

#[test]
fn pages_of_a_job_with_zero_data_retention_are_not_logged() {
    with_exclusive_log(async |log| {
        let web = web();
        let documents = batch(&web, Some(true)).await;
        assert_eq!(documents, 3);
        let mut tasks = JoinSet::new();
        let engine = engine();
        for url in web.urls.iter().take(3) {
            tasks.spawn(crawl(engine.clone(), url.clone()));
        }
        for url in &web.urls {
            tasks.spawn(other_jobs(engine.clone(), url.clone()));
        }
        tasks.join_all().await;
        let zero_retention_log = log.take();
        let addresses = web.servers.iter().map(RawServer::addr).chain([web.closed.addr()]);
        let ports = addresses.map(|address| format!(":{}", address.port()));
        for needle in [CANARY.to_owned(), "10.0.0.1".to_owned()].into_iter().chain(ports) {
            // The connection pool of hyper logs hosts at trace level for every job, but nothing of pages.
            let own = |line: &&str| needle == CANARY || !line.contains(" hyper_util::client::legacy::");
            let line = zero_retention_log.lines().filter(own).find(|line| line.contains(&needle));
            assert_eq!(line, None, "{needle}");
        }
        assert_eq!(batch(&web, None).await, documents);
        let mut default_log = log.take();
        let of_pages = |line: &&str| line.contains("gleaner::page");
        let with_url = |log: &str| log.lines().filter(of_pages).filter(|line| line.contains("url=")).count();
        // The last one comes when its page is stored, which may be after the end of the job.
        let last_line = async {
            while with_url(&default_log) < web.urls.len() {
                tokio::task::yield_now().await;
                default_log.push_str(&log.take());
            }
        };
        tokio::time::timeout(Duration::from_secs(60), last_line).await.unwrap();
        assert_eq!(with_url(&default_log), web.urls.len(), "one line for the end of each page");
        assert!(zero_retention_log.lines().any(|line| of_pages(&line)), "without its address");
        assert_eq!(with_url(&zero_retention_log), 0);
        let occurrences = default_log.matches(CANARY).count();
        println!(
            "occurrences of pages in the log: 0 in {} bytes, otherwise {occurrences} in {} bytes",
            zero_retention_log.len(),
            default_log.len()
        );
        assert!(occurrences > 0, "the log is not recorded");
    });
}

#[test]
fn a_large_page_with_zero_data_retention_is_not_logged_by_a_blocking_thread() {
    with_exclusive_log(async |log| {
        // The model echoes page text, and the page is large enough to be parsed on a blocking thread.
        let refusal = json!({ "error": { "message": format!("cannot read: {CANARY}") } });
        let service = FakeServer::always(FakeResponse::new(400, refusal.to_string()));
        let page = format!(
            "<main><h1>{CANARY}</h1><p>Every kite here was drawn by Anna Berg, and flown by her as well.</p>\
             </main><!--{}-->",
            "x".repeat(100_000)
        );
        let site = FakeServer::always(FakeResponse::html(&page));
        let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &service))).build().unwrap();
        let schema = json!({ "type": "object", "properties": { "artist": { "type": ["string", "null"] } } });
        for zero_retention in [true, false] {
            let calls_before = service.requests().len();
            let request = json!({
                "url": site.url("/"),
                "formats": [{ "type": "json", "schema": schema }],
                "maxAge": 0,
                "zeroDataRetention": zero_retention,
            });
            engine.scrape(serde_json::from_value::<ScrapeRequest>(request).unwrap()).await.unwrap();
            assert!(service.requests().len() > calls_before, "the model was called");
            let default_log = log.take();
            let line = default_log.lines().find(|line| line.contains(CANARY));
            assert_eq!(line.is_none(), zero_retention, "{line:?}");
        }
    });
}
