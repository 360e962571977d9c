//! Webhook events, which any store delivers.

use std::sync::Arc;

use gleaner_store::{DeliveryOutcome, EventId, JobAccount, NewJob, Store, TeamId};
use gleaner_types::plan::{EventKind, WebhookPlan};
use url::Url;

use super::graph::Graph;
use super::work::{Workers, job};
use super::world::{World, now};

fn webhook() -> WebhookPlan {
    WebhookPlan {
        url: Url::parse("https://hook.example/").unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: [EventKind::Started, EventKind::Page, EventKind::Completed].into(),
    }
}

/// Takes due events at this store, and delivers them. One in three is postponed.
async fn deliver(store: &impl Store, delivered: &mut Vec<EventId>) {
    for event in store.due(2, now()).await.unwrap().events {
        let body = store.event_body(event.id).await.unwrap();
        assert!(body.is_some_and(|body| !body.is_empty()), "a taken event has a body");
        let outcome = if (event.id.sequence + u64::from(event.attempt)) % 3 == 1 && event.attempt == 0 {
            DeliveryOutcome::Retry { not_before: now() }
        } else {
            delivered.push(event.id);
            DeliveryOutcome::Delivered
        };
        store.delivered(event.id, outcome, now()).await.unwrap();
    }
}

#[tokio::test]
async fn each_event_is_delivered_once_and_in_order_by_either_store() {
    let Some(world) = World::start() else { return };
    let stores: [_; 2] = world.stores("events").await;
    let graph = Graph::unlinked(25, 5);
    let mut delivered = [Vec::new(), Vec::new()];
    let mut ids = Vec::new();
    for number in 1..4 {
        let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
        let webhook = Some(Arc::new(webhook()));
        let submitted = NewJob { account, webhook, ..job(number, u64::MAX, graph.all()) };
        ids.push(submitted.id);
        stores[0].submit(submitted, now()).await.unwrap();
    }
    let mut all = Vec::new();
    for id in &ids {
        let mut workers = Workers::new(&stores, 1);
        workers
            .run(*id, &graph, async |_| {
                let [one, other] = &mut delivered;
                let before = (one.len(), other.len());
                // At once: each takes other events.
                tokio::join!(deliver(&stores[0], one), deliver(&stores[1], other));
                all.extend_from_slice(&one[before.0..]);
                all.extend_from_slice(&other[before.1..]);
            })
            .await;
    }
    let [one, other] = &mut delivered;
    // `started`, the pages and `completed`.
    let expected = ids.len() * (25 + 2);
    while all.len() < expected {
        let before = (one.len(), other.len());
        deliver(&stores[1], other).await;
        deliver(&stores[0], one).await;
        all.extend_from_slice(&other[before.1..]);
        all.extend_from_slice(&one[before.0..]);
    }
    for id in ids {
        let of_job = all.iter().filter(|event| event.job == id).map(|event| event.sequence);
        assert_eq!(of_job.collect::<Vec<_>>(), (0..27).collect::<Vec<_>>(), "in order, and each once");
    }
    for store in &stores {
        assert!(store.due(10, now()).await.unwrap().events.is_empty());
    }
    assert!(!one.is_empty() && !other.is_empty(), "both stores deliver");
}
