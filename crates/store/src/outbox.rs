//! Events for webhooks.
//!
//! An event is written in the transaction of the state change that it reports, and stays until it is
//! delivered or given up: no event is lost in a crash, and no event reports what did not happen. The events
//! of a job are delivered one after another, in order. The body is built from the stored document when it is
//! sent, with the same bytes each time, so a waiting event takes only its entry in the list, and a postponed
//! one costs no body. Only the event of a failed page stores its content, the URL and the reason, about 300
//! bytes.
//!
//! The outbox of a job has at most as many events as the job has pages, and no limit of its own: dropping
//! events would lose them, and holding the job would let the receiver set its speed. Events that still wait
//! when the results of their job expire are dropped and logged.

use std::sync::Arc;
use std::time::Duration;

use gleaner_types::event::EventName;
use gleaner_types::plan::{WebhookPlan, as_written};
use gleaner_types::{Document, JobId, SafeUrl};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use crate::{Error, TeamId};

/// An event without a reported outcome is due again after this time: its sender is lost then.
pub const DELIVERY_LEASE: Duration = Duration::from_secs(120);
/// Maximum number of undeliverable events that are listed per job.
pub const MAX_LISTED_DEAD_LETTERS: usize = 1_000;

/// Identifies an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The job.
    pub job: JobId,
    /// The number of the event within the job, from 0.
    pub sequence: u64,
}

impl EventId {
    /// The `webhookId`: the same for each attempt, and different for each event.
    #[must_use]
    pub fn webhook_id(&self) -> Uuid {
        // Version and variant are those of the job id: they are above the low 62 bits.
        let number = (self.sequence.wrapping_add(1) << 1) & (u64::MAX >> 2);
        Uuid::from_u128(self.job.as_uuid().as_u128() ^ u128::from(number))
    }
}

/// Events to deliver now.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct DueEvents {
    /// The events, at most one per job.
    pub events: Vec<DueEvent>,
    /// The next time at which an event becomes due without another change.
    pub next: Option<Duration>,
}

/// An event to deliver now. [`Store::event_body`](crate::Store::event_body) gives its exact bytes.
#[derive(Debug, Clone)]
pub struct DueEvent {
    /// Identifies the event.
    pub id: EventId,
    /// The team of the job.
    pub team: TeamId,
    /// The receiver and its headers.
    pub webhook: Arc<WebhookPlan>,
    /// The name of the event.
    pub name: EventName,
    /// Number of earlier attempts.
    pub attempt: u32,
}

/// The outcome of a delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted the event.
    Delivered,
    /// The event must be tried again, not before `not_before`.
    Retry {
        /// Since the Unix epoch.
        not_before: Duration,
    },
    /// The event was not sent, because the receiver is busy with others or is paused for a while.
    Postponed {
        /// Since the Unix epoch.
        not_before: Duration,
    },
    /// The event is listed as failed, and the next event of the job is due.
    GivenUp {
        /// The result of the last attempt, without secrets.
        reason: String,
        /// It was attempted now, not only before.
        tried: bool,
    },
}

/// An event that could not be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadLetter {
    /// Identifies the event.
    pub id: EventId,
    /// The name of the event.
    pub name: EventName,
    /// The URL of the receiver.
    pub url: SafeUrl,
    /// Number of attempts; 0 if it was given up because the receiver had been down for long.
    pub attempts: u32,
    /// The result of the last attempt, or why there was none.
    pub reason: String,
    /// When it was given up, since the Unix epoch.
    pub at: Duration,
}

impl DeadLetter {
    /// The event to `url` that was given up at this time, after this number of attempts and for this reason.
    #[must_use]
    pub fn new(
        id: EventId,
        name: EventName,
        url: SafeUrl,
        attempts: u32,
        reason: String,
        at: Duration,
    ) -> Self {
        Self { id, name, url, attempts, reason, at }
    }
}

/// The content of the `data` of an event.
#[derive(Debug)]
pub(crate) enum EventData {
    Nothing,
    /// The document at this position.
    Document(u64),
    /// A failed page, and whether the slash of its URL was added.
    Failure {
        url: Url,
        slash_added: bool,
    },
    /// The conclusion of the job.
    Conclusion,
}

#[derive(Serialize)]
struct Head {
    success: bool,
    r#type: EventName,
    id: JobId,
    #[serde(rename = "webhookId")]
    webhook_id: Uuid,
}

#[derive(Serialize)]
struct Tail<'a> {
    metadata: &'a Map<String, Value>,
    error: Option<&'a str>,
}

