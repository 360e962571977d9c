use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{JobId, JobKind, JobState};

/// The answer to `GET /v2/team/activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activities {
    /// Always true.
    pub success: bool,
    /// The team's jobs and scrapes that have ended, the one that ended last first.
    pub data: Vec<Activity>,
}

/// A job or a scrape that has ended. It stays when its results are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// The job.
    pub id: JobId,
    /// What was asked for.
    pub kind: ActivityKind,
    /// The address that it began with; empty where it was given none, and with zero data retention.
    pub url: String,
    /// How it ended. A scrape that gave no document failed, or was cancelled where nobody waited for it any longer.
    pub status: JobState,
    /// What it cost.
    pub credits_used: u64,
    /// When it was submitted.
    #[serde(with = "crate::timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: OffsetDateTime,
    /// When it ended.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub completed_at: Option<OffsetDateTime>,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// One page.
    Scrape,
    /// Many pages.
    BatchScrape,
    /// A site.
    Crawl,
    /// Structured data from pages.
    Extract,
}

impl From<Option<JobKind>> for ActivityKind {
    /// A scrape is answered at once and has no kind of job.
    fn from(kind: Option<JobKind>) -> Self {
        match kind {
            None => Self::Scrape,
            Some(JobKind::BatchScrape) => Self::BatchScrape,
            Some(JobKind::Crawl) => Self::Crawl,
            Some(JobKind::Extract) => Self::Extract,
        }
    }
}
