//! Concurrent work of a team, and its credits after refused, repeated and abandoned requests.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::FrontierConfig;
use gleaner_runtime::ErrorKind;
use gleaner_service::{JobService, Page, ServiceConfig, SubmitContext};
use gleaner_store::{MAX_LISTED_FAILURES, MemoryConfig, TeamId};
use gleaner_types::plan::{BatchPlan, CrawlPlan, WebhookPlan};
use gleaner_types::request::{CrawlRequest, MapRequest};
use gleaner_types::{JobKind, JobState};
use uuid::Uuid;

use crate::support::*;

fn metered(balance: u64) -> ServiceConfig {
    ServiceConfig { accounts: Arc::new(credits(balance)), ..ServiceConfig::default() }
}

fn keyed(key: u128) -> SubmitContext {
    SubmitContext::default().idempotency_key(Uuid::from_u128(key))
}

#[tokio::test(start_paused = true)]
async fn a_repeated_submit_is_a_conflict_even_if_the_first_used_the_last_credit_and_job() {
    let (service, _) = service(metered(2));
    let one_job = team("a").max_jobs(1);
    let slow = || plan(&["slow", "slow"]);
    let id = service.batch(&one_job, slow(), keyed(1)).await.unwrap().id;
    for (name, again) in [
        ("a batch", service.batch(&one_job, slow(), keyed(1)).await.unwrap_err()),
        (
            "a crawl under the key of a batch",
            service
                .crawl(&one_job, CrawlRequest::new("https://a.example/").check().unwrap(), keyed(1))
                .await
                .unwrap_err(),
        ),
        (
            "pages to append",
            service.batch(&one_job, BatchPlan { append_to: Some(id), ..slow() }, keyed(1)).await.unwrap_err(),
        ),
    ] {
        assert_eq!((again.kind(), again.http_status()), (ErrorKind::Conflict, 409), "{name}: {again}");
    }
    let other = service.batch(&one_job, slow(), keyed(2)).await.unwrap_err();
    assert_eq!((other.kind(), other.http_status()), (ErrorKind::RateLimited, 429));
    assert!(other.retry_after().is_some());
}

#[tokio::test(start_paused = true)]
async fn concurrent_submits_stay_within_the_job_limit_of_the_team() {
    let (service, _) = service(metered(1_000));
    let three_jobs = team("a").max_jobs(3);
    let submits = (0..20).map(|_| service.batch(&three_jobs, plan(&["slow"]), SubmitContext::default()));
    let submits = futures_util::future::join_all(submits).await;
    assert_eq!(submits.iter().filter(|submit| submit.is_ok()).count(), 3);
    for refused in submits.iter().filter_map(|submit| submit.as_ref().err()) {
        assert_eq!(refused.http_status(), 429);
    }
    settle().await;
    assert_eq!(balance(&service).await, 997, "refused submits have nothing reserved");
}

#[tokio::test(start_paused = true)]
async fn a_map_whose_client_disconnects_costs_nothing_and_frees_its_slot() {
    let (service, _) = service(metered(5));
    let one_slot = team("a").max_concurrency(1);
    let map = || MapRequest::new("https://a.example/slow").check().unwrap();
    let (other, team) = (Arc::clone(&service), one_slot.clone());
    let mapping = tokio::spawn(async move { other.map(&team, map()).await });
    settle().await;
    assert_eq!(balance(&service).await, 4, "one credit is reserved");
    let second = service.map(&one_slot, map()).await.unwrap_err();
    assert_eq!((second.kind(), second.http_status()), (ErrorKind::RateLimited, 429));
    mapping.abort();
    assert!(mapping.await.is_err());
    settle().await;
    assert_eq!(balance(&service).await, 5);
    service.map(&one_slot, map()).await.unwrap();
    assert_eq!(balance(&service).await, 4, "a successful map costs one");
}

#[tokio::test(start_paused = true)]
async fn pages_above_the_queue_limit_of_a_job_are_refused() {
    let mut frontier = FrontierConfig::default();
    frontier.max_queued_per_job = 3;
    let web = Arc::new(FakeWeb::default());
    let service =
        JobService::new(runtime_with(&web, MemoryConfig::default().frontier(frontier)), metered(100));
    let refused = service.batch(&team("a"), plan(&["slow"; 4]), SubmitContext::default()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::RateLimited, 429), "{refused}");
    let few = BatchPlan { max_concurrency: Some(1), ..plan(&["slow"; 3]) };
    let id = service.batch(&team("a"), few, SubmitContext::default()).await.unwrap().id;
    let more = |count| BatchPlan { append_to: Some(id), ..plan(&["one"].repeat(count)) };
    let refused = service.batch(&team("a"), more(4), keyed(1)).await.unwrap_err();
    assert_eq!(refused.http_status(), 429);
    settle().await;
    assert_eq!(balance(&service).await, 97, "refused pages are not reserved");
    service.batch(&team("a"), more(1), keyed(1)).await.expect("a refused request does not use its key");
    let done = ended(&service, id).await;
    assert_eq!((done.status, done.completed), (JobState::Completed, 4));
}

