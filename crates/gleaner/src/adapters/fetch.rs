//! Fits the fetcher and a browser to the runtime's port.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_fetch::{
    Accept, ActionResult, CachePolicy, CacheUse, CookieJar, DEFAULT_MAX_BODY, Error, ErrorKind, Fetcher,
    Picture, RedirectRefused, Render, RenderRequest, Rendered, Request, Response, data_uri, renderer_for,
};
use gleaner_runtime::{
    Fetch, FetchError, FetchRequest, Fetched, Purpose, RedirectCheck, RedirectRefusal, Rendering, rfc3339,
};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ActionResults, CacheState, ErrorCode, ProxyUsed};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use url::Url;

/// robots.txt behind more redirects than these counts as not had (RFC 9309, 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: u32 = 5;

/// [`Fetch`] by `gleaner-fetch`, and by a browser where there is one and the page needs it.
pub(crate) struct FetchAdapter {
    fetcher: Fetcher,
    renderer: Option<Arc<dyn Render>>,
    /// Certificates are checked, whatever a request says.
    checks_certificates: bool,
}

impl FetchAdapter {
    pub(crate) fn new(
        fetcher: Fetcher,
        renderer: Option<Arc<dyn Render>>,
        checks_certificates: bool,
    ) -> Self {
        Self { fetcher, renderer, checks_certificates }
    }

    async fn get(&self, asked: FetchRequest<'_>, hops: &RedirectAdapter<'_>) -> Result<Fetched, Error> {
        let engine = match asked.purpose {
            Purpose::Page => renderer_for(self.renderer.as_deref(), asked.options, asked.url)?,
            Purpose::Robots | Purpose::Sitemap => None,
        };
        match engine {
            Some(engine) => self.render(engine, asked, hops).await,
            None => {
                let mut request = to_request(asked)?;
                request.skip_tls_verification &= !self.checks_certificates;
                let asks = request.cache.is_some_and(|policy| !policy.max_age.is_zero());
                self.fetcher.fetch(request, hops).await.map(|answer| of_response(answer, asks))
            }
        }
    }

    async fn render(
        &self,
        engine: &dyn Render,
        asked: FetchRequest<'_>,
        hops: &RedirectAdapter<'_>,
    ) -> Result<Fetched, Error> {
        let options = asked.options;
        let began = Instant::now();
        let mut request = RenderRequest::new(asked.url.clone(), options);
        request.cookies = jar_of(asked).unwrap_or_default();
        request.skip_tls_verification &= !self.checks_certificates;
        let mut outcome = self.fetcher.render(engine, &request, options.timeout, hops).await;
        if let Err(error) = &outcome
            && asked.scheme_assumed
            && error.suggests_plain_http()
            && request.url.set_scheme("http").is_ok()
        {
            // They were meant for a secured origin.
            request.headers.clear();
            let left = options.timeout.saturating_sub(began.elapsed());
            outcome = self.fetcher.render(engine, &request, left, hops).await;
        }
        outcome.map(|page| of_rendered(page, options, began.elapsed()))
    }
}

impl fmt::Debug for FetchAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchAdapter").field("renders", &self.renderer.is_some()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Fetch for FetchAdapter {
    async fn fetch(
        &self,
        request: FetchRequest<'_>,
        hops: &dyn RedirectCheck,
    ) -> Result<Fetched, FetchError> {
        let hops = RedirectAdapter { check: hops, refused: Mutex::default() };
        let endless =
            |error: &Error| matches!(error.kind(), ErrorKind::TooManyRedirects | ErrorKind::RedirectLoop);
        match self.get(request, &hops).await {
            Err(error) if request.purpose == Purpose::Robots && endless(&error) => {
                Ok(redirected_without_end(request.url.clone()))
            }
            answer => answer.map_err(|error| FetchError {
                error: error.to_page_error(),
                retryable: error.is_retryable(),
                refused_hop: hops.refused.into_inner().ok().flatten(),
            }),
        }
    }
}

/// The answer of a robots.txt that is behind redirects without end.
fn redirected_without_end(url: Url) -> Fetched {
    Fetched {
        url,
        status: StatusCode::FOUND.as_u16(),
        content_type: None,
        body: Bytes::new(),
        retry_after: None,
        latency: Duration::ZERO,
        address: None,
        proxy_used: ProxyUsed::Basic,
        cache_state: None,
        cached_at: None,
        rendering: None,
        robots_tag: String::new(),
    }
}

