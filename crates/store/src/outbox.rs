//! Events on their way to webhooks.
//!
//! An event is written in the transaction of the state change that it tells of, and stays until it was delivered or
//! given up: so none is lost to a crash, and none tells of what did not happen. Events of a job go out one after the
//! other in their order. The body is made of the stored document when it is sent, always the same bytes; so an event
//! that waits takes no more than its place in the list, and one that cannot be sent just now costs no body. Only that of a
//! page which failed has what it tells with it, the address and the reason, some 300 bytes.
//!
//! The outbox of a job is as long as the job has pages at most, and has no bound of its own: to drop events for being
//! many would be to lose them, and to hold the job for them would leave its pace to its receiver. What still waits when
//! the results of its job expire is dropped, and the log says so.

use std::sync::Arc;
use std::time::Duration;

use gleaner_types::event::EventName;
use gleaner_types::plan::{WebhookPlan, as_written};
use gleaner_types::{Document, JobId, Metadata, SafeUrl};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use crate::TeamId;

/// An event that is being delivered is due again after this, unless its outcome was told: its sender is lost then.
pub const DELIVERY_LEASE: Duration = Duration::from_secs(120);
/// Undeliverable events of one job beyond so many are counted but not listed.
pub const MAX_LISTED_DEAD_LETTERS: usize = 1_000;

/// Names an event on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The job.
    pub job: JobId,
    /// Its number within the job, from 0.
    pub sequence: u64,
}

impl EventId {
    /// The `webhookId`: the same for each try, and of no other event.
    #[must_use]
    pub fn webhook_id(&self) -> Uuid {
        // Version and variant stay those of the job's id: they are above the low 62 bits.
        let number = (self.sequence.wrapping_add(1) << 1) & (u64::MAX >> 2);
        Uuid::from_u128(self.job.as_uuid().as_u128() ^ u128::from(number))
    }
}

/// Events to deliver now.
#[derive(Debug, Default)]
pub struct Due {
    /// Each of another job.
    pub events: Vec<DueEvent>,
    /// When more will be due by time alone.
    pub next: Option<Duration>,
}

/// An event to deliver now; its exact bytes are those of [`Store::event_body`](crate::Store::event_body).
#[derive(Debug, Clone)]
pub struct DueEvent {
    /// Which.
    pub id: EventId,
    /// Whose.
    pub team: TeamId,
    /// Where to, with which headers.
    pub webhook: Arc<WebhookPlan>,
    /// What happened.
    pub name: EventName,
    /// Tries before this one.
    pub attempt: u32,
}

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver took it.
    Delivered,
    /// It is tried again, not before then.
    Retry {
        /// Since the Unix epoch.
        not_before: Duration,
    },
    /// It was not tried: the receiver is busy with others, or is left alone for a while.
    Postponed {
        /// Since the Unix epoch.
        not_before: Duration,
    },
    /// It is listed as failed, and the next one's turn has come.
    GivenUp {
        /// What the last try came to; no secrets.
        reason: String,
        /// It was tried now, and not only before.
        tried: bool,
    },
}

/// An event that could not be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Which.
    pub id: EventId,
    /// What happened.
    pub name: EventName,
    /// The receiver.
    pub url: SafeUrl,
    /// How often it was tried; 0 where it was given up because the receiver had been down for long.
    pub attempts: u32,
    /// What the last try came to, or why there was none.
    pub reason: String,
    /// When it was given up, since the Unix epoch.
    pub at: Duration,
}

/// What an event's `data` holds.
#[derive(Debug)]
pub(crate) enum EventData {
    Nothing,
    /// The document at this place.
    Document(u64),
    /// A page that failed, and whether the slash of its address was added.
    Failure {
        url: Url,
        slash_added: bool,
    },
    /// The job's conclusion.
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

/// The body of an event ([`WebhookPayload`](gleaner_types::event::WebhookPayload)) around `data` that is JSON already.
pub(crate) fn body(
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

/// The document that stands for a page that failed: nothing but its address.
pub(crate) fn failed_page(url: &Url, slash_added: bool) -> Document {
    let asked_for = as_written(url, slash_added).into_owned();
    let metadata = Metadata { source_url: Some(asked_for), ..Metadata::default() };
    Document { metadata, ..Document::default() }
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
    fn a_body_reads_as_the_payload_of_the_contract() {
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
            assert_eq!(body, serde_json::to_vec(&expected).unwrap(), "the same bytes as the type writes");
        }
    }

    #[test]
    fn each_event_of_a_job_has_an_id_of_its_own_that_is_no_job_s() {
        let first = id(0);
        let ids: HashSet<Uuid> =
            (0..10_000).map(|sequence| EventId { sequence, ..first }.webhook_id()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(!ids.contains(first.job.as_uuid()));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }
}
