//! Implements the runtime's port for fetching with the fetcher and a browser.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gleaner_fetch::{
    Accept, ActionResult, CachePolicy, CacheUse, CookieJar, DEFAULT_MAX_BODY, Error, ErrorKind, Fetcher,
    Picture, RedirectRefused, Render, RenderRequest, RenderedPage, Request, Response, data_uri,
};
use gleaner_runtime::{
    Fetch, FetchError, FetchRequest, Fetched, Purpose, RedirectCheck, RedirectRefusal, Rendering, Session,
    blocking_operation, rfc3339,
};
use gleaner_types::media::MediaType;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ActionResults, BoxFuture, CacheState, ErrorCode, FetchEngine};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use url::Url;

use super::cookies;

/// Results of a rendered page above this size are converted on a blocking thread.
const MAX_INLINE_BYTES: usize = 1024 * 1024;

/// Maximum redirects of a robots.txt; with more it counts as unavailable (RFC 9309, section 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: u32 = 5;

/// [`Fetch`] by `gleaner-fetch`, and by the browser for pages that need one.
#[derive(Debug)]
pub(crate) struct FetchAdapter {
    pub(crate) fetcher: Fetcher,
    pub(crate) renderer: Option<Arc<dyn Render>>,
    /// Certificates are checked even if the request accepts any.
    pub(crate) checks_certificates: bool,
}

impl FetchAdapter {
    async fn get(&self, request: FetchRequest<'_>, check: &RedirectAdapter<'_>) -> Result<Fetched, Error> {
        let renderer = match request.engine {
            FetchEngine::Browser => self.renderer.as_deref(),
            _ => None,
        };
        match renderer {
            Some(renderer) => self.render(renderer, request, check).await,
            None => {
                let mut request = to_request(request)?;
                request.skip_tls_verification &= !self.checks_certificates;
                let accepts_copy = request.cache.is_some_and(|policy| !policy.max_age.is_zero());
                let response = self.fetcher.fetch(request, check).await?;
                Ok(from_response(response, accepts_copy))
            }
        }
    }

    async fn render(
        &self,
        renderer: &dyn Render,
        fetch: FetchRequest<'_>,
        check: &RedirectAdapter<'_>,
    ) -> Result<Fetched, Error> {
        let options = fetch.options;
        let mut request = RenderRequest::new(fetch.url.clone(), options, fetch.deadline);
        request.cookies = job_cookies(fetch).unwrap_or_default();
        request.skip_tls_verification &= !self.checks_certificates;
        request.owner = owner(fetch);
        request.zero_data_retention = fetch.zero_data_retention;
        self.fetcher.identify(&mut request);
        let mut outcome = self.fetcher.render(renderer, &request, check).await;
        if let Err(error) = &outcome
            && fetch.scheme_assumed
            && error.suggests_plain_http()
            && request.url.set_scheme("http").is_ok()
        {
            // The user's headers are meant for the https origin.
            request.headers.clear();
            outcome = self.fetcher.render(renderer, &request, check).await;
        }
        let rendered = outcome?;
        let has_actions = !options.actions.is_empty();
        // Rendered pages are not cached.
        let cache_state = (!cache_policy(options).max_age.is_zero()).then_some(CacheState::Miss);
        if result_bytes(&rendered) <= MAX_INLINE_BYTES {
            return Ok(from_rendered(rendered, has_actions, cache_state));
        }
        // Pictures become text.
        Ok(blocking_operation(async move { from_rendered(rendered, has_actions, cache_state) }).await)
    }
}

