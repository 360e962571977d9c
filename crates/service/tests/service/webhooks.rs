use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::ErrorKind;
use gleaner_service::{MemoryAccounts, Secret, ServiceConfig, Submit, TeamConfig, verify};
use gleaner_store::TeamId;
use gleaner_types::JobId;
use gleaner_types::plan::{BatchPlan, EventKind, WebhookPlan};
use serde_json::json;
use url::Url;

use crate::support::*;

pub(crate) const ALL: [EventKind; 5] =
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

pub(crate) fn parts(receiver: &Arc<Receiver>) -> ServiceConfig {
    let config = TeamConfig { webhook_secret: Some(Secret::new("whsec")), ..TeamConfig::new(team("a")) };
    ServiceConfig {
        deliver: post(receiver),
        accounts: Arc::new(MemoryAccounts::new().with_team("key-a", config)),
        ..ServiceConfig::default()
    }
}

pub(crate) async fn submit(
    service: &Arc<gleaner_service::JobService>,
    paths: &[&str],
    webhook: WebhookPlan,
) -> JobId {
    let plan = BatchPlan { webhook: Some(webhook), ..plan(paths) };
    service.batch(&team("a"), plan, Submit::default()).await.unwrap().id
}

pub(crate) fn kinds(received: &[Received]) -> Vec<String> {
    received.iter().map(|event| event.text("type")).collect()
}

#[tokio::test(start_paused = true)]
async fn events_come_in_order_signed_and_complete() {
    let receiver = Receiver::new(&[200]);
    let (service, _) = service(parts(&receiver));
    let id = submit(&service, &["one", "broken", "slow"], webhook("https://hook.example/x", &ALL)).await;
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
async fn only_what_was_asked_for_is_sent() {
    let receiver = Receiver::new(&[200]);
    let (service, _) = service(parts(&receiver));
    let asked = [EventKind::Completed, EventKind::Cancelled];
    let id = submit(&service, &["one", "slow"], webhook("https://hook.example/x", &asked)).await;
    settle().await;
    service.cancel(&TeamId::new("a"), BATCH, id).await.unwrap();
    settle().await;
    assert_eq!(kinds(&receiver.all()), ["batch_scrape.cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_fails_is_tried_again_after_1_5_and_15_minutes_with_the_same_bytes() {
    let receiver = Receiver::new(&[500, 0, 302, 200]);
    let (service, _) = service(parts(&receiver));
    let asked = [EventKind::Started, EventKind::Completed];
    let id = submit(&service, &["one"], webhook("https://hook.example/x", &asked)).await;
    tokio::time::sleep(Duration::from_secs(30 * 60)).await;
    let received = receiver.all();
    let expected = ["batch_scrape.started"; 4].into_iter().chain(["batch_scrape.completed"]);
    assert_eq!(kinds(&received), expected.collect::<Vec<_>>(), "what comes later waits");
    for repeat in &received[1..4] {
        assert_eq!((&repeat.body, &repeat.headers), (&received[0].body, &received[0].headers));
    }
    let minutes: Vec<u64> = received.iter().map(|event| event.at.as_secs() / 60).collect();
    // No answer is one after 10 s, which the next wait is counted from.
    assert_eq!(minutes, [0, 1, 6, 21, 21]);
    assert!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_declined_four_times_is_listed_and_the_next_has_tries_of_its_own() {
    let receiver = Receiver::new(&[500, 400, 500, 302, 500, 200]);
    let (service, _) = service(parts(&receiver));
    let id = submit(&service, &["one", "two"], webhook("https://hook.example/x?key=secret", &ALL)).await;
    tokio::time::sleep(Duration::from_secs(25 * 60)).await;
    let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
    let tries: Vec<(String, u32)> =
        dead.iter().map(|letter| (letter.name.to_string(), letter.attempts)).collect();
    assert_eq!(tries, [("batch_scrape.started".to_owned(), 4)]);
    assert!(!format!("{dead:?}").contains("secret"));
    let received = receiver.all();
    let minutes: Vec<u64> = received.iter().map(|event| event.at.as_secs() / 60).collect();
    assert_eq!(minutes, [0, 1, 6, 21, 21, 22, 22, 22], "four tries, two, and the rest at once");
    assert_eq!(received[4].text("webhookId"), received[5].text("webhookId"));
}

/// An address is held against the guard at submit and at send. That the guard holds is the port's affair.
#[tokio::test(start_paused = true)]
async fn an_address_that_is_refused_is_refused_at_submit_and_at_send() {
    let receiver = Receiver::new(&[1]);
    let (service, _) = service(parts(&receiver));
    let plan_ = BatchPlan { webhook: Some(webhook("https://10.0.0.1/", &ALL)), ..plan(&["one"]) };
    let refused = service.batch(&team("a"), plan_, Submit::default()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::Forbidden, 403));
    assert!(!refused.to_string().contains("10.0.0.1"), "{refused}");
    let id = submit(&service, &["one"], webhook("https://rebound.example/", &ALL)).await;
    ended(&service, id).await;
    settle().await;
    assert_eq!(receiver.all().len(), 3, "another try is no use");
    assert_eq!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_way_to_send_it_a_webhook_is_refused() {
    let (service, _) = service(ServiceConfig::default());
    let plan = BatchPlan { webhook: Some(webhook("https://hook.example/", &ALL)), ..plan(&["one"]) };
    let refused = service.batch(&team("a"), plan, Submit::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}

/// A receiver that drops repeats by their id sees each event once.
#[tokio::test(start_paused = true)]
async fn repeats_are_seen_as_repeats() {
    // Every answer is lost once: the receiver took the event, and the sender does not know.
    let receiver = Receiver::new(&[0, 200, 0, 200, 0, 200, 0, 200]);
    let (service, _) = service(parts(&receiver));
    submit(&service, &["one", "two"], webhook("https://hook.example/x", &ALL)).await;
    tokio::time::sleep(Duration::from_secs(20 * 60)).await;
    let received = receiver.all();
    let mut seen = HashSet::new();
    let repeats = received.iter().filter(|event| !seen.insert(event.text("webhookId"))).count();
    println!("repeats seen as repeats {repeats}/{}", received.len() - 4);
    assert_eq!((received.len(), repeats, seen.len()), (8, 4, 4));
}
