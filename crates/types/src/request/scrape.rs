//! Scrape and batch requests of v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extras::Extras;
use super::options::ScrapeOptions;
use super::setters::{scrape_option_setters, setters};
use super::webhook::Webhook;
use crate::limits;

/// A scrape of one page: the body of `POST /v2/scrape`.
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

setters! {
    ScrapeRequest [] {
        /// Writes nothing of the page to cache, disk or log; default `false`.
        zero_data_retention: value(bool);
        /// Sets all scrape options at once. The setters of single options, such as
        /// [`formats`](Self::formats), change these options.
        options: plain(ScrapeOptions);
    }
}
setters! {
    ScrapeRequest [.options] {
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}
scrape_option_setters! { ScrapeRequest [.options] }

/// A scrape of many pages in one job: the body of `POST /v2/batch/scrape`.
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
    /// Leave invalid URLs out and list them in the answer, instead of refusing the request; default `true`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
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

setters! {
    BatchScrapeRequest [] {
        /// Sends the job's events to this receiver.
        webhook: value(Webhook);
        /// Scrapes at most this many pages of the job at a time; default the team's limit.
        max_concurrency: value(u32);
        /// Leaves invalid URLs out and lists them in the answer, instead of refusing the request; default
        /// `true`.
        ignore_invalid_urls: value(bool);
        /// Adds the pages to the job of this id, instead of a new one.
        append_to_id: text;
        /// Writes nothing of the pages to cache, disk or log; default `false`.
        zero_data_retention: value(bool);
        /// Sets all scrape options at once. The setters of single options, such as
        /// [`formats`](Self::formats), change these options.
        options: plain(ScrapeOptions);
    }
}
setters! {
    BatchScrapeRequest [.options] {
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}
scrape_option_setters! { BatchScrapeRequest [.options] }
