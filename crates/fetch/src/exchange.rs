//! One logical request: its deadline, its redirects, its answer.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::media::MediaKind;
use http::header::SET_COOKIE;
use http::{HeaderMap, Method};
use http_body_util::Full;
use tokio::time::Instant;
use tracing::Instrument;
use url::Url;

use crate::body::{self, FREE_BODY_BYTES, Limits, Reservation, Source};
use crate::cache::{self, Validators};
use crate::cookies::{self, CookieJar};
use crate::error::{Error, ErrorKind};
use crate::fetcher::Inner;
use crate::headers;
use crate::layer::{self, LayerAnswer};
use crate::media::{self, Accept};
use crate::proxy::{self, ProxySession, Tier};
use crate::redirect::{self, RedirectCheck, without_fragment};
use crate::refresh;
use crate::request::{MAX_TIMEOUT, Request};
use crate::response::{Hop, Response, Timings};
use crate::retry_after::retry_after;
use crate::transport::Peer;
use crate::transport::trace::{self, Stage, Trace};

/// Fetches `request` before its deadline.
pub(crate) async fn run(
    fetcher: &Inner,
    request: Request,
    check: &dyn RedirectCheck,
) -> Result<Response, Error> {
    let trace = Arc::new(Trace::default());
    let limit = request.timeout.unwrap_or(fetcher.timeout);
    let requested = request.url.clone();
    let deadline = deadline_in(limit);
    let work = {
        let trace = Arc::clone(&trace);
        async move {
            match request.cache {
                None => fetch_by_tiers(fetcher, request, check, trace, deadline).await,
                Some(policy) => {
                    Box::pin(cache::serve::run(fetcher, policy, request, check, trace, deadline)).await
                }
            }
        }
    };
    // On the heap: the state of a whole exchange is several kilobytes, which every caller would copy.
    let work = Box::pin(trace::scope(Arc::clone(&trace), work));
    match trace::run_until(deadline, &trace, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            &requested,
            format!("{} ms ran out while {}", limit.as_millis(), trace.stage()),
        )),
    }
}

/// The instant `limit` from now, or [`MAX_TIMEOUT`] from now if that is sooner.
pub(crate) fn deadline_in(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit.min(MAX_TIMEOUT)).unwrap_or(now)
}

/// Makes the request through the first tier of its proxy mode, and once more through the second tier if the
/// outcome calls for a better proxy.
pub(crate) async fn fetch_by_tiers(
    fetcher: &Inner,
    request: Request,
    check: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let (first, second) = fetcher.proxies.tiers(request.proxy, &request.url)?;
    let second = second.filter(|_| request.method.is_idempotent()).map(|tier| (tier, request.clone()));
    let outcome = fetch_through(fetcher, request, first, check, Arc::clone(&trace), deadline).await;
    match second {
        Some((tier, request)) if proxy::wants_better_proxy(&outcome) => {
            let again = Box::pin(fetch_through(fetcher, request, tier, check, Arc::clone(&trace), deadline));
            // The first outcome is worth more than a timeout.
            match trace::run_until(deadline, &trace, again).await {
                Ok(second) if !proxy::wants_better_proxy(&second) => match second {
                    Ok(better) => Ok(better),
                    Err(error) => outcome.or(Err(error)),
                },
                // The second outcome is no better. An answer beats an error, and of two answers the first
                // costs less.
                Ok(Ok(second)) => outcome.or(Ok(second)),
                Ok(Err(error)) => outcome.or(Err(error)),
                Err(_) => outcome,
            }
        }
        _ => outcome,
    }
}

