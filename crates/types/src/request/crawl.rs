//! Crawl requests of v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extras::Extras;
use super::options::ScrapeOptions;
use super::setters::{scrape_option_setters, setters};
use super::webhook::Webhook;
use crate::limits;
use crate::plan::SitemapMode;

/// A crawl of a site: the body of `POST /v2/crawl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CrawlRequest {
    /// The start page. A URL without a scheme gets `https`.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// A description from which a model generates the options that the request leaves out. A blank one is
    /// ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
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
    /// Links are not followed from pages this many clicks away from the start page; default unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// At most this many path segments below the start page. v2's JSON has no such field: it comes from v1's
    /// `maxDepth` or from Rust.
    #[serde(skip)]
    pub max_path_depth: Option<u32>,
    /// How the sitemap is used; default `include`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "include"))]
    pub sitemap: Option<SitemapMode>,
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

setters! {
    CrawlRequest [] {
        /// Lets a model generate the options that the request leaves out from this description.
        prompt: text;
        /// Skips URLs whose path matches one of these regular expressions.
        exclude_paths: list(String);
        /// Crawls only URLs whose path matches one of these regular expressions.
        include_paths: list(String);
        /// Matches patterns against the whole URL instead of its path; default `false`.
        regex_on_full_url: value(bool);
        /// Follows no links from pages this many clicks away from the start page; default unlimited.
        max_discovery_depth: value(u32);
        /// Crawls at most this many path segments below the start page; default unlimited.
        max_path_depth: value(u32);
        /// Selects how the sitemap is used; default [`Include`](SitemapMode::Include).
        sitemap: value(SitemapMode);
        /// Treats URLs that differ only in their query as the same page; default `false`.
        ignore_query_parameters: value(bool);
        /// Treats URLs that differ only in scheme, `www.`, trailing slash, index file or tracking parameters
        /// as the same page; default `true`.
        deduplicate_similar_urls: value(bool);
        /// Stops after this many documents; default 10,000.
        limit: value(u64);
        /// Crawls every page of the host, not only those below the start page; default `false`.
        crawl_entire_domain: value(bool);
        /// Crawls links to other sites too, one hop; default `false`.
        allow_external_links: value(bool);
        /// Crawls hosts of the same registrable domain too; default `false`.
        allow_subdomains: value(bool);
        /// Crawls pages that robots.txt forbids; default `false`.
        ignore_robots_txt: value(bool);
        /// Applies robots.txt's rules for this user agent; default the engine's own.
        robots_user_agent: text;
        /// Waits this many seconds between two requests to one host, which then gets one request at a time.
        delay: value(f64);
        /// Scrapes at most this many pages of the job at a time; default the team's limit.
        max_concurrency: value(u32);
        /// Sends the job's events to this receiver.
        webhook: value(Webhook);
        /// Sets all scrape options at once. The setters of single options, such as
        /// [`formats`](Self::formats), change these options.
        scrape_options: value(ScrapeOptions);
        /// Writes nothing of the pages to cache, disk or log; default `false`.
        zero_data_retention: value(bool);
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}
scrape_option_setters! { CrawlRequest [.scrape_options.get_or_insert_default()] }

/// Crawl options from a prompt, without a crawl: the body of `POST /v2/crawl/params-preview`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CrawlParamsPreviewRequest {
    /// The start page of the crawl.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// What to crawl, in words.
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: String,
    /// Other fields that clients send.
    #[serde(flatten)]
    pub extras: Extras,
}

impl CrawlParamsPreviewRequest {
    /// The options of a crawl from this page that this prompt describes.
    #[must_use]
    pub fn new(url: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self { url: url.into(), prompt: prompt.into(), ..Self::default() }
    }
}

setters! {
    CrawlParamsPreviewRequest [] {
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}
