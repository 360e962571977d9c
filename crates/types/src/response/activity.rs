//! The list of a team's finished jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{JobId, JobKind, JobState};

/// The answer to `GET /v2/team/activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activities {
    /// Always true.
    pub success: bool,
    /// The team's finished jobs and scrapes, the latest first.
    pub data: Vec<Activity>,
}

/// A finished job or scrape. It remains listed after its results expire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// The id of the job.
    pub id: JobId,
    /// The kind of request.
    pub kind: ActivityKind,
    /// The start URL. Empty if the request has no URL, and with zero data retention.
    pub url: String,
    /// The final state. A scrape without a document failed, or was cancelled if its client had disconnected.
    pub status: JobState,
    /// The cost in credits.
    pub credits_used: u64,
    /// When the request was submitted.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// When the job or scrape ended.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub completed_at: Option<OffsetDateTime>,
}

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// A scrape of one page.
    Scrape,
    /// A scrape of many pages.
    BatchScrape,
    /// A crawl of a site.
    Crawl,
    /// Structured data from pages.
    Extract,
}

impl From<Option<JobKind>> for ActivityKind {
    /// A scrape is answered immediately and has no kind of job.
    fn from(kind: Option<JobKind>) -> Self {
        match kind {
            None => Self::Scrape,
            Some(JobKind::BatchScrape) => Self::BatchScrape,
            Some(JobKind::Crawl) => Self::Crawl,
            Some(JobKind::Extract) => Self::Extract,
        }
    }
}
