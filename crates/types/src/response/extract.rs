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
    /// Always true; a refusal is an `ErrorBody`.
    pub success: bool,
    /// The job.
    pub id: JobId,
    /// Always empty; clients expect it.
    pub url_trace: Vec<Value>,
    /// The addresses that were left out; absent unless the request asked for invalid ones to be ignored.
    #[serde(rename = "invalidURLs", default, skip_serializing_if = "Option::is_none")]
    pub invalid_urls: Option<Vec<String>>,
}

impl ExtractSubmitted {
    /// A job of this id.
    #[must_use]
    pub const fn new(id: JobId) -> Self {
        Self { success: true, id, url_trace: Vec::new(), invalid_urls: None }
    }
}

/// How an extract job stands (contract 2.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractStatus {
    /// False where the job failed; the HTTP status is 200 all the same.
    pub success: bool,
    /// How it stands.
    pub status: ExtractState,
    /// The data, shaped by the schema or the prompt; `[]` until it is completed.
    pub data: Value,
    /// When the data is no longer served.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires_at: OffsetDateTime,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the reader should know about the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Where each value was found: a field path such as `offers[0]` to the pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, Vec<String>>>,
    /// What it cost.
    pub credits_used: u64,
    /// Tokens that went into it; 15 are a credit.
    pub tokens_used: u64,
}