#[tokio::test(start_paused = true)]
async fn pages_above_the_memory_limit_of_the_queue_are_refused() {
    let mut frontier = FrontierConfig::default();
    frontier.max_queued_bytes = 1_100;
    let web = Arc::new(FakeWeb::default());
    let service =
        JobService::new(runtime_with(&web, MemoryConfig::default().frontier(frontier)), metered(100));
    // A queued page takes sixteen bytes; pages in progress take none.
    let slow = || BatchPlan { max_concurrency: Some(1), ..plan(&["slow"; 50]) };
    let id = service.batch(&team("a"), slow(), keyed(1)).await.unwrap().id;
    settle().await;
    let crawl = || CrawlRequest::new("https://b.example/").check().unwrap();
    for (name, refused) in [
        ("a batch", service.batch(&team("a"), slow(), keyed(2)).await.map(|_| ())),
        (
            "pages to append",
            service
                .batch(&team("a"), BatchPlan { append_to: Some(id), ..slow() }, keyed(3))
                .await
                .map(|_| ()),
        ),
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(
            (refused.kind(), refused.http_status()),
            (ErrorKind::RateLimited, 429),
            "{name}: {refused}"
        );
        assert!(refused.retry_after().is_some());
    }
    let small = service.crawl(&team("a"), CrawlPlan { limit: 5, ..crawl() }, keyed(2)).await;
    let small = small.expect("a job that fits is accepted, and a refused request does not use its key").id;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let page = Page::default();
    let body = service.status(&TeamId::new("a"), JobKind::Crawl, small, page, &next_url).await.unwrap();
    assert_eq!(read(&body).completed, 1);
    assert_eq!(balance(&service).await, 49, "fifty for the batch and one for the crawl");
}

#[tokio::test(start_paused = true)]
async fn unsupported_settings_of_appended_pages_are_refused_or_warned_about() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["slow"]).await;
    let more = || BatchPlan { append_to: Some(id), ..plan(&["one"]) };
    let webhook = WebhookPlan {
        url: "https://hook.example/".parse().unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: Vec::new(),
    };
    for (name, requested) in [
        ("zeroDataRetention", BatchPlan { zero_data_retention: true, ..more() }),
        ("webhook", BatchPlan { webhook: Some(webhook), ..more() }),
    ] {
        let refused = service.batch(&team("a"), requested, SubmitContext::default()).await.unwrap_err();
        assert_eq!(refused.http_status(), 400, "{name}");
        assert!(refused.to_string().contains(name), "{refused}");
    }
    let requested = BatchPlan { max_concurrency: Some(3), ..more() };
    service.batch(&team("a"), requested, SubmitContext::default()).await.unwrap();
    let done = ended(&service, id).await;
    assert_eq!(done.completed, 2);
    assert!(done.warning.unwrap().contains("maxConcurrency"));
}

#[tokio::test(start_paused = true)]
async fn a_truncated_list_of_failures_has_a_warning() {
    let (service, _) = service(ServiceConfig::default());
    let count = MAX_LISTED_FAILURES + 10;
    let id = batch(&service, &["broken"].repeat(count)).await;
    let done = ended(&service, id).await;
    assert_eq!(done.warning.as_deref(), Some("not all pages without a document are listed"));
    let listed = service.errors(&TeamId::new("a"), BATCH, id).await.unwrap();
    assert_eq!(listed.errors.len(), MAX_LISTED_FAILURES);
}

#[tokio::test(start_paused = true)]
async fn the_headers_of_a_crawl_are_not_listed() {
    let (service, _) = service(ServiceConfig::default());
    let plan = CrawlRequest::new("https://a.example/slow").check().unwrap();
    let request = serde_json::json!({
        "url": "https://a.example/slow",
        "scrapeOptions": {"headers": {"Authorization": "secret"}, "mobile": true},
    });
    service.crawl(&team("a"), plan, SubmitContext::default().request(request)).await.unwrap();
    let active = service.active_crawls(&TeamId::new("a")).await.unwrap().crawls;
    let options = serde_json::Value::Object(active[0].options.clone());
    assert_eq!(options, serde_json::json!({"scrapeOptions": {"mobile": true}}));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_service_stops_its_jobs() {
    let web = Arc::new(FakeWeb::default());
    let service = JobService::new(runtime_with(&web, MemoryConfig::default()), ServiceConfig::default());
    batch(&service, &["slow"; 3]).await;
    settle().await;
    drop(service);
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(web.fetched.load(std::sync::atomic::Ordering::Relaxed), 0);
}