/// Makes the request through one tier. If its scheme is a guess: by `https`, and by `http` if nothing speaks
/// TLS there.
async fn fetch_through(
    fetcher: &Inner,
    mut request: Request,
    tier: Tier,
    check: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let mut exchange = Box::new(Exchange::new(fetcher, &request, tier)?);
    if !request.scheme_assumed {
        return exchange.follow(check, &trace).await;
    }
    let plain = with_scheme(&request.url, "http");
    request.url = with_scheme(&request.url, "https");
    exchange.restart(&request);
    // A host that drops packets must leave time for the second attempt.
    trace.limit_connect(Some(deadline.saturating_duration_since(Instant::now()) / 2));
    match exchange.follow(check, &trace).await {
        // If a redirect's target failed, the guess was right.
        Err(error) if exchange.hops.is_empty() && error.suggests_plain_http() => {
            request.url = plain;
            // An attacker who blocks the secure origin must not get what was meant for it in clear text.
            headers::strip_for_other_origin(&mut exchange.first_headers);
            exchange.restart(&request);
            trace.limit_connect(None);
            exchange.follow(check, &trace).await
        }
        outcome => outcome,
    }
}

/// The URL with another of the two web schemes. An explicit port stays.
pub(crate) fn with_scheme(url: &Url, scheme: &str) -> Url {
    let mut changed = url.clone();
    // Between http and https this cannot fail; any other URL is refused later, under its own scheme.
    let _ = changed.set_scheme(scheme);
    changed
}

/// The headers of the first request of a chain in this tier.
pub(crate) fn first_headers(fetcher: &Inner, tier: Tier, request: &Request) -> Result<HeaderMap, Error> {
    let languages = headers::accept_language(&request.languages).map_err(|tag| {
        Error::new(ErrorKind::InvalidRequest, &request.url, format!("`{tag}` is not a language tag"))
    })?;
    Ok(fetcher.headers(tier, request, languages))
}

/// A request and the chain of its redirects.
struct Exchange<'a> {
    fetcher: &'a Inner,
    session: ProxySession<'a>,
    url: Url,
    method: Method,
    /// The headers of the first request of the chain, kept if it may be made again.
    first_headers: HeaderMap,
    headers: HeaderMap,
    body: Option<Bytes>,
    limits: Limits,
    max_redirects: u32,
    skip_tls_verification: bool,
    accept: Accept,
    hops: Vec<Hop>,
    /// The requests of the chain once there is a redirect, each with its cookies: a site may redirect a
    /// client back to the same URL after it has set a cookie.
    made: HashSet<(Method, Url, Option<String>)>,
    /// The job's, or this request's own once an answer sets a cookie.
    cookies: Option<CookieJar>,
    /// Validators of a cached copy, sent only to the URL that gave the copy.
    validators: Option<Validators>,
    /// Counts the bytes of bodies as they come in.
    meter: Option<Arc<AtomicU64>>,
    owner: Option<Arc<str>>,
    /// Whether a request of the chain carried cookies. If so, the answer is not shared.
    sent_cookies: bool,
    started: Instant,
    /// When the last request of the chain was sent.
    sent_at: Instant,
}

