//! What a browser engine must provide, and the only way in which it may reach the network.
//!
//! A browser opens connections for every picture and script of a page, to wherever the page wants. So the
//! engine gets no network of its own: each request that a page makes is answered by the [`RenderProxy`] it is
//! given, which sends it through the fetcher's door: the same guard, limits, proxies and cookies as for pages
//! fetched without a browser. (Over the DevTools protocol that is request interception; the browser's process
//! should have no route out besides.)
//!
//! Redirects of the document are the caller's to judge, as those of a page without a browser are: the gate
//! asks its [`RedirectCheck`] before it hands such an answer to the engine, so that a refused target is never
//! asked for.
//!
//! One call renders one page from navigation to the last action, rather than one call per step: the engine
//! then owns a tab for exactly as long as the future lives, and dropping the future closes it.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_types::plan::{Action, ProxyMode, ScrapeOptionsPlan, ScreenshotFormat};
use gleaner_types::{ErrorCode, ProxyUsed, SafeUrl};
use http::{HeaderMap, HeaderValue};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use crate::cookies::CookieJar;
use crate::error::{Error, ErrorKind};
use crate::exchange::deadline_in;
use crate::fetcher::Fetcher;
use crate::media::Accept;
use crate::redirect::{self, RedirectCheck, without_fragment};
use crate::request::Request;
use crate::response::Response;

/// Most requests that one page may make; further ones fail.
pub const MAX_REQUESTS_PER_PAGE: u32 = 500;
/// Most bytes that all requests of one page may bring in, as sent or as decoded, whichever is more; those of
/// requests that fail count too. Further requests fail.
pub const MAX_BYTES_PER_PAGE: u64 = 100 * 1024 * 1024;

/// Most bytes of one resource of a page, where its request does not ask for less. The document itself, which
/// is asked for first, may be as large as any page.
pub const MAX_BYTES_PER_RESOURCE: u64 = 16 * 1024 * 1024;

/// A browser engine.
#[async_trait]
pub trait Render: Send + Sync + fmt::Debug {
    /// Opens `request.url` with nothing but `gate` for a network, waits, runs the actions in their order, and
    /// gives what the page has become.
    ///
    /// Dropping the future ends the page. The caller holds the deadline; [`RenderProxy::remaining`] tells it.
    ///
    /// # Errors
    ///
    /// What the gate refused for the page itself, [`Error::action`] for an action that failed,
    /// [`Error::render`] for an engine that did. Resources that could not be loaded are no error.
    async fn render(&self, request: &RenderRequest, gate: &RenderProxy<'_>) -> Result<Rendered, Error>;
}

/// What a page is to be rendered as. `Debug` shows no header values and not what actions type.
#[derive(Clone)]
#[non_exhaustive]
pub struct RenderRequest {
    /// The address to navigate to.
    pub url: Url,
    /// Sent with the navigation and with requests to the same origin, not with others.
    pub headers: HeaderMap,
    /// Emulate a mobile device: its window, touch, and user agent.
    pub mobile: bool,
    /// BCP 47 tags, most wanted first; empty takes the engine's default.
    pub languages: Vec<String>,
    /// ISO 3166-1 alpha-2; the engine emulates a time zone and a language of it.
    pub country: Option<String>,
    /// How requests leave.
    pub proxy: ProxyMode,
    /// Take any certificate.
    pub skip_tls_verification: bool,
    /// Block advertisements and cookie dialogs.
    pub block_ads: bool,
    /// Waited after the page has loaded, before the first action.
    pub wait_for: Duration,
    /// Done in this order, before anything is read off the page.
    pub actions: Vec<Action>,
    /// A picture of the page after the last action.
    pub screenshot: Option<ScreenshotFormat>,
    /// The cookies of the job; what the page sets goes there.
    pub cookies: CookieJar,
}

impl fmt::Debug for RenderRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderRequest")
            .field("url", &SafeUrl::from(&self.url))
            .field("headers", &crate::headers::Names(&self.headers))
            .field("mobile", &self.mobile)
            .field("languages", &self.languages)
            .field("country", &self.country)
            .field("proxy", &self.proxy)
            .field("wait_for", &self.wait_for)
            .field("actions", &self.actions.len())
            .field("cookies", &self.cookies)
            .finish_non_exhaustive()
    }
}