fn to_request(asked: FetchRequest<'_>) -> Result<Request, Error> {
    let options = asked.options;
    let headers = options.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut request = Request::get(asked.url.clone()).headers(headers)?;
    request.scheme_assumed = asked.scheme_assumed;
    request.timeout = Some(options.timeout);
    request.skip_tls_verification = options.skip_tls_verification;
    request.mobile = options.mobile;
    request.block_ads = options.block_ads;
    request.languages = options.location.languages.clone();
    request.proxy = options.proxy;
    request.country = Some(options.location.country.clone());
    request.cookies = jar_of(asked);
    match asked.purpose {
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

/// The job's cookies, which begin with its first page.
fn jar_of(asked: FetchRequest<'_>) -> Option<CookieJar> {
    asked.session.and_then(|session| session.get_or_init(CookieJar::new)).cloned()
}

/// What the options want of the cache. A page that is to be compared with an earlier one is fetched anew: of
/// a copy it would always be said that nothing has changed.
fn cache_policy(options: &ScrapeOptionsPlan) -> CachePolicy {
    let closed = options.lockdown || options.min_age.is_some();
    let max_age = match (closed, &options.formats.change_tracking) {
        (true, _) => Duration::MAX,
        (false, Some(_)) => Duration::ZERO,
        (false, None) => options.max_age,
    };
    let mut policy = CachePolicy::max_age(max_age);
    (policy.min_age, policy.only, policy.store) = (options.min_age, closed, options.store_in_cache);
    policy
}

/// `asks` tells whether a copy would have done.
fn of_response(answer: Response, asks: bool) -> Fetched {
    let kept = answer.cache.filter(|facts| matches!(facts.used, CacheUse::Hit | CacheUse::Revalidated));
    let since_epoch = |moment: SystemTime| moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let computed = answer.media_type();
    Fetched {
        robots_tag: robots_tag(&answer.headers),
        content_type: Some(content_type(answer.content_type, computed)),
        url: answer.url,
        status: answer.status,
        body: answer.body,
        retry_after: answer.retry_after,
        latency: answer.timings.answer,
        address: answer.address,
        proxy_used: answer.proxy_used,
        cache_state: asks.then_some(if kept.is_some() { CacheState::Hit } else { CacheState::Miss }),
        cached_at: kept.and_then(|facts| facts.stored_at).map(|moment| rfc3339(since_epoch(moment))),
        rendering: None,
    }
}

/// The header where it tells what the body is; else what the body is, and what the header tells of its
/// characters.
fn content_type(said: Option<String>, computed: String) -> String {
    let Some(header) = said else { return computed };
    let (essence, parameters) = header.split_once(';').unwrap_or((&header, ""));
    if essence.trim().eq_ignore_ascii_case(&computed) {
        return header;
    }
    if parameters.is_empty() || !computed.starts_with("text/") {
        return computed;
    }
    format!("{computed};{parameters}")
}

fn of_rendered(page: Rendered, options: &ScrapeOptionsPlan, latency: Duration) -> Fetched {
    let picture = |picture: &Picture| data_uri(picture.content_type, &picture.bytes);
    let actions = (!options.actions.is_empty()).then(|| {
        let mut given = ActionResults::default();
        for result in &page.results {
            match result {
                ActionResult::Screenshot(taken) => given.screenshots.push(picture(taken)),
                ActionResult::Scrape { url, html } => {
                    given.scrapes.push(json!({ "url": url.as_str(), "html": html }));
                }
                ActionResult::Javascript { kind, json } => {
                    let value = serde_json::from_str::<Value>(json).unwrap_or_default();
                    given.javascript_returns.push(json!({ "type": kind, "value": value }));
                }
                ActionResult::Pdf(file) => given.pdfs.push(data_uri("application/pdf", file)),
                // Results of a later kind of action, which no option asks for yet.
                _ => {}
            }
        }
        given
    });
    let screenshot = page.screenshot.as_ref().map(picture);
    Fetched {
        url: page.url,
        status: page.status,
        content_type: Some("text/html; charset=utf-8".to_owned()),
        body: page.html.into(),
        retry_after: None,
        latency,
        address: None,
        proxy_used: page.proxy_used,
        // Of what a browser made of a page no copy is kept.
        cache_state: (!cache_policy(options).max_age.is_zero()).then_some(CacheState::Miss),
        cached_at: None,
        rendering: Some(Box::new(Rendering { screenshot, actions })),
        robots_tag: robots_tag(&page.headers),
    }
}

/// The `X-Robots-Tag` headers, one a line.
fn robots_tag(headers: &HeaderMap) -> String {
    let values = headers.get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok());
    values.collect::<Vec<_>>().join("\n")
}

/// Hands the question on, and keeps the answer in the port's words.
struct RedirectAdapter<'a> {
    check: &'a dyn RedirectCheck,
    refused: Mutex<Option<RedirectRefusal>>,
}

#[async_trait]
impl gleaner_fetch::RedirectCheck for RedirectAdapter<'_> {
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefused> {
        self.check.check(from, to).await.map_err(|refusal| {
            let reason = match &refusal {
                RedirectRefusal::Robots => "robots.txt forbids it".to_owned(),
                RedirectRefusal::RobotsUnread { cause, .. } => cause.clone(),
                RedirectRefusal::OutOfScope(reason) => reason.clone(),
            };
            if let Ok(mut refused) = self.refused.lock() {
                *refused = Some(refusal);
            }
            RedirectRefused::new(reason).with_code(ErrorCode::CrawlDenial)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_header_tells_of_the_characters_is_kept() {
        let rows = [
            (None, "text/html", "text/html"),
            (Some("Text/HTML; charset=x"), "text/html", "Text/HTML; charset=x"),
            (
                Some("application/octet-stream; charset=windows-1251"),
                "text/html",
                "text/html; charset=windows-1251",
            ),
            (Some("application/octet-stream"), "text/plain", "text/plain"),
            (Some("text/html; charset=utf-8"), "application/pdf", "application/pdf"),
        ];
        for (said, computed, expected) in rows {
            assert_eq!(content_type(said.map(str::to_owned), computed.to_owned()), expected, "{said:?}");
        }
    }
}
