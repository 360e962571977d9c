//! One logical request: its deadline, its redirects, its answer.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, Method};
use http_body_util::Full;
use tokio::time::Instant;
use tracing::Instrument;
use url::Url;

use crate::body::{self, Account, FREE_BODY_BYTES, Limits};
use crate::cache::{self, Validators};
use crate::cookies::CookieJar;
use crate::error::{Error, ErrorKind};
use crate::fetcher::Inner;
use crate::headers;
use crate::media::Accept;
use crate::politeness::Permit;
use crate::proxy::{self, ProxySession, Tier};
use crate::redirect::{self, RedirectCheck, without_fragment};
use crate::refresh;
use crate::request::{MAX_TIMEOUT, Request};
use crate::response::{Hop, Response, Timings};
use crate::retry;
use crate::retry_after::retry_after;
use crate::transport::trace::{self, Stage, Trace};
use crate::transport::{Incoming, Peer};

/// Fetches `request` before its deadline.
pub(crate) async fn run(
    fetcher: &Inner,
    request: Request,
    hops: &dyn RedirectCheck,
) -> Result<Response, Error> {
    let trace = Arc::new(Trace::default());
    let limit = request.timeout.unwrap_or(fetcher.timeout);
    let requested = request.url.clone();
    let deadline = deadline_in(limit);
    let work = {
        let trace = Arc::clone(&trace);
        async move {
            match request.cache {
                None => tiers(fetcher, request, hops, trace, deadline).await,
                Some(policy) => {
                    Box::pin(cache::serve::run(fetcher, policy, request, hops, trace, deadline)).await
                }
            }
        }
    };
    // On the heap: the state of a whole exchange is some kilobytes, which every layer around it would copy.
    let work = Box::pin(trace::within(Arc::clone(&trace), work));
    match trace::before(deadline, &trace, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            &requested,
            format!("{} ms ran out while {}", limit.as_millis(), trace.stage()),
        )),
    }
}

/// So long from now, or [`MAX_TIMEOUT`] where that is sooner.
pub(crate) fn deadline_in(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit.min(MAX_TIMEOUT)).unwrap_or(now)
}

/// Makes the request by the way that its proxy mode begins with, and once more by the other where the first does not do.
pub(crate) async fn tiers(
    fetcher: &Inner,
    request: Request,
    hops: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let (first, second) = fetcher.proxies.tiers(request.proxy, &request.url)?;
    let second = second.filter(|_| request.method.is_idempotent()).map(|tier| (tier, request.clone()));
    let outcome = tries(fetcher, request, first, hops, Arc::clone(&trace), deadline).await;
    match second {
        Some((tier, request)) if proxy::wants_better_proxy(&outcome) => {
            let again = Box::pin(tries(fetcher, request, tier, hops, Arc::clone(&trace), deadline));
            // A refusal in hand is worth more than a deadline that runs out.
            match trace::before(deadline, &trace, again).await {
                Ok(second) if !proxy::wants_better_proxy(&second) => match second {
                    Ok(better) => Ok(better),
                    Err(error) => outcome.or(Err(error)),
                },
                // It did no better. An answer is worth more than none, and the first of two costs less.
                Ok(Ok(second)) => outcome.or(Ok(second)),
                Ok(Err(error)) => outcome.or(Err(error)),
                Err(_) => outcome,
            }
        }
        _ => outcome,
    }
}

/// Makes the request by one way until it succeeds or must not be made again.
async fn tries(
    fetcher: &Inner,
    mut request: Request,
    tier: Tier,
    hops: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let mut exchange = Box::new(Exchange::new(fetcher, &request, tier)?);
    let mut plain = None;
    if request.scheme_assumed {
        plain = Some(with_scheme(&request.url, "http"));
        request.url = with_scheme(&request.url, "https");
        exchange.restart(&request);
        // A host that swallows packets must leave time for the second try.
        trace.limit_connect(Some(deadline.saturating_duration_since(Instant::now()) / 2));
    }
    fetcher.retries.earn();
    let mut retry = 0;
    loop {
        let outcome = exchange.follow(hops, &trace).await;
        // Where a redirect's target failed, the guess was right.
        if let (Err(error), true) = (&outcome, exchange.hops.is_empty())
            && error.suggests_plain_http()
            && let Some(url) = plain.take()
        {
            request.url = url;
            // What was meant for a secured origin does not go out in the clear because somebody stood in the way of it.
            headers::strip_for_other_origin(&mut exchange.first_headers);
            exchange.restart(&request);
            trace.limit_connect(None);
            continue;
        }
        let pause = exchange.pause_after(&outcome, retry, request.max_retries, deadline);
        let Some(pause) = pause else {
            return outcome.map(|response| Response { attempts: retry + 1, ..response });
        };
        exchange.permit = None;
        trace.enter(Stage::Pause);
        tokio::time::sleep(pause).await;
        retry += 1;
        exchange.restart(&request);
    }
}

