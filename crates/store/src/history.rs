//! The last scrape of a page, which change tracking compares the next one with.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::TeamId;

/// Which history a scrape belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryKey {
    /// Whose it is.
    pub team: TeamId,
    /// The page.
    pub url: String,
    /// Separates histories of the same page.
    pub tag: Option<String>,
}

/// A scrape that change tracking is to compare the next one with.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Where it belongs.
    pub key: HistoryKey,
    /// The page as it is now.
    pub scrape: PastScrape,
}

/// A page as it was once scraped.
#[derive(Debug, Clone, PartialEq)]
pub struct PastScrape {
    /// When, since the Unix epoch.
    pub at: Duration,
    /// HTTP status.
    pub status: Option<u16>,
    /// The Markdown.
    pub markdown: Arc<str>,
    /// What was extracted, where a mode of change tracking asked for it.
    pub json: Option<Value>,
}
