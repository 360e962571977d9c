use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extras::Extras;
use super::options::ScrapeOptions;
use super::webhook::Webhook;
use crate::limits;
use crate::plan::SitemapMode;

/// A site: the body of `POST /v2/crawl` (contract 4.5).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlRequest {
    /// Where the crawl starts; `https` is assumed where no scheme is given.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// From which a model generates the options that are left out; a blank one is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// Regular expressions; a URL whose path matches one is not crawled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PATTERNS), inner(length(min = 1, max = limits::MAX_PATTERN_CHARS)))]
    pub exclude_paths: Option<Vec<String>>,
    /// Regular expressions; where there are any, a URL's path must match one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PATTERNS), inner(length(min = 1, max = limits::MAX_PATTERN_CHARS)))]
    pub include_paths: Option<Vec<String>>,
    /// Patterns are searched in the whole URL in place of its path; default `false`.
    #[serde(rename = "regexOnFullURL", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub regex_on_full_url: Option<bool>,
    /// No links are followed from pages this many clicks away; default no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// At most so many path segments below the start page. It has no name in v2's JSON: it comes from v1's
    /// `maxDepth` or from Rust.
    #[serde(skip)]
    pub max_path_depth: Option<u32>,
    /// How the sitemap is used; default `include`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "include"))]
    pub sitemap: Option<SitemapMode>,
    /// The query does not tell pages apart; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_query_parameters: Option<bool>,
    /// Scheme, `www.`, trailing slash, index files and tracking parameters do not tell pages apart; default `true`.
    #[serde(rename = "deduplicateSimilarURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub deduplicate_similar_urls: Option<bool>,
    /// At most so many documents; default 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = limits::DEFAULT_CRAWL_LIMIT))]
    pub limit: Option<u64>,
    /// Any page of the host, not only those below the start page; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub crawl_entire_domain: Option<bool>,
    /// Crawl links to other sites too, one hop; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_external_links: Option<bool>,
    /// Crawl hosts of the same registrable domain too; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_subdomains: Option<bool>,
    /// Crawl what robots.txt forbids; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_robots_txt: Option<bool>,
    /// The agent that robots.txt is read for; default the engine's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_USER_AGENT_CHARS))]
    pub robots_user_agent: Option<String>,
    /// Seconds between two requests to one host, which is then asked one page at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = limits::MAX_DELAY_SECONDS))]
    pub delay: Option<f64>,
    /// At most so many pages of this job at once; default the team's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// Where events go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// How each page is scraped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrape_options: Option<ScrapeOptions>,
    /// Nothing of the pages reaches cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// What clients send beside these.
    #[serde(flatten)]
    pub extras: Extras,
}

impl CrawlRequest {
    /// A crawl from this page, with every default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

/// Crawl options from a prompt, without a crawl: the body of `POST /v2/crawl/params-preview`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlParamsPreviewRequest {
    /// Where the crawl would start.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// What to crawl, in words.
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: String,
    /// What clients send beside these.
    #[serde(flatten)]
    pub extras: Extras,
}

impl CrawlParamsPreviewRequest {
    /// The options of a crawl from this page that is described so.
    #[must_use]
    pub fn new(url: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self { url: url.into(), prompt: prompt.into(), ..Self::default() }
    }
}
