use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_types::ProxyUsed;
use http::{HeaderMap, HeaderValue};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::RenderRequest;
use crate::error::{Error, ErrorKind};
use crate::exchange::deadline_in;
use crate::fetcher::Fetcher;
use crate::media::Accept;
use crate::redirect::{self, RedirectCheck, without_fragment};
use crate::request::Request;
use crate::response::Response;

/// Most requests of one page. Further ones fail.
pub const MAX_REQUESTS_PER_PAGE: u32 = 500;
/// Most bytes of all requests of one page, as sent or as decoded, whichever is more. Bytes of failed requests
/// count too. Further requests fail.
pub const MAX_BYTES_PER_PAGE: u64 = 100 * 1024 * 1024;

/// Most bytes of one resource of a page, unless its request sets a lower limit. The document itself, which is
/// requested first, may be as large as any page.
pub const MAX_BYTES_PER_RESOURCE: u64 = 16 * 1024 * 1024;

/// The network of one rendered page. Each request is checked against the fetcher's policy, counted, and
/// bounded by the deadline.
pub struct RenderProxy<'a> {
    fetcher: &'a Fetcher,
    request: &'a RenderRequest,
    check: &'a dyn RedirectCheck,
    pub(super) deadline: Instant,
    usage: Mutex<Usage>,
    released: Notify,
}

struct Usage {
    requests: u32,
    /// Bytes that have come in.
    bytes: u64,
    /// Bytes that current requests may still bring in.
    reserved: u64,
    /// The URL of the document after the redirects so far.
    document: Url,
    /// Which proxies the document came through.
    proxy: ProxyUsed,
}

impl fmt::Debug for RenderProxy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usage = self.usage();
        f.debug_struct("RenderProxy")
            .field("request", &self.request)
            .field("remaining", &self.remaining())
            .field("requests", &usage.requests)
            .field("bytes", &usage.bytes)
            .finish_non_exhaustive()
    }
}

impl<'a> RenderProxy<'a> {
    /// The network of `request`, through `fetcher`, until `timeout` from now. `check` is asked before the
    /// document is redirected.
    #[must_use]
    pub fn new(
        fetcher: &'a Fetcher,
        request: &'a RenderRequest,
        timeout: Duration,
        check: &'a dyn RedirectCheck,
    ) -> Self {
        let document = without_fragment(&request.url);
        let usage = Usage { requests: 0, bytes: 0, reserved: 0, document, proxy: ProxyUsed::Basic };
        let deadline = deadline_in(timeout);
        Self { fetcher, request, check, deadline, usage: Mutex::new(usage), released: Notify::new() }
    }

    /// Answers a request of the page. Sets the page's proxy mode, country, languages, cookies and certificate
    /// rule; the caller's headers go to the page's own origin only.
    ///
    /// Redirects are not followed, because the browser follows them with another request. A redirect of the
    /// document is returned only if the policy and the caller's [`RedirectCheck`] permit its target.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::fetch`], including [`ErrorKind::RedirectRefused`]; and [`ErrorKind::TooLarge`] once the
    /// page has reached [`MAX_REQUESTS_PER_PAGE`] or [`MAX_BYTES_PER_PAGE`].
    pub async fn fetch(&self, mut request: Request) -> Result<Response, Error> {
        let max_body = request.max_body.unwrap_or(u64::MAX).min(self.fetcher.max_body());
        let share = self.reserve(&request.url, max_body).await?;
        let page = self.request;
        let same_origin = redirect::same_origin(&request.url, &page.url);
        if same_origin {
            for (name, value) in &page.headers {
                request.headers.insert(name, value.clone());
            }
        }
        request.proxy = page.proxy;
        request.country = page.country.clone();
        request.languages = page.languages.clone();
        request.mobile = page.mobile;
        request.skip_tls_verification = page.skip_tls_verification;
        request.cookies = Some(page.cookies.clone());
        request.max_redirects = Some(0);
        request.accept = Accept::Any;
        request.max_body = Some(share.bytes);
        let remaining = self.remaining();
        request.timeout = Some(request.timeout.map_or(remaining, |timeout| timeout.min(remaining)));
        request.meter = Some(Arc::clone(&share.received));
        let from = request.url.clone();
        let outcome = self.fetcher.fetch(request, self.check).await;
        match &outcome {
            Ok(response) => share.at_least(response.body.len() as u64),
            Err(error) if error.kind() == ErrorKind::TooLarge => share.at_least(share.bytes),
            Err(_) => {}
        }
        drop(share);
        let response = outcome?;
        self.check_redirect(&from, &response).await?;
        Ok(response)
    }

