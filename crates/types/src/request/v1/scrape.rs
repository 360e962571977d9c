use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::ScrapeOptions;
use crate::limits;
use crate::request::{self, Webhook};

/// One page: the body of `POST /v1/scrape`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScrapeRequest {
    /// The page; `https` is assumed where no scheme is given.
    #[schemars(example = "https://example.com/")]
    pub url: String,
    /// Nothing of the page reaches cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// How it is scraped; these fields stand beside `url`.
    #[serde(flatten)]
    pub options: ScrapeOptions,
}

impl ScrapeRequest {
    /// This page, with every default.
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

/// Many pages in one job: the body of `POST /v1/batch/scrape` (contract 4.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchScrapeRequest {
    /// The pages, in their order.
    #[schemars(length(min = 1, max = limits::MAX_BATCH_URLS))]
    pub urls: Vec<String>,
    /// Where events go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// At most so many pages of this job at once; default the team's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// Leave invalid addresses out and list them in the answer, in place of refusing the request; default `false`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_invalid_urls: Option<bool>,
    /// The job to add to, in place of a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_to_id: Option<String>,
    /// Nothing of the pages reaches cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// How each page is scraped; these fields stand beside `urls`.
    #[serde(flatten)]
    pub options: ScrapeOptions,
}

impl BatchScrapeRequest {
    /// These pages, with every default.
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