/// The content of an event, as its body has it.
#[derive(Debug, Clone, Copy)]
pub enum EventContent<'a> {
    /// None.
    Nothing,
    /// The JSON of a document; `None` if it was removed or cannot be read.
    Document(Option<&'a [u8]>),
    /// A failed page, and whether the slash of its URL was added.
    Failure {
        /// The requested URL.
        url: &'a Url,
        /// As in [`PageFailure::slash_added`](crate::PageFailure::slash_added).
        slash_added: bool,
    },
    /// The data of the conclusion of the job.
    Conclusion(&'a Value),
}

/// The exact bytes of an event ([`WebhookPayload`](gleaner_types::event::WebhookPayload)) for this receiver,
/// with the error that it reports.
///
/// # Errors
/// If the content cannot be written as JSON.
pub fn event_body(
    id: EventId,
    name: EventName,
    webhook: &WebhookPlan,
    content: EventContent<'_>,
    error: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let body = |data: Option<&[u8]>, error| body(id, name, data, &webhook.metadata, error);
    let written = match content {
        EventContent::Nothing => body(None, error),
        EventContent::Document(Some(json)) => body(Some(json), error),
        EventContent::Document(None) => body(None, Some("the document could not be read")),
        EventContent::Failure { url, slash_added } => {
            let page = failed_page(url, slash_added);
            serde_json::to_vec(&page).and_then(|json| body(Some(json.as_slice()), error))
        }
        EventContent::Conclusion(data) => {
            serde_json::to_vec(data).and_then(|json| body(Some(json.as_slice()), error))
        }
    };
    written.map_err(|cause| Error::io("an event could not be written as JSON", &cause))
}

/// The body of an event with `data` that is already JSON.
fn body(
    id: EventId,
    name: EventName,
    data: Option<&[u8]>,
    metadata: &Map<String, Value>,
    error: Option<&str>,
) -> serde_json::Result<Vec<u8>> {
    let head = Head { success: error.is_none(), r#type: name, id: id.job, webhook_id: id.webhook_id() };
    let mut body = serde_json::to_vec(&head)?;
    body.pop();
    body.extend_from_slice(br#","data":["#);
    body.extend_from_slice(data.unwrap_or_default());
    body.extend_from_slice(b"],");
    let tail = serde_json::to_vec(&Tail { metadata, error })?;
    body.extend_from_slice(tail.strip_prefix(b"{").unwrap_or(&tail));
    Ok(body)
}

/// The document that represents a failed page: only its URL.
fn failed_page(url: &Url, slash_added: bool) -> Document {
    let mut document = Document::default();
    document.metadata.source_url = Some(as_written(url, slash_added).into_owned());
    document
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use gleaner_types::JobKind;
    use gleaner_types::event::WebhookPayload;
    use gleaner_types::plan::EventKind;
    use serde_json::json;

    use super::*;

    fn id(sequence: u64) -> EventId {
        EventId { job: JobId::from_uuid(Uuid::now_v7()), sequence }
    }

    #[test]
    fn a_body_is_the_payload_of_the_contract() {
        let name = EventName { job: JobKind::Crawl, event: EventKind::Page };
        let metadata = json!({"a": "\"}"}).as_object().cloned().unwrap();
        let page = failed_page(&Url::parse("https://site.example/?q=\"").unwrap(), false);
        let json = serde_json::to_vec(&page).unwrap();
        for (data, error) in [(Some(json), Some("it \"broke\"")), (None, None)] {
            let id = id(7);
            let body = body(id, name, data.as_deref(), &metadata, error).unwrap();
            let read: WebhookPayload = serde_json::from_slice(&body).unwrap();
            let expected = WebhookPayload {
                success: error.is_none(),
                kind: name,
                id: id.job,
                webhook_id: id.webhook_id().to_string(),
                data: data.iter().map(|_| page.clone()).collect(),
                metadata: metadata.clone(),
                error: error.map(str::to_owned),
            };
            assert_eq!(read, expected);
            assert_eq!(
                body,
                serde_json::to_vec(&expected).unwrap(),
                "the same bytes as the type serializes to"
            );
        }
    }

    #[test]
    fn each_content_has_its_form() {
        let webhook = WebhookPlan {
            url: Url::parse("https://hook.example/").unwrap(),
            headers: Default::default(),
            metadata: Map::from_iter([("a".to_owned(), json!(1))]),
            events: Vec::new(),
        };
        let name = EventName { job: JobKind::Crawl, event: EventKind::Page };
        let url = Url::parse("https://site.example/").unwrap();
        let lost = Some("the document could not be read");
        for (content, data, reported) in [
            (EventContent::Nothing, json!([]), Some("why")),
            (EventContent::Document(Some(br#"{"metadata":{}}"#)), json!([{"metadata": {}}]), Some("why")),
            (EventContent::Document(None), json!([]), lost),
            (
                EventContent::Failure { url: &url, slash_added: true },
                json!([failed_page(&url, true)]),
                Some("why"),
            ),
            (EventContent::Conclusion(&json!({"b": 2})), json!([{"b": 2}]), Some("why")),
        ] {
            let body = event_body(id(3), name, &webhook, content, Some("why")).unwrap();
            let read: Value = serde_json::from_slice(&body).unwrap();
            let found = (&read["data"], read["error"].as_str(), &read["metadata"], &read["success"]);
            assert_eq!(found, (&data, reported, &json!({"a": 1}), &json!(false)), "{content:?}");
        }
    }

    #[test]
    fn each_event_has_its_own_id_that_differs_from_the_job_id() {
        let first = id(0);
        let ids: HashSet<Uuid> =
            (0..10_000).map(|sequence| EventId { sequence, ..first }.webhook_id()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(!ids.contains(first.job.as_uuid()));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }
}