impl Fetch for FetchAdapter {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        check: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        Box::pin(async move {
            let check = RedirectAdapter { check, refused: Mutex::default() };
            let has_too_many_redirects =
                |error: &Error| matches!(error.kind(), ErrorKind::TooManyRedirects | ErrorKind::RedirectLoop);
            match self.get(request, &check).await {
                Err(error) if request.purpose == Purpose::Robots && has_too_many_redirects(&error) => {
                    Ok(redirected_robots(request.url.clone()))
                }
                outcome => outcome.map_err(|error| FetchError {
                    error: error.to_page_error(),
                    retryable: error.is_retryable(),
                    browser_crashed: error.is_browser_crash(),
                    exhausted: error.is_exhausted(),
                    // A browser goes on where the refused URL was not its page.
                    refused_redirect: check
                        .refused
                        .into_inner()
                        .ok()
                        .flatten()
                        .filter(|_| error.kind() == ErrorKind::RedirectRefused),
                }),
            }
        })
    }

    fn address<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(self.fetcher.address(url))
    }

    fn save_session(&self, session: &Session) -> Option<Vec<u8>> {
        cookies::save(session.get()?)
    }

    fn restore_session(&self, session: &Session, saved: &[u8]) {
        if let Some(jar) = session.get_or_init(CookieJar::new) {
            cookies::restore(jar, saved);
        }
    }
}

/// The response for a robots.txt with too many redirects: the redirect itself.
fn redirected_robots(url: Url) -> Fetched {
    Fetched::new(url, StatusCode::FOUND.as_u16(), Bytes::new())
}

fn to_request(fetch: FetchRequest<'_>) -> Result<Request, Error> {
    let options = fetch.options;
    let headers = options.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut request = Request::get(fetch.url.clone()).headers(headers)?;
    request.scheme_assumed = fetch.scheme_assumed;
    request.timeout = Some(options.timeout);
    request.skip_tls_verification = options.skip_tls_verification;
    request.mobile = options.mobile;
    request.block_ads = options.block_ads;
    request.languages = options.location.languages.clone();
    request.proxy = options.proxy;
    request.country = Some(options.location.country.clone());
    request.cookies = job_cookies(fetch);
    request.owner = owner(fetch);
    match fetch.purpose {
        Purpose::Page => {
            request.accept = Accept::Page;
            request.cache = Some(cache_policy(options));
        }
        Purpose::Sitemap => {
            request.accept = Accept::Any;
            request.max_body = Some(DEFAULT_MAX_BODY);
        }
        Purpose::Robots => {
            request.accept = Accept::Any;
            request.max_body = Some(DEFAULT_MAX_BODY);
            request.max_redirects = Some(MAX_ROBOTS_REDIRECTS);
        }
    }
    Ok(request)
}

/// The cookies of the job; its first page creates them.
fn job_cookies(fetch: FetchRequest<'_>) -> Option<CookieJar> {
    fetch.session.and_then(|session| session.get_or_init(CookieJar::new)).cloned()
}

fn owner(fetch: FetchRequest<'_>) -> Option<Arc<str>> {
    fetch.team.map(|team| team.as_str().into())
}

/// The cache policy of the options. Change tracking accepts no copy, because a copy never has a change.
fn cache_policy(options: &ScrapeOptionsPlan) -> CachePolicy {
    let only_cached = options.lockdown || options.min_age.is_some();
    let max_age = match (only_cached, &options.formats.change_tracking) {
        (true, _) => Duration::MAX,
        (false, Some(_)) => Duration::ZERO,
        (false, None) => options.max_age,
    };
    let mut policy = CachePolicy::max_age(max_age);
    (policy.min_age, policy.only, policy.store) = (options.min_age, only_cached, options.store_in_cache);
    policy
}

/// `accepts_copy`: the request accepted a cached copy.
fn from_response(response: Response, accepts_copy: bool) -> Fetched {
    let copy = response.cache.filter(|facts| matches!(facts.used, CacheUse::Hit | CacheUse::Revalidated));
    let since_epoch = |moment: SystemTime| moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Fetched {
        robots_tag: robots_tag(&response.headers),
        content_type: Some(response.effective_content_type()),
        url: response.url,
        status: response.status,
        body: response.body,
        retry_after: response.retry_after,
        latency: response.timings.answer,
        address: response.address,
        proxy_used: response.proxy_used,
        cache_state: accepts_copy.then_some(if copy.is_some() { CacheState::Hit } else { CacheState::Miss }),
        cached_at: copy.and_then(|facts| facts.stored_at).map(|moment| rfc3339(since_epoch(moment))),
        rendering: None,
    }
}

