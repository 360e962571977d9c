//! Tests of failed pages: their list, their errors, and refused options.

use gleaner::request::Format;
use gleaner::{CrawlRequest, ErrorCode, ErrorKind, ScrapeRequest, SkipReason};
use gleaner_testkit::{Extras, FailureKind, HostilePage, PageServer, RawServer, Site, SiteSpec, Step};

use crate::support::{crawl, engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_pages_are_listed_unless_a_retry_succeeds() {
    let extras = Extras { failures: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(20) });
    let server = site.serve().unwrap();
    let crawled = crawl(&engine(), links_only(&server)).await;
    let truth = site.truth();
    for failure in &truth.extras().failures {
        let document = crawled.documents.get(&failure.path);
        let status = document.and_then(|document| document.metadata.status_code);
        match failure.kind {
            FailureKind::Status(expected) => assert_eq!(status, Some(expected), "{}", failure.path),
            FailureKind::Recovers { status: 429 | 502 | 503 | 504, .. } => {
                assert_eq!(status, Some(200), "{}", failure.path);
            }
            FailureKind::Recovers { status: final_status, .. } => {
                assert_eq!(status, Some(final_status), "{}", failure.path);
            }
            FailureKind::SoftNotFound | FailureKind::Slow(_) => {
                assert_eq!(status, Some(200), "{}", failure.path);
            }
            FailureKind::Reset | FailureKind::Closed | FailureKind::Truncated { .. } => {
                assert!(document.is_none(), "{} gave a document", failure.path);
                assert!(crawled.failed_paths().contains(&failure.path), "{} is not listed", failure.path);
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_404_page_is_a_document_with_its_status() {
    let script = [
        Step::ReadRequest,
        Step::respond("404 Not Found", &[("Content-Type", "text/html")], "<h1>Gone</h1>"),
    ];
    let server = RawServer::start(script).unwrap();
    let page = engine().scrape(ScrapeRequest::new(server.base_url())).await.unwrap();
    assert_eq!(page.metadata.status_code, Some(404));
    assert_eq!(page.metadata.error.as_deref(), Some("Not Found"));
    assert_eq!(page.markdown.as_deref().map(str::trim), Some("# Gone"));
}

#[tokio::test]
async fn the_error_of_a_failed_scrape_names_the_cause() {
    let silent = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    let mut request = ScrapeRequest::new(silent.base_url());
    request.options.timeout = Some(300);
    let error = engine().scrape(request).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Page, ErrorCode::ScrapeTimeout), "{error}");
    assert!(error.to_string().contains("300 ms"), "{error}");

    let error = engine().scrape(ScrapeRequest::new("http://no-such-host.invalid/")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeDnsResolutionError, "{error}");
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
}

#[tokio::test]
async fn unsupported_options_are_refused() {
    let mut request = ScrapeRequest::new("https://site.example/");
    request.options.formats = Some(vec![Format::Screenshot(Default::default())]);
    let error = engine().scrape(request).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Unsupported, ErrorCode::ScrapeScreenshotNotSupported)
    );
    let mut request = ScrapeRequest::new("https://site.example/");
    request.options.timeout = Some(0);
    let error = engine().scrape(request).await.unwrap_err();
    assert_eq!(
        error.faults().map(|faults| faults.as_slice()[0].path.to_string()).as_deref(),
        Some("timeout")
    );
}

/// Seen with pages of wikis about pictures, and with programs: their names are those of files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_of_a_file_is_a_hint_that_the_content_type_confirms() {
    let links = "<a href='/wiki/File:Harbour.jpg'>a</a> <a href='/ZyNET.exe?Dockey=17'>b</a> \
        <a href='/sites/globo.com.br'>c</a> <a href='/wiki/File:Bare.jpg'>d</a> <a href='/photo.jpg'>e</a>";
    let server = PageServer::start(vec![
        HostilePage::html("/", format!("<h1>Index</h1>{links}")),
        HostilePage::html("/wiki/File:Harbour.jpg", "<h1>About a picture</h1>"),
        HostilePage::html("/ZyNET.exe?Dockey=17", "<h1>Record 17</h1>"),
        HostilePage::html("/sites/globo.com.br", "<h1>About a host</h1>"),
        HostilePage::new("/wiki/File:Bare.jpg", "image/jpeg", vec![0xff, 0xd8, 0xff]),
    ])
    .unwrap();
    let mut job = engine().crawl(CrawlRequest::new(server.base_url())).await.unwrap();
    let mut crawled = Vec::new();
    while let Some(document) = job.next().await {
        let url = document.unwrap().metadata.url.unwrap();
        crawled.push(url.replace(&server.base_url(), ""));
    }
    crawled.sort();
    assert_eq!(crawled, ["/", "/ZyNET.exe?Dockey=17", "/sites/globo.com.br", "/wiki/File:Harbour.jpg"]);
    assert!(job.rejections().contains(&(SkipReason::BinaryFile, 2)), "{:?}", job.rejections());
    assert_eq!(job.status().await.unwrap().failed, 0);
    assert_eq!((server.requests("/wiki/File:Bare.jpg"), server.requests("/photo.jpg")), (1, 0));
}
