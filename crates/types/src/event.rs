//! Events of a job: the payloads of webhooks and of WebSocket watchers.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::plan::EventKind;
use crate::response::JobStatus;
use crate::{Document, JobId, JobKind};

/// The default name of the header with the signature of a webhook's body.
pub const SIGNATURE_HEADER: &str = "X-Service-Signature";

/// The full name of an event: `crawl.page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EventName {
    /// The kind of job.
    pub job: JobKind,
    /// What happened.
    pub event: EventKind,
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.job.as_str(), self.event.as_str())
    }
}

impl From<EventName> for String {
    fn from(name: EventName) -> Self {
        name.to_string()
    }
}

const JOB_KINDS: [JobKind; 3] = [JobKind::Crawl, JobKind::BatchScrape, JobKind::Extract];

fn all_names() -> impl Iterator<Item = EventName> {
    JOB_KINDS.into_iter().flat_map(|job| job.events().iter().map(move |&event| EventName { job, event }))
}

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        all_names().find(|name| name.to_string() == text).ok_or(UnknownEvent(()))
    }
}

impl TryFrom<String> for EventName {
    type Error = UnknownEvent;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl JsonSchema for EventName {
    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = all_names().map(String::from).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

/// A text that is not the full name of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent(());

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of an event: it must be a kind of job and an event, such as `crawl.page`")
    }
}

impl std::error::Error for UnknownEvent {}

/// The body of a webhook. `D` is the type of the entries of `data`: documents, or the data of an extract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookPayload<D = Document> {
    /// False for a failed page and a failed job.
    pub success: bool,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventName,
    /// The id of the job.
    pub id: JobId,
    /// The id of this delivery. Retries have the same id, so that a receiver can drop repeats.
    pub webhook_id: String,
    /// The page of a page event. For a failed page, it is a document with only `metadata.sourceURL`. Other
    /// events have no data.
    pub data: Vec<D>,
    /// The request's `webhook.metadata`.
    pub metadata: Map<String, Value>,
    /// Why the page or the job failed; otherwise `null`.
    #[serde(default)]
    pub error: Option<String>,
}

/// A message on the WebSocket of a crawl or batch: one `catchup`, then documents, then `done` or `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum WatchFrame {
    /// The status when the watcher connects, with the documents so far.
    Catchup {
        /// The status.
        data: Box<JobStatus>,
    },
    /// A new document.
    Document {
        /// The document.
        data: Box<Document>,
    },
    /// The job ended. No message follows.
    Done,
    /// The job failed or cannot be watched. No message follows.
    Error {
        /// Why.
        error: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_names_survive_a_round_trip() {
        assert_eq!(all_names().count(), 14);
        for name in all_names() {
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        for wrong in ["", "page", "crawl.", "crawl.Page", "extract.page", "batch.page"] {
            assert!(wrong.parse::<EventName>().is_err(), "{wrong}");
        }
    }
}
