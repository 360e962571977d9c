//! Performs the requests of a rendered page within the egress policy and its limits.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use gleaner_types::BoxFuture;
use http::header::COOKIE;
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;
use tokio::time::error::Elapsed;
use url::Url;

use super::document_facts::DocumentFacts;
use super::load::{Load, LoadKind};
use super::main_frame::MainFrame;
use super::rendered::{MAX_RESULTS_BYTES_PER_PAGE, Rendered, RenderedPage};
use super::request::RenderRequest;
use super::usage::{MAX_BYTES_PER_RESOURCE, Usage};
use crate::error::{Error, ErrorKind};
use crate::fetcher::Fetcher;
use crate::headers;
use crate::media::Accept;
use crate::redirect::{self, RedirectCheck, without_fragment};
use crate::response::Response;
use crate::transport::trace::{self, Stage, Trace};

/// The network of one rendered page. Each load is checked against the fetcher's policy, counted, and bounded
/// by the deadline.
pub struct RenderProxy<'a> {
    fetcher: &'a Fetcher,
    request: &'a RenderRequest,
    check: &'a dyn RedirectCheck,
    /// Measures the time of the caller's checks, which extends the deadline.
    clock: Trace,
    usage: Usage,
    main_frame: Mutex<MainFrame>,
}

impl fmt::Debug for RenderProxy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.usage.counts();
        f.debug_struct("RenderProxy")
            .field("request", &self.request)
            .field("remaining", &self.remaining())
            .field("requests", &counts.requests)
            .field("bytes", &counts.bytes)
            .finish_non_exhaustive()
    }
}

impl<'a> RenderProxy<'a> {
    /// The network of `request`, through `fetcher`, until the deadline of the request. `check` is asked
    /// before the main frame leaves its document.
    #[must_use]
    pub fn new(fetcher: &'a Fetcher, request: &'a RenderRequest, check: &'a dyn RedirectCheck) -> Self {
        let main_frame = Mutex::new(MainFrame::new(&request.url));
        Self { fetcher, request, check, clock: Trace::default(), usage: Usage::new(), main_frame }
    }

