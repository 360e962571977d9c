//! The input of a browser engine: a page to render and how.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::SafeUrl;
use gleaner_types::plan::{PlannedAction, ProxyMode, ScrapeOptionsPlan, ScreenshotFormat, Viewport};
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;
use url::Url;

use crate::cookies::CookieJar;

/// How a page is rendered. `Debug` shows neither header values nor the text that actions type.
#[derive(Clone)]
#[non_exhaustive]
pub struct RenderRequest {
    /// The URL to navigate to.
    pub url: Url,
    /// Sent with loads of the origin of [`url`](Self::url), while the main frame shows a document of that
    /// origin or none. The [`RenderProxy`](super::RenderProxy) adds them.
    pub headers: HeaderMap,
    /// When the page must be complete. An engine returns what it has shortly before.
    pub deadline: Instant,
    /// Emulate a mobile device: its window, touch, and user agent.
    pub mobile: bool,
    /// The user agent that the page sees and the browser sends, with every load; `None` is the browser's own,
    /// with its client hints. A given one has no client hints, because those of the browser contradict it.
    ///
    /// [`new`](Self::new) takes it from the headers of the options, and
    /// [`Fetcher::identify`](crate::Fetcher::identify) sets it where they have none.
    pub user_agent: Option<HeaderValue>,
    /// The window size; `None` is the engine's default.
    pub viewport: Option<Viewport>,
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
    pub actions: Vec<PlannedAction>,
    /// Take a picture of the page after the last action.
    pub screenshot: Option<ScreenshotFormat>,
    /// Return the computed styles of the page.
    pub styles: bool,
    /// The cookies of the job. The engine gives them to the page, and merges the cookies of the page into
    /// them at the end ([`CookieJar::merge`]).
    pub cookies: CookieJar,
    /// Who the page is for: the [owner](crate::Request::owner) of its requests.
    pub owner: Option<Arc<str>>,
    /// Write nothing of the page to disk or log, its URL included.
    pub zero_data_retention: bool,
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
    /// Renders `url` with these options until `deadline`.
    #[must_use]
    pub fn new(url: Url, options: &ScrapeOptionsPlan, deadline: Instant) -> Self {
        let headers = options.headers.iter().filter_map(|(name, value)| {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            Some((name.parse().ok()?, value))
        });
        let headers: HeaderMap = headers.collect();
        let screenshot = options.formats.screenshot.clone();
        Self {
            url,
            user_agent: headers.get(USER_AGENT).cloned(),
            headers,
            deadline,
            mobile: options.mobile,
            viewport: screenshot.as_ref().and_then(|format| format.viewport),
            languages: options.location.languages.clone(),
            country: Some(options.location.country.clone()),
            proxy: options.proxy,
            skip_tls_verification: options.skip_tls_verification,
            block_ads: options.block_ads,
            wait_for: options.wait_for,
            actions: options.actions.clone(),
            screenshot,
            styles: options.formats.branding,
            cookies: CookieJar::new(),
            owner: None,
            zero_data_retention: false,
        }
    }
}
