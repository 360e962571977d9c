use gleaner_types::plan::SitemapMode;
use regex::RegexSet;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::plan::SiteUrl;

/// Patterns that are generated, of each kind.
pub const MAX_CRAWL_PATTERNS: usize = 50;

/// Options of a crawl that a prompt set (contract 4.5); those it says nothing about are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrawlOptions {
    /// Regular expressions on the path; only pages that match one are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include_paths: Vec<String>,
    /// Regular expressions on the path; pages that match one are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_paths: Vec<String>,
    /// Clicks from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    /// Pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Seconds between two requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// How the sitemap is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<SitemapMode>,
    /// Pages beside and above the start too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawl_entire_domain: Option<bool>,
    /// Other sites too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_external_links: Option<bool>,
    /// Subdomains too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_subdomains: Option<bool>,
    /// The query does not tell pages apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_query_parameters: Option<bool>,
}

impl CrawlOptions {
    /// Are no options set?
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

/// What a prompt became.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledCrawl {
    /// The options.
    pub options: CrawlOptions,
    /// Pages of the given addresses that the options take.
    pub matched: usize,
    /// Words and patterns of the prompt that match no address; they set no option.
    pub refused: Vec<String>,
    /// Did a model choose?
    pub by_model: bool,
}

impl CompiledCrawl {
    /// A sentence for the `warning` of an answer, where something was refused.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (!self.refused.is_empty())
            .then(|| format!("no page of the site matches: {}", self.refused.join(", ")))
    }
}
