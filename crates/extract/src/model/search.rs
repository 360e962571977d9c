use std::fmt::Debug;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::Url;

use super::ProviderError;

/// Most hits of one search that are used.
pub const MAX_SEARCH_HITS: usize = 50;

/// A search engine.
#[async_trait]
pub trait WebSearch: Send + Sync + Debug {
    /// Searches. Hits come best first; more than `limit` are cut off by the caller.
    ///
    /// # Errors
    /// Where no answer came; no hits is an answer.
    async fn search(&self, query: &SearchQuery) -> Result<Vec<SearchHit>, ProviderError>;
}

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchQuery {
    /// The words.
    pub text: String,
    /// At most so many hits; at most [`MAX_SEARCH_HITS`].
    pub limit: usize,
    /// A language such as `en`, where one is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// A page that a search engine names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Its address.
    pub url: Url,
    /// Its title.
    pub title: String,
    /// What the engine shows of it.
    pub snippet: String,
}
