use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::EventKind;

/// Which kind of job. A scrape and a map are answered at once and are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// A site.
    Crawl,
    /// Many pages.
    BatchScrape,
    /// Structured data from pages.
    Extract,
}

impl JobKind {
    /// The name that the names of its events begin with: `crawl`, `batch_scrape` or `extract`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::BatchScrape => "batch_scrape",
            Self::Extract => "extract",
        }
    }

    /// The events that a job of this kind has.
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

    /// The full name of an event of this kind of job: `crawl.page`.
    #[must_use]
    pub fn event_name(self, event: EventKind) -> String {
        format!("{}.{}", self.as_str(), event.as_str())
    }
}

/// How a crawl or batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Pages wait or are being scraped.
    Scraping,
    /// It came to its end.
    Completed,
    /// It could not start or go on.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobState {
    /// Will it change no more?
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

/// How an extract job stands (contract 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExtractState {
    /// It is being worked on.
    Processing,
    /// It came to its end.
    Completed,
    /// The data could not be fully extracted.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl ExtractState {
    /// Will it change no more?
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Processing)
    }
}
