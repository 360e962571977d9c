//! A request to fetch, with its limits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::SafeUrl;
use gleaner_types::plan::{ProxyMode, Target};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use url::Url;

use crate::cache::{CachePolicy, Validators};
use crate::cookies::CookieJar;
use crate::error::{Error, ErrorKind};
use crate::headers::MAX_REQUEST_HEADERS;
use crate::media::Accept;

/// Default total time of a request, as in the contract.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Longest total time of a request: a day. A longer one counts as this.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// What to fetch and how. `Debug` shows no credentials, no query values, no header values and no body.
#[derive(Clone)]
#[non_exhaustive]
pub struct Request {
    /// The address; a fragment is kept for the final URL and not sent.
    pub url: Url,
    /// The scheme is a guess. `https` is tried first, whatever the URL says; then `http` if nothing speaks
    /// TLS there, without those of [`Request::headers`] that another origin would not get.
    pub scheme_assumed: bool,
    /// `GET` by default.
    pub method: Method,
    /// Sent with the request; they replace the engine's headers of the same name. Only the origin of
    /// [`Request::url`] gets them. Those that describe the connection (`Host`, `Connection`, `Content-Length`
    /// ...) are left out.
    pub headers: HeaderMap,
    /// The request's body.
    pub body: Option<Bytes>,
    /// Total time from the lookup of the name to the last byte, redirects included, but without the time that
    /// a [`crate::RedirectCheck`] takes. `None` is the fetcher's default; [`MAX_TIMEOUT`] is the longest.
    pub timeout: Option<Duration>,
    /// Most bytes of the response's body, as sent and as decoded. `None` is the fetcher's default.
    pub max_body: Option<u64>,
    /// Most redirects that are followed. This includes the `Refresh` of a page, if its delay is at most
    /// [`crate::MAX_REFRESH_DELAY`] and the page at most [`crate::FREE_BODY_BYTES`] long. With 0 no redirect
    /// is followed, and the redirect itself is the response. `None` is the fetcher's default.
    pub max_redirects: Option<u32>,
    /// Accept any certificate.
    pub skip_tls_verification: bool,
    /// Send the `User-Agent` of a mobile device.
    pub mobile: bool,
    /// The page is wanted without advertisements. The request stays the same, but cached copies are kept
    /// apart by this option, because their users expect different pages.
    pub block_ads: bool,
    /// BCP 47 tags for `Accept-Language`, in order of preference.
    pub languages: Vec<String>,
    /// The proxy mode. [`ProxyMode::Basic`] by default.
    pub proxy: ProxyMode,
    /// The country that the request should appear to come from, as an ISO 3166-1 alpha-2 code. A proxy of
    /// this country is used if the pool has one.
    pub country: Option<String>,
    /// Which kinds of bodies are accepted.
    pub accept: Accept,
    /// The cookies of the job that the request belongs to. `None` keeps cookies of redirects until the
    /// request ends.
    pub cookies: Option<CookieJar>,
    /// Who the request is for, such as a team: owners take turns at the memory for bodies (see
    /// [`FetcherBuilder::body_memory`](crate::FetcherBuilder::body_memory)). Requests without an owner share
    /// one turn.
    pub owner: Option<Arc<str>>,
    /// How the request uses the fetcher's cache. `None`, the default, bypasses it.
    pub cache: Option<CachePolicy>,
    /// Sent to have a cached copy confirmed.
    pub(crate) validators: Option<Validators>,
    /// Counts the bytes of bodies as they come in, also those of failed answers.
    pub(crate) meter: Option<Arc<AtomicU64>>,
    /// [`Request::headers`] are those of a browser, and complete: only what the transport needs is added.
    pub(crate) from_browser: bool,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &SafeUrl::from(&self.url))
            .field("headers", &crate::headers::Names(&self.headers))
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .field("timeout", &self.timeout)
            .field("proxy", &self.proxy)
            .field("country", &self.country)
            .field("cookies", &self.cookies)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// A `GET` of `url`.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self {
            url,
            scheme_assumed: false,
            method: Method::GET,
            headers: HeaderMap::new(),
            body: None,
            timeout: None,
            max_body: None,
            max_redirects: None,
            skip_tls_verification: false,
            mobile: false,
            block_ads: false,
            languages: Vec::new(),
            proxy: ProxyMode::Basic,
            country: None,
            accept: Accept::Page,
            cookies: None,
            owner: None,
            cache: None,
            validators: None,
            meter: None,
            from_browser: false,
        }
    }

    /// A `POST` of `body` to `url` that accepts an answer of any kind. The type of the body goes into
    /// [`Request::headers`].
    #[must_use]
    pub fn post(url: Url, body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, body: Some(body.into()), accept: Accept::Any, ..Self::get(url) }
    }

    /// A `GET` of `target`, whose scheme may be a guess.
    #[must_use]
    pub fn target(target: Target) -> Self {
        Self { scheme_assumed: target.scheme_assumed, ..Self::get(target.url) }
    }

    /// Adds a header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] if the name or the value has a character that headers cannot hold, such
    /// as a line break, or if there are already [`MAX_REQUEST_HEADERS`].
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let invalid = |detail: String| Error::new(ErrorKind::InvalidRequest, &self.url, detail);
        let shown: String = name.chars().filter(char::is_ascii_graphic).take(64).collect();
        let name = HeaderName::from_bytes(name.trim().as_bytes())
            .map_err(|_| invalid(format!("`{shown}` is not a header name: use letters, digits and `-`")))?;
        let mut value = HeaderValue::from_bytes(value.trim().as_bytes()).map_err(|_| {
            invalid(format!("the value of header `{shown}` holds a line break or another control character"))
        })?;
        if self.headers.len() >= MAX_REQUEST_HEADERS {
            return Err(invalid(format!("more than {MAX_REQUEST_HEADERS} headers")));
        }
        value.set_sensitive(true);
        self.headers.append(name, value);
        Ok(self)
    }

    /// Adds several headers.
    ///
    /// # Errors
    ///
    /// As [`Request::header`].
    pub fn headers<'a>(self, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        headers.into_iter().try_fold(self, |request, (name, value)| request.header(name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_cannot_hold_line_breaks() {
        let request = || Request::get(Url::parse("https://example.com/").unwrap());
        for (name, value) in [("x", "a\r\nb: c"), ("x\r\n", "a\nb"), ("x y", "a"), ("", "a"), ("x", "a\0b")] {
            let error = request().header(name, value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{name:?}: {value:?}");
        }
        assert!(request().header("X-Name", "  plain value ").is_ok());
    }

    #[test]
    fn debug_hides_header_values() {
        let url = Url::parse("https://example.com/").unwrap();
        let request = Request::get(url).header("authorization", "hunter2").unwrap();
        assert!(!format!("{request:?}").contains("hunter2"));
    }
}
