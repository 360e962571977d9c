use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::{Document, ErrorCode, JobId, JobState};

/// The answer to a submitted crawl or batch (contract 2.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobSubmitted {
    /// Always true; a refusal is an `ErrorBody`.
    pub success: bool,
    /// The job.
    pub id: JobId,
    /// The absolute address that its status is read from.
    pub url: String,
    /// Batch only: the addresses that were left out. Present, if only as `[]`, where the request asked for invalid ones
    /// to be ignored, and absent where it did not.
    #[serde(rename = "invalidURLs", default, skip_serializing_if = "Option::is_none")]
    pub invalid_urls: Option<Vec<String>>,
    /// Crawl with a `prompt` only: the options that a model generated from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_generated_options: Option<Map<String, Value>>,
    /// Crawl with a `prompt` only: the options that the crawl runs with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_crawler_options: Option<Map<String, Value>>,
}

impl JobSubmitted {
    /// A job of this id, whose status is read from this address.
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

/// How a crawl or batch stands, with a piece of its documents (contract 2.3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    /// The status could be read; true also for a job that failed.
    pub success: bool,
    /// How it stands.
    pub status: JobState,
    /// Pages that gave a document so far.
    pub completed: u64,
    /// Pages admitted so far: waiting, in work or done. Never less than `completed`, and the same at the end.
    pub total: u64,
    /// The sum of what its pages cost.
    pub credits_used: u64,
    /// When its documents are no longer served.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires_at: OffsetDateTime,
    /// The absolute address of the next documents; absent at the end of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Documents, in order of completion.
    pub data: Vec<Document>,
    /// When it was submitted.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// When it ended.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub completed_at: Option<OffsetDateTime>,
    /// What the reader should know, such as that robots.txt forbade the start page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Why it failed; only where `status` is `failed`.
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

/// The pages of a job that gave no document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobErrors {
    /// Those that failed, in the order in which they did.
    pub errors: Vec<JobError>,
    /// Those that robots.txt forbids.
    pub robots_blocked: Vec<String>,
}

/// A page that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobError {
    /// A UUID of the page's scrape.
    pub id: String,
    /// When it failed.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub timestamp: OffsetDateTime,
    /// The page.
    pub url: String,
    /// The contract's code.
    pub code: ErrorCode,
    /// What happened, in words.
    pub error: String,
}

/// A team's crawls that have not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveCrawls {
    /// Always true.
    pub success: bool,
    /// The crawls.
    pub crawls: Vec<ActiveCrawl>,
}

/// A crawl that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveCrawl {
    /// The job.
    pub id: JobId,
    /// Whose it is.
    #[serde(rename = "teamId")]
    pub team_id: String,
    /// Where it started.
    pub url: String,
    /// When it was submitted. The wire's name really is `created_at`.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// The options that it runs with, in the request's names.
    pub options: Map<String, Value>,
}
