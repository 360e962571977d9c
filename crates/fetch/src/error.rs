//! Errors of a fetch: kinds, error codes, and whether a retry may help.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use gleaner_types::{ErrorCode, PageError, SafeUrl};
use url::Url;

use crate::builder::DEFAULT_MAX_REDIRECTS;

/// Why a fetch gave no response. The text names what happened and the URL. It holds no secrets and never the
/// address that a name resolved to. Its wording is not part of the API: match on [`Error::kind`].
///
/// [`source`](StdError::source) is the I/O or TLS error behind it, if there is one. An I/O error is reduced
/// to its [`io::ErrorKind`](std::io::ErrorKind), because its full text may hold URLs and socket addresses.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    url: SafeUrl,
    detail: Cow<'static, str>,
    code: Option<ErrorCode>,
    /// The server answered the TLS handshake with something that is not TLS.
    not_tls: bool,
    /// Whether a retry may succeed, if that is known of this failure rather than of its kind.
    is_temporary: Option<bool>,
    browser_crashed: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What went wrong with a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request itself is invalid, such as a header with a line break in it.
    InvalidRequest,
    /// The URL is neither `http` nor `https`.
    Scheme,
    /// The port is one that no web page is served on.
    Port,
    /// The URL or its host name is too long.
    TooLong,
    /// The policy forbids the address, or one that the name resolves to.
    Blocked,
    /// The name does not resolve.
    Dns,
    /// No connection could be opened.
    Connect,
    /// This process or machine has no descriptor, port or memory for another connection, or for a browser. It
    /// says nothing about the host.
    Exhausted,
    /// The TLS handshake failed.
    Tls,
    /// The deadline passed, or the server was silent for longer than the read timeout.
    Timeout,
    /// The redirects exceed the limit.
    TooManyRedirects,
    /// A redirect leads back to a request that was already made.
    RedirectLoop,
    /// The caller's [`crate::RedirectCheck`] refused a redirect.
    RedirectRefused,
    /// The body exceeds its limit, as sent or as decoded.
    TooLarge,
    /// The request does not accept the media type of the body.
    UnsupportedMedia,
    /// The body is neither readable as it is nor a whole stream of the content coding that it declares.
    Decode,
    /// The connection broke, or the answer is not HTTP.
    Protocol,
    /// The request accepts cached copies only, and there is no copy of the right age.
    NotCached,
    /// The proxies that were tried are unreachable, refuse us, do not speak their protocol, or have an
    /// address that their pool does not allow ([`ProxyPool::allow_cidr`](crate::ProxyPool::allow_cidr) allows
    /// it).
    Proxy,
    /// The proxy mode of the request needs a pool, and the fetcher has none
    /// ([`FetcherBuilder::stealth_proxies`](crate::FetcherBuilder::stealth_proxies) sets it).
    ProxyNotConfigured,
    /// An action on a rendered page failed.
    Action,
    /// The browser engine failed.
    Render,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, url: &Url, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            url: url.into(),
            detail: detail.into(),
            code: None,
            not_tls: false,
            is_temporary: None,
            browser_crashed: false,
            source: None,
        }))
    }

    /// Action number `index`, from 0, failed on the page at `url`. `reason` must hold no secrets.
    pub fn action(url: &Url, index: usize, reason: &str) -> Self {
        Self::new(ErrorKind::Action, url, format!("action {index} failed: {reason}"))
    }

    /// The browser engine failed on the page at `url`. `reason` must hold no secrets.
    pub fn render(url: &Url, reason: &str) -> Self {
        Self::new(ErrorKind::Render, url, format!("the page could not be rendered: {reason}"))
    }

    /// The browser ended while it rendered the page at `url`. A retry may succeed.
    pub fn browser_crashed(url: &Url) -> Self {
        let mut error = Self::render(url, "the browser crashed").temporary();
        error.0.browser_crashed = true;
        error
    }

    /// The page at `url` does not answer the browser, such as a page whose script never ends. A retry would
    /// fail in the same way. `reason` must hold no secrets.
    pub fn unresponsive(url: &Url, reason: &str) -> Self {
        Self::render(url, &format!("it does not respond: {reason}")).permanent()
    }

    /// A result of the page at `url` exceeds its limit. `what` begins the text: "its HTML", "screenshot 3".
    pub fn result_too_large(url: &Url, what: &str) -> Self {
        Self::new(
            ErrorKind::TooLarge,
            url,
            format!("{what} exceeds the limit for results of a rendered page"),
        )
    }

    /// There is no browser to render the page at `url`, because it does not start. `reason` must hold no
    /// secrets.
    pub fn browser_unavailable(url: &Url, reason: &str) -> Self {
        Self::new(ErrorKind::Render, url, format!("no browser is available: {reason}"))
    }

    /// The [`FetchLayer`](crate::FetchLayer) has no answer from `url`. A retry may succeed. `reason` must hold
    /// no secrets.
    pub fn layer(url: &Url, reason: &str) -> Self {
        Self::new(ErrorKind::Protocol, url, format!("the layer around the fetcher failed: {reason}"))
    }

    /// This machine has no descriptor, process or memory for the browser that the page at `url` needs. A
    /// retry may succeed.
    pub fn exhausted(url: &Url) -> Self {
        let text = "this machine has no descriptor, process or memory for a browser";
        Self::new(ErrorKind::Exhausted, url, text)
    }

    /// The document at `url` was redirected more than [`DEFAULT_MAX_REDIRECTS`] times in a row.
    pub fn too_many_redirects(url: &Url) -> Self {
        Self::new(ErrorKind::TooManyRedirects, url, format!("more than {DEFAULT_MAX_REDIRECTS} redirects"))
    }

    /// The answer from `url` redirects to something that is not a URL.
    pub(crate) fn bad_location(url: &Url) -> Self {
        Self::new(ErrorKind::Protocol, url, "the redirect's `Location` is not a URL").permanent()
    }

    /// The server sent nothing for `limit`. `stage` fits behind "while".
    pub(crate) fn silent(url: &Url, limit: Duration, stage: &str) -> Self {
        let text = format!("the server sent nothing for {} ms while {stage}", limit.as_millis());
        Self::new(ErrorKind::Timeout, url, text)
    }

    pub(crate) fn with_code(mut self, code: ErrorCode) -> Self {
        self.0.code = Some(code);
        self
    }

    pub(crate) fn not_tls(mut self) -> Self {
        self.0.not_tls = true;
        self
    }

    /// A retry would fail in the same way.
    pub(crate) fn permanent(mut self) -> Self {
        self.0.is_temporary = Some(false);
        self
    }

    /// A retry may succeed.
    pub(crate) fn temporary(mut self) -> Self {
        self.0.is_temporary = Some(true);
        self
    }

    /// Sets the source. It must hold no secrets and no addresses.
    pub(crate) fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The contract's code for it.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        if let Some(code) = self.0.code {
            return code;
        }
        match self.0.kind {
            ErrorKind::InvalidRequest => ErrorCode::BadRequest,
            ErrorKind::Scheme | ErrorKind::Port | ErrorKind::Blocked | ErrorKind::RedirectRefused => {
                ErrorCode::ScrapeBlocked
            }
            ErrorKind::Dns => ErrorCode::ScrapeDnsResolutionError,
            ErrorKind::Tls => ErrorCode::ScrapeSslError,
            ErrorKind::Timeout => ErrorCode::ScrapeTimeout,
            ErrorKind::NotCached => ErrorCode::ScrapeNoCachedData,
            ErrorKind::TooLarge => ErrorCode::ScrapeBodyTooLarge,
            ErrorKind::Action => ErrorCode::ScrapeActionError,
            ErrorKind::Proxy | ErrorKind::Render => ErrorCode::ScrapeAllEnginesFailed,
            ErrorKind::ProxyNotConfigured => ErrorCode::UnsupportedOption,
            ErrorKind::Exhausted => ErrorCode::UnknownError,
            ErrorKind::UnsupportedMedia => ErrorCode::ScrapeUnsupportedFileError,
            ErrorKind::Connect
            | ErrorKind::TooLong
            | ErrorKind::TooManyRedirects
            | ErrorKind::RedirectLoop
            | ErrorKind::Decode
            | ErrorKind::Protocol => ErrorCode::ScrapeSiteError,
        }
    }

    /// The URL of the request that failed: after redirects, that of the last hop.
    #[must_use]
    pub fn url(&self) -> &SafeUrl {
        &self.0.url
    }

    /// What happened, without the URL.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The failure as a page carries it. Its message names the URL, except for a timeout, which concerns the
    /// page as a whole.
    #[must_use]
    pub fn to_page_error(&self) -> PageError {
        match self.code() {
            ErrorCode::ScrapeTimeout => PageError::new(ErrorCode::ScrapeTimeout, self.detail()),
            code => PageError::new(code, self.to_string()),
        }
    }

    /// Whether a retry of the same request may soon succeed: after a broken connection or a failed resolver
    /// it may; after an answer that is not HTTP, or a redirect to an invalid URL, it will not.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let usual = matches!(
            self.0.kind,
            ErrorKind::Connect | ErrorKind::Exhausted | ErrorKind::Protocol | ErrorKind::Proxy
        );
        self.0.is_temporary.unwrap_or(usual)
    }

    /// Whether the browser ended while it rendered the page. The page may be the cause.
    #[must_use]
    pub fn is_browser_crash(&self) -> bool {
        self.0.browser_crashed
    }

    /// Whether a rule refused the request before any connection to its host: the egress policy, or the
    /// caller's [`crate::RedirectCheck`].
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.is_egress_denied() || self.0.kind == ErrorKind::RedirectRefused
    }

    /// Whether the egress policy forbids the scheme, the port or the address.
    #[must_use]
    pub fn is_egress_denied(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Scheme | ErrorKind::Port | ErrorKind::Blocked)
    }

    /// Whether the name does not resolve, or the resolver failed ([`Error::is_retryable`] tells which).
    #[must_use]
    pub fn is_dns(&self) -> bool {
        self.0.kind == ErrorKind::Dns
    }

    /// Whether no connection could be opened.
    #[must_use]
    pub fn is_connect(&self) -> bool {
        self.0.kind == ErrorKind::Connect
    }

    /// Whether this process or machine had no descriptor, port or memory for another connection, or for a
    /// browser. It says nothing about the host: the request can be made again when other connections have
    /// ended.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.0.kind == ErrorKind::Exhausted
    }

    /// Whether the TLS handshake failed, an invalid certificate included.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.0.kind == ErrorKind::Tls
    }

    /// Whether the deadline passed, or the server was silent for longer than the read timeout.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.kind == ErrorKind::Timeout
    }

    /// Whether the body exceeds its limit.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.0.kind == ErrorKind::TooLarge
    }

    /// Whether there were too many redirects, or one led back.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        matches!(self.0.kind, ErrorKind::TooManyRedirects | ErrorKind::RedirectLoop)
    }

    /// Whether the request accepts cached copies only, and there is none of the right age.
    #[must_use]
    pub fn is_not_cached(&self) -> bool {
        self.0.kind == ErrorKind::NotCached
    }

    /// Whether the proxies failed. It says nothing about the host.
    #[must_use]
    pub fn is_proxy(&self) -> bool {
        self.0.kind == ErrorKind::Proxy
    }

    /// Whether an action on the rendered page failed.
    #[must_use]
    pub fn is_action(&self) -> bool {
        self.0.kind == ErrorKind::Action
    }

    /// Whether the browser engine failed.
    #[must_use]
    pub fn is_render(&self) -> bool {
        self.0.kind == ErrorKind::Render
    }

    /// Whether `http` is worth a try after `https` failed in this way: if nothing listens, or what listens
    /// speaks no TLS; not if the certificate was refused.
    #[must_use]
    pub fn suggests_plain_http(&self) -> bool {
        self.0.kind == ErrorKind::Connect || (self.0.kind == ErrorKind::Tls && self.0.not_tls)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.url, self.0.detail)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("url", &self.0.url)
            .field("detail", &self.0.detail)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_timeout_of_a_page_names_no_url() {
        let url = Url::parse("https://example.com/p").unwrap();
        let late = Error::new(ErrorKind::Timeout, &url, "300 ms ran out while connecting").to_page_error();
        assert_eq!(late.code, ErrorCode::ScrapeTimeout);
        assert_eq!(late.message, "Scrape timed out: 300 ms ran out while connecting");
        let broken = Error::new(ErrorKind::Protocol, &url, "the connection was reset").to_page_error();
        assert_eq!(broken.message, "https://example.com/p: the connection was reset");
    }

    #[test]
    fn shows_no_secrets() {
        let url = Url::parse("https://user:hunter2@example.com/p?token=hunter2#hunter2").unwrap();
        let error = Error::new(ErrorKind::Protocol, &url, "the connection was reset");
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("example.com"), "{shown}");
    }

    #[test]
    fn the_source_is_the_error_behind_it() {
        let url = Url::parse("https://example.com/").unwrap();
        let error = Error::new(ErrorKind::Connect, &url, "refused");
        assert!(error.source().is_none());
        let error = error.caused_by(io::Error::from(io::ErrorKind::ConnectionRefused));
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
        assert_eq!(source.kind(), io::ErrorKind::ConnectionRefused);
    }
}
