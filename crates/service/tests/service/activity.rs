//! The activity log.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::{Error, Extract, ExtractTask, Extracted};
use gleaner_service::{ActivityLog, JobService, ServiceConfig, SubmitContext};
use gleaner_store::{EndedJob, TeamId};
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, ExtractRequest, ScrapeRequest};
use gleaner_types::response::{Activity, ActivityKind};
use gleaner_types::{BoxFuture, ErrorCode, JobId, JobKind, JobState, PageError};

use crate::support::*;

async fn activity(service: &JobService, team: &str, limit: u64) -> Vec<Activity> {
    service.activity(&TeamId::new(team), limit).await.unwrap().data
}

fn ids(jobs: &[Activity]) -> Vec<JobId> {
    jobs.iter().map(|job| job.id).collect()
}

#[tokio::test(start_paused = true)]
async fn a_team_reads_its_jobs_and_scrapes_in_reverse_order_of_their_end() {
    let (service, _) = service(ServiceConfig::default());
    assert!(activity(&service, "a", 100).await.is_empty());
    // The slow job starts first and ends last.
    let slow = batch(&service, &["slow"]).await;
    let quick = batch(&service, &["one", "two"]).await;
    ended(&service, quick).await;
    for (path, succeeds) in [("one", true), ("broken", false)] {
        let request = ScrapeRequest::new(format!("https://a.example/{path}")).check().unwrap();
        assert_eq!(
            service.scrape(&team("a"), request, SubmitContext::default()).await.is_ok(),
            succeeds,
            "{path}"
        );
        settle().await;
    }
    let crawl = CrawlRequest::new("https://c.example/slow").check().unwrap();
    let crawl = service.crawl(&team("a"), crawl, SubmitContext::default()).await.unwrap().id;
    service.cancel(&TeamId::new("a"), JobKind::Crawl, crawl).await.unwrap();
    let foreign = service.batch(&team("b"), plan(&["one"]), SubmitContext::default()).await.unwrap().id;
    ended(&service, slow).await;
    settle().await;
    let all = activity(&service, "a", 100).await;
    let summary: Vec<_> =
        all.iter().map(|job| (job.kind, job.status, job.credits_used, job.url.as_str())).collect();
    assert_eq!(
        summary,
        [
            (ActivityKind::BatchScrape, JobState::Completed, 1, "https://h0.example/slow"),
            (ActivityKind::Crawl, JobState::Cancelled, 0, "https://c.example/slow"),
            (ActivityKind::Scrape, JobState::Failed, 0, "https://a.example/broken"),
            (ActivityKind::Scrape, JobState::Completed, 1, "https://a.example/one"),
            (ActivityKind::BatchScrape, JobState::Completed, 2, "https://h0.example/one"),
        ]
    );
    assert_eq!((all[0].id, all[1].id, all[4].id), (slow, crawl, quick));
    assert!(all.iter().all(|job| job.completed_at.is_some_and(|ended| ended >= job.created_at)), "{all:?}");
    assert_eq!(ids(&activity(&service, "b", 100).await), [foreign], "a team reads only its own jobs");
    for (limit, entries) in [(0, 1), (1, 1), (3, 3), (u64::MAX, 5)] {
        assert_eq!(activity(&service, "a", limit).await, all[..entries], "{limit}");
    }
    let records = service.activities(&TeamId::new("a"), 2).await.unwrap();
    assert_eq!(records.iter().map(|job| job.snapshot.id).collect::<Vec<_>>(), [slow, crawl]);
    tokio::time::sleep(Duration::from_secs(2 * 86_400)).await;
    assert_eq!(activity(&service, "a", 100).await, all, "it outlives the results");
}

#[tokio::test(start_paused = true)]
async fn a_url_is_listed_as_it_was_written() {
    let (service, _) =
        service(ServiceConfig { extract: Some(Arc::new(FailingExtract)), ..ServiceConfig::default() });
    for url in ["https://bare.example", "https://bare.example/"] {
        let before = activity(&service, "a", 100).await.len();
        let scrape = ScrapeRequest::new(url).check().unwrap();
        service.scrape(&team("a"), scrape, SubmitContext::default()).await.unwrap();
        let batch = BatchScrapeRequest::new([url]).check().unwrap();
        service.batch(&team("a"), batch, SubmitContext::default()).await.unwrap();
        let crawl = CrawlRequest::new(url).limit(1).check().unwrap();
        service.crawl(&team("a"), crawl, SubmitContext::default()).await.unwrap();
        let extract = ExtractRequest::new([url]).prompt("names");
        service.extract(&team("a"), extract.check().unwrap(), SubmitContext::default()).await.unwrap();
        while activity(&service, "a", 100).await.len() < before + 4 {
            settle().await;
        }
        let listed = activity(&service, "a", 4).await;
        assert!(listed.iter().all(|job| job.url == url), "{url}: {listed:?}");
    }
}

/// Fails with an error that contains the URL of the page.
#[derive(Debug)]
struct FailingExtract;

impl Extract for FailingExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            let message = format!("{} could not be read", task.plan.sources[0].target.url);
            Err(PageError { code: ErrorCode::ScrapeSiteError, message })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_record_of_a_job_with_zero_data_retention_contains_no_urls() {
    const PAGE: &str = "https://secret.example/";
    for zero_data_retention in [true, false] {
        let (service, _) =
            service(ServiceConfig { extract: Some(Arc::new(FailingExtract)), ..ServiceConfig::default() });
        let request = ExtractRequest::new([PAGE]).prompt("names").zero_data_retention(zero_data_retention);
        let mut submit = SubmitContext::default();
        submit.warnings = vec![format!("{PAGE} is odd")];
        let id = service.extract(&team("a"), request.check().unwrap(), submit).await.unwrap().id;
        settle().await;
        let records = service.activities(&TeamId::new("a"), 10).await.unwrap();
        assert_eq!(format!("{records:?}").contains("secret.example"), !zero_data_retention, "{records:?}");
        let listed = activity(&service, "a", 10).await;
        let entry = &listed[0];
        assert_eq!((entry.id, entry.kind, entry.status), (id, ActivityKind::Extract, JobState::Failed));
        assert_eq!(entry.url, if zero_data_retention { "" } else { PAGE });
    }
}

/// An embedder's log that fails.
#[derive(Debug)]
struct Unreadable;

impl ActivityLog for Unreadable {
    fn record(&self, _: EndedJob) {}

    fn latest<'a>(&'a self, _: &'a TeamId, _: usize) -> BoxFuture<'a, Result<Vec<EndedJob>, Error>> {
        Box::pin(async move {
            Err(PageError { code: ErrorCode::UnknownError, message: "the log is locked".to_owned() }.into())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_log_is_an_error_and_not_an_empty_list() {
    let (service, _) =
        service(ServiceConfig { activity: Some(Arc::new(Unreadable)), ..ServiceConfig::default() });
    let failed = service.activity(&TeamId::new("a"), 10).await.unwrap_err();
    assert_eq!(failed.http_status(), 500, "{failed}");
}
