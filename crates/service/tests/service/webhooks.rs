//! Tests of webhooks: order, signatures, retries and refused addresses.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::ErrorKind;
use gleaner_service::{MemoryAccounts, Secret, ServiceConfig, SubmitContext, TeamConfig, verify};
use gleaner_store::TeamId;
use gleaner_types::JobId;
use gleaner_types::plan::{BatchPlan, EventKind, WebhookPlan};
use serde_json::json;
use url::Url;

use crate::support::*;

pub(crate) const ALL_EVENTS: [EventKind; 5] =
    [EventKind::Started, EventKind::Page, EventKind::Completed, EventKind::Failed, EventKind::Cancelled];

pub(crate) fn webhook(url: &str, events: &[EventKind]) -> WebhookPlan {
    WebhookPlan {
        url: Url::parse(url).unwrap(),
        headers: BTreeMap::from([
            ("x-own".to_owned(), "mine".to_owned()),
            ("x-service-signature".to_owned(), "sha256=forged".to_owned()),
        ]),
        metadata: json!({"a": 1}).as_object().cloned().unwrap(),
        events: events.to_vec(),
    }
}

/// Accounts of team `a`, whose webhooks are signed.
pub(crate) fn signing_accounts() -> MemoryAccounts {
    let config = TeamConfig::new(team("a")).webhook_secret(Secret::new("whsec"));
    MemoryAccounts::new().with_team("key-a", config)
}

pub(crate) fn service_config(receiver: &Arc<Receiver>) -> ServiceConfig {
    ServiceConfig {
        deliver: deliver_to(receiver),
        accounts: Arc::new(signing_accounts()),
        ..ServiceConfig::default()
    }
}

pub(crate) async fn submit(
    service: &Arc<gleaner_service::JobService>,
    paths: &[&str],
    webhook: WebhookPlan,
) -> JobId {
    let plan = BatchPlan { webhook: Some(webhook), ..plan(paths) };
    service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id
}

pub(crate) fn kinds(received: &[Received]) -> Vec<String> {
    received.iter().map(|event| event.text("type")).collect()
}

#[tokio::test(start_paused = true)]
async fn events_arrive_in_order_signed_and_complete() {
    let receiver = Receiver::new(&[200]);
    let (service, _) = service(service_config(&receiver));
    let id =
        submit(&service, &["one", "broken", "slow"], webhook("https://hook.example/x", &ALL_EVENTS)).await;
    ended(&service, id).await;
    settle().await;
    let received = receiver.all();
    let expected = [
        "batch_scrape.started",
        "batch_scrape.page",
        "batch_scrape.page",
        "batch_scrape.page",
        "batch_scrape.completed",
    ];
    assert_eq!(kinds(&received), expected);
    let secret = Secret::new("whsec");
    for event in &received {
        let headers: BTreeMap<&str, &str> =
            event.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(headers.len(), event.headers.len(), "each header once");
        assert!(verify(&secret, &event.body, headers["x-service-signature"]).is_ok());
        assert_eq!((headers["x-own"], headers["content-type"]), ("mine", "application/json"));
        assert_eq!(event.json()["id"], id.to_string());
        assert_eq!(event.json()["metadata"], json!({"a": 1}));
    }
    let ids: HashSet<String> = received.iter().map(|event| event.text("webhookId")).collect();
    assert_eq!(ids.len(), received.len());
    let failed = received.iter().find(|event| event.json()["success"] == false).unwrap().json();
    assert_eq!(failed["data"], json!([{"metadata": {"sourceURL": "https://h1.example/broken"}}]));
    assert_eq!(failed["error"], "the connection broke");
    assert_eq!(received[3].json()["data"][0]["markdown"], "/slow");
    assert_eq!(
        (received[0].json()["data"].clone(), received[4].json()["data"].clone()),
        (json!([]), json!([]))
    );
}

