//! Documents of Google's services, which are read from their exports.

use gleaner_runtime::StartOptions;
use gleaner_types::request::{CrawlRequest, ScrapeRequest};

use crate::support::{Answer, Web, crawl, runtime};

const SHARED: &str = "https://docs.google.com/document/d/1aB/edit?usp=sharing";
const EXPORT: &str = "https://docs.google.com/document/d/1aB/export?format=html";
const SERVED: &str = "https://doc-1-docs.googleusercontent.com/export/1aB";

fn web(robots: &'static str) -> std::sync::Arc<Web> {
    Web::new([
        ("https://docs.google.com/robots.txt", vec![Answer::Ok(robots)]),
        (EXPORT, vec![Answer::Redirect(SERVED)]),
        (SERVED, vec![Answer::Ok("")]),
    ])
}

#[tokio::test(start_paused = true)]
async fn a_shared_document_is_read_from_its_export_and_keeps_its_source_url() {
    let web = web("");
    let document = runtime(&web)
        .scrape(ScrapeRequest::new(SHARED).check().unwrap(), StartOptions::default())
        .await
        .unwrap();
    assert_eq!(document.metadata.source_url.as_deref(), Some(SHARED));
    assert_eq!(document.metadata.url.as_deref(), Some(SERVED));
    assert_eq!(document.metadata.status_code, Some(200));
    assert_eq!((web.count(EXPORT), web.count(SHARED)), (1, 0));

    // A crawl follows the redirect to the host that serves the export.
    let result = crawl(&web, CrawlRequest::new(SHARED)).await;
    assert_eq!(result.documents[0].metadata.source_url.as_deref(), Some(SHARED));
    assert_eq!((web.count(EXPORT), web.count(SHARED)), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn robots_txt_applies_to_the_export() {
    let web = web("User-agent: *\nDisallow: /document/d/1aB/export");
    let result = crawl(&web, CrawlRequest::new(SHARED)).await;
    assert!(result.documents.is_empty());
    assert_eq!(result.robots_blocked[0].url.as_str(), SHARED);
    assert_eq!((web.count(EXPORT), web.count(SHARED)), (0, 0));
}
