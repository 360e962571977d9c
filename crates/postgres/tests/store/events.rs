//! Webhook events, which any store delivers.

use std::sync::{Arc, Mutex};

use gleaner_postgres::PostgresStore;
use gleaner_store::{DeliveryOutcome, EventId, JobAccount, NewJob, Store, TeamId, WorkerId};
use gleaner_types::plan::{EventKind, WebhookPlan};
use url::Url;

use super::graph::Graph;
use super::work::{Workers, job};
use super::world::{World, config_at, eventually, now};

fn webhook() -> WebhookPlan {
    WebhookPlan {
        url: Url::parse("https://hook.example/").unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: [EventKind::Started, EventKind::Page, EventKind::Completed].into(),
    }
}

/// Takes due events at this store, and delivers them. One in three is postponed.
async fn deliver(store: &impl Store, number: usize, delivered: &Mutex<Vec<(usize, EventId)>>) {
    for event in store.due(2, now()).await.unwrap().events {
        let body = store.event_body(event.id).await.unwrap();
        assert!(body.is_some_and(|body| !body.is_empty()), "a taken event has a body");
        let outcome = if (event.id.sequence + u64::from(event.attempt)) % 3 == 1 && event.attempt == 0 {
            DeliveryOutcome::Retry { not_before: now() }
        } else {
            // Before the store knows: the next event may be delivered at once after that.
            delivered.lock().unwrap().push((number, event.id));
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
    let delivered = Mutex::default();
    let mut ids = Vec::new();
    for number in 1..4 {
        let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
        let webhook = Some(Arc::new(webhook()));
        let submitted = NewJob { account, webhook, ..job(number, u64::MAX, graph.all()) };
        ids.push(submitted.id);
        stores[0].submit(submitted, now()).await.unwrap();
    }
    let mut workers = Workers::new(&stores, 1);
    for id in &ids {
        workers
            .run(*id, &graph, async |_| {
                // At once: each takes other events.
                tokio::join!(deliver(&stores[0], 0, &delivered), deliver(&stores[1], 1, &delivered));
            })
            .await;
    }
    // `started`, the pages and `completed`.
    let expected = ids.len() * (25 + 2);
    eventually("all events are delivered", async || {
        deliver(&stores[1], 1, &delivered).await;
        deliver(&stores[0], 0, &delivered).await;
        (delivered.lock().unwrap().len() >= expected).then_some(())
    })
    .await;
    let delivered = delivered.into_inner().unwrap();
    for id in ids {
        let of_job = delivered.iter().filter(|(_, event)| event.job == id).map(|(_, event)| event.sequence);
        assert_eq!(of_job.collect::<Vec<_>>(), (0..27).collect::<Vec<_>>(), "in order, and each once");
    }
    for store in &stores {
        assert!(store.due(10, now()).await.unwrap().events.is_empty());
    }
    let by_first = delivered.iter().filter(|(number, _)| *number == 0).count();
    assert!(by_first > 0 && by_first < delivered.len(), "both stores deliver");
}

/// An event waited for two minutes after the process had died that delivered it.
#[tokio::test]
async fn an_event_of_a_dead_process_is_due_after_its_term() {
    let Some(world) = World::start() else { return };
    let [other] = world.stores("lost_sender").await;
    let (proxy, url) = world.proxy();
    let sender = PostgresStore::open(config_at(&url, "lost_sender")).await.unwrap();
    let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
    let submitted = job(1, u64::MAX, Graph::unlinked(1, 1).all());
    let submitted = NewJob { account, webhook: Some(Arc::new(webhook())), ..submitted };
    sender.submit(submitted, now()).await.unwrap();
    for store in [&sender, &other] {
        // Each has a term.
        store.lease(WorkerId::random(), 1, now()).await.unwrap();
    }
    let taken = sender.due(1, now()).await.unwrap().events.pop().unwrap();
    assert!(other.due(1, now()).await.unwrap().events.is_empty());
    proxy.pause();
    let again = async || other.due(1, now()).await.unwrap().events.pop();
    assert_eq!(eventually("the event is due again", again).await.id, taken.id);
}
