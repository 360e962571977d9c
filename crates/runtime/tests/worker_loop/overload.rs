//! Hosts that are overloaded or fail.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::Document;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::CrawlRequest;
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, runtime, site_of};

#[tokio::test(start_paused = true)]
async fn a_busy_page_is_requested_again_after_its_retry_after() {
    let busy = Answer::Busy { status: 503, retry_after: Some(7) };
    let web = Web::new([("https://a.example/", vec![busy, Answer::Ok("")])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(200));
    let starts: Vec<Instant> = web
        .requests()
        .iter()
        .filter(|request| request.url == "https://a.example/")
        .map(|request| request.began)
        .collect();
    assert!(starts[1] - starts[0] >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_stays_busy_gives_a_document_with_its_status() {
    let busy = Answer::Busy { status: 503, retry_after: None };
    let web = Web::new([("https://a.example/", vec![busy])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(503));
    assert_eq!(result.documents[0].metadata.error.as_deref(), Some("Service Unavailable"));
    assert_eq!(web.count("https://a.example/"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_site_that_fails_every_request_gets_few_retries() {
    let links: &'static str = (0..1_000).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let mut answers = vec![("https://a.example/", vec![Answer::Ok(links)])];
    for page in 0..1_000 {
        answers.push((format!("https://a.example/{page}").leak(), vec![Answer::Broken]));
    }
    let web = Web::new(answers);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.snapshot.failed, 1_000);
    let requests = web.requests().len();
    assert!(requests <= 1_000 + 1_000 / 10 + 20, "{requests} requests for 1,000 pages");
}

#[tokio::test(start_paused = true)]
async fn an_overloaded_host_gets_requests_again_after_its_back_off() {
    let links: &'static str = (0..30).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let recovered = || site_of(&Answer::Ok(links), &Answer::Ok(""));
    let sitemap: &'static str =
        (0..30).map(|page| format!("https://a.example/{page}\n")).collect::<String>().leak();
    // If several pages get busy answers, the back-off doubles with each from a second to a minute. A longer
    // Retry-After applies instead, up to a minute. A crawl that starts ten minutes later is not delayed.
    for (name, status, retry_after, many_pages, idle, expected_wait, max_total) in [
        ("one page, busy three times", 503, None, false, 0, 0, 5),
        ("one page, with Retry-After", 429, Some(30), false, 0, 30, 35),
        ("one page, with a Retry-After of a day", 429, Some(86_400), false, 0, 60, 65),
        ("31 pages", 503, None, true, 0, 60, 160),
        ("31 pages, five minutes ago", 503, None, true, 300, 0, 100),
        ("31 pages, ten minutes ago", 503, None, true, 601, 0, 5),
    ] {
        let busy = Answer::Busy { status, retry_after };
        let mut answers = site_of(&busy, &busy);
        if many_pages {
            answers.push(("https://a.example/sitemap.xml", vec![Answer::Ok(sitemap)]));
        }
        let web = Web::new(answers);
        let runtime = runtime(&web);
        let plan = || {
            let sitemap = if many_pages { SitemapMode::Include } else { SitemapMode::Skip };
            CrawlRequest::new("https://a.example/").sitemap(sitemap).check().unwrap()
        };
        let first = runtime.start(plan(), StartOptions::default()).await.unwrap().wait().await.unwrap();
        let is_busy = |document: &Document| document.metadata.status_code == Some(status);
        assert!(first.documents.iter().all(is_busy), "{name}");
        assert_eq!(first.documents.len(), if many_pages { 31 } else { 1 }, "{name}");
        let first_requests = web.requests().len();

        let answers = recovered().into_iter().map(|(url, answers)| (url.to_owned(), answers));
        *web.answers.lock().unwrap() = answers.collect();
        tokio::time::sleep(Duration::from_secs(idle)).await;
        let began = Instant::now();
        let second = runtime.start(plan(), StartOptions::default()).await.unwrap().wait().await.unwrap();
        let waited = web.requests()[first_requests].began - began;
        assert_eq!(second.documents.len(), 31, "{name}");
        assert_eq!(waited.as_secs(), expected_wait, "{name}: {waited:?}");
        assert!(began.elapsed() < Duration::from_secs(max_total), "{name}: {:?} in total", began.elapsed());
    }
}