impl RenderRequest {
    /// Renders `url` as the options have it.
    #[must_use]
    pub fn new(url: Url, options: &ScrapeOptionsPlan) -> Self {
        let headers = options.headers.iter().filter_map(|(name, value)| {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            Some((name.parse().ok()?, value))
        });
        Self {
            url,
            headers: headers.collect(),
            mobile: options.mobile,
            languages: options.location.languages.clone(),
            country: Some(options.location.country.clone()),
            proxy: options.proxy,
            skip_tls_verification: options.skip_tls_verification,
            block_ads: options.block_ads,
            wait_for: options.wait_for,
            actions: options.actions.clone(),
            screenshot: options.formats.screenshot.clone(),
            cookies: CookieJar::new(),
        }
    }
}

/// What a page has become. `Debug` shows no header values and no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Rendered {
    /// The address of the document at the end.
    pub url: Url,
    /// The status that the document came with.
    pub status: u16,
    /// The headers that the document came with.
    pub headers: HeaderMap,
    /// The document as it is now, serialised.
    pub html: String,
    /// The picture that was asked for.
    pub screenshot: Option<Picture>,
    /// What the actions gave, in their order.
    pub results: Vec<ActionResult>,
    /// Which way the document came. [`Fetcher::render`] fills it in.
    pub proxy_used: ProxyUsed,
}

impl fmt::Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendered")
            .field("url", &SafeUrl::from(&self.url))
            .field("status", &self.status)
            .field("headers", &crate::headers::Names(&self.headers))
            .field("html_bytes", &self.html.len())
            .field("screenshot", &self.screenshot)
            .field("results", &self.results)
            .finish()
    }
}

impl Rendered {
    /// A page without pictures or results of actions.
    #[must_use]
    pub fn new(url: Url, status: u16, headers: HeaderMap, html: String) -> Self {
        let proxy_used = ProxyUsed::Basic;
        Self { url, status, headers, html, screenshot: None, results: Vec::new(), proxy_used }
    }
}

/// A picture of a page.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png` or `image/jpeg`.
    pub content_type: &'static str,
    /// The file.
    pub bytes: Bytes,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

/// What an action gave. Most give nothing and are not listed. `Debug` shows how much it is, and no text.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionResult {
    /// Of [`Action::Screenshot`].
    Screenshot(Picture),
    /// Of [`Action::Scrape`].
    Scrape {
        /// The document's address at that moment.
        url: Url,
        /// The document at that moment.
        html: String,
    },
    /// Of [`Action::ExecuteJavascript`].
    Javascript {
        /// The value's type as JavaScript's `typeof` has it.
        kind: String,
        /// The value as JSON text; `null` for what JSON has no form for.
        json: String,
    },
    /// Of [`Action::Pdf`]: the file.
    Pdf(Bytes),
}

impl fmt::Debug for ActionResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Screenshot(picture) => write!(f, "Screenshot({picture:?})"),
            Self::Scrape { url, html } => write!(f, "Scrape({}, {} bytes)", SafeUrl::from(url), html.len()),
            Self::Javascript { kind, json } => write!(f, "Javascript({kind}, {} bytes)", json.len()),
            Self::Pdf(file) => write!(f, "Pdf({} bytes)", file.len()),
        }
    }
}

/// The network of one rendered page. Everything that passes is held against the fetcher's policy, counted,
/// and ends at the deadline.
pub struct RenderProxy<'a> {
    fetcher: &'a Fetcher,
    request: &'a RenderRequest,
    hops: &'a dyn RedirectCheck,
    deadline: Instant,
    used: Mutex<Used>,
    given_back: Notify,
}

struct Used {
    requests: u32,
    /// What has come in.
    bytes: u64,
    /// What requests under way may still bring in.
    reserved: u64,
    /// The address of the document as far as redirects have led.
    document: Url,
    /// Which way the document came.
    proxy: ProxyUsed,
}

impl fmt::Debug for RenderProxy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.used();
        f.debug_struct("RenderProxy")
            .field("request", &self.request)
            .field("remaining", &self.remaining())
            .field("requests", &used.requests)
            .field("bytes", &used.bytes)
            .finish_non_exhaustive()
    }
}