/// The bytes of the results of a page.
fn result_bytes(rendered: &RenderedPage) -> usize {
    let page = &rendered.page;
    let picture = page.screenshot.as_ref().map_or(0, |picture| picture.bytes.len());
    page.results.iter().map(ActionResult::bytes).sum::<usize>() + picture
}

fn from_rendered(rendered: RenderedPage, has_actions: bool, cache_state: Option<CacheState>) -> Fetched {
    let (page, document) = (rendered.page, rendered.document);
    let picture = |picture: &Picture| data_uri(picture.content_type, &picture.bytes);
    let actions = has_actions.then(|| {
        let mut results = ActionResults::default();
        for result in &page.results {
            match result {
                ActionResult::Screenshot(taken) => results.screenshots.push(picture(taken)),
                ActionResult::Scrape { url, html } => {
                    results.scrapes.push(json!({ "url": url.as_str(), "html": html }));
                }
                ActionResult::Javascript { kind, json } => {
                    let value = serde_json::from_str::<Value>(json).unwrap_or_default();
                    results.javascript_returns.push(json!({ "type": kind, "value": value }));
                }
                ActionResult::Pdf(file) => results.pdfs.push(data_uri("application/pdf", file)),
                // The enum may grow; no option requests other results.
                _ => {}
            }
        }
        results
    });
    let screenshot = page.screenshot.as_ref().map(picture);
    let (content_type, charset, body) = match document.other_body {
        Some(body) => (document.content_type, None, body),
        None => (document.content_type.as_deref().map(as_utf8), page.charset, page.html.into()),
    };
    Fetched {
        url: page.url,
        status: document.status,
        content_type,
        body,
        retry_after: document.retry_after,
        latency: document.latency,
        address: None,
        proxy_used: document.proxy_used,
        cache_state,
        cached_at: None,
        rendering: Some(Box::new(Rendering {
            charset,
            screenshot,
            actions,
            warnings: page.warnings,
            styles: page.styles,
        })),
        robots_tag: robots_tag(&document.headers),
    }
}

/// The type of a document that a browser serialised: its media type, with the charset of the text.
fn as_utf8(content_type: &str) -> String {
    format!("{}; charset=utf-8", MediaType::of_header(content_type).essence())
}

/// The `X-Robots-Tag` headers, one per line.
fn robots_tag(headers: &HeaderMap) -> String {
    // A date in another language must not hide the words before it.
    let values =
        headers.get_all("x-robots-tag").iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.collect::<Vec<_>>().join("\n")
}

/// Passes redirects and starts on to the runtime's check, and keeps its refusal.
struct RedirectAdapter<'a> {
    check: &'a dyn RedirectCheck,
    refused: Mutex<Option<RedirectRefusal>>,
}

impl gleaner_fetch::RedirectCheck for RedirectAdapter<'_> {
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            self.check.check(from, to).await.map_err(|refusal| {
                let reason = match &refusal {
                    RedirectRefusal::Robots { .. } => "robots.txt forbids it".to_owned(),
                    RedirectRefusal::RobotsUnreadable { cause, .. } => cause.message.clone(),
                    RedirectRefusal::OutOfScope(reason) => reason.clone(),
                    RedirectRefusal::HostBusy { .. } => "there is no place at its host now".to_owned(),
                };
                if let Ok(mut refused) = self.refused.lock() {
                    *refused = Some(refusal);
                }
                RedirectRefused::new(reason).with_code(ErrorCode::CrawlDenial)
            })
        })
    }

    fn may_start(&self) -> bool {
        self.check.may_start()
    }

    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        self.check.wait_for_start()
    }
}
