use serde_json::Value;

use super::{ScrapeOptionsPlan, Target, WebhookPlan};

/// Structured data from pages.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractPlan {
    /// The pages; one with `wildcard` stands for all pages below it. Empty in the prompt-only mode.
    pub sources: Vec<ExtractSource>,
    /// The addresses that were left out; `None` unless the request asked for invalid ones to be ignored.
    pub invalid_urls: Option<Vec<String>>,
    /// What to extract, in words.
    pub prompt: Option<String>,
    /// The model's system prompt.
    pub system_prompt: Option<String>,
    /// A JSON Schema of the result.
    pub schema: Option<Value>,
    /// Pages outside the given ones may add to the result.
    pub enable_web_search: bool,
    /// Tell where each value was found.
    pub show_sources: bool,
    /// Hosts of the same registrable domain belong to a wildcard's site.
    pub include_subdomains: bool,
    /// Leave the sitemap of a wildcard's site unread.
    pub ignore_sitemap: bool,
    /// Links to other sites may be followed.
    pub allow_external_links: bool,
    /// At most so many pages.
    pub limit: Option<u64>,
    /// The agent model to use, if any.
    pub agent_model: Option<String>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// Where events go.
    pub webhook: Option<WebhookPlan>,
    /// Nothing of the pages reaches cache, disk or log.
    pub zero_data_retention: bool,
}

/// A page, or all pages below an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractSource {
    /// The page, without the `/*`.
    pub target: Target,
    /// All pages below it.
    pub wildcard: bool,
}
