//! The webhook of a request.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bare_name::{self, name_or_object};
use super::setters::setters;
use crate::limits;
use crate::redacted::{debug_with, optional_header_names, redacted_url};

/// The receiver of a job's events: a bare URL, or an object.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", rename_all = "camelCase")]
#[schemars(!remote, transform = bare_name::allow_url)]
#[non_exhaustive]
pub struct Webhook {
    /// The URL that events are sent to.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// Headers of each event's request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true))]
    pub headers: Option<BTreeMap<String, String>>,
    /// Returned in each event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The events to send, by short name (`page`) or full name (`crawl.page`); default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_WEBHOOK_EVENTS))]
    pub events: Option<Vec<String>>,
}
name_or_object!(Webhook, "url");
debug_with!(Webhook { metadata, events } url: redacted_url, headers: optional_header_names);

impl Webhook {
    /// A receiver of all events at this URL.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

setters! {
    Webhook [] {
        /// Sends these headers with each event.
        headers: pairs(String);
        /// Returns these values in each event.
        metadata: pairs(Value);
        /// Sends only these events, by short name (`page`) or full name (`crawl.page`).
        events: list(String);
    }
}
