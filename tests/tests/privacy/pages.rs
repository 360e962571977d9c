//! What a job with zero data retention writes to the log: nothing of its pages.

use std::sync::Arc;

use gleaner::{BatchScrapeRequest, CrawlRequest, Engine, ExtractRequest, ScrapeRequest};
use gleaner_models::Provider;
use gleaner_testkit::{ClosedPort, RawServer, Step};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine, engine_builder, model};
use serde_json::json;
use tokio::task::JoinSet;

use crate::log::alone;

/// Stands in every address, title and text.
const CANARY: &str = "c4nary";

/// Pages of every kind: one that is fine, one that redirects, one that is not there, one that breaks off, one that is no
/// HTTP, one that is no PDF, one that nobody serves, and one that may not be asked.
struct Web {
    servers: Vec<RawServer>,
    nobody: ClosedPort,
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
    let nobody = ClosedPort::take().unwrap();
    urls.push(format!("{}/{CANARY}", nobody.base_url()));
    urls.push(format!("http://10.0.0.1/{CANARY}"));
    // It says something before it is asked, and so at once that it speaks no TLS.
    let plain = RawServer::start([Step::send(CANARY), Step::Close]).unwrap();
    urls.push(base(&plain).replace("http:", "https:") + CANARY);
    servers.push(plain);
    Web { servers, nobody, urls }
}

fn base(server: &RawServer) -> String {
    format!("{}/", server.base_url().trim_end_matches('/'))
}

/// A batch of all pages. Tells how many gave a document.
async fn batch(web: &Web, zero_data_retention: Option<bool>) -> usize {
    let urls = web.urls.iter().map(String::as_str);
    let mut request = BatchScrapeRequest::new(urls);
    request.zero_data_retention = zero_data_retention;
    let batch = engine().batch(request).await.unwrap().wait().await.unwrap();
    assert_eq!(batch.documents.len() + batch.failures.failures.len(), web.urls.len());
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
    let _some_fail = engine.scrape(request).await;
    let schema = json!({ "properties": { "name": { "type": "string" } } });
    let request = ExtractRequest::default().zero_data_retention(true).schema(schema);
    let wildcard = format!("{url}/*");
    for url in [url, wildcard] {
        let request = request.clone().urls([url]);
        let _some_fail = engine.extract(request).await;
    }
}

#[test]
fn nothing_of_the_pages_of_a_silent_job_reaches_the_log() {
    alone(async |log| {
        let web = web();
        let documents = batch(&web, Some(true)).await;
        assert_eq!(documents, 3);
        let mut others = JoinSet::new();
        let engine = engine();
        for url in web.urls.iter().take(3) {
            others.spawn(crawl(engine.clone(), url.clone()));
        }
        for url in &web.urls {
            others.spawn(other_jobs(engine.clone(), url.clone()));
        }
        others.join_all().await;
        let silent = log.take();
        let addresses = web.servers.iter().map(RawServer::addr).chain([web.nobody.addr()]);
        let ports = addresses.map(|address| format!(":{}", address.port()));
        for telling in [CANARY.to_owned(), "10.0.0.1".to_owned()].into_iter().chain(ports) {
            // The pool of connections names hosts at its finest level, as it does for every job; of pages it knows nothing.
            let own = |line: &&str| telling == CANARY || !line.contains(" hyper_util::client::legacy::");
            let line = silent.lines().filter(own).find(|line| line.contains(&telling));
            assert_eq!(line, None, "{telling}");
        }
        assert_eq!(batch(&web, None).await, documents);
        let told = log.take();
        let sightings = told.matches(CANARY).count();
        println!(
            "sightings of pages in the log: 0 in {} bytes, else {sightings} in {} bytes",
            silent.len(),
            told.len()
        );
        assert!(sightings > 0, "the log was not taken");
    });
}

#[test]
fn nothing_of_a_large_silent_page_reaches_the_log_from_another_thread() {
    alone(async |log| {
        // The service quotes what it was sent, and the page is large enough to be read on a thread for blocking work.
        let refusal = json!({ "error": { "message": format!("cannot read: {CANARY}") } });
        let service = FakeServer::always(FakeResponse::new(400, refusal.to_string()));
        let page = format!(
            "<main><h1>{CANARY}</h1><p>Every kite here was drawn by Anna Berg, and flown by her as well.</p></main><!--{}-->",
            "x".repeat(100_000)
        );
        let site = FakeServer::always(FakeResponse::html(&page));
        let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &service))).build().unwrap();
        let schema = json!({ "type": "object", "properties": { "artist": { "type": ["string", "null"] } } });
        for silent in [true, false] {
            let asked_before = service.requests().len();
            let request = json!({
                "url": site.url("/"),
                "formats": [{ "type": "json", "schema": schema }],
                "maxAge": 0,
                "zeroDataRetention": silent,
            });
            engine.scrape(serde_json::from_value::<ScrapeRequest>(request).unwrap()).await.unwrap();
            assert!(service.requests().len() > asked_before, "the model was asked");
            let told = log.take();
            let line = told.lines().find(|line| line.contains(CANARY));
            assert_eq!(line.is_none(), silent, "{line:?}");
        }
    });
}