/// The URL with another of the two web schemes. An explicit port stays.
pub(crate) fn with_scheme(url: &Url, scheme: &str) -> Url {
    let mut changed = url.clone();
    // Between http and https this cannot fail; any other URL is refused later, under its own scheme.
    let _ = changed.set_scheme(scheme);
    changed
}

/// What the first request of a chain carries where it goes this way.
pub(crate) fn first_headers(fetcher: &Inner, tier: Tier, request: &Request) -> Result<HeaderMap, Error> {
    let languages = headers::accept_language(&request.languages).map_err(|tag| {
        Error::new(ErrorKind::InvalidRequest, &request.url, format!("`{tag}` is not a language tag"))
    })?;
    Ok(fetcher.headers(tier, request, languages))
}

/// A request on its way through its redirects.
struct Exchange<'a> {
    fetcher: &'a Inner,
    route: ProxySession<'a>,
    url: Url,
    first_method: Method,
    method: Method,
    /// What the first request of a chain carries, kept where it may be made again.
    first_headers: HeaderMap,
    headers: HeaderMap,
    body: Option<Bytes>,
    limits: Limits,
    max_redirects: u32,
    skip_tls_verification: bool,
    accept: Accept,
    hops: Vec<Hop>,
    /// The requests that were made, once there is a redirect, each with its cookies: a site may send a client back to
    /// where it was once it has set one.
    made: HashSet<(Method, Url, Option<String>)>,
    /// The job's, or this request's own once an answer sets a cookie.
    cookies: Option<CookieJar>,
    /// What the address of a copy is asked by whether the copy still stands.
    confirm: Option<Validators>,
    /// Counts the bytes of bodies as they come in.
    meter: Option<Arc<AtomicU64>>,
    /// Held from before the request is sent until its answer is read, where the fetcher is polite.
    permit: Option<Permit>,
    /// Whether a request of the chain carried cookies: its answer is for nobody else.
    sent_cookies: bool,
    started: Instant,
    /// When the last request of the chain was sent.
    asked: Instant,
}

