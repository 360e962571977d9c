//! The kinds and states of jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::EventKind;

/// A kind of job. Scrapes and maps are answered immediately and are not jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// A crawl of a site.
    Crawl,
    /// A scrape of many pages.
    BatchScrape,
    /// Structured data from pages.
    Extract,
}

impl JobKind {
    /// The name on the wire, with which event names begin: `crawl`, `batch_scrape` or `extract`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::BatchScrape => "batch_scrape",
            Self::Extract => "extract",
        }
    }

    /// The events of this kind of job.
    #[must_use]
    pub const fn events(self) -> &'static [EventKind] {
        match self {
            Self::Crawl | Self::BatchScrape => &[
                EventKind::Started,
                EventKind::Page,
                EventKind::Completed,
                EventKind::Failed,
                EventKind::Cancelled,
            ],
            Self::Extract => {
                &[EventKind::Started, EventKind::Completed, EventKind::Failed, EventKind::Cancelled]
            }
        }
    }

    /// The full name of an event, such as `crawl.page`.
    #[must_use]
    pub fn event_name(self, event: EventKind) -> String {
        format!("{}.{}", self.as_str(), event.as_str())
    }
}

/// The state of a crawl or batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Pages are waiting or being scraped.
    Scraping,
    /// The job completed.
    Completed,
    /// The job could not start or continue.
    Failed,
    /// The job was cancelled.
    Cancelled,
}

impl JobState {
    /// Whether the state is final.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Scraping)
    }

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scraping => "scraping",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The state of an extract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExtractState {
    /// The job is running.
    Processing,
    /// The job completed.
    Completed,
    /// The data could not be fully extracted.
    Failed,
    /// The job was cancelled.
    Cancelled,
}

impl ExtractState {
    /// Whether the state is final.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Processing)
    }
}
