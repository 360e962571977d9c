use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_jobs::{Desk, DeskParts, ErrorKind, Extract, ExtractTask, Extracted, Submit};
use gleaner_store::TeamId;
use gleaner_types::plan::{ChangeTracking, ChangeTrackingMode, EventKind, ExtractPlan, WebhookPlan};
use gleaner_types::request::ExtractRequest;
use gleaner_types::response::ExtractStatus;
use gleaner_types::{ErrorCode, ExtractState, JobId, JobKind, PageError};
use serde_json::{Value, json};
use url::Url;

use crate::support::*;

/// Does as the prompt says.
#[derive(Debug)]
struct Obedient;

#[async_trait]
impl Extract for Obedient {
    async fn extract(&self, task: ExtractTask) -> Result<Extracted, PageError> {
        tokio::time::sleep(Duration::from_secs(5)).await;
        match task.plan.prompt.as_deref() {
            Some("fail") => {
                Err(PageError { code: ErrorCode::UnknownError, message: "every page failed".to_owned() })
            }
            Some("panic") => panic!("a planner that panics"),
            _ => Ok(Extracted {
                data: json!({"name": "x"}),
                sources: Some([("name".to_owned(), vec!["https://a.example/".to_owned()])].into()),
                warning: Some("partly".to_owned()),
                tokens_used: 46,
            }),
        }
    }

    async fn extract_page(
        &self,
        _: &str,
        markdown: &str,
        _: Option<&Value>,
        _: Option<&str>,
    ) -> Result<Extracted, PageError> {
        Ok(Extracted { data: json!({"length": markdown.len(), "kind": "page"}), ..Extracted::default() })
    }
}

fn parts() -> DeskParts {
    DeskParts { extract: Some(Arc::new(Obedient)), accounts: Arc::new(credits(10)), ..DeskParts::default() }
}

fn plan_of(prompt: &str) -> ExtractPlan {
    let request =
        ExtractRequest { prompt: Some(prompt.to_owned()), ..ExtractRequest::new(["https://a.example/"]) };
    request.check().unwrap()
}

async fn submit(desk: &Arc<Desk>, prompt: &str) -> JobId {
    desk.extract(&team("a"), plan_of(prompt), Submit::default()).await.unwrap().id
}

async fn status_of(desk: &Desk, id: JobId) -> ExtractStatus {
    desk.extract_status(&TeamId::new("a"), id).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_extract_gives_its_data_and_costs_its_tokens() {
    let (desk, _) = desk(parts());
    let id = submit(&desk, "names").await;
    let running = status_of(&desk, id).await;
    assert_eq!((running.status, running.data, running.success), (ExtractState::Processing, json!([]), true));
    tokio::time::sleep(Duration::from_secs(6)).await;
    let done = status_of(&desk, id).await;
    assert_eq!((done.status, &done.data), (ExtractState::Completed, &json!({"name": "x"})));
    assert_eq!((done.tokens_used, done.credits_used, done.warning.as_deref()), (46, 4, Some("partly")));
    assert_eq!(done.sources.unwrap()["name"], ["https://a.example/"]);
    assert_eq!(balance(&desk).await, 6);
    let late = desk.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Conflict);
    tokio::time::sleep(Duration::from_secs(86_400 + 15)).await;
    let gone = desk.extract_status(&TeamId::new("a"), id).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn an_extract_that_fails_says_why_and_costs_nothing() {
    let (desk, _) = desk(parts());
    for (prompt, why) in [("fail", "every page failed"), ("panic", "the engine failed on this request")] {
        let id = submit(&desk, prompt).await;
        tokio::time::sleep(Duration::from_secs(6)).await;
        let failed = status_of(&desk, id).await;
        assert_eq!((failed.status, failed.success), (ExtractState::Failed, false));
        assert_eq!((failed.error.as_deref(), failed.credits_used), (Some(why), 0));
    }
    let id = submit(&desk, "names").await;
    desk.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(status_of(&desk, id).await.status, ExtractState::Cancelled);
    assert_eq!(balance(&desk).await, 10);
}

/// Works for ever, and tells that it does.
#[derive(Debug, Default)]
struct Tireless(Arc<std::sync::atomic::AtomicU64>);

#[async_trait]
impl Extract for Tireless {
    async fn extract(&self, _: ExtractTask) -> Result<Extracted, PageError> {
        loop {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_extract_ends_with_its_desk() {
    let tireless = Tireless::default();
    let worked = Arc::clone(&tireless.0);
    let (desk, _) = desk(DeskParts { extract: Some(Arc::new(tireless)), ..DeskParts::default() });
    submit(&desk, "names").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    drop(desk);
    settle().await;
    let so_far = worked.load(std::sync::atomic::Ordering::Relaxed);
    assert!(so_far >= 5, "{so_far}");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(worked.load(std::sync::atomic::Ordering::Relaxed), so_far, "nobody will ever read it");
}

#[tokio::test(start_paused = true)]
async fn an_extract_tells_its_webhook() {
    let receiver = Receiver::new(&[200]);
    let (desk, _) = desk(DeskParts { deliver: post(&receiver), ..parts() });
    let webhook = WebhookPlan {
        url: Url::parse("https://hook.example/").unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: vec![EventKind::Started, EventKind::Completed],
    };
    let plan = ExtractPlan { webhook: Some(webhook), ..plan_of("names") };
    desk.extract(&team("a"), plan, Submit::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    let received = receiver.all();
    let kinds: Vec<String> = received.iter().map(|event| event.text("type")).collect();
    assert_eq!(kinds, ["extract.started", "extract.completed"]);
    assert_eq!(received[1].json()["data"], json!([{"name": "x"}]));
}

#[tokio::test(start_paused = true)]
async fn without_a_planner_an_extract_is_refused_by_name() {
    let (desk, _) = desk(DeskParts::default());
    let refused = desk.extract(&team("a"), plan_of("x"), Submit::default()).await.unwrap_err();
    assert_eq!((refused.code(), refused.http_status()), (ErrorCode::ModelNotConfigured, 400));
}

#[tokio::test(start_paused = true)]
async fn a_page_is_compared_with_its_last_scrape_by_the_same_team_under_the_same_tag() {
    let (desk, web) = desk(DeskParts { extract: Some(Arc::new(Obedient)), ..DeskParts::default() });
    let scrape = async |who: &str, tag: Option<&str>, text: &str| {
        web.say(text);
        let mut plan = plan(&["text"]);
        plan.options.formats.change_tracking = Some(ChangeTracking {
            modes: vec![ChangeTrackingMode::GitDiff, ChangeTrackingMode::Json],
            tag: tag.map(str::to_owned),
            ..ChangeTracking::default()
        });
        let id = desk.batch(&team(who), plan, Submit::default()).await.unwrap().id;
        settle().await;
        let status = desk.status(&TeamId::new(who), BATCH, id, Default::default(), &next_url).await.unwrap();
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
        "a tag has its own history"
    );
    assert_eq!(scrape("b", None, "one\nthree").await["changeStatus"], "new", "and so has a team");
}