    /// Answers a load of the page. Sets the page's proxy mode, country, owner and certificate rule, and adds
    /// the caller's headers as [`RenderRequest::headers`] says. The load's own headers are sent as they are:
    /// they are the browser's, its cookies included. Cookies of answers are left to the browser.
    ///
    /// Redirects are not followed, because the browser follows them with another load. At the main frame, the
    /// policy and the caller's [`RedirectCheck`] decide about each URL before it is requested: a redirect's
    /// target before the redirect is returned, any other URL at its load. Loads of frames and resources are
    /// checked against the policy only.
    ///
    /// # Errors
    ///
    /// As [`Fetcher::fetch`], including [`ErrorKind::RedirectRefused`] and [`ErrorKind::TooManyRedirects`];
    /// and [`ErrorKind::TooLarge`] once the page has reached [`MAX_REQUESTS_PER_PAGE`] or
    /// [`MAX_BYTES_PER_PAGE`].
    ///
    /// [`MAX_REQUESTS_PER_PAGE`]: super::MAX_REQUESTS_PER_PAGE
    /// [`MAX_BYTES_PER_PAGE`]: super::MAX_BYTES_PER_PAGE
    pub fn fetch(&self, load: Load) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            match load.kind {
                LoadKind::Navigation => self.navigate(load).await,
                LoadKind::Frame | LoadKind::Resource => {
                    let slot = self.in_time(&load.request.url, self.usage.slot(&load.request.url)).await?;
                    let outcome = self.send(load, MAX_BYTES_PER_RESOURCE).await;
                    drop(slot);
                    outcome
                }
            }
        })
    }

    async fn navigate(&self, load: Load) -> Result<Response, Error> {
        let url = load.request.url.clone();
        self.fetcher.check(&url)?;
        let from = self.main_frame().begin(&url);
        if let Some(from) = from {
            self.ask(&from, &url).await?;
        }
        let response = self.send(load, u64::MAX).await?;
        let status = StatusCode::from_u16(response.status).ok();
        match status.and_then(|status| redirect::target(status, &response.headers, &url)) {
            None => self.main_frame().answered(&url, &response),
            Some(Err(_)) => return Err(Error::bad_location(&url)),
            Some(Ok(target)) => {
                self.main_frame().count_redirect(&url, &response)?;
                self.fetcher.check(&target)?;
                self.ask(&url, &target).await?;
                self.main_frame().permit(&target);
            }
        }
        Ok(response)
    }

    /// Asks the caller's check. The time that it takes does not count.
    async fn ask(&self, from: &Url, to: &Url) -> Result<(), Error> {
        let pause = self.clock.pause(Stage::RedirectCheck);
        let outcome = self.check.check(from, to).await;
        drop(pause);
        outcome.map_err(|refused| refused.at(to))
    }

    async fn send(&self, load: Load, max_body: u64) -> Result<Response, Error> {
        let Load { mut request, kind, document } = load;
        let wanted = request.max_body.unwrap_or(u64::MAX).min(self.fetcher.max_body()).min(max_body);
        let share = self.in_time(&request.url, self.usage.reserve(&request.url, wanted)).await??;
        let page = self.request;
        {
            let main_frame = self.main_frame();
            let is_navigation = kind == LoadKind::Navigation;
            if main_frame.sends_headers(&request.url, document.as_ref(), is_navigation) {
                add_headers(&mut request.headers, &page.headers);
            }
            request.proxy = main_frame.proxy_mode(page.proxy);
        }
        request.from_browser = true;
        request.scheme_assumed = false;
        request.country = page.country.clone();
        request.owner = page.owner.clone();
        request.skip_tls_verification = page.skip_tls_verification;
        request.cookies = None;
        request.cache = None;
        request.max_redirects = Some(0);
        request.accept = Accept::Any;
        request.max_body = Some(share.bytes);
        let remaining = self.remaining();
        request.timeout = Some(request.timeout.map_or(remaining, |timeout| timeout.min(remaining)));
        request.meter = Some(Arc::clone(&share.received));
        let outcome = self.fetcher.fetch(request, self.check).await;
        match &outcome {
            Ok(response) => share.at_least(response.body.len() as u64),
            Err(error) if error.kind() == ErrorKind::TooLarge => share.at_least(share.bytes),
            Err(_) => {}
        }
        outcome
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

    /// The time that is left.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.clock.extended(self.request.deadline).saturating_duration_since(Instant::now())
    }

    /// The time of day, for [`CookieJar::cookies`](crate::CookieJar::cookies) and
    /// [`CookieJar::merge`](crate::CookieJar::merge).
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.fetcher.now()
    }

    /// Most bytes of a document, also of the HTML that an engine returns.
    #[must_use]
    pub fn max_body(&self) -> u64 {
        self.fetcher.max_body()
    }

    /// Whether the main frame's document is no HTML for a browser to show, such as a PDF or a file to
    /// download. Its body is then the page, whatever HTML the engine returns. False before its answer.
    #[must_use]
    pub fn is_other_document(&self) -> bool {
        self.main_frame().document().is_some_and(|(_, facts)| facts.other_body.is_some())
    }

    /// Starts over with the first load, for an engine that loads the page once more after a crash. What the
    /// page has used of its limits stays used.
    pub fn restart(&self) {
        *self.main_frame() = MainFrame::new(&self.request.url);
    }

    /// Runs `work` until the deadline, which checks extend.
    pub(super) async fn run<F: Future>(&self, work: F) -> Result<F::Output, Elapsed> {
        trace::run_until(self.request.deadline, &self.clock, work).await
    }

    async fn in_time<F: Future>(&self, url: &Url, work: F) -> Result<F::Output, Error> {
        let outcome = self.run(work).await;
        outcome.map_err(|_| Error::new(ErrorKind::Timeout, url, "the page's time ran out"))
    }

    /// Checks what the engine returned, and adds the facts of its document.
    pub(super) async fn finish(&self, page: Rendered) -> Result<RenderedPage, Error> {
        if page.html.len() as u64 > self.max_body() {
            return Err(Error::result_too_large(&page.url, "its HTML"));
        }
        if page.result_bytes() > MAX_RESULTS_BYTES_PER_PAGE {
            return Err(Error::result_too_large(&page.url, "the results of its actions"));
        }
        let Some((loaded, document)) = self.document() else {
            return Err(Error::render(&self.request.url, "the browser loaded no document"));
        };
        if without_fragment(&page.url) != loaded {
            // A script changed the URL without a load.
            self.fetcher.check(&page.url)?;
            self.ask(&loaded, &page.url).await?;
        }
        Ok(RenderedPage { page, document })
    }

    fn document(&self) -> Option<(Url, DocumentFacts)> {
        self.main_frame().document().map(|(url, facts)| (url.clone(), facts.clone()))
    }

    fn main_frame(&self) -> MutexGuard<'_, MainFrame> {
        self.main_frame.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the caller's headers to the browser's. They replace those of the same name, except for cookies, which
/// are joined.
fn add_headers(headers: &mut HeaderMap, callers: &HeaderMap) {
    let cookies = headers.get(COOKIE).filter(|_| callers.contains_key(COOKIE)).cloned();
    for (name, value) in callers {
        headers.insert(name, value.clone());
    }
    if let Some(cookies) = cookies {
        headers::add_cookies(headers, cookies.as_bytes());
    }
}
