//! The part of a checked crawl that the rules of `gleaner-frontier` need, without the rest of the contract.

#[cfg(feature = "contract")]
use schemars::JsonSchema;
#[cfg(feature = "contract")]
use serde::{Deserialize, Serialize};

/// The rules for which pages belong to a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlRules {
    /// Regular expressions. A URL that matches one of them is not crawled.
    pub exclude_paths: Vec<String>,
    /// Regular expressions. If there are any, a URL must match one of them.
    pub include_paths: Vec<String>,
    /// Match patterns against the whole URL instead of its path.
    pub regex_on_full_url: bool,
    /// Links are not followed from pages this many clicks away from the start page.
    pub max_discovery_depth: Option<u32>,
    /// At most this many path segments below the start URL (v1's `maxDepth`).
    pub max_path_depth: Option<u32>,
    /// How the sitemap is used.
    pub sitemap: SitemapMode,
    /// URLs that differ only in their query are the same page.
    pub ignore_query_parameters: bool,
    /// URLs that differ only in scheme, `www.`, trailing slash, index file or tracking parameters are the
    /// same page.
    pub deduplicate_similar_urls: bool,
    /// Crawl every page of the host, not only those below the start URL.
    pub crawl_entire_domain: bool,
    /// Crawl links to other sites too, one hop.
    pub allow_external_links: bool,
    /// Hosts of the same registrable domain belong to the site.
    pub allow_subdomains: bool,
    /// Crawl pages that robots.txt forbids.
    pub ignore_robots_txt: bool,
    /// The user agent whose rules in robots.txt apply; `None` takes the engine's own.
    pub robots_user_agent: Option<String>,
}

/// How a crawl uses the sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "contract", derive(Serialize, Deserialize, JsonSchema), serde(rename_all = "lowercase"))]
pub enum SitemapMode {
    /// The sitemap's pages and pages found by links.
    #[default]
    Include,
    /// Only pages found by links.
    Skip,
    /// Only the sitemap's pages and the start page.
    Only,
}
