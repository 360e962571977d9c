//! Single pages: panics, headers, deadlines and leases.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_runtime::StartOptions;
use gleaner_store::{MemoryStore, NewJob, Store};
use gleaner_types::request::{CrawlRequest, ScrapeRequest};
use gleaner_types::{ErrorCode, JobId, JobKind};
use tokio::time::Instant;
use uuid::Uuid;

use crate::support::{Answer, NOW, Web, crawl, paths, runtime, runtime_over};

#[tokio::test(start_paused = true)]
async fn a_parser_that_panics_fails_one_page() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/one\n/panic\n/two")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
        ("https://a.example/two", vec![Answer::Ok("/three")]),
        ("https://a.example/three", vec![Answer::Ok("")]),
        ("https://a.example/panic", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/one", "/three", "/two"]);
    let failure = &result.failures[0];
    assert_eq!((failure.url.path(), failure.error.code), ("/panic", ErrorCode::UnknownError));
}

/// In a process that could open no more files, pages failed for good as faults of their sites.
#[tokio::test(start_paused = true)]
async fn a_machine_without_descriptors_costs_no_page() {
    let later = |answer| [vec![Answer::Exhausted; 20], vec![answer]].concat();
    let web = Web::new([
        ("https://a.example/robots.txt", later(Answer::Ok("User-agent: *\nDisallow: /hidden"))),
        ("https://a.example/", later(Answer::Ok("/one\n/hidden"))),
        ("https://a.example/sitemap.xml", later(Answer::Ok("https://a.example/listed"))),
        ("https://a.example/one", later(Answer::Ok(""))),
        ("https://a.example/listed", vec![Answer::Ok("")]),
    ]);
    let began = Instant::now();
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/listed", "/one"]);
    assert_eq!((result.snapshot.failed, web.count("https://a.example/hidden")), (0, 0));
    assert_eq!(result.snapshot.warnings, []);
    // Each of the eighty pauses is short.
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn headers_of_the_user_stay_with_the_site() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/one\nhttps://b.example/two")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
        ("https://b.example/two", vec![Answer::Ok("https://b.example/three")]),
    ]);
    let request = CrawlRequest::new("https://a.example/")
        .allow_external_links(true)
        .headers([("Authorization", "secret")]);
    let result = crawl(&web, request).await;
    assert_eq!(paths(&result), ["/", "/one", "/two"], "an external page's links are not followed");
    for request in web.requests() {
        // All jobs share robots.txt, so it is requested without their headers.
        let bare = request.url.starts_with("https://b.example") || request.url.ends_with("/robots.txt");
        assert_eq!(request.options.headers.is_empty(), bare, "{}", request.url);
    }
}

#[tokio::test(start_paused = true)]
async fn a_scrape_ends_at_its_deadline() {
    let web = Web::new([("https://a.example/", vec![Answer::Silent])]);
    let runtime = runtime(&web);
    let began = Instant::now();
    let request = ScrapeRequest::new("https://a.example/").timeout(2_000);
    let scrapes = (0..60).map(|_| {
        let (runtime, plan) = (Arc::clone(&runtime), request.clone().check().unwrap());
        tokio::spawn(async move { runtime.scrape(plan, StartOptions::default()).await })
    });
    for scrape in scrapes.collect::<Vec<_>>() {
        let error = scrape.await.unwrap().unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapeTimeout);
    }
    assert_eq!(began.elapsed(), Duration::from_secs(2));
    // Their slots are free again.
    web.answers.lock().unwrap().insert("https://a.example/".to_owned(), vec![Answer::Ok("")]);
    assert!(runtime.scrape(request.check().unwrap(), StartOptions::default()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn robots_txt_does_not_apply_to_a_page_that_the_user_named() {
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let plan = ScrapeRequest::new("https://a.example/").check().unwrap();
    assert!(runtime(&web).scrape(plan, StartOptions::default()).await.is_ok());
    assert_eq!(web.count("https://a.example/robots.txt"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_hangs_stops_before_its_lease_ends_and_is_retried() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nCrawl-delay: 1")]),
        ("https://a.example/", vec![Answer::Ok("/hangs\n/other")]),
        ("https://a.example/hangs", vec![Answer::Silent, Answer::Ok("")]),
        ("https://a.example/other", vec![Answer::Ok("")]),
    ]);
    let began = Instant::now();
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/hangs", "/other"]);
    assert_eq!(web.count("https://a.example/hangs"), 2);
    assert_eq!(web.count("https://a.example/other"), 1, "a page that waited for the host is requested once");
    assert!(began.elapsed() < Duration::from_secs(16 * 60), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_pages_of_another_engine_wait_for_it() {
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let store = Arc::new(MemoryStore::default());
    let id = JobId::from_uuid(Uuid::from_u128(7));
    let page = Candidate {
        url: "https://other.example/".parse().unwrap(),
        key: UrlKey::from_raw(1),
        external: false,
        priority: Candidate::NORMAL,
    };
    let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(10), vec![page]);
    store.submit(job, NOW).await.unwrap();
    let runtime = runtime_over(&web, Arc::clone(&store) as Arc<dyn Store>);
    for _ in 0..30 {
        let plan = ScrapeRequest::new("https://a.example/").check().unwrap();
        assert!(
            runtime.scrape(plan, StartOptions::default()).await.is_ok(),
            "pages of its own jobs are scraped"
        );
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let snapshot = store.snapshot(id).await.unwrap();
    assert_eq!((snapshot.failed, snapshot.total), (0, 1), "it still waits after half an hour");
    assert_eq!(web.count("https://other.example/"), 0);
}
