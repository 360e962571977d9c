//! Tests of batches, idempotency keys, cancellation and the fairness between teams.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gleaner_runtime::ErrorKind;
use gleaner_service::{JobService, MemoryActivityLog, Page, ServiceConfig, SubmitContext};
use gleaner_store::{MemoryConfig, TeamId};
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_types::{JobKind, JobState};
use serde_json::json;
use tokio::time::Instant;
use uuid::Uuid;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn pages_are_appended_to_a_running_batch() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["slow", "one"]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for _ in 0..2 {
        let more = BatchPlan { append_to: Some(id), ..plan(&["one", "two"]) };
        let appended = service.batch(&team("a"), more, SubmitContext::default()).await.unwrap();
        assert_eq!(appended.id, id);
    }
    let done = ended(&service, id).await;
    assert_eq!((done.completed, done.total), (6, 6), "a repeated URL is scraped twice");
    let more = BatchPlan { append_to: Some(id), ..plan(&["one"]) };
    let late = service.batch(&team("a"), more.clone(), SubmitContext::default()).await.unwrap_err();
    assert_eq!((late.kind(), late.http_status()), (ErrorKind::Conflict, 409));
    let foreign = service.batch(&team("b"), more, SubmitContext::default()).await.unwrap_err();
    assert_eq!(foreign.kind(), ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn faults_that_only_the_job_can_find_have_a_path() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["slow"]).await;
    let hook =
        BatchPlan::from_json(&json!({"urls": ["a.example"], "webhook": "https://h.example/"})).unwrap();
    let more = BatchPlan { append_to: Some(id), ..plan(&["one"]) };
    let zero_data = BatchPlan { zero_data_retention: true, ..more.clone() };
    let with_webhook = BatchPlan { webhook: hook.webhook, ..more };
    let mut patterns = CrawlRequest::new("https://a.example/").check().unwrap();
    patterns.rules.include_paths = vec!["(".to_owned()];
    let mut start = CrawlRequest::new("https://a.example/").check().unwrap();
    start.target.url = "ftp://a.example/".parse().unwrap();
    let team = team("a");
    for (path, word, refused) in [
        (
            json!(["zeroDataRetention"]),
            "zeroDataRetention",
            service.batch(&team, zero_data, SubmitContext::default()).await.unwrap_err(),
        ),
        (
            json!(["webhook"]),
            "webhook",
            service.batch(&team, with_webhook, SubmitContext::default()).await.unwrap_err(),
        ),
        (
            json!(["includePaths", 0]),
            "includePaths",
            service.crawl(&team, patterns, SubmitContext::default()).await.unwrap_err(),
        ),
        (json!(["url"]), "http", service.crawl(&team, start, SubmitContext::default()).await.unwrap_err()),
    ] {
        assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::Rules, 400), "{word}");
        let body = serde_json::to_value(refused.body()).unwrap();
        assert_eq!((&body["code"], &body["error"]), (&json!("BAD_REQUEST"), &json!(refused.to_string())));
        let fault = json!({"code": "invalid_value", "path": path, "message": refused.to_string()});
        assert_eq!(body["details"], json!([fault]), "{word}");
        assert!(refused.to_string().contains(word) && refused.faults().is_some(), "{word}: {refused}");
    }
    service.cancel(&team.id, BATCH, id).await.unwrap();
    settle().await;
    assert_eq!(service.queue_status(&team).await.unwrap().jobs_in_queue, 0, "no job was started or extended");
}

