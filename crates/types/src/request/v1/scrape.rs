//! Scrape and batch requests of v1, and their conversion to v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::ScrapeOptions;
use crate::limits;
use crate::request::{self, Webhook};

/// A scrape of one page: the body of `POST /v1/scrape`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScrapeRequest {
    /// The page. A URL without a scheme gets `https`.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// Write nothing of the page to cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// How the page is scraped. In JSON, these fields are next to `url`.
    #[serde(flatten)]
    pub options: ScrapeOptions,
}

impl ScrapeRequest {
    /// A scrape of this page, with every default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

impl From<ScrapeRequest> for request::ScrapeRequest {
    fn from(v1: ScrapeRequest) -> Self {
        Self { url: v1.url, zero_data_retention: v1.zero_data_retention, options: v1.options.into() }
    }
}

/// A scrape of many pages in one job: the body of `POST /v1/batch/scrape`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BatchScrapeRequest {
    /// The pages, in order.
    #[schemars(length(min = 1, max = limits::MAX_BATCH_URLS))]
    pub urls: Vec<String>,
    /// The receiver of the job's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// At most this many pages of the job at a time; default the team's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// Leave invalid URLs out and list them in the answer, instead of refusing the request; default `false`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_invalid_urls: Option<bool>,
    /// The job to add to, instead of a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_to_id: Option<String>,
    /// Write nothing of the pages to cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// How each page is scraped. In JSON, these fields are next to `urls`.
    #[serde(flatten)]
    pub options: ScrapeOptions,
}

impl BatchScrapeRequest {
    /// A scrape of these pages, with every default.
    #[must_use]
    pub fn new<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Self {
        Self { urls: urls.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

impl From<BatchScrapeRequest> for request::BatchScrapeRequest {
    fn from(v1: BatchScrapeRequest) -> Self {
        Self {
            urls: v1.urls,
            webhook: v1.webhook,
            max_concurrency: v1.max_concurrency,
            ignore_invalid_urls: Some(v1.ignore_invalid_urls.unwrap_or(false)),
            append_to_id: v1.append_to_id,
            zero_data_retention: v1.zero_data_retention,
            options: v1.options.into(),
        }
    }
}