impl<'a> RenderProxy<'a> {
    /// The network of `request`, by `fetcher`, until `timeout` from now. `hops` is asked before the document
    /// is redirected.
    #[must_use]
    pub fn new(
        fetcher: &'a Fetcher,
        request: &'a RenderRequest,
        timeout: Duration,
        hops: &'a dyn RedirectCheck,
    ) -> Self {
        let document = without_fragment(&request.url);
        let used = Used { requests: 0, bytes: 0, reserved: 0, document, proxy: ProxyUsed::Basic };
        let deadline = deadline_in(timeout);
        Self { fetcher, request, hops, deadline, used: Mutex::new(used), given_back: Notify::new() }
    }

    /// Answers a request of the page. The page's proxy mode, country, languages, cookies, and certificate
    /// rule are set here; the caller's headers go to the page's own origin alone.
    ///
    /// Redirects are not followed: the browser does that, and asks again. A redirect of the document passes
    /// only where the policy and the caller's [`RedirectCheck`] let its target pass.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::fetch`], [`ErrorKind::RedirectRefused`] among them; and [`ErrorKind::TooLarge`] once the
    /// page has made [`MAX_REQUESTS_PER_PAGE`] or brought in [`MAX_BYTES_PER_PAGE`].
    pub async fn fetch(&self, mut request: Request) -> Result<Response, Error> {
        let asked = request.max_body.unwrap_or(u64::MAX).min(self.fetcher.max_body());
        let share = self.share(&request.url, asked).await?;
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
        request.timeout = Some(request.timeout.map_or(self.remaining(), |asked| asked.min(self.remaining())));
        request.meter = Some(Arc::clone(&share.came_in));
        let from = request.url.clone();
        let outcome = self.fetcher.fetch(request, self.hops).await;
        match &outcome {
            Ok(response) => share.at_least(response.body.len() as u64),
            Err(error) if error.kind() == ErrorKind::TooLarge => share.at_least(share.bytes),
            Err(_) => {}
        }
        drop(share);
        let response = outcome?;
        self.judge_redirect(&from, &response).await?;
        Ok(response)
    }

    /// Holds where the document is redirected to against the policy and the caller's check.
    async fn judge_redirect(&self, from: &Url, response: &Response) -> Result<(), Error> {
        {
            let mut used = self.used();
            if without_fragment(from) != used.document {
                return Ok(());
            }
            used.proxy = response.proxy_used;
        }
        let Ok(status) = http::StatusCode::from_u16(response.status) else { return Ok(()) };
        // The browser makes what it likes of a `Location` that is not a URL: it leads nowhere by our reading.
        let Some(Ok(target)) = redirect::target(status, &response.headers, from) else { return Ok(()) };
        self.fetcher.check(&target)?;
        self.hops.check(from, &target).await.map_err(|refused| refused.at(&target))?;
        self.used().document = without_fragment(&target);
        Ok(())
    }

    /// Holds an address against the policy without any traffic, for what does not go through
    /// [`RenderProxy::fetch`].
    ///
    /// # Errors
    ///
    /// As [`Fetcher::check`].
    pub fn check(&self, url: &Url) -> Result<(), Error> {
        self.fetcher.check(url)
    }

    /// Takes in a cookie that a script of the page at `url` set, in the form of `document.cookie`.
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

    /// Counts one request, and sets aside what it may bring in.
    async fn share(&self, url: &Url, asked: u64) -> Result<Share<'_>, Error> {
        loop {
            let mut given_back = pin!(self.given_back.notified());
            // From here on nothing is missed.
            given_back.as_mut().enable();
            {
                let mut used = self.used();
                let left = MAX_BYTES_PER_PAGE.saturating_sub(used.bytes);
                if used.requests >= MAX_REQUESTS_PER_PAGE || left == 0 {
                    return Err(Error::new(
                        ErrorKind::TooLarge,
                        url,
                        format!(
                            "the page has made {} requests for {} bytes, and may make no more",
                            used.requests, used.bytes
                        ),
                    ));
                }
                let free = left.saturating_sub(used.reserved);
                let most = if used.requests == 0 { asked } else { asked.min(MAX_BYTES_PER_RESOURCE) };
                // One that would get less waits until the others have given back what they did not need:
                // nothing fails for the haste of others.
                if free >= most || used.reserved == 0 {
                    let bytes = most.min(free);
                    used.requests += 1;
                    used.reserved += bytes;
                    return Ok(Share { gate: self, bytes, came_in: Arc::default() });
                }
            }
            let left = tokio::time::timeout_at(self.deadline, given_back).await;
            left.map_err(|_| Error::new(ErrorKind::Timeout, url, "the page's time ran out"))?;
        }
    }

    /// Where redirects have led, and which way the document came.
    fn document(&self) -> (Url, ProxyUsed) {
        let used = self.used();
        (used.document.clone(), used.proxy)
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one request may bring in of a page's bytes. Dropped, it counts what came in and gives back the rest.
struct Share<'a> {
    gate: &'a RenderProxy<'a>,
    bytes: u64,
    came_in: Arc<AtomicU64>,
}

