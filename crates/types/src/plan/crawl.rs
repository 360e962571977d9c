//! Checked crawl requests.

use std::time::Duration;

use super::{CrawlRules, ScrapeOptionsPlan, Target, WebhookPlan};

/// A site to crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlPlan {
    /// The start page.
    pub target: Target,
    /// A description from which the engine generates the options that the request leaves out.
    pub prompt: Option<String>,
    /// The rules for which pages belong to the crawl.
    pub rules: CrawlRules,
    /// At most this many documents.
    pub limit: u64,
    /// The delay between two requests to one host. With a delay, each host gets one request at a time.
    pub delay: Option<Duration>,
    /// At most this many pages of the job at a time; `None` applies only the team's limit.
    pub max_concurrency: Option<u32>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// The receiver of the job's events.
    pub webhook: Option<WebhookPlan>,
    /// Write nothing of the pages to cache, disk or log.
    pub zero_data_retention: bool,
}

/// A request to generate crawl options from a description, without a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlParamsPreviewPlan {
    /// The start page of the crawl.
    pub target: Target,
    /// What to crawl, in words.
    pub prompt: String,
}
