//! Extract requests of v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extras::Extras;
use super::options::ScrapeOptions;
use super::setters::setters;
use super::webhook::Webhook;
use crate::limits;

/// Structured data from pages: the body of `POST /v2/extract`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExtractRequest {
    /// The pages. One that ends in `/*` stands for all pages below it. Without any, the `prompt` alone is
    /// answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_EXTRACT_URLS))]
    pub urls: Option<Vec<String>>,
    /// What to extract, in words; required without `schema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// The model's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub system_prompt: Option<String>,
    /// A JSON Schema of the result; required without `prompt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub schema: Option<Value>,
    /// Pages outside the given ones may add to the result; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub enable_web_search: Option<bool>,
    /// An agent for tasks that need navigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Leave invalid URLs out and list them in the answer, instead of refusing the request; default `true`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub ignore_invalid_urls: Option<bool>,
    /// Report where each value was found; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub show_sources: Option<bool>,
    /// Hosts of the same registrable domain belong to a wildcard's site; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub include_subdomains: Option<bool>,
    /// Do not read the sitemap of a wildcard's site; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_sitemap: Option<bool>,
    /// Links to other sites may be followed; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_external_links: Option<bool>,
    /// At most this many pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// How each page is scraped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrape_options: Option<ScrapeOptions>,
    /// The receiver of the job's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// Write nothing of the pages to cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// Other fields that clients send.
    #[serde(flatten)]
    pub extras: Extras,
}

impl ExtractRequest {
    /// Data from these pages, with every default. The request needs a `prompt`, a `schema` or both.
    #[must_use]
    pub fn new<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Self {
        Self { urls: Some(urls.into_iter().map(Into::into).collect()), ..Self::default() }
    }
}

setters! {
    ExtractRequest [] {
        /// Sets the pages. One that ends in `/*` stands for all pages below it.
        urls: list(String);
        /// Describes in words what to extract.
        prompt: text;
        /// Sets the model's system prompt.
        system_prompt: text;
        /// Shapes the result by this JSON Schema, as `serde_json::json!` writes one. It must be an object.
        schema: json;
        /// Lets pages outside the given ones add to the result; default `false`.
        enable_web_search: value(bool);
        /// Sets an agent for tasks that need navigation.
        agent: value(Agent);
        /// Leaves invalid URLs out and lists them in the answer, instead of refusing the request; default
        /// `true`.
        ignore_invalid_urls: value(bool);
        /// Reports where each value was found; default `false`.
        show_sources: value(bool);
        /// Counts hosts of the same registrable domain to a wildcard's site; default `true`.
        include_subdomains: value(bool);
        /// Does not read the sitemap of a wildcard's site; default `false`.
        ignore_sitemap: value(bool);
        /// Allows links to other sites; default `false`.
        allow_external_links: value(bool);
        /// Reads at most this many pages.
        limit: value(u64);
        /// Sets how each page is scraped.
        scrape_options: value(ScrapeOptions);
        /// Sends the job's events to this receiver.
        webhook: value(Webhook);
        /// Writes nothing of the pages to cache, disk or log; default `false`.
        zero_data_retention: value(bool);
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}

/// An agent that navigates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Agent {
    /// The name of its model.
    #[schemars(length(min = 1, max = limits::MAX_CLIENT_NAME_CHARS))]
    pub model: String,
}

impl Agent {
    /// An agent of this model.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into() }
    }
}
