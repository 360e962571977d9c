//! Web search with a SearXNG instance.

use std::time::Duration;

use gleaner_extract::model::{
    BoxFuture, MAX_SEARCH_HITS, ProviderError, ProviderErrorKind, SearchHit, SearchQuery, WebSearch,
};
use gleaner_fetch::FetcherBuilder;
use serde::Deserialize;
use url::Url;

use crate::ModelsError;
use crate::endpoint::{Endpoint, EndpointConfig, Reply};
use crate::key::ApiKey;

/// Most characters of a query. A longer one is cut.
pub const MAX_QUERY_CHARS: usize = 400;
/// Most characters of a hit's title and of its snippet.
pub const MAX_SNIPPET_CHARS: usize = 1_000;
/// Default total time of a search.
pub const DEFAULT_SEARCH_TIMEOUT: Duration = Duration::from_secs(20);

/// Web search by a SearXNG instance (`GET /search?format=json`).
///
/// The instance must have `json` among its `search.formats`; most public ones do not. Each search is one
/// request for the first page of results. Results with a URL that is neither `http` nor `https` are left out.
#[derive(Debug, Clone)]
pub struct SearxNg {
    endpoint: Endpoint,
}

impl SearxNg {
    /// A builder for the instance at this base URL. This allows its host for searches, even a private one.
    pub fn builder(base: Url) -> SearxNgBuilder {
        let mut config = EndpointConfig::new(base);
        config.timeout = DEFAULT_SEARCH_TIMEOUT;
        SearxNgBuilder { config }
    }
}

/// Configures a [`SearxNg`].
#[derive(Debug, Clone)]
#[must_use]
pub struct SearxNgBuilder {
    config: EndpointConfig,
}

impl SearxNgBuilder {
    /// Sets a bearer token, for an instance behind a proxy that requires one.
    pub fn key(mut self, key: ApiKey) -> Self {
        self.config.key = Some(key);
        self
    }

    /// Sets the total time of a search. Default: [`DEFAULT_SEARCH_TIMEOUT`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.timeout = timeout;
        self
    }

    /// Sets the HTTP client, as [`HttpModelBuilder::transport`](crate::HttpModelBuilder::transport) does.
    pub fn transport(mut self, transport: FetcherBuilder) -> Self {
        self.config.transport = transport;
        self
    }

    /// Builds the search engine.
    ///
    /// # Errors
    /// [`ModelsErrorKind::BaseUrl`](crate::ModelsErrorKind::BaseUrl) or
    /// [`ModelsErrorKind::Transport`](crate::ModelsErrorKind::Transport).
    pub fn build(self) -> Result<SearxNg, ModelsError> {
        Ok(SearxNg { endpoint: self.config.open()? })
    }
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    content: Option<String>,
}

impl WebSearch for SearxNg {
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<SearchHit>, ProviderError>> {
        Box::pin(async move {
            let url = search_url(&self.endpoint.url(&["search"]), query);
            match self.endpoint.get(url, ("authorization", "Bearer ")).await? {
                Reply::Body(response) => read(&response.body, query.limit),
                Reply::TooLarge => {
                    Err(ProviderError::new(ProviderErrorKind::BadAnswer, "the list of results is too large"))
                }
            }
        })
    }
}

fn search_url(base: &Url, query: &SearchQuery) -> Url {
    let mut url = base.clone();
    let text: String = query.text.chars().take(MAX_QUERY_CHARS).collect();
    url.query_pairs_mut().append_pair("q", &text).append_pair("format", "json");
    if let Some(language) = &query.language {
        url.query_pairs_mut().append_pair("language", language);
    }
    url
}

pub(crate) fn read(body: &[u8], limit: usize) -> Result<Vec<SearchHit>, ProviderError> {
    let results: Results = serde_json::from_slice(body).map_err(|_| {
        let detail = "the reply is not a list of results: add `json` to the instance's `search.formats`";
        ProviderError::new(ProviderErrorKind::BadAnswer, detail)
    })?;
    let text = |text: Option<String>| -> String {
        text.unwrap_or_default().chars().take(MAX_SNIPPET_CHARS).collect()
    };
    let hits = results.results.into_iter().filter_map(|entry| {
        let url = Url::parse(entry.url.as_deref()?).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(())?;
        Some(SearchHit::new(url, text(entry.title), text(entry.content)))
    });
    Ok(hits.take(limit.min(MAX_SEARCH_HITS)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_cannot_change_other_parameters() {
        let base = "http://127.0.0.1:8888/search".parse().unwrap();
        let query = SearchQuery::new("a b&format=html#x", 5).language("de");
        let sent = search_url(&base, &query);
        assert_eq!(
            sent.as_str(),
            "http://127.0.0.1:8888/search?q=a+b%26format%3Dhtml%23x&format=json&language=de"
        );
    }

    #[test]
    fn hits_are_web_pages_up_to_the_limit() {
        let body = br#"{"query":"x","results":[
            {"url":"https://a.example/","title":"A","content":"first","engine":"e"},
            {"url":"magnet:?xt=1","title":"B"}, {"title":"C"}, {"url":"file:///etc/passwd"},
            {"url":"http://d.example/","title":null}, {"url":"http://e.example/"}]}"#;
        let hits = read(body, 2).unwrap();
        let urls: Vec<&str> = hits.iter().map(|hit| hit.url.as_str()).collect();
        assert_eq!(urls, ["https://a.example/", "http://d.example/"]);
        assert_eq!((hits[0].title.as_str(), hits[0].snippet.as_str()), ("A", "first"));
        for bad in ["", "<html>", "{}", "[]"] {
            assert_eq!(read(bad.as_bytes(), 5).unwrap_err().kind(), ProviderErrorKind::BadAnswer, "{bad}");
        }
    }
}