impl Share<'_> {
    fn at_least(&self, bytes: u64) {
        self.came_in.fetch_max(bytes, Relaxed);
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut used = self.gate.used();
        used.reserved = used.reserved.saturating_sub(self.bytes);
        used.bytes = used.bytes.saturating_add(self.came_in.load(Relaxed));
        drop(used);
        self.gate.given_back.notify_waiters();
    }
}

impl Fetcher {
    /// Renders a page by `engine` within `timeout`, with this fetcher for its network. `hops` is asked before
    /// the document is redirected, and where the document ends up at yet another address, about that.
    ///
    /// # Errors
    ///
    /// As [`Render::render`]; what [`Fetcher::check`] has against the address;
    /// [`ErrorKind::RedirectRefused`]; [`ErrorKind::Timeout`].
    pub async fn render(
        &self,
        engine: &dyn Render,
        request: &RenderRequest,
        timeout: Duration,
        hops: &dyn RedirectCheck,
    ) -> Result<Rendered, Error> {
        self.check(&request.url)?;
        let gate = RenderProxy::new(self, request, timeout, hops);
        let work = async {
            let mut page = engine.render(request, &gate).await?;
            let (known, proxy) = gate.document();
            page.proxy_used = proxy;
            if without_fragment(&page.url) != known {
                // A script led there.
                self.check(&page.url)?;
                hops.check(&known, &page.url).await.map_err(|refused| refused.at(&page.url))?;
            }
            Ok(page)
        };
        tokio::time::timeout_at(gate.deadline, work).await.unwrap_or_else(|_| {
            let text = format!("{} ms ran out while rendering", timeout.as_millis());
            Err(Error::new(ErrorKind::Timeout, &request.url, text))
        })
    }
}

/// The engine that a page with these options goes through: `None` where it needs none. Actions and
/// screenshots need one; where there is one, so do a wait before the page is read and the emulation of a
/// mobile device.
///
/// # Errors
///
/// [`ErrorKind::RenderNotConfigured`] with the contract's code for the option, where they need an engine and
/// there is none.
///
/// ```
/// use gleaner_fetch::renderer_for;
/// use gleaner_types::plan::ScrapePlan;
///
/// let body = gleaner_types::parse_json(br#"{ "url": "https://example.com/", "formats": ["screenshot"] }"#)?;
/// let plan = ScrapePlan::from_json(&body)?;
/// let error = renderer_for(None, &plan.options, &plan.target.url).unwrap_err();
/// assert_eq!(error.code().as_str(), "SCRAPE_SCREENSHOT_NOT_SUPPORTED");
/// # Ok::<(), gleaner_types::Faults>(())
/// ```
pub fn renderer_for<'a>(
    renderer: Option<&'a dyn Render>,
    options: &ScrapeOptionsPlan,
    url: &Url,
) -> Result<Option<&'a dyn Render>, Error> {
    let (option, code) = if !options.actions.is_empty() {
        ("`actions`", ErrorCode::ScrapeActionsNotSupported)
    } else if options.formats.screenshot.is_some() {
        ("the format `screenshot`", ErrorCode::ScrapeScreenshotNotSupported)
    } else {
        return Ok(renderer.filter(|_| options.mobile || !options.wait_for.is_zero()));
    };
    renderer.map(Some).ok_or_else(|| {
        let text = format!(
            "{option} needs a browser, and this engine was built without one: its operator can add one; until then, \
             leave the option out"
        );
        Error::new(ErrorKind::RenderNotConfigured, url, text).with_code(code)
    })
}
