use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ScrapeOptionsPlan, Target, WebhookPlan};

/// A site to crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlPlan {
    /// Where the crawl starts.
    pub target: Target,
    /// From which the engine generates options that the request left open.
    pub prompt: Option<String>,
    /// Which pages belong to the crawl.
    pub rules: CrawlRules,
    /// At most so many documents.
    pub limit: u64,
    /// Between two requests to one host, which is then asked one page at a time.
    pub delay: Option<Duration>,
    /// At most so many pages of this job at once; `None` leaves it to the team.
    pub max_concurrency: Option<u32>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// Where events go.
    pub webhook: Option<WebhookPlan>,
    /// Nothing of the pages reaches cache, disk or log.
    pub zero_data_retention: bool,
}

/// Crawl options to be generated from words, without a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlParamsPreviewPlan {
    /// Where the crawl would start.
    pub target: Target,
    /// What to crawl, in words.
    pub prompt: String,
}

/// Which pages belong to a crawl (contract 4.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlRules {
    /// Regular expressions; a URL that matches one is not crawled.
    pub exclude_paths: Vec<String>,
    /// Regular expressions; where there are any, a URL must match one.
    pub include_paths: Vec<String>,
    /// Patterns are searched in the whole URL in place of its path.
    pub regex_on_full_url: bool,
    /// No links are followed from pages this many clicks away.
    pub max_discovery_depth: Option<u32>,
    /// At most so many path segments below the start URL (v1's `maxDepth`).
    pub max_path_depth: Option<u32>,
    /// How the sitemap is used.
    pub sitemap: SitemapMode,
    /// The query does not tell pages apart.
    pub ignore_query_parameters: bool,
    /// Scheme, `www.`, trailing slash, index files and tracking parameters do not tell pages apart.
    pub deduplicate_similar_urls: bool,
    /// Any page of the host, not only those below the start URL.
    pub crawl_entire_domain: bool,
    /// Links to other sites are crawled too, one hop.
    pub allow_external_links: bool,
    /// Hosts of the same registrable domain belong to the site.
    pub allow_subdomains: bool,
    /// Crawl what robots.txt forbids.
    pub ignore_robots_txt: bool,
    /// The agent that robots.txt is read for; `None` takes the engine's own.
    pub robots_user_agent: Option<String>,
}

/// How a crawl uses the sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SitemapMode {
    /// The sitemap's pages and those found by links.
    #[default]
    Include,
    /// Links alone.
    Skip,
    /// The sitemap's pages alone, and the start page.
    Only,
}