impl<'a> Exchange<'a> {
    fn new(fetcher: &'a Inner, request: &Request, tier: Tier) -> Result<Self, Error> {
        let url = request.url.clone();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                &url,
                "credentials do not belong in a URL: send an `Authorization` header",
            ));
        }
        let headers = first_headers(fetcher, tier, request)?;
        Ok(Self {
            fetcher,
            session: fetcher.proxies.session(tier, request.country.clone()),
            url,
            method: request.method.clone(),
            first_headers: if request.scheme_assumed { headers.clone() } else { HeaderMap::new() },
            headers,
            body: request.body.clone(),
            limits: Limits { bytes: request.max_body.unwrap_or(fetcher.max_body) },
            max_redirects: request.max_redirects.unwrap_or(fetcher.max_redirects),
            skip_tls_verification: request.skip_tls_verification,
            accept: request.accept,
            hops: Vec::new(),
            made: HashSet::new(),
            cookies: request.cookies.clone(),
            validators: request.validators.clone(),
            meter: request.meter.clone(),
            owner: request.owner.clone(),
            sent_cookies: false,
            started: Instant::now(),
            sent_at: Instant::now(),
        })
    }

    /// Goes back to the first request of the chain.
    fn restart(&mut self, request: &Request) {
        self.url = request.url.clone();
        self.method = request.method.clone();
        self.headers = self.first_headers.clone();
        self.body = request.body.clone();
        self.hops.clear();
        self.made.clear();
    }

    /// Sends the request and follows redirects until an answer is not a redirect.
    async fn follow(&mut self, check: &dyn RedirectCheck, trace: &Trace) -> Result<Response, Error> {
        self.fetcher.check(&self.url)?;
        // The first page with a `Refresh`. If its target may not be fetched, or leads back, this page is the
        // response: unlike a redirect it has content of its own.
        let mut first_page = None;
        loop {
            let cookies = self.cookie_header();
            let span = self.span();
            let answer = self.send(cookies.as_deref(), check, trace).instrument(span.clone()).await?;
            self.store_cookies(answer.headers());
            let next = redirect::target(answer.status(), answer.headers(), &self.url);
            match next {
                Some(location) if self.max_redirects > 0 => {
                    let status = answer.status();
                    drop(answer);
                    let redirected = match location {
                        Ok(target) => self.redirect_to(status, target, cookies, check, trace).await,
                        Err(_) => Err(Error::bad_location(&self.url)),
                    };
                    if let Err(error) = redirected {
                        return first_page.ok_or(error);
                    }
                }
                _ => {
                    let status = answer.status();
                    let page = self.finish(answer, trace).instrument(span).await?;
                    let Some(target) = self.refresh_target(&page) else { return Ok(page) };
                    self.hops.clone_from(&page.hops);
                    let first = first_page.get_or_insert(page);
                    if self.redirect_to(status, target, cookies, check, trace).await.is_err() {
                        return Ok(first.clone());
                    }
                }
            }
        }
    }

    /// The target of the `Refresh` of a page.
    fn refresh_target(&self, page: &Response) -> Option<Url> {
        let follows = self.max_redirects > 0 && self.accept == Accept::Page && self.method == Method::GET;
        // A longer page has content of its own; and a body that holds accounted memory must not wait for
        // another.
        if !follows || !page.is_success() || page.body.len() > FREE_BODY_BYTES {
            return None;
        }
        let is_html = MediaKind::of(&page.media_type()) == MediaKind::Html;
        refresh::target(&page.url, &page.headers, &page.body, is_html)
    }

    /// The span of one request and its answer. Secrets in its URL are redacted.
    fn span(&self) -> tracing::Span {
        tracing::debug_span!(
            "hop",
            method = %self.method,
            url = %gleaner_types::SafeUrl::from(&self.url),
            number = self.hops.len()
        )
    }

    fn cookie_header(&self) -> Option<String> {
        self.cookies.as_ref()?.header(&self.url, (self.fetcher.clock)())
    }

    fn store_cookies(&mut self, headers: &HeaderMap) {
        if headers.contains_key(SET_COOKIE) {
            let jar = self.cookies.get_or_insert_default();
            jar.store(&self.url, headers, (self.fetcher.clock)());
        }
    }

    async fn send(
        &mut self,
        cookies: Option<&str>,
        check: &dyn RedirectCheck,
        trace: &Trace,
    ) -> Result<LayerAnswer, Error> {
        trace.enter(Stage::Answer);
        let body = Full::new(self.body.clone().unwrap_or_default());
        let mut request = http::Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.url.as_str().parse().map_err(|_| {
            Error::new(ErrorKind::InvalidRequest, &self.url, "the URL does not fit into an HTTP request")
        })?;
        *request.headers_mut() = self.headers.clone();
        if let Some(cookies) = cookies {
            headers::add_cookies(request.headers_mut(), &cookies::to_bytes(cookies));
            self.sent_cookies = true;
        }
        if let Some(validators) = self.validators.as_ref().filter(|validators| validators.is_for(&self.url)) {
            validators.add_to(request.headers_mut());
        }
        self.sent_at = Instant::now();
        let skip = self.skip_tls_verification;
        let sending = layer::send(self.fetcher, &mut self.session, request, &self.url, skip);
        let sending = redirect::while_allowed(check, sending);
        let Some(limit) = self.fetcher.read_timeout else { return sending.await };
        let answered = trace::run_unless_silent(limit, trace, sending).await;
        answered.unwrap_or_else(|_| Err(Error::silent(&self.url, limit, trace.stage())))
    }

    /// Makes the redirect's target the next request, if it may be.
    async fn redirect_to(
        &mut self,
        status: http::StatusCode,
        target: Url,
        cookies: Option<String>,
        check: &dyn RedirectCheck,
        trace: &Trace,
    ) -> Result<(), Error> {
        if self.hops.len() >= self.max_redirects as usize {
            return Err(Error::new(
                ErrorKind::TooManyRedirects,
                &self.url,
                format!("more than {} redirects", self.max_redirects),
            ));
        }
        self.fetcher.check(&target)?;
        let method = redirect::method_after(status, &self.method);
        self.made.insert((self.method.clone(), without_fragment(&self.url), cookies));
        let next_cookies = self.cookies.as_ref().and_then(|jar| jar.header(&target, (self.fetcher.clock)()));
        if self.made.contains(&(method.clone(), without_fragment(&target), next_cookies)) {
            return Err(Error::new(ErrorKind::RedirectLoop, &target, "the redirects lead in a circle"));
        }
        let checking = trace.pause(Stage::RedirectCheck);
        check.check(&self.url, &target).await.map_err(|refused| refused.at(&target))?;
        drop(checking);
        if method != self.method {
            self.body = None;
            headers::strip_body(&mut self.headers);
        }
        if !redirect::same_origin(&self.url, &target) {
            headers::strip_for_other_origin(&mut self.headers);
        }
        tracing::debug!(
            from = %gleaner_types::SafeUrl::from(&self.url),
            to = %gleaner_types::SafeUrl::from(&target),
            status = status.as_u16(),
            "redirect followed"
        );
        self.method = method;
        let url = std::mem::replace(&mut self.url, target);
        self.hops.push(Hop { url, status: status.as_u16() });
        Ok(())
    }

    async fn finish(&mut self, mut answer: LayerAnswer, trace: &Trace) -> Result<Response, Error> {
        trace.enter(Stage::Body);
        let status = answer.status().as_u16();
        let (first_byte, answered) = (self.started.elapsed(), self.sent_at.elapsed());
        let address = answer.extensions().get::<Peer>().map(|peer| peer.0);
        let memory = self.fetcher.body_memory.as_ref();
        let reservation = Reservation::new(memory, self.owner.as_ref(), trace);
        let source = Source {
            response: &mut answer,
            url: &self.url,
            meter: self.meter.as_deref(),
            read_timeout: self.fetcher.read_timeout,
        };
        let (headers, body) = body::read(source, self.limits, self.accept, reservation).await?;
        let total = self.started.elapsed();
        tracing::debug!(
            url = %gleaner_types::SafeUrl::from(&self.url),
            status,
            bytes = body.len(),
            hops = self.hops.len(),
            "fetched"
        );
        Ok(Response {
            requested: self.hops.first().map_or_else(|| self.url.clone(), |hop| hop.url.clone()),
            url: self.url.clone(),
            status,
            content_type: media::content_type(&headers),
            body,
            hops: std::mem::take(&mut self.hops),
            retry_after: retry_after(&headers, self.fetcher.clock),
            headers,
            proxy_used: self.session.tier.used(),
            address,
            cache: None,
            sent_cookies: self.sent_cookies,
            timings: Timings {
                dns: trace.dns(),
                connect: trace.connect(),
                tls: trace.tls(),
                first_byte,
                answer: answered,
                body: total.saturating_sub(first_byte),
                total,
            },
        })
    }
}
