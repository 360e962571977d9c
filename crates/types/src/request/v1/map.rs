//! Map requests of v1, and their conversion to v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits;
use crate::plan::SitemapMode;
use crate::request::{self, Extras, Location};

/// A list of a site's URLs: the body of `POST /v1/map`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MapRequest {
    /// The start page. A URL without a scheme gets `https`.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// Words that rank the URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_SEARCH_CHARS))]
    pub search: Option<String>,
    /// Do not read the sitemap; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_sitemap: Option<bool>,
    /// Read only the sitemap; default `false`. It excludes `ignoreSitemap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub sitemap_only: Option<bool>,
    /// Hosts of the same registrable domain belong to the site; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub include_subdomains: Option<bool>,
    /// URLs that differ only in their query are the same page; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub ignore_query_parameters: Option<bool>,
    /// At most this many URLs; default 5,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = limits::MAX_MAP_LIMIT), extend("default" = limits::DEFAULT_MAP_LIMIT))]
    pub limit: Option<u64>,
    /// The total deadline in milliseconds; by default, only each fetch has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = limits::MIN_TIMEOUT_MS, max = limits::MAX_TIMEOUT_MS))]
    pub timeout: Option<u64>,
    /// Accepted, without effect: there is no shared index of mapped sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_index: Option<bool>,
    /// Where requests appear to come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Other fields that clients send.
    #[serde(flatten)]
    pub extras: Extras,
}

impl MapRequest {
    /// A map of this site, with every default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

impl From<MapRequest> for request::MapRequest {
    fn from(v1: MapRequest) -> Self {
        let sitemap = match (v1.sitemap_only.unwrap_or(false), v1.ignore_sitemap.unwrap_or(false)) {
            (true, _) => SitemapMode::Only,
            (false, true) => SitemapMode::Skip,
            (false, false) => SitemapMode::Include,
        };
        Self {
            url: v1.url,
            search: v1.search,
            sitemap: Some(sitemap),
            include_subdomains: v1.include_subdomains,
            ignore_query_parameters: v1.ignore_query_parameters,
            limit: v1.limit,
            timeout: v1.timeout,
            location: v1.location,
            max_age: None,
            skip_tls_verification: None,
            extras: v1.extras,
        }
    }
}
