//! The checked webhook of a job, and the kinds of its events.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::SafeUrl;
use crate::redacted::{debug_with, header_names};

/// The receiver of a job's events.
#[derive(Clone, PartialEq)]
pub struct WebhookPlan {
    /// The URL that events are sent to.
    pub url: Url,
    /// Headers of each event's request; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Returned in each event.
    pub metadata: Map<String, Value>,
    /// The events to send; never empty.
    pub events: Vec<EventKind>,
}

debug_with!(WebhookPlan { metadata, events } url: SafeUrl::from, headers: header_names);

/// A kind of event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The job started.
    Started,
    /// A page completed or failed.
    Page,
    /// The job completed.
    Completed,
    /// The job failed.
    Failed,
    /// The job was cancelled.
    Cancelled,
}

impl EventKind {
    /// The short name, such as `page`. [`JobKind::event_name`](crate::JobKind::event_name) returns the full
    /// one.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Page => "page",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
