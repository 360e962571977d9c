//! Hosts that are busy, break, or refuse.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::Document;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::CrawlRequest;
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, runtime, site_of};

#[tokio::test(start_paused = true)]
async fn a_busy_page_is_asked_again_when_it_said() {
    let busy = Answer::Busy { status: 503, retry_after: Some(7) };
    let web = Web::new([("https://a.example/", vec![busy, Answer::Ok("")])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(200));
    let asked: Vec<Instant> = web
        .requests()
        .iter()
        .filter(|request| request.url == "https://a.example/")
        .map(|request| request.began)
        .collect();
    assert!(asked[1] - asked[0] >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_stays_busy_is_a_document_that_says_so() {
    let busy = Answer::Busy { status: 503, retry_after: None };
    let web = Web::new([("https://a.example/", vec![busy])]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.documents[0].metadata.status_code, Some(503));
    assert_eq!(result.documents[0].metadata.error.as_deref(), Some("Service Unavailable"));
    assert_eq!(web.count("https://a.example/"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_site_that_fails_every_request_is_asked_little_more_than_once_a_page() {
    let links: &'static str = (0..1_000).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let mut answers = vec![("https://a.example/", vec![Answer::Ok(links)])];
    for page in 0..1_000 {
        answers.push((format!("https://a.example/{page}").leak(), vec![Answer::Broken]));
    }
    let web = Web::new(answers);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.snapshot.failed, 1_000);
    let asked = web.requests().len();
    assert!(asked <= 1_000 + 1_000 / 10 + 20, "{asked} requests for 1,000 pages");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_overloaded_is_asked_again_when_its_rest_is_over() {
    let links: &'static str = (0..30).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let all_well = || site_of(&Answer::Ok(links), &Answer::Ok(""));
    let sitemap: &'static str =
        (0..30).map(|page| format!("https://a.example/{page}\n")).collect::<String>().leak();
    // Where several pages are refused, back-off doubles from a second to a minute, from answer to answer;
    // what the host itself says counts where it is more, up to a minute. A crawl that is begun ten minutes
    // later is not held up by what came before.
    for (name, status, retry_after, long, idle, waits, all) in [
        ("three refusals of one page", 503, None, false, 0, 0, 5),
        ("three refusals that say when", 429, Some(30), false, 0, 30, 35),
        ("for a day, it says", 429, Some(86_400), false, 0, 60, 65),
        ("refusals to 31 pages", 503, None, true, 0, 60, 160),
        ("some minutes ago", 503, None, true, 300, 0, 100),
        ("ten minutes ago", 503, None, true, 601, 0, 5),
    ] {
        let busy = Answer::Busy { status, retry_after };
        let mut answers = site_of(&busy, &busy);
        if long {
            answers.push(("https://a.example/sitemap.xml", vec![Answer::Ok(sitemap)]));
        }
        let web = Web::new(answers);
        let runtime = runtime(&web);
        let plan = || {
            let sitemap = if long { SitemapMode::Include } else { SitemapMode::Skip };
            CrawlRequest::new("https://a.example/").sitemap(sitemap).check().unwrap()
        };
        let first = runtime.start(plan(), StartOptions::default()).await.unwrap().wait().await.unwrap();
        let refused = |document: &Document| document.metadata.status_code == Some(status);
        assert!(first.documents.iter().all(refused), "{name}");
        assert_eq!(first.documents.len(), if long { 31 } else { 1 }, "{name}");
        let asked = web.requests().len();

        web.answers.lock().unwrap().clear();
        web.answers.lock().unwrap().extend(all_well().into_iter().map(|(url, said)| (url.to_owned(), said)));
        tokio::time::sleep(Duration::from_secs(idle)).await;
        let began = Instant::now();
        let second = runtime.start(plan(), StartOptions::default()).await.unwrap().wait().await.unwrap();
        let waited = web.requests()[asked].began - began;
        assert_eq!(second.documents.len(), 31, "{name}");
        assert_eq!(waited.as_secs(), waits, "{name}: {waited:?}");
        assert!(began.elapsed() < Duration::from_secs(all), "{name}: {:?} in all", began.elapsed());
    }
}
