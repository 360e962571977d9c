use std::borrow::Cow;
use std::fmt;

use gleaner_types::{ErrorCode, PageError, SafeUrl};
use url::Url;

/// Why a fetch gave no response. The text names what happened and to which URL; it holds no secrets and never the
/// address that a name resolved to. Its wording is not part of the API: match on [`Error::kind`].
///
/// No source is kept on purpose: the errors underneath print whole URLs and socket addresses.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    url: SafeUrl,
    detail: Cow<'static, str>,
    code: Option<ErrorCode>,
    /// The server was reached and answered in something that is not TLS.
    not_tls: bool,
    /// Whether it may be gone soon, where that is known of this failure rather than of its kind.
    passes: Option<bool>,
}

/// What went wrong with a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request itself is not valid, such as a header with a line break in it.
    InvalidRequest,
    /// The URL is neither `http` nor `https`.
    Scheme,
    /// The port is one where no web page is served.
    Port,
    /// The URL or its host name is longer than any that is fetched.
    TooLong,
    /// The policy forbids the address, or one that the name resolves to.
    Blocked,
    /// The name does not resolve.
    Dns,
    /// No connection came about.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The deadline ran out.
    Timeout,
    /// The redirects exceed the limit.
    TooManyRedirects,
    /// A redirect leads back to a request that was already made.
    RedirectLoop,
    /// The caller's [`crate::RedirectCheck`] refused a redirect.
    RedirectRefused,
    /// The body exceeds its limit, as sent or as decoded.
    TooLarge,
    /// The body is of a kind that the request does not take.
    UnsupportedMedia,
    /// The body's content coding is unknown or its stream is broken.
    Decode,
    /// The connection broke, or the answer is not HTTP.
    Protocol,
    /// The request is to be served from the cache alone, which holds no copy of the right age.
    NotCached,
    /// The proxies that were tried cannot be reached, refuse us, do not speak their protocol, or are where their pool does
    /// not go ([`ProxyPool::allow_cidr`](crate::ProxyPool::allow_cidr) lets it).
    Proxy,
    /// The request asks for a proxy mode that needs a pool, and the fetcher has none
    /// ([`FetcherBuilder::stealth_proxies`](crate::FetcherBuilder::stealth_proxies) gives it one).
    ProxyNotConfigured,
    /// The request needs a browser engine, and there is none.
    RenderNotConfigured,
    /// An action on a rendered page failed.
    Action,
    /// The browser engine failed.
    Render,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, url: &Url, detail: impl Into<Cow<'static, str>>) -> Self {
        let detail = detail.into();
        Self(Box::new(Inner { kind, url: url.into(), detail, code: None, not_tls: false, passes: None }))
    }

    /// The action number `index`, from 0, failed on the page at `url`. `reason` says how, and holds no secrets.
    pub fn action(url: &Url, index: usize, reason: &str) -> Self {
        Self::new(ErrorKind::Action, url, format!("action {index} failed: {reason}"))
    }

    /// The browser engine failed on the page at `url`. `reason` says how, and holds no secrets.
    pub fn render(url: &Url, reason: &str) -> Self {
        Self::new(ErrorKind::Render, url, format!("the page could not be rendered: {reason}"))
    }

    pub(crate) fn with_code(mut self, code: ErrorCode) -> Self {
        self.0.code = Some(code);
        self
    }

    pub(crate) fn not_tls(mut self) -> Self {
        self.0.not_tls = true;
        self
    }

    /// The same request would fail in the same way.
    pub(crate) fn lasting(mut self) -> Self {
        self.0.passes = Some(false);
        self
    }

    /// It may be gone soon.
    pub(crate) fn passing(mut self) -> Self {
        self.0.passes = Some(true);
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
            // The option decides which; this is for one without a code of its own.
            ErrorKind::RenderNotConfigured | ErrorKind::ProxyNotConfigured => ErrorCode::UnsupportedOption,
            ErrorKind::UnsupportedMedia => ErrorCode::ScrapeUnsupportedFileError,
            ErrorKind::Connect
            | ErrorKind::TooLong
            | ErrorKind::TooManyRedirects
            | ErrorKind::RedirectLoop
            | ErrorKind::Decode
            | ErrorKind::Protocol => ErrorCode::ScrapeSiteError,
        }
    }

    /// The URL that it happened to: after redirects, that of the hop.
    #[must_use]
    pub fn url(&self) -> &SafeUrl {
        &self.0.url
    }

    /// What happened, without the URL.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The failure as a page carries it. It names the URL, save where time ran out: that is the time of the page as a whole.
    #[must_use]
    pub fn to_page_error(&self) -> PageError {
        match self.code() {
            ErrorCode::ScrapeTimeout => PageError::new(ErrorCode::ScrapeTimeout, self.detail()),
            code => PageError::new(code, self.to_string()),
        }
    }

    /// May the same request succeed if it is made again soon? A connection that broke may hold the next time, and a
    /// resolver that failed may answer; an answer that is not HTTP, or redirects to what is no URL, will do so again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let usual = matches!(self.0.kind, ErrorKind::Connect | ErrorKind::Protocol | ErrorKind::Proxy);
        self.0.passes.unwrap_or(usual)
    }

    /// Did no connection come about?
    #[must_use]
    pub fn is_connect(&self) -> bool {
        self.0.kind == ErrorKind::Connect
    }

    /// Did the deadline run out?
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.kind == ErrorKind::Timeout
    }

    /// Does a rule of the policy, rather than the network, stand in the way?
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::Scheme | ErrorKind::Port | ErrorKind::Blocked | ErrorKind::RedirectRefused
        )
    }

    /// Is `http` worth a try after `https` ended so? Yes where nothing listens or what listens speaks no TLS; no where
    /// TLS was spoken and the certificate refused.
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
            .finish()
    }
}

impl std::error::Error for Error {}

/// What is wrong with the configuration of a [`crate::Fetcher`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(Cow<'static, str>);

impl ConfigError {
    pub(crate) fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_whose_time_ran_out_says_so_first() {
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
}
