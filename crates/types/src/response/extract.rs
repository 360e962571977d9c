//! Responses for extract jobs: submission and status.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{ExtractState, JobId};

/// The answer to a submitted extract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExtractSubmitted {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The id of the job.
    pub id: JobId,
    /// Always empty. Clients expect the field.
    pub url_trace: Vec<Value>,
    /// The invalid URLs that were left out. Absent unless the request ignores invalid URLs.
    #[serde(rename = "invalidURLs", default, skip_serializing_if = "Option::is_none")]
    pub invalid_urls: Option<Vec<String>>,
}

impl ExtractSubmitted {
    /// An answer with this job id.
    #[must_use]
    pub const fn new(id: JobId) -> Self {
        Self { success: true, id, url_trace: Vec::new(), invalid_urls: None }
    }
}

/// The status of an extract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractStatus {
    /// False if the job failed. The HTTP status is 200 in both cases.
    pub success: bool,
    /// The state of the job.
    pub status: ExtractState,
    /// The data, shaped by the schema or the prompt; `[]` until the job has completed.
    pub data: Value,
    /// When the data expires.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires_at: OffsetDateTime,
    /// Why the job failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A remark about the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Where each value was found: the pages of each field path, such as `offers[0]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// The cost in credits.
    pub credits_used: u64,
    /// The tokens used; 15 tokens are one credit.
    pub tokens_used: u64,
}