#[tokio::test(start_paused = true)]
async fn a_team_can_use_an_idempotency_key_once() {
    let (service, web) = service(ServiceConfig::default());
    let submit = || SubmitContext::default().idempotency_key(Uuid::from_u128(7));
    service.batch(&team("a"), plan(&["one"]), submit()).await.unwrap();
    let again = service.batch(&team("a"), plan(&["one"]), submit()).await.unwrap_err();
    assert_eq!((again.kind(), again.http_status()), (ErrorKind::Conflict, 409));
    service.batch(&team("b"), plan(&["one"]), submit()).await.unwrap();
    settle().await;
    assert_eq!(web.fetched.load(Ordering::Relaxed), 2, "no second job started");
    tokio::time::sleep(Duration::from_secs(86_400 + 15)).await;
    service.batch(&team("a"), plan(&["one"]), submit()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_keeps_its_results_and_cancelling_again_has_no_effect() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one", "slow"]).await;
    settle().await;
    let own = TeamId::new("a");
    assert_eq!(service.cancel(&own, BATCH, id).await.unwrap().status, JobState::Cancelled);
    let done = ended(&service, id).await;
    assert_eq!((done.status, done.completed, done.total, done.data.len()), (JobState::Cancelled, 1, 1, 1));
    assert_eq!(service.cancel(&own, BATCH, id).await.unwrap().status, JobState::Cancelled, "again");
    let unchanged = ended(&service, id).await;
    assert_eq!((unchanged.status, unchanged.completed_at), (JobState::Cancelled, done.completed_at));
    let other = batch(&service, &["one"]).await;
    ended(&service, other).await;
    let late = service.cancel(&own, BATCH, other).await.unwrap_err();
    assert_eq!(
        (late.kind(), late.http_status()),
        (ErrorKind::Conflict, 409),
        "a completed job cannot be cancelled"
    );
    assert_eq!(service.concurrency(&team("a")).await.unwrap().concurrency, 0, "its page was stopped");
}

#[tokio::test(start_paused = true)]
async fn invalid_urls_are_listed_and_the_concurrency_of_the_team_is_the_limit() {
    let (service, _) = service(ServiceConfig::default());
    let two_slots = team("a").max_concurrency(2);
    let mut request = BatchScrapeRequest::new(["https://a.example/slow", "ftp://nowhere"]);
    request.urls.extend(urls(&["slow", "slow", "slow"]));
    request.max_concurrency = Some(40);
    let submitted =
        service.batch(&two_slots, request.check().unwrap(), SubmitContext::default()).await.unwrap();
    assert_eq!(submitted.invalid_urls.unwrap(), ["ftp://nowhere"]);
    settle().await;
    let check = service.concurrency(&two_slots).await.unwrap();
    assert_eq!((check.concurrency, check.max_concurrency), (2, 2));
    let queue = service.queue_status(&two_slots).await.unwrap();
    assert_eq!((queue.jobs_in_queue, queue.waiting_jobs_in_queue, queue.most_recent_success), (4, 2, None));
    assert_eq!(ended(&service, submitted.id).await.completed, 4);
    assert!(service.queue_status(&two_slots).await.unwrap().most_recent_success.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_page_of_one_team_does_not_wait_for_the_thousands_of_another() {
    let (service, _) = service(ServiceConfig::default());
    let paths = vec!["one"; 5_000];
    let large = service.batch(&team("b"), plan(&paths), SubmitContext::default()).await.unwrap().id;
    for _ in 0..100 {
        service.batch(&team("b"), plan(&["one"; 50]), SubmitContext::default()).await.unwrap();
    }
    let start = Instant::now();
    let request = ScrapeRequest::new("https://late.example/");
    service.scrape(&team("a"), request.check().unwrap(), SubmitContext::default()).await.unwrap();
    assert!(start.elapsed() <= Duration::from_millis(30), "{:?} for a page of 10 ms", start.elapsed());
    let page = Page { skip: None, limit: Some(1) };
    let body = service.status(&TeamId::new("b"), BATCH, large, page, &next_url).await.unwrap();
    assert_eq!(read(&body).status, JobState::Scraping, "the other team's job still runs");
}

#[tokio::test(start_paused = true)]
async fn two_teams_get_equal_shares_regardless_of_their_number_of_jobs() {
    let (service, _) = service(ServiceConfig::default());
    for _ in 0..20 {
        service.batch(&team("a"), plan(&["slow"; 20]), SubmitContext::default()).await.unwrap();
    }
    service.batch(&team("b"), plan(&["slow"; 400]), SubmitContext::default()).await.unwrap();
    // The pages of a team that starts first have a round more.
    tokio::time::sleep(Duration::from_secs(270)).await;
    let in_progress = async |name| service.concurrency(&team(name)).await.unwrap().concurrency;
    assert_eq!((in_progress("a").await, in_progress("b").await), (25, 25));
}

#[tokio::test(start_paused = true)]
async fn running_crawls_are_listed_and_ended_jobs_are_logged() {
    let activity = Arc::new(MemoryActivityLog::default());
    let (service, _) =
        service(ServiceConfig { activity: Some(activity.clone()), ..ServiceConfig::default() });
    let body = json!({"url": "https://a.example/slow", "limit": 3, "webhook": {"url": "x"}});
    let plan = CrawlRequest::new("https://a.example/slow").check().unwrap();
    let submit = SubmitContext::default().request(body);
    let id = service.crawl(&team("a"), plan, submit).await.unwrap().id;
    let active = service.active_crawls(&TeamId::new("a")).await.unwrap().crawls;
    assert_eq!((active[0].id, active[0].url.as_str()), (id, "https://a.example/slow"));
    assert_eq!(json!(active[0].options), json!({"limit": 3}));
    assert!(service.active_crawls(&TeamId::new("b")).await.unwrap().crawls.is_empty());
    service.cancel(&TeamId::new("a"), JobKind::Crawl, id).await.unwrap();
    assert!(service.active_crawls(&TeamId::new("a")).await.unwrap().crawls.is_empty());
    tokio::time::sleep(Duration::from_secs(2 * 86_400)).await;
    let logged = activity.of(&TeamId::new("a"));
    assert_eq!((logged.len(), logged[0].snapshot.state), (1, JobState::Cancelled));
    assert_eq!(logged[0].url, "https://a.example/slow");
}

#[tokio::test(start_paused = true)]
async fn zero_data_retention_needs_permission_and_keeps_the_url_out_of_the_log() {
    let activity = Arc::new(MemoryActivityLog::default());
    let (service, _) =
        service(ServiceConfig { activity: Some(activity.clone()), ..ServiceConfig::default() });
    let plan = BatchPlan { zero_data_retention: true, ..plan(&["one"]) };
    let without_permission = team("a").zero_data_retention(false);
    let refused =
        service.batch(&without_permission, plan.clone(), SubmitContext::default()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::Forbidden, 403));
    let id = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id;
    let done = ended(&service, id).await;
    assert_eq!((done.completed, done.credits_used), (1, 2), "it costs one more credit per page");
    let scrape = ScrapeRequest::new("https://a.example/one").zero_data_retention(true);
    service.scrape(&team("a"), scrape.check().unwrap(), SubmitContext::default()).await.unwrap();
    settle().await;
    let logged = activity.of(&TeamId::new("a"));
    assert_eq!(logged.iter().map(|job| job.url.as_str()).collect::<Vec<_>>(), ["", ""]);
    assert!(logged.iter().all(|job| job.snapshot.credits_used == 2 && job.zero_data_retention));
}

#[tokio::test(start_paused = true)]
async fn a_job_without_space_for_results_fails_with_the_reason_and_its_results_stay_readable() {
    let four_pages = MemoryConfig::default().retained_bytes(4_000).all_retained_bytes(4_000);
    let no_disk = four_pages.clone().spilled_bytes(0);
    for (name, config, zero_data_retention, reason) in [
        ("on disk", four_pages.clone(), false, None),
        (
            "in memory alone",
            four_pages,
            true,
            Some("with zero data retention results stay in memory, and the 4000"),
        ),
        (
            "no disk",
            no_disk,
            false,
            Some("the 0 bytes of disk that the results of all jobs together may use"),
        ),
    ] {
        let web = Arc::new(FakeWeb::default());
        let service = JobService::new(runtime_with(&web, config), ServiceConfig::default());
        let plan = BatchPlan { zero_data_retention, max_concurrency: Some(1), ..plan(&["large-900"; 20]) };
        let id = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id;
        let end = ended(&service, id).await;
        assert_eq!(end.data.len() as u64, end.completed, "{name}: all stored documents are readable");
        let listed = service.errors(&TeamId::new("a"), BATCH, id).await.unwrap().errors;
        let Some(reason) = reason else {
            assert_eq!((end.status, end.completed, listed.len()), (JobState::Completed, 20, 0), "{name}");
            continue;
        };
        assert_eq!(end.status, JobState::Failed, "{name}");
        assert!((1..20).contains(&end.completed), "{name}: {}", end.completed);
        assert!(end.error.as_ref().is_some_and(|error| error.starts_with(reason)), "{name}: {:?}", end.error);
        assert!(listed.len() == 1 && listed[0].error.starts_with(reason), "{name}: {listed:?}");
        assert!(web.fetched.load(Ordering::Relaxed) < 20, "{name}: no further page is fetched");
    }
}

/// Cancels work at each of its await points.
#[tokio::test(start_paused = true)]
async fn cancelling_at_any_point_leaks_no_permits() {
    const POINTS: usize = 80;
    let (service, _) = service(ServiceConfig::default());
    let mut leaked = 0;
    for point in 0..POINTS {
        let request = ScrapeRequest::new("https://a.example/slow").check().unwrap();
        let team_a = team("a");
        let scrape = service.scrape(&team_a, request, SubmitContext::default());
        let id = batch(&service, &["one", "panic", "slow", "broken"]).await;
        let wait = async {
            for step in 0..point {
                // Some points are between two polls, others between two ticks of the clock.
                match step % 4 {
                    3 => tokio::time::sleep(Duration::from_millis(1)).await,
                    _ => tokio::task::yield_now().await,
                }
            }
        };
        tokio::select! {
            biased;
            scraped = scrape => panic!("a slow page was done: {scraped:?}"),
            () = wait => {}
        }
        let _conflict = service.cancel(&TeamId::new("a"), BATCH, id).await;
        settle().await;
        let left = service.queue_status(&team("a")).await.unwrap();
        leaked += left.jobs_in_queue;
    }
    assert_eq!(leaked, 0);
    let id = batch(&service, &["one"; 200]).await;
    assert_eq!(ended(&service, id).await.completed, 200);
}
