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

/// Total time of a request where nothing else is said, as the contract has it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Longest total time of a request; a longer one is taken as this: a day.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// What to fetch and how. `Debug` shows no credentials, no query values, no header values and no body.
#[derive(Clone)]
#[non_exhaustive]
pub struct Request {
    /// The address; a fragment is kept for the final URL and not sent.
    pub url: Url,
    /// The scheme is a guess: `https` is tried first, whatever the URL says, then `http` if no connection comes about,
    /// without those of [`Request::headers`] that another origin would not get.
    pub scheme_assumed: bool,
    /// `GET` by default.
    pub method: Method,
    /// Sent with the request, in place of what the engine would send under the same name. They reach the origin of
    /// [`Request::url`] and no other; those that describe the connection (`Host`, `Connection`, `Content-Length` ...)
    /// are left out.
    pub headers: HeaderMap,
    /// The request's body.
    pub body: Option<Bytes>,
    /// Total time for everything from the name's resolution to the last byte, redirects and repeated tries included, but not
    /// what a [`crate::RedirectCheck`] takes. `None` takes the fetcher's default; [`MAX_TIMEOUT`] is the longest.
    pub timeout: Option<Duration>,
    /// Most bytes of the response's body, as sent and as decoded. `None` takes the fetcher's default.
    pub max_body: Option<u64>,
    /// Most redirects that are followed, those that a page asks for by `Refresh` within [`crate::MAX_REFRESH_DELAY`]
    /// included, unless it is longer than [`crate::FREE_BODY_BYTES`]. With 0 none is, and the redirect itself is the
    /// response. `None` takes the fetcher's default.
    pub max_redirects: Option<u32>,
    /// How often the request is tried again after a broken connection or an answer that promises a later one (429, 502,
    /// 503, 504), where its method is idempotent, time is left, and the fetcher's retry budget allows it. 0 by default:
    /// a queue that can put a page off does better than a task that sleeps on it.
    pub max_retries: u32,
    /// Take any certificate.
    pub skip_tls_verification: bool,
    /// Ask as a mobile device.
    pub mobile: bool,
    /// The page is wanted without advertisements. What is asked for stays the same, but copies of pages are told apart by it:
    /// who asks otherwise expects another page.
    pub block_ads: bool,
    /// BCP 47 tags for `Accept-Language`, most wanted first.
    pub languages: Vec<String>,
    /// How the request leaves. [`ProxyMode::Basic`] by default.
    pub proxy: ProxyMode,
    /// Where the request should seem to come from, as an ISO 3166-1 alpha-2 code: a proxy of this country is taken where
    /// the pool has one.
    pub country: Option<String>,
    /// Which kinds of bodies are taken.
    pub accept: Accept,
    /// The cookies of the job that the request belongs to. `None` keeps what redirects set until the request ends, and
    /// no longer.
    pub cookies: Option<CookieJar>,
    /// What is wanted of the fetcher's cache; `None`, the default, goes around it.
    pub cache: Option<CachePolicy>,
    /// Sent where a copy is to be confirmed.
    pub(crate) confirm: Option<Validators>,
    /// Counts the bytes of bodies as they come in, of answers that fail too.
    pub(crate) meter: Option<Arc<AtomicU64>>,
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
            max_retries: 0,
            skip_tls_verification: false,
            mobile: false,
            block_ads: false,
            languages: Vec::new(),
            proxy: ProxyMode::Basic,
            country: None,
            accept: Accept::Page,
            cookies: None,
            cache: None,
            confirm: None,
            meter: None,
        }
    }

    /// A `POST` of `body` to `url`, whose answer may be of any kind. Its type goes into [`Request::headers`].
    #[must_use]
    pub fn post(url: Url, body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, body: Some(body.into()), accept: Accept::Any, ..Self::get(url) }
    }

    /// A `GET` of `target`, with its assumed scheme.
    #[must_use]
    pub fn target(target: Target) -> Self {
        Self { scheme_assumed: target.scheme_assumed, ..Self::get(target.url) }
    }

    /// Adds a header.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] where the name or the value has a character that headers cannot hold, such as a
    /// line break, or where there are already [`MAX_REQUEST_HEADERS`].
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let invalid = |detail: String| Error::new(ErrorKind::InvalidRequest, &self.url, detail);
        let shown: String = name.chars().filter(char::is_ascii_graphic).take(64).collect();
        let name = HeaderName::from_bytes(name.trim().as_bytes())
            .map_err(|_| invalid(format!("`{shown}` is not a header name: letters, digits and `-` are")))?;
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

    /// Adds headers, as [`Request::header`] does one.
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
    fn headers_cannot_carry_lines() {
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
