//! The results of jobs for a program that embeds the engine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

#[path = "job/examples.rs"]
mod examples;
#[path = "job/hooks.rs"]
mod hooks;
#[path = "../examples/load/run.rs"]
mod load;
#[path = "job/runtimes.rs"]
mod runtimes;

use gleaner::response::JobStatus;
use gleaner::{CrawlRequest, Document, Engine, EngineBuilder, ErrorKind, JobState, Limits, Storage};
use gleaner_testkit::{Site, SiteSpec};

fn on_loopback() -> EngineBuilder {
    Engine::builder().allow_private("127.0.0.0/8".parse().unwrap())
}

#[tokio::test]
async fn wait_gives_the_counts_and_what_failed() {
    let site =
        Site::generate(SiteSpec { pages: 10, extras: "robots".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let mut job = on_loopback().build().unwrap().crawl(CrawlRequest::new(server.url("/"))).await.unwrap();
    let mut pages = 0;
    while let Some(page) = job.next().await.transpose().unwrap() {
        assert!(page.metadata.duration.is_some_and(|duration| !duration.is_zero()));
        let json = serde_json::to_value(&page.metadata).unwrap();
        assert!(json.get("statusCode").is_some() && json.get("duration").is_none(), "it is not on the wire");
        pages += 1;
    }
    let end = job.wait().await.unwrap();
    assert_eq!(end.snapshot.completed, pages);
    assert!(pages >= 10 && end.failures.is_empty() && !end.robots_blocked.is_empty());
}

#[tokio::test]
async fn wait_ends_with_a_job_that_nobody_reads() {
    let server = Site::generate(SiteSpec::pages(30)).serve().unwrap();
    let mut job = on_loopback().build().unwrap().crawl(CrawlRequest::new(server.url("/"))).await.unwrap();
    assert_eq!(job.wait().await.unwrap().snapshot.completed, 30);
}

#[tokio::test]
async fn a_failed_job_ends_its_stream_with_an_error() {
    let server = Site::generate(SiteSpec::pages(30)).serve().unwrap();
    // There is no space for any result.
    let engine = on_loopback().storage(Storage::new().retained_results(0, 0)).build().unwrap();
    let mut job = engine.crawl(CrawlRequest::new(server.url("/"))).await.unwrap();
    let of_stream = gleaner::Error::from(job.next().await.unwrap().unwrap_err());
    assert!(job.next().await.is_none());
    let error = gleaner::Error::from(job.wait().await.unwrap_err());
    assert_eq!(error.to_string(), of_stream.to_string());
    assert_eq!(error.kind(), ErrorKind::Store, "{error}");
    assert!(!error.is_request() && !error.is_page() && !error.is_unsupported(), "{error}");
}

#[test]
fn an_empty_user_agent_is_refused() {
    for agent in ["", "  "] {
        let error = on_loopback().user_agent(agent).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    }
}

#[test]
fn too_little_memory_for_pages_is_refused() {
    let error = on_loopback().limits(Limits::new().page_memory(1 << 20)).build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("64 MiB"), "{error}");
    assert!(on_loopback().limits(Limits::new().page_memory(gleaner::MIN_PAGE_MEMORY)).build().is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_jobs_of_twenty_pages_at_once_get_each_page_once() {
    let report = load::run(50, 20).await.unwrap();
    println!("{report}");
    assert_eq!(report.tally, load::Tally { documents: 1_000, ..load::Tally::default() });
    assert_eq!(report.requests, 1_001, "each page once for each job, and the page of the late job");
    assert!(report.is_complete());
}

/// The example then exits with status 1.
#[test]
fn a_load_with_lost_or_duplicated_pages_is_not_complete() {
    let urls = ["https://a.example/1", "https://a.example/2"].map(str::to_owned);
    for (name, pages, state, completed, expected) in [
        ("complete", &[1, 2][..], JobState::Completed, 2, (2, 0, 0, 0)),
        ("one lost", &[1], JobState::Completed, 1, (1, 1, 0, 1)),
        ("one twice", &[1, 2, 2], JobState::Completed, 2, (3, 0, 1, 0)),
        ("one in place of another", &[1, 1], JobState::Completed, 2, (2, 1, 1, 0)),
        ("a job that failed", &[1, 2], JobState::Failed, 2, (2, 0, 0, 1)),
    ] {
        let documents = pages.iter().map(|page| {
            let mut document = Document::default();
            document.metadata.source_url = Some(format!("https://a.example/{page}"));
            document
        });
        let status = serde_json::json!({
            "success": true, "status": state, "completed": completed, "total": 2, "creditsUsed": 2,
            "createdAt": "2026-01-01T00:00:00.000Z", "expiresAt": "2026-01-02T00:00:00.000Z",
            "data": documents.collect::<Vec<_>>(),
        });
        let status: JobStatus = serde_json::from_value(status).unwrap();
        let mut report = load::Report::default();
        report.tally.add(&urls, &status);
        let tally = &report.tally;
        assert_eq!((tally.documents, tally.lost, tally.duplicated, tally.failed), expected, "{name}");
        assert_eq!(report.is_complete(), name == "complete", "{name}");
    }
}
