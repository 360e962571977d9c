//! Crawl requests of v1, and their conversion to v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::ScrapeOptions;
use crate::limits;
use crate::plan::SitemapMode;
use crate::request::{self, Extras, Webhook};

/// A crawl of a site: the body of `POST /v1/crawl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CrawlRequest {
    /// The start page. A URL without a scheme gets `https`.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// Regular expressions. A URL whose path matches one of them is not crawled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PATTERNS), inner(length(min = 1, max = limits::MAX_PATTERN_CHARS)))]
    pub exclude_paths: Option<Vec<String>>,
    /// Regular expressions. If there are any, a URL's path must match one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PATTERNS), inner(length(min = 1, max = limits::MAX_PATTERN_CHARS)))]
    pub include_paths: Option<Vec<String>>,
    /// Match patterns against the whole URL instead of its path; default `false`.
    #[serde(rename = "regexOnFullURL", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub regex_on_full_url: Option<bool>,
    /// At most this many path segments below the start page; default unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// Links are not followed from pages this many clicks away from the start page; default unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// Do not read the sitemap; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_sitemap: Option<bool>,
    /// URLs that differ only in their query are the same page; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_query_parameters: Option<bool>,
    /// URLs that differ only in scheme, `www.`, trailing slash, index file or tracking parameters are the
    /// same page; default `true`.
    #[serde(rename = "deduplicateSimilarURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub deduplicate_similar_urls: Option<bool>,
    /// At most this many documents; default 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = limits::DEFAULT_CRAWL_LIMIT))]
    pub limit: Option<u64>,
    /// Crawl every page of the host, not only those below the start page; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_backward_links: Option<bool>,
    /// A newer name for `allowBackwardLinks`, which it overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawl_entire_domain: Option<bool>,
    /// Crawl links to other sites too, one hop; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_external_links: Option<bool>,
    /// Crawl hosts of the same registrable domain too; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_subdomains: Option<bool>,
    /// Crawl pages that robots.txt forbids; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_robots_txt: Option<bool>,
    /// The user agent whose rules in robots.txt apply; default the engine's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_USER_AGENT_CHARS))]
    pub robots_user_agent: Option<String>,
    /// Seconds between two requests to one host. With a delay, each host gets one request at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = limits::MAX_DELAY_SECONDS))]
    pub delay: Option<f64>,
    /// At most this many pages of the job at a time; default the team's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// The receiver of the job's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// How each page is scraped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrape_options: Option<ScrapeOptions>,
    /// Write nothing of the pages to cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// Other fields that clients send.
    #[serde(flatten)]
    pub extras: Extras,
}

impl CrawlRequest {
    /// A crawl that starts at this URL, with every default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

impl From<CrawlRequest> for request::CrawlRequest {
    fn from(v1: CrawlRequest) -> Self {
        Self {
            url: v1.url,
            prompt: None,
            exclude_paths: v1.exclude_paths,
            include_paths: v1.include_paths,
            regex_on_full_url: v1.regex_on_full_url,
            max_discovery_depth: v1.max_discovery_depth,
            max_path_depth: v1.max_depth,
            sitemap: Some(if v1.ignore_sitemap.unwrap_or(false) {
                SitemapMode::Skip
            } else {
                SitemapMode::Include
            }),
            ignore_query_parameters: v1.ignore_query_parameters,
            deduplicate_similar_urls: v1.deduplicate_similar_urls,
            limit: v1.limit,
            crawl_entire_domain: v1.crawl_entire_domain.or(v1.allow_backward_links),
            allow_external_links: v1.allow_external_links,
            allow_subdomains: v1.allow_subdomains,
            ignore_robots_txt: v1.ignore_robots_txt,
            robots_user_agent: v1.robots_user_agent,
            delay: v1.delay,
            max_concurrency: v1.max_concurrency,
            webhook: v1.webhook,
            // Set even if the request leaves it out: v1's defaults are not v2's.
            scrape_options: Some(v1.scrape_options.unwrap_or_default().into()),
            zero_data_retention: v1.zero_data_retention,
            extras: v1.extras,
        }
    }
}