    /// Checks the target of a redirect of the document against the policy and the caller's check.
    async fn check_redirect(&self, from: &Url, response: &Response) -> Result<(), Error> {
        {
            let mut usage = self.usage();
            if without_fragment(from) != usage.document {
                return Ok(());
            }
            usage.proxy = response.proxy_used;
        }
        let Ok(status) = http::StatusCode::from_u16(response.status) else { return Ok(()) };
        // A `Location` that is not a URL is left to the browser: it has no target that could be checked.
        let Some(Ok(target)) = redirect::target(status, &response.headers, from) else { return Ok(()) };
        self.fetcher.check(&target)?;
        self.check.check(from, &target).await.map_err(|refused| refused.at(&target))?;
        self.usage().document = without_fragment(&target);
        Ok(())
    }

    /// Checks a URL against the policy without any traffic, for requests that do not use
    /// [`RenderProxy::fetch`].
    ///
    /// # Errors
    ///
    /// As [`Fetcher::check`].
    pub fn check(&self, url: &Url) -> Result<(), Error> {
        self.fetcher.check(url)
    }

    /// Stores a cookie that a script of the page at `url` set, in the form of `document.cookie`.
    pub fn set_cookie(&self, url: &Url, cookie: &str) {
        if let Ok(value) = HeaderValue::from_str(cookie) {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::SET_COOKIE, value);
            self.request.cookies.store(url, &headers, self.fetcher.now());
        }
    }

    /// The time that is left.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Counts one request, and reserves the bytes that it may bring in.
    async fn reserve(&self, url: &Url, max_body: u64) -> Result<Share<'_>, Error> {
        loop {
            let mut released = pin!(self.released.notified());
            // No release is missed from here on.
            released.as_mut().enable();
            {
                let mut usage = self.usage();
                let left = MAX_BYTES_PER_PAGE.saturating_sub(usage.bytes);
                if usage.requests >= MAX_REQUESTS_PER_PAGE || left == 0 {
                    return Err(Error::new(
                        ErrorKind::TooLarge,
                        url,
                        format!(
                            "the page has made {} requests for {} bytes and may make no more",
                            usage.requests, usage.bytes
                        ),
                    ));
                }
                let free = left.saturating_sub(usage.reserved);
                let wanted =
                    if usage.requests == 0 { max_body } else { max_body.min(MAX_BYTES_PER_RESOURCE) };
                // If less is free, the request waits until others have released what they did not need, so
                // that no request fails because of concurrent ones.
                if free >= wanted || usage.reserved == 0 {
                    let bytes = wanted.min(free);
                    usage.requests += 1;
                    usage.reserved += bytes;
                    return Ok(Share { proxy: self, bytes, received: Arc::default() });
                }
            }
            let in_time = tokio::time::timeout_at(self.deadline, released).await;
            in_time.map_err(|_| Error::new(ErrorKind::Timeout, url, "the page's time ran out"))?;
        }
    }

    /// The URL of the document after redirects, and which proxies it came through.
    pub(super) fn document(&self) -> (Url, ProxyUsed) {
        let usage = self.usage();
        (usage.document.clone(), usage.proxy)
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a page that are reserved for one request. Dropped, it counts the received bytes and releases
/// the rest.
struct Share<'a> {
    proxy: &'a RenderProxy<'a>,
    bytes: u64,
    received: Arc<AtomicU64>,
}

impl Share<'_> {
    fn at_least(&self, bytes: u64) {
        self.received.fetch_max(bytes, Relaxed);
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut usage = self.proxy.usage();
        usage.reserved = usage.reserved.saturating_sub(self.bytes);
        usage.bytes = usage.bytes.saturating_add(self.received.load(Relaxed));
        drop(usage);
        self.proxy.released.notify_waiters();
    }
}
