use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extras::Extras;
use super::options::ScrapeOptions;
use super::webhook::Webhook;
use crate::{Faults, limits};

/// Structured data from pages: the body of `POST /v2/extract` (contract 4.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractRequest {
    /// The pages; one that ends in `/*` stands for all pages below it. Without any, `prompt` alone is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_EXTRACT_URLS))]
    pub urls: Option<Vec<String>>,
    /// What to extract, in words; needed where `schema` is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// The model's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub system_prompt: Option<String>,
    /// A JSON Schema of the result; needed where `prompt` is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
    /// Pages outside the given ones may add to the result; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub enable_web_search: Option<bool>,
    /// An agent for tasks that need navigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Leave invalid addresses out and list them in the answer, in place of refusing the request; default `true`.
    #[serde(rename = "ignoreInvalidURLs", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub ignore_invalid_urls: Option<bool>,
    /// Tell where each value was found; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub show_sources: Option<bool>,
    /// Hosts of the same registrable domain belong to a wildcard's site; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub include_subdomains: Option<bool>,
    /// Leave the sitemap of a wildcard's site unread; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub ignore_sitemap: Option<bool>,
    /// Links to other sites may be followed; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub allow_external_links: Option<bool>,
    /// At most so many pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// How each page is scraped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrape_options: Option<ScrapeOptions>,
    /// Where events go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// Nothing of the pages reaches cache, disk or log; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub zero_data_retention: Option<bool>,
    /// What clients send beside these.
    #[serde(flatten)]
    pub extras: Extras,
}

impl ExtractRequest {
    /// Data from these pages, with every default; a `prompt`, a `schema` or both must be set.
    #[must_use]
    pub fn new<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Self {
        Self { urls: Some(urls.into_iter().map(Into::into).collect()), ..Self::default() }
    }

    /// The same request with a JSON Schema, as `serde_json::json!` writes one.
    ///
    /// # Errors
    /// Where the schema is no JSON object.
    pub fn with_schema(self, schema: Value) -> Result<Self, Faults> {
        match schema {
            Value::Object(schema) => Ok(Self { schema: Some(schema), ..self }),
            _ => Err(Faults::single("wrong_type", "`schema` must be a JSON Schema, which is a JSON object")),
        }
    }
}

/// An agent that navigates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// Which model.
    #[schemars(length(min = 1, max = limits::MAX_CLIENT_NAME_CHARS))]
    pub model: String,
}
