//! The last scrape of a page, for change tracking.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::TeamId;

/// Identifies the history of a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryKey {
    /// The team that owns it.
    pub team: TeamId,
    /// The URL of the page.
    pub url: String,
    /// Separates several histories of the same page.
    pub tag: Option<String>,
}

/// A scrape that change tracking compares the next one with.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedScrape {
    /// The history that it belongs to.
    pub key: HistoryKey,
    /// The page as scraped now.
    pub scrape: PastScrape,
}

/// A page as it was scraped.
#[derive(Debug, Clone, PartialEq)]
pub struct PastScrape {
    /// Time of the scrape, since the Unix epoch.
    pub at: Duration,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The Markdown of the page.
    pub markdown: Arc<str>,
    /// The extracted data, if the mode of change tracking asked for it.
    pub json: Option<Value>,
}