#[tokio::test(start_paused = true)]
async fn only_requested_events_are_sent() {
    let receiver = Receiver::new(&[200]);
    let (service, _) = service(service_config(&receiver));
    let requested = [EventKind::Completed, EventKind::Cancelled];
    let id = submit(&service, &["one", "slow"], webhook("https://hook.example/x", &requested)).await;
    settle().await;
    service.cancel(&TeamId::new("a"), BATCH, id).await.unwrap();
    settle().await;
    assert_eq!(kinds(&receiver.all()), ["batch_scrape.cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_event_is_sent_again_after_1_5_and_15_minutes_with_the_same_bytes() {
    let receiver = Receiver::new(&[500, 0, 302, 200]);
    let (service, _) = service(service_config(&receiver));
    let requested = [EventKind::Started, EventKind::Completed];
    let id = submit(&service, &["one"], webhook("https://hook.example/x", &requested)).await;
    tokio::time::sleep(Duration::from_secs(30 * 60)).await;
    let received = receiver.all();
    let expected = ["batch_scrape.started"; 4].into_iter().chain(["batch_scrape.completed"]);
    assert_eq!(kinds(&received), expected.collect::<Vec<_>>(), "later events wait");
    for repeat in &received[1..4] {
        assert_eq!((&repeat.body, &repeat.headers), (&received[0].body, &received[0].headers));
    }
    let minutes: Vec<u64> = received.iter().map(|event| event.at.as_secs() / 60).collect();
    // A missing answer fails after 10 s, and the next pause starts then.
    assert_eq!(minutes, [0, 1, 6, 21, 21]);
    assert!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_rejected_four_times_is_listed_and_the_next_has_its_own_attempts() {
    let receiver = Receiver::new(&[500, 400, 500, 302, 500, 200]);
    let (service, _) = service(service_config(&receiver));
    let id =
        submit(&service, &["one", "two"], webhook("https://hook.example/x?key=secret", &ALL_EVENTS)).await;
    tokio::time::sleep(Duration::from_secs(25 * 60)).await;
    let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
    let listed: Vec<(String, u32)> =
        dead.iter().map(|letter| (letter.name.to_string(), letter.attempts)).collect();
    assert_eq!(listed, [("batch_scrape.started".to_owned(), 4)]);
    assert!(!format!("{dead:?}").contains("secret"));
    let received = receiver.all();
    let minutes: Vec<u64> = received.iter().map(|event| event.at.as_secs() / 60).collect();
    assert_eq!(minutes, [0, 1, 6, 21, 21, 22, 22, 22], "four attempts, two, and one for each other event");
    assert_eq!(received[4].text("webhookId"), received[5].text("webhookId"));
}

/// The service asks the port for a check at submit and at send; the port's own tests cover the guard.
#[tokio::test(start_paused = true)]
async fn a_blocked_address_is_refused_at_submit_and_at_send() {
    let receiver = Receiver::new(&[1]);
    let (service, _) = service(service_config(&receiver));
    let plan = BatchPlan { webhook: Some(webhook("https://10.0.0.1/", &ALL_EVENTS)), ..plan(&["one"]) };
    let refused = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::Forbidden, 403));
    assert!(!refused.to_string().contains("10.0.0.1"), "{refused}");
    let id = submit(&service, &["one"], webhook("https://rebound.example/", &ALL_EVENTS)).await;
    ended(&service, id).await;
    settle().await;
    assert_eq!(receiver.all().len(), 3, "a blocked event is not retried");
    assert_eq!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_delivery_port_a_webhook_is_refused() {
    let (service, _) = service(ServiceConfig::default());
    let plan = BatchPlan { webhook: Some(webhook("https://hook.example/", &ALL_EVENTS)), ..plan(&["one"]) };
    let refused = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}

/// A receiver that drops repeats by their id processes each event once.
#[tokio::test(start_paused = true)]
async fn repeated_deliveries_have_the_same_id() {
    // The first answer to each event is lost: the receiver accepted it, but the sender does not know.
    let receiver = Receiver::new(&[0, 200, 0, 200, 0, 200, 0, 200]);
    let (service, _) = service(service_config(&receiver));
    submit(&service, &["one", "two"], webhook("https://hook.example/x", &ALL_EVENTS)).await;
    tokio::time::sleep(Duration::from_secs(20 * 60)).await;
    let received = receiver.all();
    let mut seen = HashSet::new();
    let repeats = received.iter().filter(|event| !seen.insert(event.text("webhookId"))).count();

    assert_eq!((received.len(), repeats, seen.len()), (8, 4, 4));
}
