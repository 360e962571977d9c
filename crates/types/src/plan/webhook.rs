use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::SafeUrl;
use crate::shown::{debug_with, names};

/// Where a job's events go.
#[derive(Clone, PartialEq)]
pub struct WebhookPlan {
    /// The receiver.
    pub url: Url,
    /// Sent with each event; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Returned in each event.
    pub metadata: Map<String, Value>,
    /// Which events are sent; never empty.
    pub events: Vec<EventKind>,
}

debug_with!(WebhookPlan { metadata, events } url: SafeUrl::from, headers: names);

/// What happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The job began.
    Started,
    /// A page ended.
    Page,
    /// The job came to its end.
    Completed,
    /// The job could not go on.
    Failed,
    /// The job was cancelled.
    Cancelled,
}

impl EventKind {
    /// The short name: `page`. [`JobKind::event_name`](crate::JobKind::event_name) gives the full one.
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
