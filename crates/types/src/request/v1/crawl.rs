use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::ScrapeOptions;
use crate::limits;
use crate::plan::SitemapMode;
use crate::request::{self, Extras, Webhook};

/// A site: the body of `POST /v1/crawl` (contract 9.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlRequest {
    /// Where the crawl starts; `https` is assumed where no scheme is given.
    #[schemars(example = "https://example.com/")]
    pub url: String,
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
    /// At most so many path segments below the start page; default no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// No links are followed from pages this many clicks away; default no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// Leave the sitemap unread; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_sitemap: Option<bool>,
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
    pub allow_backward_links: Option<bool>,
    /// A later name of `allowBackwardLinks`, which it overrides.
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
            // Even where it is left out: v1's defaults are not v2's.
            scrape_options: Some(v1.scrape_options.unwrap_or_default().into()),
            zero_data_retention: v1.zero_data_retention,
            extras: v1.extras,
        }
    }
}
