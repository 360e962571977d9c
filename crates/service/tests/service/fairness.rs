//! Resources that all teams share: if one team exhausts its share, the others still find theirs.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_service::{JobService, MemoryActivityLog, Page, ServiceConfig, SubmitContext};
use gleaner_store::{MAX_ALL_LISTED_FAILURES, MemoryConfig, TeamId};
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::ScrapeRequest;
use gleaner_types::response::JobStatus;
use gleaner_types::{JobId, JobState};

use crate::support::*;

fn service_with(config: MemoryConfig, service_config: ServiceConfig) -> Arc<JobService> {
    JobService::new(runtime_with(&Arc::new(FakeWeb::default()), config), service_config)
}

/// Submits for a team; `None` if the request is refused with a retry time.
async fn submit(service: &Arc<JobService>, name: &str, plan: BatchPlan) -> Option<JobId> {
    match service.batch(&team(name), plan, SubmitContext::default()).await {
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

/// Runs batches of a team one after the other, until one is refused or fails.
async fn exhaust(service: &Arc<JobService>, name: &str, batch: impl Fn() -> BatchPlan) {
    for _ in 0..200 {
        let Some(id) = submit(service, name, batch()).await else { return };
        if end_of(service, name, id).await.status == JobState::Failed {
            return;
        }
    }
    panic!("there was space for two hundred batches");
}

#[tokio::test(start_paused = true)]
async fn memory_of_results_with_zero_data_retention() {
    let config = MemoryConfig::default().all_retained_bytes(64_000);
    let service =
        service_with(config, ServiceConfig { accounts: Arc::new(three_teams()), ..ServiceConfig::default() });
    let zero_data = |paths: &[&str]| BatchPlan { zero_data_retention: true, ..plan(paths) };
    exhaust(&service, "a", || zero_data(&["large-900"; 10])).await;
    exhaust(&service, "a", || zero_data(&["one"])).await;
    let before = service.credit_usage(&TeamId::new("a")).await.unwrap().data.remaining_credits;
    while submit(&service, "a", zero_data(&["one"])).await.is_some() {
        settle().await;
    }
    settle().await;
    let after = service.credit_usage(&TeamId::new("a")).await.unwrap().data.remaining_credits;
    assert!(before - after <= 20, "a refused job costs nothing: {before} and {after}");
    for name in ["b", "c"] {
        let id = submit(&service, name, zero_data(&["large-900"; 6]))
            .await
            .expect("there is space for another team");
        let end = end_of(&service, name, id).await;
        assert_eq!((end.status, end.completed), (JobState::Completed, 6), "{name}: {:?}", end.error);
    }
    let id = submit(&service, "a", plan(&["large-900"; 10]))
        .await
        .expect("results that may be spilled have their own space");
    assert_eq!(end_of(&service, "a", id).await.status, JobState::Completed);
}

#[tokio::test(start_paused = true)]
async fn disk_space_of_results() {
    let config = MemoryConfig::default().retained_bytes(0).spilled_bytes(64_000);
    let service = service_with(config, ServiceConfig::default());
    exhaust(&service, "a", || plan(&["large-900"; 10])).await;
    for name in ["b", "c"] {
        let id = submit(&service, name, plan(&["large-900"; 6])).await.expect("the batch is accepted");
        let end = end_of(&service, name, id).await;
        assert_eq!((end.status, end.completed), (JobState::Completed, 6), "{name}: {:?}", end.error);
    }
}

#[tokio::test(start_paused = true)]
async fn queue_memory() {
    let mut frontier = FrontierConfig::default();
    frontier.max_queued_bytes = 20_000;
    let service = service_with(MemoryConfig::default().frontier(frontier), ServiceConfig::default());
    let waiting = || BatchPlan { max_concurrency: Some(1), ..plan(&["slow"; 50]) };
    let mut batches = 0;
    while submit(&service, "a", waiting()).await.is_some() {
        batches += 1;
    }
    assert!(batches > 5, "{batches} batches");
    let id = submit(&service, "b", plan(&["one"; 50])).await.expect("there is space for another team");
    assert_eq!(end_of(&service, "b", id).await.completed, 50);
}

#[tokio::test(start_paused = true)]
async fn lists_of_failures() {
    let service = service_with(MemoryConfig::default(), ServiceConfig::default());
    for _ in 0..MAX_ALL_LISTED_FAILURES / 2 / 10_000 + 1 {
        let id = submit(&service, "a", plan(&["broken"; 10_000])).await.expect("the batch is accepted");
        end_of(&service, "a", id).await;
    }
    let full = submit(&service, "a", plan(&["broken"; 500])).await.expect("the batch is accepted");
    assert!(end_of(&service, "a", full).await.warning.is_some(), "the team's own lists are full");
    let id = submit(&service, "b", plan(&["broken"; 500])).await.expect("the batch is accepted");
    let end = end_of(&service, "b", id).await;
    let listed = service.errors(&TeamId::new("b"), BATCH, id).await.unwrap().errors.len();
    assert_eq!((listed, end.warning), (500, None));
    let scrape = ScrapeRequest::new("https://a.example/broken").check().unwrap();
    let failed = service.scrape(&team("a"), scrape, SubmitContext::default()).await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "the connection broke",
        "a scrape reports its failure even if the lists are full"
    );
}

#[tokio::test(start_paused = true)]
async fn the_activity_log() {
    let activity = Arc::new(MemoryActivityLog::new(100));
    let service_config = ServiceConfig { activity: Some(activity.clone()), ..ServiceConfig::default() };
    let service = service_with(MemoryConfig::default(), service_config);
    let scrape = async |name: &str| {
        let request = ScrapeRequest::new("https://a.example/one").check().unwrap();
        service.scrape(&team(name), request, SubmitContext::default()).await.unwrap();
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
