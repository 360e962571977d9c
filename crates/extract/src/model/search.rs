//! The port for web search engines.

use std::fmt::Debug;

use gleaner_types::BoxFuture;
use serde::{Deserialize, Serialize};
use url::Url;

use super::ProviderError;

/// Upper bound on the hits of one search.
pub const MAX_SEARCH_HITS: usize = 50;

/// A search engine. It may be called many times at once. Dropping the future abandons the call.
pub trait WebSearch: Send + Sync + Debug {
    /// Searches. The best hit comes first; the caller drops hits beyond `limit`.
    ///
    /// # Errors
    /// If there is no answer. An answer without hits is an answer.
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<SearchHit>, ProviderError>>;
}

/// A search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SearchQuery {
    /// The search terms: any text.
    pub text: String,
    /// Upper bound on the hits, at most [`MAX_SEARCH_HITS`].
    pub limit: usize,
    /// The language of the hits, such as `en`; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl SearchQuery {
    /// A search for pages in any language, with at most this many hits.
    #[must_use]
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self { text: text.into(), limit, language: None }
    }

    /// Sets the language of the hits, such as `en`.
    #[must_use]
    pub fn language(mut self, language: impl Into<String>) -> Self {
        self.language = Some(language.into());
        self
    }
}

/// A page that a search engine found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SearchHit {
    /// Its URL, `http` or `https`.
    pub url: Url,
    /// Its title.
    pub title: String,
    /// The excerpt that the engine shows.
    pub snippet: String,
}

impl SearchHit {
    /// The page at `url`, with the title and the excerpt that the engine shows.
    #[must_use]
    pub fn new(url: Url, title: impl Into<String>, snippet: impl Into<String>) -> Self {
        Self { url, title: title.into(), snippet: snippet.into() }
    }
}
