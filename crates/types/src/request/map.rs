//! Map requests of v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extras::Extras;
use super::options::Location;
use super::setters::setters;
use crate::limits;
use crate::plan::SitemapMode;

/// A list of a site's URLs: the body of `POST /v2/map`.
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
    /// How the sitemap is used; default `include`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "include"))]
    pub sitemap: Option<SitemapMode>,
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
    /// Where requests appear to come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Accept a cached copy of a page that is read for its links, younger than this many milliseconds. The
    /// JSON has no such field.
    #[serde(skip)]
    pub max_age: Option<u64>,
    /// Accept any certificate. The JSON has no such field.
    #[serde(skip)]
    pub skip_tls_verification: Option<bool>,
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

setters! {
    MapRequest [] {
        /// Ranks the URLs by these words.
        search: text;
        /// Selects how the sitemap is used; default [`Include`](SitemapMode::Include).
        sitemap: value(SitemapMode);
        /// Counts hosts of the same registrable domain to the site; default `true`.
        include_subdomains: value(bool);
        /// Treats URLs that differ only in their query as the same page; default `true`.
        ignore_query_parameters: value(bool);
        /// Returns at most this many URLs; default 5,000.
        limit: value(u64);
        /// Sets the total deadline in milliseconds; by default, only each fetch has one.
        timeout: value(u64);
        /// Makes requests appear to come from this country, in these languages.
        location: value(Location);
        /// Accepts a cached copy of a page that is read for its links, younger than this many milliseconds.
        /// The default is that of the [`Defaults`](crate::request::Defaults): 0, which accepts none, for a
        /// program, and two days for the API.
        max_age: value(u64);
        /// Accepts any certificate. The default is that of the [`Defaults`](crate::request::Defaults):
        /// `false` for a program, `true` for the API.
        skip_tls_verification: value(bool);
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}