impl<'a> Exchange<'a> {
    fn new(fetcher: &'a Inner, request: &Request, tier: Tier) -> Result<Self, Error> {
        let url = request.url.clone();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                &url,
                "credentials do not belong into a URL: send an `Authorization` header",
            ));
        }
        let headers = first_headers(fetcher, tier, request)?;
        let may_restart = request.scheme_assumed || request.max_retries > 0;
        Ok(Self {
            fetcher,
            route: fetcher.proxies.route(tier, request.country.clone()),
            url,
            first_method: request.method.clone(),
            method: request.method.clone(),
            first_headers: if may_restart { headers.clone() } else { HeaderMap::new() },
            headers,
            body: request.body.clone(),
            limits: Limits { bytes: request.max_body.unwrap_or(fetcher.max_body) },
            max_redirects: request.max_redirects.unwrap_or(fetcher.max_redirects),
            skip_tls_verification: request.skip_tls_verification,
            accept: request.accept,
            hops: Vec::new(),
            made: HashSet::new(),
            cookies: request.cookies.clone(),
            confirm: request.confirm.clone(),
            meter: request.meter.clone(),
            permit: None,
            sent_cookies: false,
            started: Instant::now(),
            asked: Instant::now(),
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

    /// How long to wait before the request is made again; `None` where `outcome` is final.
    fn pause_after(
        &self,
        outcome: &Result<Response, Error>,
        retry: u32,
        max_retries: u32,
        deadline: Instant,
    ) -> Option<Duration> {
        if retry >= max_retries || !self.first_method.is_idempotent() {
            return None;
        }
        let asked = match outcome {
            Ok(response) if retry::is_temporary(response.status) => response.retry_after,
            Err(error) if error.is_retryable() => None,
            _ => return None,
        };
        let budget = &self.fetcher.retries;
        let pause = budget.pause(retry, asked)?;
        // An answer in hand is worth more than a deadline that runs out asleep.
        (Instant::now() + pause < deadline && budget.take()).then_some(pause)
    }

    /// Sends the request, and again for each redirect, until an answer is none.
    async fn follow(&mut self, hops: &dyn RedirectCheck, trace: &Trace) -> Result<Response, Error> {
        self.fetcher.check(&self.url)?;
        // The first page that sent its reader on. Where what it leads to may not be fetched, or leads back, it has
        // something to show for itself, which a redirect has not.
        let mut first_page = None;
        loop {
            let cookies = self.cookie_header();
            let hop = self.span();
            let answer = self.send(cookies.as_deref(), trace).instrument(hop.clone()).await?;
            self.take_cookies(answer.headers());
            let next = redirect::target(answer.status(), answer.headers(), &self.url);
            match next {
                Some(location) if self.max_redirects > 0 => {
                    let status = answer.status();
                    drop(answer);
                    let turned = match location {
                        Ok(target) => self.turn(status, target, cookies, hops, trace).await,
                        Err(_) => {
                            let text = "the redirect's `Location` is not a URL";
                            Err(Error::new(ErrorKind::Protocol, &self.url, text).lasting())
                        }
                    };
                    if let Err(error) = turned {
                        return first_page.ok_or(error);
                    }
                }
                _ => {
                    let status = answer.status();
                    let page = self.finish(answer, trace).instrument(hop).await?;
                    let Some(target) = self.refresh_target(&page) else { return Ok(page) };
                    self.hops.clone_from(&page.hops);
                    let first = first_page.get_or_insert(page);
                    if self.turn(status, target, cookies, hops, trace).await.is_err() {
                        return Ok(first.clone());
                    }
                }
            }
        }
    }

    /// Where a page that was asked for as such sends its readers.
    fn refresh_target(&self, page: &Response) -> Option<Url> {
        let follows = self.max_redirects > 0 && self.accept == Accept::Page && self.method == Method::GET;
        // A page as long as this is one to be read; and one that holds memory does not wait for more.
        if !follows || !page.is_success() || page.body.len() > FREE_BODY_BYTES {
            return None;
        }
        let kind = page.content_type.as_deref().unwrap_or("text/html");
        let is_html = kind.to_ascii_lowercase().contains("html");
        refresh::target(&page.url, &page.headers, &page.body, is_html)
    }

    /// The span of one request and its answer. Its URL is shown without what may be secret.
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

    fn take_cookies(&mut self, headers: &HeaderMap) {
        if headers.contains_key(SET_COOKIE) {
            let jar = self.cookies.get_or_insert_default();
            jar.take_in(&self.url, headers, (self.fetcher.clock)());
        }
    }

    async fn send(
        &mut self,
        cookies: Option<&str>,
        trace: &Trace,
    ) -> Result<http::Response<Incoming>, Error> {
        if let Some(politeness) = &self.fetcher.politeness {
            self.permit = None;
            trace.enter(Stage::Permit);
            self.permit = Some(politeness.acquire(self.url.authority()).await);
        }
        trace.enter(Stage::Answer);
        let body = Full::new(self.body.clone().unwrap_or_default());
        let mut request = http::Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.url.as_str().parse().map_err(|_| {
            Error::new(ErrorKind::InvalidRequest, &self.url, "the URL does not fit into an HTTP request")
        })?;
        *request.headers_mut() = self.headers.clone();
        if let Some(cookies) = cookies {
            headers::add_cookies(request.headers_mut(), cookies);
            self.sent_cookies = true;
        }
        if let Some(confirm) = self.confirm.as_ref().filter(|confirm| confirm.is_for(&self.url)) {
            confirm.add_to(request.headers_mut());
        }
        self.asked = Instant::now();
        self.route.send(request, &self.url, self.skip_tls_verification).await
    }

    /// Makes the redirect's target the next request, if it may be.
    async fn turn(
        &mut self,
        status: http::StatusCode,
        target: Url,
        cookies: Option<String>,
        hops: &dyn RedirectCheck,
        trace: &Trace,
    ) -> Result<(), Error> {
        // Before the caller is asked, who may want to fetch something from the same host, such as its robots.txt.
        self.permit = None;
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
        let checking = trace.checking();
        hops.check(&self.url, &target).await.map_err(|refused| refused.at(&target))?;
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

    async fn finish(
        &mut self,
        mut answer: http::Response<Incoming>,
        trace: &Trace,
    ) -> Result<Response, Error> {
        trace.enter(Stage::Body);
        let status = answer.status().as_u16();
        let (first_byte, answered) = (self.started.elapsed(), self.asked.elapsed());
        let address = answer.extensions().get::<Peer>().map(|peer| peer.0);
        let account = Account::new(self.fetcher.body_memory.as_ref(), trace);
        let (headers, body) =
            body::read(&mut answer, &self.url, self.limits, self.accept, self.meter.as_deref(), account)
                .await?;
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
            content_type: headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned),
            body,
            hops: std::mem::take(&mut self.hops),
            retry_after: retry_after(&headers, self.fetcher.clock),
            headers,
            attempts: 1,
            proxy_used: self.route.tier.used(),
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
