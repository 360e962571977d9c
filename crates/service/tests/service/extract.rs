//! Tests of extract jobs: results, costs and budgets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gleaner_runtime::{ErrorKind, Extract, ExtractTask, Extracted, Runtime, StartOptions};
use gleaner_service::{JobService, ServiceConfig, SubmitContext};
use gleaner_store::TeamId;
use gleaner_types::plan::{
    ChangeTracking, ChangeTrackingMode, EventKind, ExtractPlan, SitemapMode, WebhookPlan,
};
use gleaner_types::request::{CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest};
use gleaner_types::response::ExtractStatus;
use gleaner_types::{BoxFuture, ErrorCode, ExtractState, JobId, JobKind, PageError};
use serde_json::{Value, json};
use url::Url;

use crate::support::*;

/// Succeeds, fails or panics as the prompt says.
#[derive(Debug)]
struct ScriptedExtract;

impl Extract for ScriptedExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            match task.plan.prompt.as_deref() {
                Some("fail") => {
                    Err(PageError { code: ErrorCode::UnknownError, message: "every page failed".to_owned() })
                }
                Some("panic") => panic!("a planner that panics"),
                _ => Ok(Extracted::new(json!({"name": "x"}))
                    .sources([("name".to_owned(), vec!["https://a.example/".to_owned()])].into())
                    .warning("partly")
                    .tokens_used(46)),
            }
        })
    }

    fn extract_page<'a>(
        &'a self,
        _: &'a str,
        markdown: &'a str,
        _: Option<&'a Value>,
        _: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Extracted, PageError>> {
        Box::pin(async move { Ok(Extracted::new(json!({"length": markdown.len(), "kind": "page"}))) })
    }
}

fn service_config() -> ServiceConfig {
    ServiceConfig {
        extract: Some(Arc::new(ScriptedExtract)),
        accounts: Arc::new(credits(10)),
        ..ServiceConfig::default()
    }
}

fn plan_of(prompt: &str) -> ExtractPlan {
    let request = ExtractRequest::new(["https://a.example/"]).prompt(prompt);
    request.check().unwrap()
}

async fn submit(service: &Arc<JobService>, prompt: &str) -> JobId {
    service.extract(&team("a"), plan_of(prompt), SubmitContext::default()).await.unwrap().id
}

