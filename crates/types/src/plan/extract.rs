//! Checked extract requests.

use serde_json::Value;

use super::{ScrapeOptionsPlan, Target, WebhookPlan};

/// Structured data from pages.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractPlan {
    /// The pages. One with `wildcard` stands for all pages below it. Empty if the request has only a prompt.
    pub sources: Vec<ExtractSource>,
    /// The invalid URLs that were left out; `None` unless the request ignores invalid URLs.
    pub invalid_urls: Option<Vec<String>>,
    /// What to extract, in words.
    pub prompt: Option<String>,
    /// The model's system prompt.
    pub system_prompt: Option<String>,
    /// A JSON Schema of the result.
    pub schema: Option<Value>,
    /// Pages outside the given ones may add to the result.
    pub enable_web_search: bool,
    /// Report where each value was found.
    pub show_sources: bool,
    /// Hosts of the same registrable domain belong to a wildcard's site.
    pub include_subdomains: bool,
    /// Do not read the sitemap of a wildcard's site.
    pub ignore_sitemap: bool,
    /// Links to other sites may be followed.
    pub allow_external_links: bool,
    /// At most this many pages.
    pub limit: Option<u64>,
    /// The agent model to use, if any.
    pub agent_model: Option<String>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// The receiver of the job's events.
    pub webhook: Option<WebhookPlan>,
    /// Write nothing of the pages to cache, disk or log.
    pub zero_data_retention: bool,
}

/// A page, or all pages below a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractSource {
    /// The page, without the `/*`.
    pub target: Target,
    /// Whether it stands for all pages below it.
    pub wildcard: bool,
}
