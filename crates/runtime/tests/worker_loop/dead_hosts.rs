//! Hosts that refuse every connection: the job ends within seconds for any number of their pages.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::ErrorCode;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest};
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, runtime};

/// A refused connection, which is retryable.
const REFUSED: Answer = Answer::Refused(ErrorCode::ScrapeSiteError, true);

fn dead_pages(count: usize) -> Vec<(&'static str, Vec<Answer>)> {
    let page = |n| &*format!("https://dead.example/{n}").leak();
    let mut answers: Vec<_> = (0..count).map(|n| (page(n), vec![REFUSED])).collect();
    answers.push(("https://dead.example/robots.txt", vec![REFUSED]));
    answers
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_pages_of_a_dead_host_ends_in_seconds() {
    for (pages, bound) in [(1, 10), (5, 20), (50, 60), (300, 120)] {
        let web = Web::new(dead_pages(pages));
        let urls = (0..pages).map(|n| format!("https://dead.example/{n}")).collect::<Vec<_>>();
        let began = Instant::now();
        let plan = BatchScrapeRequest::new(urls).check().unwrap();
        let result = runtime(&web).start(plan, StartOptions::default()).await.unwrap().wait().await.unwrap();
        assert_eq!(result.snapshot.failed, pages as u64);
        assert!(began.elapsed() < Duration::from_secs(bound), "{pages} pages took {:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_of_a_dead_host_or_with_links_to_one_ends_in_seconds() {
    let links: &'static str =
        (0..5).map(|n| format!("https://dead.example/{n}\n")).collect::<String>().leak();
    let mut answers = dead_pages(5);
    answers.push(("https://alive.example/", vec![Answer::Ok(links)]));
    for start in ["https://dead.example/0", "https://alive.example/"] {
        for ignores in [false, true] {
            let web = Web::new(answers.clone());
            let request = CrawlRequest::new(start).allow_external_links(true).ignore_robots_txt(ignores);
            let began = Instant::now();
            let result = crawl(&web, request).await;
            let alive = usize::from(start.contains("alive"));
            assert_eq!(result.documents.len(), alive, "{start}, {ignores}");
            assert_eq!(
                result.snapshot.failed + result.snapshot.robots_blocked,
                if alive == 1 { 5 } else { 1 },
                "{start}, {ignores}"
            );
            assert!(began.elapsed() < Duration::from_secs(60), "{start}, {ignores}: {:?}", began.elapsed());
        }
    }
}

/// Seen in a summary: "1 forbidden by robots.txt" after ten seconds, of a host where nothing listens.
#[tokio::test(start_paused = true)]
async fn a_host_that_refuses_connections_is_not_said_to_forbid_its_pages() {
    let unresolved = Answer::Refused(ErrorCode::ScrapeDnsResolutionError, false);
    for (name, answer, bound) in [("refused", REFUSED, 4), ("unresolved", unresolved, 1)] {
        let web = Web::new([("https://dead.example/robots.txt", vec![answer])]);
        let began = Instant::now();
        let result = crawl(&web, CrawlRequest::new("https://dead.example/")).await;
        assert_eq!((result.snapshot.failed, result.snapshot.robots_blocked), (1, 0), "{name}");
        assert!(result.failures[0].error.message.contains("refused"), "{name}: {:?}", result.failures);
        assert!(began.elapsed() < Duration::from_secs(bound), "{name}: {:?}", began.elapsed());
        assert_eq!(web.count("https://dead.example/"), 0, "{name}: its robots.txt is unknown");
    }
}
