//! What all teams share, with one team at its worst: another finds what it needs all the same.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_service::{JobService, MemoryActivityLog, Page, ServiceConfig, Submit};
use gleaner_store::{MAX_ALL_LISTED_FAILURES, MemoryConfig, TeamId};
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::ScrapeRequest;
use gleaner_types::response::JobStatus;
use gleaner_types::{JobId, JobState};

use crate::support::*;

fn desk_with(config: MemoryConfig, parts: ServiceConfig) -> Arc<JobService> {
    JobService::new(room_with(&Arc::new(Web::default()), config), parts)
}

/// Submits for a team; `None` where it is told to come again.
async fn submit(service: &Arc<JobService>, name: &str, plan: BatchPlan) -> Option<JobId> {
    match service.batch(&team(name), plan, Submit::default()).await {
        Ok(submitted) => Some(submitted.id),
        Err(refused) => {
            assert_eq!((refused.http_status(), refused.retry_after().is_some()), (429, true), "{refused}");
            None
        }
    }
}

async fn end_of(service: &JobService, name: &str, id: JobId) -> JobStatus {
    loop {
        let page = Page { skip: None, limit: Some(1) };
        let status = read(&service.status(&TeamId::new(name), BATCH, id, page, &next_url).await.unwrap());
        if status.status != JobState::Scraping {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A team's batches one after the other, each to its end, until one is refused or fails.
async fn exhaust(service: &Arc<JobService>, name: &str, batch: impl Fn() -> BatchPlan) {
    for _ in 0..200 {
        let Some(id) = submit(service, name, batch()).await else { return };
        if end_of(service, name, id).await.status == JobState::Failed {
            return;
        }
    }
    panic!("there was room for two hundred batches");
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_in_memory_alone() {
    let config = MemoryConfig { all_retained_bytes: 64_000, ..MemoryConfig::default() };
    let service =
        desk_with(config, ServiceConfig { accounts: Arc::new(three_teams()), ..ServiceConfig::default() });
    let log_suppression = |paths: &[&str]| BatchPlan { zero_data_retention: true, ..plan(paths) };
    exhaust(&service, "a", || log_suppression(&["large-900"; 10])).await;
    exhaust(&service, "a", || log_suppression(&["one"])).await;
    let before = service.credit_usage(&TeamId::new("a")).await.unwrap().data.remaining_credits;
    while submit(&service, "a", log_suppression(&["one"])).await.is_some() {
        settle().await;
    }
    settle().await;
    let after = service.credit_usage(&TeamId::new("a")).await.unwrap().data.remaining_credits;
    assert!(before - after <= 20, "a job that is refused pays nothing: {before} and {after}");
    for name in ["b", "c"] {
        let id = submit(&service, name, log_suppression(&["large-900"; 6]))
            .await
            .expect("there is room for another team");
        let end = end_of(&service, name, id).await;
        assert_eq!((end.status, end.completed), (JobState::Completed, 6), "{name}: {:?}", end.error);
    }
    let id = submit(&service, "a", plan(&["large-900"; 10]))
        .await
        .expect("what may be put aside has its own room");
    assert_eq!(end_of(&service, "a", id).await.status, JobState::Completed);
}

#[tokio::test(start_paused = true)]
async fn disk() {
    let config = MemoryConfig { retained_bytes: 0, spilled_bytes: 64_000, ..MemoryConfig::default() };
    let service = desk_with(config, ServiceConfig::default());
    exhaust(&service, "a", || plan(&["large-900"; 10])).await;
    for name in ["b", "c"] {
        let id = submit(&service, name, plan(&["large-900"; 6])).await.expect("a batch is taken");
        let end = end_of(&service, name, id).await;
        assert_eq!((end.status, end.completed), (JobState::Completed, 6), "{name}: {:?}", end.error);
    }
}

#[tokio::test(start_paused = true)]
async fn the_queue() {
    let mut frontier = FrontierConfig::default();
    frontier.max_queued_bytes = 20_000;
    let service = desk_with(MemoryConfig { frontier, ..MemoryConfig::default() }, ServiceConfig::default());
    let waiting = || BatchPlan { max_concurrency: Some(1), ..plan(&["slow"; 50]) };
    let mut taken = 0;
    while submit(&service, "a", waiting()).await.is_some() {
        taken += 1;
    }
    assert!(taken > 5, "{taken} batches");
    let id = submit(&service, "b", plan(&["one"; 50])).await.expect("there is room for another team");
    assert_eq!(end_of(&service, "b", id).await.completed, 50);
}

#[tokio::test(start_paused = true)]
async fn lists_of_failures() {
    let service = desk_with(MemoryConfig::default(), ServiceConfig::default());
    for _ in 0..MAX_ALL_LISTED_FAILURES / 2 / 10_000 + 1 {
        let id = submit(&service, "a", plan(&["broken"; 10_000])).await.expect("a batch is taken");
        end_of(&service, "a", id).await;
    }
    let full = submit(&service, "a", plan(&["broken"; 500])).await.expect("a batch is taken");
    assert!(end_of(&service, "a", full).await.warning.is_some(), "the team's own lists are full");
    let id = submit(&service, "b", plan(&["broken"; 500])).await.expect("a batch is taken");
    let end = end_of(&service, "b", id).await;
    let listed = service.errors(&TeamId::new("b"), BATCH, id).await.unwrap().errors.len();
    assert_eq!((listed, end.warning), (500, None));
    let scrape = ScrapeRequest::new("https://a.example/broken").check().unwrap();
    let failed = service.scrape(&team("a"), scrape, Submit::default()).await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "the connection broke",
        "a scrape is answered with its failure whatever is full"
    );
}

#[tokio::test(start_paused = true)]
async fn the_activity_log() {
    let activity = Arc::new(MemoryActivityLog::new(100));
    let parts = ServiceConfig { activity: activity.clone(), ..ServiceConfig::default() };
    let service = desk_with(MemoryConfig::default(), parts);
    let scrape = async |name: &str| {
        let request = ScrapeRequest::new("https://a.example/one").check().unwrap();
        service.scrape(&team(name), request, Submit::default()).await.unwrap();
    };
    for _ in 0..10 {
        scrape("b").await;
    }
    for _ in 0..300 {
        scrape("a").await;
    }
    settle().await;
    let logged = |name| activity.of(&TeamId::new(name)).len();
    assert_eq!((logged("a"), logged("b")), (90, 10));
}
