//! Responses for crawls and batches: submission, status, errors, and active crawls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::{Document, ErrorCode, JobId, JobState};

/// The answer to a submitted crawl or batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobSubmitted {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The id of the job.
    pub id: JobId,
    /// The absolute URL of the job's status.
    pub url: String,
    /// Batch only: the invalid URLs that were left out, possibly `[]`. Absent unless the request ignores
    /// invalid URLs.
    #[serde(rename = "invalidURLs", default, skip_serializing_if = "Option::is_none")]
    pub invalid_urls: Option<Vec<String>>,
    /// Only for a crawl with a `prompt`: the options that a model generated from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_generated_options: Option<Map<String, Value>>,
    /// Only for a crawl with a `prompt`: the options in effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_crawler_options: Option<Map<String, Value>>,
}

impl JobSubmitted {
    /// An answer with this job id and the URL of its status.
    #[must_use]
    pub fn new(id: JobId, url: impl Into<String>) -> Self {
        Self {
            success: true,
            id,
            url: url.into(),
            invalid_urls: None,
            prompt_generated_options: None,
            final_crawler_options: None,
        }
    }
}

/// The status of a crawl or batch, with a page of its documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    /// Always true, also for a job that failed: errors have an `ErrorBody`.
    pub success: bool,
    /// The state of the job.
    pub status: JobState,
    /// Pages with a document so far.
    pub completed: u64,
    /// Pages admitted so far: waiting, in progress or done. Never less than `completed`, and equal to it at
    /// the end.
    pub total: u64,
    /// The total cost of its pages in credits.
    pub credits_used: u64,
    /// When the documents expire.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires_at: OffsetDateTime,
    /// The absolute URL of the next documents. Absent at the end of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Documents in order of completion.
    pub data: Vec<Document>,
    /// When the job was submitted.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// When the job ended.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub completed_at: Option<OffsetDateTime>,
    /// A remark about the results, such as that robots.txt forbids the start page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Why the job failed. Only present if `status` is `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The answer to a cancelled job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobCancelled {
    /// Always `cancelled`.
    pub status: JobState,
}

impl Default for JobCancelled {
    fn default() -> Self {
        Self { status: JobState::Cancelled }
    }
}

/// The pages of a job without a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobErrors {
    /// Pages that failed, in order of failure.
    pub errors: Vec<ListedError>,
    /// Pages that robots.txt forbids.
    pub robots_blocked: Vec<String>,
}

/// A page that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JobError")] // The name in the description of the API.
pub struct ListedError {
    /// A UUID of the page's scrape.
    pub id: String,
    /// When the page failed.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub timestamp: OffsetDateTime,
    /// The URL of the page.
    pub url: String,
    /// The error code.
    pub code: ErrorCode,
    /// What happened, in words.
    pub error: String,
}

/// A team's running crawls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveCrawls {
    /// Always true.
    pub success: bool,
    /// The crawls.
    pub crawls: Vec<ActiveCrawl>,
}

/// A running crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveCrawl {
    /// The id of the job.
    pub id: JobId,
    /// The team of the job.
    #[serde(rename = "teamId")]
    pub team_id: String,
    /// The start URL.
    pub url: String,
    /// When the job was submitted. Unlike other fields, this one is in snake case on the wire.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// The options in effect, by the names of the request's fields.
    pub options: Map<String, Value>,
}
