//! Expensive selectors of users: a scrape ends by its timeout with the requested content or with the reason
//! why it is missing.

use gleaner::request::{AttributeSelector, AttributesFormat, Format};
use gleaner::{Document, Error, ErrorCode, ScrapeOptions, ScrapeRequest};
use gleaner_testkit::{RawServer, Step};

use crate::support::engine;

/// A page of many small elements, smaller than 256 KiB.
fn page() -> String {
    format!("<p class=a00>gone</p>{}<p class=b>kept", "<p class=a>x".repeat(21_000))
}

async fn scrape(options: ScrapeOptions) -> Result<Document, Error> {
    let html = Step::respond("200 OK", &[("Content-Type", "text/html")], page());
    let server = RawServer::start([Step::ReadRequest, html]).unwrap();
    let request = ScrapeRequest::new(server.base_url()).options(options);
    engine().scrape(request.timeout(1_000).only_main_content(false)).await
}

/// The document; `None` if a slow machine exceeded the timeout.
fn unless_timed_out(outcome: Result<Document, Error>) -> Option<Document> {
    match outcome {
        Ok(document) => Some(document),
        Err(error) => {
            assert_eq!((error.code(), error.http_status()), (ErrorCode::ScrapeTimeout, 408), "{error}");
            None
        }
    }
}

#[tokio::test]
async fn tens_of_thousands_of_class_selectors_are_matched() {
    let list = |n: usize| (0..120).map(|k| format!(".a{:05}", n * 120 + k)).collect::<Vec<_>>().join(",");
    let mut lists: Vec<String> = (1..500).map(list).collect();
    lists.push(".a00".to_owned());
    let options = ScrapeOptions::new().exclude_tags(lists);
    let (one, other) = tokio::join!(scrape(options.clone()), scrape(options));
    for document in [one, other].into_iter().filter_map(unless_timed_out) {
        let markdown = document.markdown.unwrap();
        assert!(markdown.contains("kept") && !markdown.contains("gone"));
        assert_eq!(document.warning, None, "all selectors were tried");
    }
}

#[tokio::test]
async fn selectors_over_the_step_limit_are_dropped_with_a_warning() {
    for selector in ["i ~ p", "p:not(i ~ p)", "p:nth-last-child(2n + 1 of i ~ p)"] {
        let excluded = ScrapeOptions::new().exclude_tags([selector]);
        let attributes = AttributesFormat::new([AttributeSelector::new(selector, "class")]);
        let read = ScrapeOptions::new().formats([Format::Markdown, attributes.into()]);
        for options in [excluded, read] {
            if let Some(document) = unless_timed_out(scrape(options).await) {
                assert!(document.markdown.unwrap().contains("kept"), "{selector}");
                let warning = document.warning.unwrap_or_default();
                assert!(warning.contains("too many steps"), "{selector}: {warning:?}");
            }
        }
    }
}