async fn status_of(service: &JobService, id: JobId) -> ExtractStatus {
    service.extract_status(&TeamId::new("a"), id).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_extract_returns_its_data_and_costs_its_tokens() {
    let (service, _) = service(service_config());
    let id = submit(&service, "names").await;
    let running = status_of(&service, id).await;
    assert_eq!((running.status, running.data, running.success), (ExtractState::Processing, json!([]), true));
    tokio::time::sleep(Duration::from_secs(6)).await;
    let done = status_of(&service, id).await;
    assert_eq!((done.status, &done.data), (ExtractState::Completed, &json!({"name": "x"})));
    assert_eq!((done.tokens_used, done.credits_used, done.warning.as_deref()), (46, 4, Some("partly")));
    assert_eq!(done.sources.unwrap()["name"], ["https://a.example/"]);
    assert_eq!(balance(&service).await, 6);
    let late = service.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Conflict);
    tokio::time::sleep(Duration::from_secs(86_400 + 15)).await;
    let expired = service.extract_status(&TeamId::new("a"), id).await.unwrap_err();
    assert_eq!(expired.kind(), ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_failed_extract_has_a_reason_and_costs_nothing() {
    let (service, _) = service(service_config());
    for (prompt, reason) in [("fail", "every page failed"), ("panic", "the engine failed on this request")] {
        let id = submit(&service, prompt).await;
        tokio::time::sleep(Duration::from_secs(6)).await;
        let failed = status_of(&service, id).await;
        assert_eq!((failed.status, failed.success), (ExtractState::Failed, false));
        assert_eq!((failed.error.as_deref(), failed.credits_used), (Some(reason), 0));
    }
    let id = submit(&service, "names").await;
    service.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(status_of(&service, id).await.status, ExtractState::Cancelled);
    assert_eq!(balance(&service).await, 10);
}

/// Uses thirty tokens per second, and ends after five seconds as the prompt says.
#[derive(Debug)]
struct MeteredExtract;

impl Extract for MeteredExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            let used = Arc::new(AtomicU64::new(0));
            let owner = task.owner.unwrap();
            let meter = Arc::clone(&used);
            owner.set_meter(Box::new(move || meter.load(Ordering::Relaxed)));
            for second in 1..=5 {
                assert!(owner.reserve_tokens(30 * second).await);
                tokio::time::sleep(Duration::from_secs(1)).await;
                used.store(30 * second, Ordering::Relaxed);
            }
            match task.plan.prompt.as_deref() {
                Some("fail") => {
                    Err(PageError { code: ErrorCode::ScrapeAllEnginesFailed, message: "no page".to_owned() })
                }
                Some("panic") => panic!("a planner that panics"),
                _ => Ok(Extracted::default().tokens_used(owner.tokens_used())),
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn usage_of_an_extract_is_charged_after_any_end_except_a_panic() {
    for (prompt, cancelled_after, state, tokens, credits) in [
        ("names", None, ExtractState::Completed, 150, 10),
        ("fail", None, ExtractState::Failed, 150, 10),
        ("panic", None, ExtractState::Failed, 0, 0),
        ("names", Some(2_500), ExtractState::Cancelled, 60, 4),
        ("names", Some(500), ExtractState::Cancelled, 0, 0),
    ] {
        let accounts = Arc::new(crate::support::credits(100));
        let (service, _) = service(ServiceConfig {
            extract: Some(Arc::new(MeteredExtract)),
            accounts,
            ..ServiceConfig::default()
        });
        let id = submit(&service, prompt).await;
        if let Some(after) = cancelled_after {
            tokio::time::sleep(Duration::from_millis(after)).await;
            service.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(6)).await;
        let end = status_of(&service, id).await;
        assert_eq!((end.status, end.tokens_used, end.credits_used), (state, tokens, credits), "{prompt}");
        assert_eq!(
            balance(&service).await,
            100 - credits as i64,
            "{prompt}: unused credits are back in the balance"
        );
    }
}

/// Works while the team can pay for a hundred more tokens, up to ten thousand.
#[derive(Debug)]
struct BudgetedExtract;

impl Extract for BudgetedExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            let owner = task.owner.unwrap();
            let mut tokens_used = 0;
            while tokens_used < 10_000 && owner.reserve_tokens(tokens_used + 100).await {
                tokio::time::sleep(Duration::from_millis(10)).await;
                tokens_used += 100;
            }
            Ok(Extracted::default().tokens_used(tokens_used))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_extract_never_spends_more_than_the_balance() {
    for (balance_before, tokens, left) in [(1_000, 10_000, 333), (100, 1_500, 0), (20, 300, 0), (1, 0, 1)] {
        let accounts = Arc::new(credits(balance_before));
        let (service, _) = service(ServiceConfig {
            extract: Some(Arc::new(BudgetedExtract)),
            accounts,
            ..ServiceConfig::default()
        });
        let id = submit(&service, "names").await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let done = status_of(&service, id).await;
        assert_eq!((done.status, done.tokens_used), (ExtractState::Completed, tokens), "{balance_before}");
        assert_eq!(balance(&service).await, left, "{balance_before}");
    }
    let accounts = Arc::new(credits(0));
    let (service, _) = service(ServiceConfig {
        extract: Some(Arc::new(BudgetedExtract)),
        accounts,
        ..ServiceConfig::default()
    });
    let refused = service.extract(&team("a"), plan_of("names"), SubmitContext::default()).await.unwrap_err();
    assert_eq!(refused.http_status(), 402);
}

/// Scrapes a page, crawls one and maps a site, for the owner of its job.
#[derive(Debug, Default)]
struct FetchingExtract(std::sync::OnceLock<std::sync::Weak<Runtime>>);

impl Extract for FetchingExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            let runtime = self.0.get().and_then(std::sync::Weak::upgrade).unwrap();
            let owner = task.owner.as_deref();
            let mut scrape = ScrapeRequest::new("https://b.example/one").check().unwrap();
            // Long enough for the wait in this test.
            scrape.options.timeout = Duration::from_secs(120);
            runtime.scrape(scrape, StartOptions::for_owner(owner)).await.unwrap();
            let crawl = CrawlRequest::new("https://c.example/slow").sitemap(SitemapMode::Skip);
            let crawl = crawl.check().unwrap();
            runtime.start(crawl, StartOptions::for_owner(owner)).await.unwrap().wait().await.unwrap();
            let _permit = owner.unwrap().lookup_permit().await;
            runtime.map(MapRequest::new("https://d.example/").check().unwrap()).await.unwrap();
            Ok(Extracted::default().tokens_used(15))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_pages_of_an_extract_use_slots_of_its_team_and_cost_nothing_extra() {
    let extract = Arc::new(FetchingExtract::default());
    let (service, web) = service(ServiceConfig { extract: Some(extract.clone()), ..service_config() });
    extract.0.set(Arc::downgrade(service.runtime())).unwrap();
    let one_slot = team("a").max_concurrency(1);
    service.batch(&one_slot, plan(&["slow"]), SubmitContext::default()).await.unwrap();
    settle().await;
    let id = service.extract(&one_slot, plan_of("names"), SubmitContext::default()).await.unwrap().id;
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert_eq!(web.fetched.load(Ordering::Relaxed), 0, "the only slot is taken");
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(service.concurrency(&one_slot).await.unwrap().concurrency, 1, "the crawl has the slot now");
    let active = service.active_crawls(&TeamId::new("a")).await.unwrap().crawls;
    assert!(active.is_empty(), "a crawl within an extract is not listed");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(status_of(&service, id).await.status, ExtractState::Completed);
    assert_eq!(balance(&service).await, 8, "one for the batch and one for the extract");
}

/// Never ends, and counts its seconds.
#[derive(Debug, Default)]
struct EndlessExtract(Arc<AtomicU64>);

impl Extract for EndlessExtract {
    fn extract(&self, _: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            loop {
                self.0.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_extract_stops_when_its_service_is_dropped() {
    let endless = EndlessExtract::default();
    let seconds = Arc::clone(&endless.0);
    let (service, _) =
        service(ServiceConfig { extract: Some(Arc::new(endless)), ..ServiceConfig::default() });
    submit(&service, "names").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    drop(service);
    settle().await;
    let before = seconds.load(Ordering::Relaxed);
    assert!(before >= 5, "{before}");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(seconds.load(Ordering::Relaxed), before, "the extract still runs");
}

#[tokio::test(start_paused = true)]
async fn an_extract_sends_webhook_events() {
    let receiver = Receiver::new(&[200]);
    let (service, _) = service(ServiceConfig { deliver: deliver_to(&receiver), ..service_config() });
    let webhook = WebhookPlan {
        url: Url::parse("https://hook.example/").unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: vec![EventKind::Started, EventKind::Completed],
    };
    let plan = ExtractPlan { webhook: Some(webhook), ..plan_of("names") };
    service.extract(&team("a"), plan, SubmitContext::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    let received = receiver.all();
    let kinds: Vec<String> = received.iter().map(|event| event.text("type")).collect();
    assert_eq!(kinds, ["extract.started", "extract.completed"]);
    assert_eq!(received[1].json()["data"], json!([{"name": "x"}]));
}

#[tokio::test(start_paused = true)]
async fn without_an_extraction_port_an_extract_is_refused_with_its_code() {
    let (service, _) = service(ServiceConfig::default());
    let refused = service.extract(&team("a"), plan_of("x"), SubmitContext::default()).await.unwrap_err();
    assert_eq!((refused.code(), refused.http_status()), (ErrorCode::ModelNotConfigured, 400));
}

#[tokio::test(start_paused = true)]
async fn a_page_is_compared_with_its_last_scrape_by_the_same_team_under_the_same_tag() {
    let (service, web) =
        service(ServiceConfig { extract: Some(Arc::new(ScriptedExtract)), ..ServiceConfig::default() });
    let scrape = async |who: &str, tag: Option<&str>, text: &str| {
        web.set_text(text);
        let mut plan = plan(&["text"]);
        plan.options.formats.change_tracking = Some(ChangeTracking {
            modes: vec![ChangeTrackingMode::GitDiff, ChangeTrackingMode::Json],
            tag: tag.map(str::to_owned),
            ..ChangeTracking::default()
        });
        let id = service.batch(&team(who), plan, SubmitContext::default()).await.unwrap().id;
        settle().await;
        let status =
            service.status(&TeamId::new(who), BATCH, id, Default::default(), &next_url).await.unwrap();
        read(&status).data[0].change_tracking.clone().unwrap()
    };
    assert_eq!(scrape("a", None, "one\ntwo").await["changeStatus"], "new");
    assert_eq!(scrape("a", None, " one  two ").await["changeStatus"], "same");
    let changed = scrape("a", None, "one\nthree").await;
    assert_eq!(changed["changeStatus"], "changed");
    assert!(changed["previousScrapeAt"].as_str().unwrap().starts_with("2023-11-14T"));
    assert_eq!(changed["diff"]["json"]["files"][0]["additions"], 2);
    assert_eq!(changed["json"], json!({"length": {"previous": 10, "current": 9}}));
    assert_eq!(
        scrape("a", Some("x"), "one\nthree").await["changeStatus"],
        "new",
        "each tag has its own history"
    );
    assert_eq!(scrape("b", None, "one\nthree").await["changeStatus"], "new", "each team has its own history");
}
