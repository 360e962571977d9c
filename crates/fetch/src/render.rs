//! What a browser engine must provide, and the only way in which it may reach the network.
//!
//! A browser opens connections for every picture and script of a page, to wherever the page wants. So the engine gets no
//! network of its own: each request that a page makes is answered by the [`Gate`] it is given, which sends it through the
//! fetcher's door: the same guard, limits, proxies and cookies as for pages fetched without a browser. (Over the DevTools
//! protocol that is request interception; the browser's process should have no route out besides.)
//!
//! One call renders one page from navigation to the last action, rather than one call per step: the engine then owns a
//! tab for exactly as long as the future lives, and dropping the future closes it.

use std::fmt;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_types::ErrorCode;
use gleaner_types::plan::{Action, ProxyMode, ScrapeOptionsPlan, ScreenshotFormat};
use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;
use url::Url;

use crate::cookies::CookieJar;
use crate::error::{Error, ErrorKind};
use crate::fetcher::Fetcher;
use crate::media::Accept;
use crate::redirect::HopCheck;
use crate::request::Request;
use crate::response::Response;

/// Most requests that one page may make; further ones fail.
pub const MAX_REQUESTS_PER_PAGE: u32 = 500;
/// Most bytes that all requests of one page may bring in; further requests fail.
pub const MAX_BYTES_PER_PAGE: u64 = 100 * 1024 * 1024;

/// A browser engine.
#[async_trait]
pub trait Render: Send + Sync + fmt::Debug {
    /// Opens `request.url` with nothing but `gate` for a network, waits, runs the actions in their order, and gives what
    /// the page has become.
    ///
    /// Dropping the future ends the page. The caller holds the deadline; [`Gate::remaining`] tells it.
    ///
    /// # Errors
    ///
    /// What the gate refused for the page itself, [`Error::action`] for an action that failed, [`Error::render`] for an
    /// engine that did. Resources that could not be loaded are no error.
    async fn render(&self, request: &RenderRequest, gate: &Gate<'_>) -> Result<Rendered, Error>;
}

/// What a page is to be rendered as.
#[derive(Debug, Clone)]
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

/// What a page has become.
#[derive(Debug, Clone)]
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
}

impl Rendered {
    /// A page without pictures or results of actions.
    #[must_use]
    pub fn new(url: Url, status: u16, headers: HeaderMap, html: String) -> Self {
        Self { url, status, headers, html, screenshot: None, results: Vec::new() }
    }
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png` or `image/jpeg`.
    pub content_type: &'static str,
    /// The file.
    pub bytes: Bytes,
}

/// What an action gave. Most give nothing and are not listed.
#[derive(Debug, Clone, PartialEq)]
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

/// The network of one rendered page. Everything that passes is held against the fetcher's policy, counted, and ends at the
/// deadline.
#[derive(Debug)]
pub struct Gate<'a> {
    fetcher: &'a Fetcher,
    request: &'a RenderRequest,
    deadline: Instant,
    used: std::sync::Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    requests: u32,
    bytes: u64,
}

impl<'a> Gate<'a> {
    /// The network of `request`, by `fetcher`, until `timeout` from now.
    #[must_use]
    pub fn new(fetcher: &'a Fetcher, request: &'a RenderRequest, timeout: Duration) -> Self {
        Self { fetcher, request, deadline: Instant::now() + timeout, used: std::sync::Mutex::default() }
    }

    /// Answers a request of the page. The page's proxy mode, country, languages, cookies, and certificate rule are set
    /// here; the caller's headers go to the page's own origin alone.
    ///
    /// Redirects are not followed: the browser does that, and asks again.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::fetch`]; and [`ErrorKind::TooLarge`] once the page has made [`MAX_REQUESTS_PER_PAGE`] or brought in
    /// [`MAX_BYTES_PER_PAGE`].
    pub async fn fetch(&self, mut request: Request, hops: &dyn HopCheck) -> Result<Response, Error> {
        let left = self.take(&request.url)?;
        let page = self.request;
        let same_origin = crate::redirect::same_origin(&request.url, &page.url);
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
        request.max_body = Some(request.max_body.map_or(left, |asked| asked.min(left)));
        request.timeout = Some(request.timeout.map_or(self.remaining(), |asked| asked.min(self.remaining())));
        let response = self.fetcher.fetch(request, hops).await?;
        self.used().bytes += response.body.len() as u64;
        Ok(response)
    }

    /// Holds an address against the policy without any traffic, for what does not go through [`Gate::fetch`].
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
            self.request.cookies.take_in(url, &headers, SystemTime::now());
        }
    }

    /// The time that is left.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Counts one request, and gives the bytes that are left to it.
    fn take(&self, url: &Url) -> Result<u64, Error> {
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
        used.requests += 1;
        Ok(left)
    }

    fn used(&self) -> std::sync::MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Fetcher {
    /// Renders a page by `engine` within `timeout`, with this fetcher for its network. Where the document ends up at
    /// another address, `hops` is asked about that.
    ///
    /// # Errors
    ///
    /// As [`Render::render`]; what [`Fetcher::check`] has against the address; [`ErrorKind::HopRefused`];
    /// [`ErrorKind::Timeout`].
    pub async fn render(
        &self,
        engine: &dyn Render,
        request: &RenderRequest,
        timeout: Duration,
        hops: &dyn HopCheck,
    ) -> Result<Rendered, Error> {
        self.check(&request.url)?;
        let gate = Gate::new(self, request, timeout);
        let work = async {
            let page = engine.render(request, &gate).await?;
            if page.url != request.url {
                self.check(&page.url)?;
                hops.check(&request.url, &page.url).await.map_err(|refused| refused.at(&page.url))?;
            }
            Ok(page)
        };
        tokio::time::timeout_at(gate.deadline, work).await.unwrap_or_else(|_| {
            let text = format!("{} ms ran out while rendering", timeout.as_millis());
            Err(Error::new(ErrorKind::Timeout, &request.url, text))
        })
    }
}

/// The engine that a page with these options goes through: `None` where it needs none. Actions and screenshots need one;
/// where there is one, so do a wait before the page is read and the emulation of a mobile device.
///
/// # Errors
///
/// [`ErrorKind::RenderNotConfigured`] with the contract's code for the option, where they need an engine and there is
/// none.
///
/// ```
/// use gleaner_fetch::renderer_for;
/// use gleaner_types::plan::ScrapePlan;
/// use serde_json::json;
///
/// let plan = ScrapePlan::from_json(&json!({ "url": "https://example.com/", "formats": ["screenshot"] })).unwrap();
/// let error = renderer_for(None, &plan.options, &plan.target.url).unwrap_err();
/// assert_eq!(error.code().as_str(), "SCRAPE_SCREENSHOT_NOT_SUPPORTED");
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
            "{option} needs a browser, and this engine was built without one: give it an implementation of `Render`, or \
             leave the option out"
        );
        Error::new(ErrorKind::RenderNotConfigured, url, text).with_code(code)
    })
}
