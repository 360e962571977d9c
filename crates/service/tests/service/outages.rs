//! Receivers of webhooks that are down for long: what is kept for them, what is listed, and how often they
//! are asked.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use gleaner_service::{ServiceConfig, WebhookConfig};
use gleaner_store::TeamId;
use tokio::time::Instant;

use crate::support::*;
use crate::webhooks::{ALL, kinds, parts, submit, webhook};

const MINUTE: Duration = Duration::from_secs(60);
const HOOK: &str = "https://hook.example/x";

#[tokio::test(start_paused = true)]
async fn a_job_s_events_wait_out_forty_minutes_and_come_in_order() {
    for status in [0, 503] {
        let receiver = Receiver::ill(40 * MINUTE, status);
        let (service, _) = service(parts(&receiver));
        let id = submit(&service, &["one"; 200], webhook(HOOK, &ALL)).await;
        let documents = ended(&service, id).await.data;
        tokio::time::sleep(90 * MINUTE).await;
        let taken = receiver.taken();
        let mut expected = vec!["batch_scrape.page"; 200];
        expected.insert(0, "batch_scrape.started");
        expected.push("batch_scrape.completed");
        assert_eq!(kinds(&taken), expected, "status {status}");
        for (event, document) in taken[1..].iter().zip(&documents) {
            let url = &event.json()["data"][0]["metadata"]["sourceURL"];
            assert_eq!(url.as_str(), document.metadata.source_url.as_deref(), "in order of completion");
        }
        assert!(service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
        let asked_in_vain = receiver.all().len() - taken.len();
        assert!(asked_in_vain <= 6, "{asked_in_vain} tries while it was down");
    }
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_never_answers_ends_in_dead_letters_with_the_tries_that_were_made() {
    let receiver = Receiver::new(&[0]);
    let (service, _) = service(parts(&receiver));
    let id = submit(&service, &["one"], webhook(HOOK, &ALL)).await;
    tokio::time::sleep(180 * MINUTE).await;
    let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
    let told: Vec<(String, u32)> =
        dead.iter().map(|event| (event.name.to_string(), event.attempts)).collect();
    // The first is held for an hour, since it may be the receiver and not the event; those after it have
    // their own tries.
    let expected = [("started", 7), ("page", 4), ("completed", 4)];
    assert_eq!(told, expected.map(|(name, tries)| (format!("batch_scrape.{name}"), tries)));
    let mut made: HashMap<String, u32> = HashMap::new();
    for event in receiver.all() {
        *made.entry(event.text("webhookId")).or_default() += 1;
    }
    for letter in &dead {
        assert_eq!(made[&letter.id.webhook_id().to_string()], letter.attempts, "{}", letter.name);
        assert_eq!(letter.reason, "the receiver did not answer within 10000 ms");
    }
    service.delivered().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_events_of_many_jobs_wait_for_a_receiver_that_is_left_alone_meanwhile() {
    let receiver = Receiver::ill(45 * MINUTE, 503);
    let (service, _) = service(parts(&receiver));
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(submit(&service, &["one"; 10], webhook(HOOK, &ALL)).await);
    }
    for id in &ids {
        ended(&service, *id).await;
    }
    tokio::time::sleep(44 * MINUTE).await;
    let in_vain = receiver.all().len();
    assert!(in_vain < 60, "{in_vain} posts to a receiver that is down");
    tokio::time::sleep(60 * MINUTE).await;
    let mut taken: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in receiver.taken() {
        taken.entry(event.text("id")).or_default().push(event.text("type"));
    }
    assert_eq!(taken.len(), 50);
    for (job, kinds) in taken {
        assert_eq!(kinds.len(), 12, "of {job}");
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
async fn a_program_that_ends_with_its_job_need_not_wait_for_a_receiver_that_takes_nothing() {
    for status in [0, 404] {
        let receiver = Receiver::new(&[status]);
        let webhooks = WebhookConfig {
            retries: vec![Duration::from_secs(1), Duration::from_secs(5)],
            hold: Duration::ZERO,
            give_up_after: Some(Duration::from_secs(30)),
            breaker_pause: Duration::from_secs(5),
            ..WebhookConfig::default()
        };
        let (service, _) = service(ServiceConfig { webhooks, ..parts(&receiver) });
        let begun = Instant::now();
        let id = submit(&service, &["one"; 500], webhook(HOOK, &ALL)).await;
        ended(&service, id).await;
        service.delivered().await.unwrap();
        assert!(begun.elapsed() < 3 * MINUTE, "{:?}", begun.elapsed());
        let dead = service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap();
        assert_eq!(dead.len(), 502, "each is listed");
        let tries: u32 = dead.iter().map(|letter| letter.attempts).sum();
        assert_eq!(tries as usize, receiver.all().len(), "with the tries that were made");
        let end = &dead[501];
        assert_eq!((end.name.to_string().as_str(), end.attempts), ("batch_scrape.completed", 3));
        let unsent = dead.iter().find(|letter| letter.attempts == 0).unwrap();
        assert!(unsent.reason.starts_with("the receiver has accepted nothing for"), "{}", unsent.reason);
    }
}
