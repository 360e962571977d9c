//! Webhook receivers that are down for long: which events wait, which are listed, and how many posts are
//! made.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use gleaner_service::{ServiceConfig, WebhookConfig};
use gleaner_store::TeamId;
use tokio::time::Instant;

use crate::support::*;
use crate::webhooks::{ALL_EVENTS, kinds, service_config, submit, webhook};

const MINUTE: Duration = Duration::from_secs(60);
const HOOK: &str = "https://hook.example/x";

#[tokio::test(start_paused = true)]
async fn the_events_of_a_job_arrive_in_order_after_an_outage_of_40_minutes() {
    for status in [0, 503] {
        let receiver = Receiver::failing_until(40 * MINUTE, status);
        let (service, _) = service(service_config(&receiver));
        let id = submit(&service, &["one"; 200], webhook(HOOK, &ALL_EVENTS)).await;
        let documents = ended(&service, id).await.data;
        tokio::time::sleep(90 * MINUTE).await;
        let accepted = receiver.accepted();
        let mut expected = vec!["batch_scrape.page"; 200];
        expected.insert(0, "batch_scrape.started");
        expected.push("batch_scrape.completed");
        assert_eq!(kinds(&accepted), expected, "status {status}");
        for (event, document) in accepted[1..].iter().zip(&documents) {
            let url = &event.json()["data"][0]["metadata"]["sourceURL"];
            assert_eq!(url.as_str(), document.metadata.source_url.as_deref(), "in order of completion");
        }
        assert!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
        let failed = receiver.all().len() - accepted.len();
        assert!(failed <= 6, "{failed} attempts while it was down");
    }
}

#[tokio::test(start_paused = true)]
async fn events_to_a_receiver_that_never_answers_become_dead_letters_with_their_attempts() {
    let receiver = Receiver::new(&[0]);
    let (service, _) = service(service_config(&receiver));
    let id = submit(&service, &["one"], webhook(HOOK, &ALL_EVENTS)).await;
    tokio::time::sleep(180 * MINUTE).await;
    let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
    let listed: Vec<(String, u32)> =
        dead.iter().map(|event| (event.name.to_string(), event.attempts)).collect();
    // The first event is held for an hour while the receiver is down; later events have only their own
    // attempts.
    let expected = [("started", 7), ("page", 4), ("completed", 4)];
    assert_eq!(listed, expected.map(|(name, attempts)| (format!("batch_scrape.{name}"), attempts)));
    let mut posts: HashMap<String, u32> = HashMap::new();
    for event in receiver.all() {
        *posts.entry(event.text("webhookId")).or_default() += 1;
    }
    for letter in &dead {
        assert_eq!(posts[&letter.id.webhook_id().to_string()], letter.attempts, "{}", letter.name);
        assert_eq!(letter.reason, "the receiver did not answer within 10000 ms");
    }
    service.wait_for_deliveries().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_events_of_many_jobs_wait_and_few_posts_reach_a_receiver_that_is_down() {
    let receiver = Receiver::failing_until(45 * MINUTE, 503);
    let (service, _) = service(service_config(&receiver));
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(submit(&service, &["one"; 10], webhook(HOOK, &ALL_EVENTS)).await);
    }
    for id in &ids {
        ended(&service, *id).await;
    }
    tokio::time::sleep(44 * MINUTE).await;
    let posts = receiver.all().len();
    assert!(posts < 60, "{posts} posts to a receiver that is down");
    tokio::time::sleep(60 * MINUTE).await;
    let mut accepted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in receiver.accepted() {
        accepted.entry(event.text("id")).or_default().push(event.text("type"));
    }
    assert_eq!(accepted.len(), 50);
    for (job, kinds) in accepted {
        assert_eq!(kinds.len(), 12, "{job}");
        assert_eq!(
            (kinds[0].as_str(), kinds[11].as_str()),
            ("batch_scrape.started", "batch_scrape.completed")
        );
    }
    for id in ids {
        assert!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn give_up_after_bounds_the_wait_for_a_receiver_that_accepts_nothing() {
    for status in [0, 404] {
        let receiver = Receiver::new(&[status]);
        let webhooks = WebhookConfig::default()
            .retries(vec![Duration::from_secs(1), Duration::from_secs(5)])
            .hold(Duration::ZERO)
            .give_up_after(Duration::from_secs(30))
            .breaker_pause(Duration::from_secs(5));
        let (service, _) = service(ServiceConfig { webhooks, ..service_config(&receiver) });
        let start = Instant::now();
        let id = submit(&service, &["one"; 500], webhook(HOOK, &ALL_EVENTS)).await;
        ended(&service, id).await;
        service.wait_for_deliveries().await.unwrap();
        assert!(start.elapsed() < 3 * MINUTE, "{:?}", start.elapsed());
        let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
        assert_eq!(dead.len(), 502, "every event is listed");
        let attempts: u32 = dead.iter().map(|letter| letter.attempts).sum();
        assert_eq!(attempts as usize, receiver.all().len(), "listed attempts are the posts made");
        let last = &dead[501];
        assert_eq!((last.name.to_string().as_str(), last.attempts), ("batch_scrape.completed", 3));
        let unsent = dead.iter().find(|letter| letter.attempts == 0).unwrap();
        assert!(unsent.reason.starts_with("the receiver has accepted nothing for"), "{}", unsent.reason);
    }
}
