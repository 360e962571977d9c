//! Extract requests of v1, and their conversion to v2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::options::ScrapeOptions;
use crate::limits;
use crate::request::{self, Agent, Extras, Webhook};

/// Structured data from pages: the body of `POST /v1/extract`. It differs from v2's in its scrape options and
/// in the default of `ignoreInvalidURLs`.
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
    /// Leave invalid URLs out and list them in the answer, instead of refusing the request; default `false`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
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

impl From<ExtractRequest> for request::ExtractRequest {
    fn from(v1: ExtractRequest) -> Self {
        Self {
            urls: v1.urls,
            prompt: v1.prompt,
            system_prompt: v1.system_prompt,
            schema: v1.schema,
            enable_web_search: v1.enable_web_search,
            agent: v1.agent,
            ignore_invalid_urls: Some(v1.ignore_invalid_urls.unwrap_or(false)),
            show_sources: v1.show_sources,
            include_subdomains: v1.include_subdomains,
            ignore_sitemap: v1.ignore_sitemap,
            allow_external_links: v1.allow_external_links,
            limit: v1.limit,
            // Set even if the request leaves it out: v1's defaults are not v2's.
            scrape_options: Some(v1.scrape_options.unwrap_or_default().into()),
            webhook: v1.webhook,
            zero_data_retention: v1.zero_data_retention,
            extras: v1.extras,
        }
    }
}
