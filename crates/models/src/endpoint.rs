//! The endpoint of a service.
//!
//! Each endpoint has a fetcher of its own, whose egress policy allows the configured host besides the public
//! Internet. Pages are fetched by another fetcher, so a model on loopback allows no page on loopback.
//! Requests go only to the configured base URL: paths are appended to it here, and redirects are not
//! followed.

use std::time::Duration;

use gleaner_extract::model::{BoxFuture, ProviderError};
use gleaner_fetch::{
    Accept, EgressPolicy, ErrorKind as FetchErrorKind, Fetcher, FetcherBuilder, RedirectCheck,
    RedirectRefused, Request, Response,
};
use serde_json::Value;
use url::Url;

use crate::key::ApiKey;
use crate::{ModelsError, ModelsErrorKind, failure};

/// Most bytes of a reply that are read, as sent and as decoded: enough for the longest answer and the JSON
/// around it.
pub const MAX_REPLY_BYTES: u64 = 4 << 20;
/// Default total time of a call. Reasoning models need minutes.
pub const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// A service at a base URL.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    base: Url,
    key: Option<ApiKey>,
    timeout: Duration,
    fetcher: Fetcher,
}

/// The configuration of an [`Endpoint`].
#[derive(Debug, Clone)]
pub(crate) struct EndpointConfig {
    pub(crate) base: Url,
    pub(crate) key: Option<ApiKey>,
    pub(crate) timeout: Duration,
    pub(crate) transport: FetcherBuilder,
}

impl EndpointConfig {
    pub(crate) fn new(base: Url) -> Self {
        Self { base, key: None, timeout: DEFAULT_CALL_TIMEOUT, transport: Fetcher::builder() }
    }

    pub(crate) fn open(self) -> Result<Endpoint, ModelsError> {
        let Self { base, key, timeout, transport } = self;
        let invalid = |detail: &str| Err(ModelsError::new(ModelsErrorKind::BaseUrl, detail));
        if !matches!(base.scheme(), "http" | "https") {
            return invalid("the base URL is neither http nor https");
        }
        if !base.username().is_empty() || base.password().is_some() {
            return invalid("the base URL holds a user name or a password; use a key instead");
        }
        if base.query().is_some() || base.fragment().is_some() {
            return invalid("the base URL must not have a query or a fragment");
        }
        let Some(host) = base.host_str() else { return invalid("the base URL has no host") };
        let policy = EgressPolicy::public_only().allow_host(host);
        let fetcher = transport.egress(policy).build()?;
        fetcher.check(&base).map_err(|error| ModelsError::new(ModelsErrorKind::BaseUrl, error.detail()))?;
        Ok(Endpoint { base, key, timeout, fetcher })
    }
}

/// A reply with a success status.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A complete response.
    Body(Box<Response>),
    /// A body that exceeds [`MAX_REPLY_BYTES`].
    TooLarge,
}

/// Follows no redirect: if a service moves, the embedder must configure its new URL.
struct FollowNone;

impl RedirectCheck for FollowNone {
    fn check<'a>(&'a self, _: &'a Url, _: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move { Err(RedirectRefused::new("a service's redirects are not followed")) })
    }
}

impl Endpoint {
    /// The base URL with these path segments appended.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Posts JSON. `key_header` is the name of the header for the key, and the prefix of its value.
    pub(crate) async fn post(
        &self,
        segments: &[&str],
        key_header: (&str, &str),
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Result<Reply, ProviderError> {
        let request = Request::post(self.url(segments), body.to_string())
            .header("content-type", "application/json")
            .and_then(|request| request.headers(headers.iter().copied()));
        self.send(request, key_header).await
    }

    /// Requests a URL below the base.
    pub(crate) async fn get(&self, url: Url, key_header: (&str, &str)) -> Result<Reply, ProviderError> {
        let mut request = Request::get(url);
        request.accept = Accept::Any;
        self.send(Ok(request), key_header).await
    }

    async fn send(
        &self,
        request: Result<Request, gleaner_fetch::Error>,
        (name, prefix): (&str, &str),
    ) -> Result<Reply, ProviderError> {
        let mut request = request
            .and_then(|request| request.header("accept", "application/json"))
            .map_err(|error| failure::of_fetch(&error))?;
        if let Some(key) = &self.key {
            request = request
                .header(name, &format!("{prefix}{}", key.expose()))
                .map_err(|error| failure::of_fetch(&error))?;
        }
        request.timeout = Some(self.timeout);
        request.max_body = Some(MAX_REPLY_BYTES);
        request.max_redirects = Some(0);
        match self.fetcher.fetch(request, &FollowNone).await {
            Ok(response) if response.is_success() => Ok(Reply::Body(Box::new(response))),
            Ok(response) => Err(failure::of_response(&response, self.key.as_ref())),
            Err(error) if error.kind() == FetchErrorKind::TooLarge => Ok(Reply::TooLarge),
            Err(error) => Err(failure::of_fetch(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(base: &str) -> Result<Endpoint, ModelsError> {
        EndpointConfig::new(base.parse().unwrap()).open()
    }

    #[test]
    fn invalid_base_urls_are_errors() {
        for bad in [
            "ftp://model.example/",
            "https://user:secret@model.example/",
            "https://model.example/?key=secret",
            "https://model.example/#v1",
            "http://127.0.0.1:6379/",
            "data:text/plain,x",
        ] {
            let error = open(bad).unwrap_err();
            assert_eq!(error.kind(), ModelsErrorKind::BaseUrl, "{bad}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn path_segments_are_appended() {
        let rows = [
            ("https://a.example", "https://a.example/x/y:z"),
            ("https://a.example/v1", "https://a.example/v1/x/y:z"),
            ("https://a.example/v1/", "https://a.example/v1/x/y:z"),
        ];
        for (base, expected) in rows {
            assert_eq!(open(base).unwrap().url(&["x", "y:z"]).as_str(), expected);
        }
        // A segment cannot leave the base.
        assert_eq!(open("https://a.example/v1").unwrap().url(&["../b?c#d"]).path(), "/v1/..%2Fb%3Fc%23d");
    }

    #[test]
    fn only_the_configured_host_is_allowed() {
        let endpoint = open("http://127.0.0.1:8080/v1").unwrap();
        let policy = endpoint.fetcher.egress();
        assert!(policy.permits("127.0.0.1".parse().unwrap()));
        for forbidden in ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::1"] {
            assert!(!policy.permits(forbidden.parse().unwrap()), "{forbidden}");
        }
        let public = open("https://model.example/v1").unwrap();
        assert!(!public.fetcher.egress().permits("127.0.0.1".parse().unwrap()));
    }

    #[test]
    fn an_invalid_transport_is_the_source_of_the_error() {
        let mut config = EndpointConfig::new("https://model.example/".parse().unwrap());
        config.transport = config.transport.add_root_certificate(b"x");
        let error = config.open().unwrap_err();
        assert_eq!(error.kind(), ModelsErrorKind::Transport);
        assert!(std::error::Error::source(&error).is_some());
    }
}
