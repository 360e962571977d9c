//! The contract of the outbox.

use std::sync::Arc;
use std::time::Duration;

use gleaner_types::plan::{EventKind, WebhookPlan};
use serde_json::{Value, json};
use url::Url;

use super::super::{Fixture, START, document, failure};
use crate::{DELIVERY_LEASE, DeliveryOutcome, DueEvent, EventId, Store};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) async fn run<S: Store>(make: &impl AsyncFn() -> Fixture<S>) {
    events_are_written_with_their_cause_and_delivered_in_order(make().await).await;
    an_event_of_a_lost_sender_is_due_again(make().await).await;
    a_given_up_event_is_listed_and_the_next_is_due(make().await).await;
    events_outlive_the_removal_of_their_job(make().await).await;
}

impl<S: Store> Fixture<S> {
    async fn due(&self, now: Duration) -> Option<DueEvent> {
        let mut due = self.store.due(10, now).await.expect("events can be taken");
        assert!(due.events.len() <= 1, "a job has one due event at a time");
        due.events.pop()
    }

    async fn body(&self, event: EventId) -> Vec<u8> {
        let body = self.store.event_body(event).await.expect("a body can be written");
        body.expect("a taken event has a body")
    }

    async fn report_outcome(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) {
        self.store.delivered(event, outcome, now).await.expect("an outcome can be reported");
    }
}

fn webhook() -> Option<Arc<WebhookPlan>> {
    Some(Arc::new(WebhookPlan {
        url: Url::parse("https://hook.example/").expect("the URLs of the suite are valid"),
        headers: Default::default(),
        metadata: Default::default(),
        events: [EventKind::Started, EventKind::Page, EventKind::Completed, EventKind::Cancelled].into(),
    }))
}

async fn events_are_written_with_their_cause_and_delivered_in_order<S: Store>(fixture: Fixture<S>) {
    let mut maintenance = fixture.store.maintenance();
    maintenance.mark_unchanged();
    let job = fixture.submit_for(1, "a", &["a", "b"], |job| job.webhook = webhook()).await;
    assert!(maintenance.has_changed().is_ok_and(|changed| changed), "the sender is notified");
    let page = fixture.lease_one().await;
    let outcome = document(&page);
    fixture.finish(page, outcome, &[]).await;
    let page = fixture.lease_one().await;
    fixture.finish(page, failure(), &[]).await;
    let mut kinds = Vec::new();
    while let Some(event) = fixture.due(START).await {
        assert!(fixture.due(START).await.is_none(), "the next waits for the outcome of this one");
        assert_eq!((event.id.job, event.id.sequence), (job, kinds.len() as u64));
        let body: Value = serde_json::from_slice(&fixture.body(event.id).await).expect("a body is JSON");
        assert_eq!(body.get("webhookId"), Some(&json!(event.id.webhook_id())));
        assert_eq!(body.get("type"), Some(&json!(event.name)));
        kinds.push((event.name.event, body.get("success").and_then(Value::as_bool)));
        fixture.report_outcome(event.id, DeliveryOutcome::Delivered, START).await;
        let gone = fixture.store.event_body(event.id).await.expect("a body can be asked for");
        assert!(gone.is_none(), "a delivered event has no body");
    }
    let expected = [
        (EventKind::Started, Some(true)),
        (EventKind::Page, Some(true)),
        (EventKind::Page, Some(false)),
        (EventKind::Completed, Some(true)),
    ];
    assert_eq!(kinds, expected);
}

async fn an_event_of_a_lost_sender_is_due_again<S: Store>(fixture: Fixture<S>) {
    fixture.submit_for(1, "a", &["a"], |job| job.webhook = webhook()).await;
    let first = fixture.due(START).await.expect("the start is an event");
    let body = fixture.body(first.id).await;
    assert!(fixture.due(START + DELIVERY_LEASE - MINUTE).await.is_none());
    let later = START + DELIVERY_LEASE;
    let again = fixture.due(later).await.expect("the event is due again");
    assert_eq!(
        (again.id, &fixture.body(again.id).await),
        (first.id, &body),
        "the same event with the same bytes"
    );
    fixture.report_outcome(again.id, DeliveryOutcome::Retry { not_before: later + MINUTE }, later).await;
    assert!(fixture.due(later).await.is_none());
    let third = fixture.due(later + MINUTE).await.expect("it is due again at the reported time");
    assert_eq!((third.id, third.attempt, &fixture.body(third.id).await), (first.id, 1, &body));
    fixture.report_outcome(third.id, DeliveryOutcome::Delivered, later).await;
    let late = DeliveryOutcome::GivenUp { reason: String::new(), tried: true };
    fixture.report_outcome(third.id, late, later).await;
    let dead = fixture.store.dead_letters(third.id.job).await.expect("dead letters can be listed");
    assert!(dead.is_empty(), "an outcome reported twice counts once");
}

async fn a_given_up_event_is_listed_and_the_next_is_due<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a"], |job| job.webhook = webhook()).await;
    fixture.drain(1).await;
    let given_up = |tried| DeliveryOutcome::GivenUp { reason: "gone".to_owned(), tried };
    let first = fixture.due(START).await.expect("the start is an event");
    fixture.report_outcome(first.id, DeliveryOutcome::Retry { not_before: START }, START).await;
    fixture.report_outcome(first.id, DeliveryOutcome::Postponed { not_before: START }, START).await;
    fixture.report_outcome(first.id, given_up(true), START).await;
    let next = fixture.due(START).await.expect("the next event is due");
    assert_eq!((next.id.sequence, next.attempt), (1, 0), "with its own attempts");
    fixture.report_outcome(next.id, given_up(false), START).await;
    let dead = fixture.store.dead_letters(job).await.expect("dead letters can be listed");
    let listed: Vec<_> =
        dead.iter().map(|letter| (letter.id, letter.attempts, letter.reason.as_str())).collect();
    assert_eq!(listed, [(first.id, 2, "gone"), (next.id, 0, "gone")], "with the number of attempts");
}

async fn events_outlive_the_removal_of_their_job<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a", "b"], |job| job.webhook = webhook()).await;
    fixture.finish_pages(1, 1).await;
    fixture.store.remove(job, START).await.expect("a job can be removed");
    assert!(fixture.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
    let mut kinds = Vec::new();
    while let Some(event) = fixture.due(START).await {
        kinds.push(event.name.event);
        fixture.report_outcome(event.id, DeliveryOutcome::Delivered, START).await;
    }
    assert_eq!(kinds, [EventKind::Started, EventKind::Page, EventKind::Cancelled]);
}
