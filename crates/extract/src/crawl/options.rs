//! The crawl options that a prompt can set.

use gleaner_types::plan::SitemapMode;
use regex::RegexSet;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::plan::SiteUrl;

/// Upper bound on the generated patterns of each kind.
pub const MAX_CRAWL_PATTERNS: usize = 50;

/// Crawl options that a prompt sets; options that it does not mention are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrawlOptions {
    /// Regular expressions on the path; only matching pages are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include_paths: Vec<String>,
    /// Regular expressions on the path; matching pages are excluded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_paths: Vec<String>,
    /// Upper bound on the clicks from the start page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// Upper bound on the pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Seconds between two requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// How the sitemap is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<SitemapMode>,
    /// Whether to crawl pages beside and above the start page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawl_entire_domain: Option<bool>,
    /// Whether to follow links to other sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_external_links: Option<bool>,
    /// Whether to crawl subdomains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_subdomains: Option<bool>,
    /// Whether URLs that differ only in the query are the same page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_query_parameters: Option<bool>,
}

impl CrawlOptions {
    /// Whether no option is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counts the pages of a site that the patterns select.
    pub(super) fn count(&self, site: &[SiteUrl]) -> Result<usize, Error> {
        let set = |patterns: &[String]| {
            RegexSet::new(patterns).map_err(|fault| Error::from(ErrorKind::Options(fault.to_string())))
        };
        let include = set(&self.include_paths)?;
        let exclude = set(&self.exclude_paths)?;
        let taken = |page: &&SiteUrl| {
            let path = page.url.path();
            (include.is_empty() || include.is_match(path)) && !exclude.is_match(path)
        };
        Ok(site.iter().filter(taken).count())
    }
}

/// The result of compiling a prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledCrawl {
    /// The options.
    pub options: CrawlOptions,
    /// Number of the given URLs that the options select.
    pub matched: usize,
    /// Words and paths of the prompt that match no URL; they set no option.
    pub refused: Vec<String>,
    /// Whether a model changed the options.
    pub by_model: bool,
}

impl CompiledCrawl {
    /// A sentence for the `warning` of a response, if something matched no URL.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (!self.refused.is_empty())
            .then(|| format!("no page of the site matches: {}", self.refused.join(", ")))
    }
}
