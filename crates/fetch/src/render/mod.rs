//! The interface of a browser engine, and its access to the network.
//!
//! A browser opens connections for every picture and script of a page, to any host that the page names. So
//! the engine has no network of its own: its [`RenderProxy`] answers each request of a page through the
//! fetcher, with the same guard, limits, proxies and cookies as for pages without a browser. (With the
//! DevTools protocol this is request interception; the browser's process should have no other route to the
//! network.)
//!
//! The caller checks redirects of the document, as for a page without a browser: the proxy asks its
//! [`RedirectCheck`] before it passes such an answer to the engine, so a refused target is never requested.
//!
//! One call renders one page from navigation to the last action. Alternative: one call per step. With a
//! single call the engine owns a tab exactly as long as the future lives, and dropping the future closes it.

mod proxy;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_types::plan::{Action, ProxyMode, ScrapeOptionsPlan, ScreenshotFormat};
use gleaner_types::{ErrorCode, ProxyUsed, SafeUrl};
use http::{HeaderMap, HeaderValue};
use url::Url;

pub use proxy::{MAX_BYTES_PER_PAGE, MAX_BYTES_PER_RESOURCE, MAX_REQUESTS_PER_PAGE, RenderProxy};

use crate::cookies::CookieJar;
use crate::error::{Error, ErrorKind};
use crate::fetcher::Fetcher;
use crate::redirect::{RedirectCheck, without_fragment};

/// A browser engine.
#[async_trait]
pub trait Render: Send + Sync + fmt::Debug {
    /// Opens `request.url` with `proxy` as its only network, waits, runs the actions in their order, and
    /// returns the resulting page.
    ///
    /// Dropping the future ends the page. The caller enforces the deadline; [`RenderProxy::remaining`]
    /// returns the time that is left.
    ///
    /// # Errors
    ///
    /// The error of `proxy` for the page itself, [`Error::action`] for a failed action, [`Error::render`] for
    /// a failed engine. Resources that could not be loaded are not an error.
    async fn render(&self, request: &RenderRequest, proxy: &RenderProxy<'_>) -> Result<Rendered, Error>;
}

/// How a page is rendered. `Debug` shows neither header values nor the text that actions type.
#[derive(Clone)]
#[non_exhaustive]
pub struct RenderRequest {
    /// The URL to navigate to.
    pub url: Url,
    /// Sent with the navigation and with requests to the same origin only.
    pub headers: HeaderMap,
    /// Emulate a mobile device: its window, touch, and user agent.
    pub mobile: bool,
    /// BCP 47 tags, in order of preference; empty is the engine's default.
    pub languages: Vec<String>,
    /// A country (ISO 3166-1 alpha-2); the engine emulates its time zone and language.
    pub country: Option<String>,
    /// The proxy mode of all requests.
    pub proxy: ProxyMode,
    /// Accept any certificate.
    pub skip_tls_verification: bool,
    /// Block advertisements and cookie dialogs.
    pub block_ads: bool,
    /// How long to wait after the page has loaded, before the first action.
    pub wait_for: Duration,
    /// Run in this order, before the page is read.
    pub actions: Vec<Action>,
    /// Take a picture of the page after the last action.
    pub screenshot: Option<ScreenshotFormat>,
    /// The cookies of the job. Cookies that the page sets are added.
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
    /// Renders `url` with these options.
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

/// A rendered page. `Debug` shows no header values and no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Rendered {
    /// The URL of the document at the end.
    pub url: Url,
    /// The status of the document.
    pub status: u16,
    /// The headers of the document.
    pub headers: HeaderMap,
    /// The document at the end, serialised.
    pub html: String,
    /// The picture that the request asked for.
    pub screenshot: Option<Picture>,
    /// The results of the actions, in their order.
    pub results: Vec<ActionResult>,
    /// Which proxies the document came through. [`Fetcher::render`] sets it.
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
    /// A page without a picture and results of actions.
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

/// The result of an action. Most actions have none. `Debug` shows sizes and no text.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionResult {
    /// Of [`Action::Screenshot`].
    Screenshot(Picture),
    /// Of [`Action::Scrape`].
    Scrape {
        /// The document's URL at that moment.
        url: Url,
        /// The document at that moment.
        html: String,
    },
    /// Of [`Action::ExecuteJavascript`].
    Javascript {
        /// The value's type as in JavaScript's `typeof`.
        kind: String,
        /// The value as JSON text; `null` if JSON cannot represent it.
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

impl Fetcher {
    /// Renders a page with `engine` within `timeout`, with this fetcher as its network. `check` is asked
    /// before the document is redirected, and once more if the document ends at another URL.
    ///
    /// # Errors
    ///
    /// As [`Render::render`] and [`Fetcher::check`]; [`ErrorKind::RedirectRefused`]; [`ErrorKind::Timeout`].
    pub async fn render(
        &self,
        engine: &dyn Render,
        request: &RenderRequest,
        timeout: Duration,
        check: &dyn RedirectCheck,
    ) -> Result<Rendered, Error> {
        self.check(&request.url)?;
        let proxy = RenderProxy::new(self, request, timeout, check);
        let work = async {
            let mut page = engine.render(request, &proxy).await?;
            let (document, proxy_used) = proxy.document();
            page.proxy_used = proxy_used;
            if without_fragment(&page.url) != document {
                // A script navigated there.
                self.check(&page.url)?;
                check.check(&document, &page.url).await.map_err(|refused| refused.at(&page.url))?;
            }
            Ok(page)
        };
        tokio::time::timeout_at(proxy.deadline, work).await.unwrap_or_else(|_| {
            let text = format!("{} ms ran out while rendering", timeout.as_millis());
            Err(Error::new(ErrorKind::Timeout, &request.url, text))
        })
    }
}

/// The engine for a page with these options; `None` if it needs none. Actions and screenshots require an
/// engine. A wait and the emulation of a mobile device use it if there is one.
///
/// # Errors
///
/// [`ErrorKind::RenderNotConfigured`] with the contract's code for the option, if an engine is required and
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
            "{option} needs a browser, and this engine was built without one: its operator can add one; \
             until then, leave the option out"
        );
        Error::new(ErrorKind::RenderNotConfigured, url, text).with_code(code)
    })
}
