//! The way of a request that may be answered from the cache.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::Instant;
use url::Url;

use super::flight::FlightRole;
use super::key::{Variant, digest_of};
use super::storable::{is_storable, permits};
use super::{Cache, CacheEntry, CacheFacts, CacheKey, CachePolicy, CacheUse};
use crate::error::{Error, ErrorKind};
use crate::exchange;
use crate::fetcher::Inner;
use crate::redirect::{RedirectCheck, RedirectRefused, without_fragment};
use crate::request::Request;
use crate::response::{Hop, Response, Timings};
use crate::transport::trace::{Stage, Trace};

/// Longest wait for a store to give, keep or forget a copy; a slower one counts as one that failed.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(1);
/// A caller who takes longer to say whether a redirect may be followed holds up nobody else who wants the
/// page.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers `request` from the cache, or fetches it and keeps what came.
pub(crate) async fn run(
    fetcher: &Inner,
    policy: CachePolicy,
    request: Request,
    hops: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let started = Instant::now();
    let found = match &fetcher.cache {
        Some(cache) => key_of(fetcher, cache, &request)?.map(|key| (cache, key)),
        None => None,
    };
    let Some((cache, key)) = found else {
        if policy.is_closed() {
            return Err(not_cached(&request.url));
        }
        return exchange::tiers(fetcher, request, hops, trace, deadline).await;
    };
    let mut errand = KeyedRequest { fetcher, cache, key, policy, hops, started, stale: None };
    if let Some(copy) = errand.look_up(&request).await {
        return errand.serve(&copy, &request, &trace).await;
    }
    if policy.is_closed() {
        return Err(not_cached(&request.url));
    }
    if !policy.store || policy.max_age.is_zero() {
        return errand.fetch(request, trace, deadline, None).await;
    }
    trace.enter(Stage::Shared);
    // Whoever is waited for may be waiting too: for a retry, or for a place that somebody here holds. So half
    // of the time is kept for going alone.
    let patience = deadline.saturating_duration_since(Instant::now()) / 2;
    let key = errand.key.clone();
    let Ok(seat) = tokio::time::timeout(patience, cache.flights.join(&key)).await else {
        return errand.fetch(request, trace, deadline, None).await;
    };
    match seat {
        FlightRole::Released => errand.fetch(request, trace, deadline, None).await,
        FlightRole::Landed(copy) if fits(fetcher, &request, &copy) => {
            errand.serve(&copy, &request, &trace).await
        }
        FlightRole::Landed(_) => errand.fetch(request, trace, deadline, None).await,
        FlightRole::Leader(leader) => {
            // Another may have led and landed since the store was asked.
            if let Some(copy) = errand.look_up(&request).await {
                leader.land(Arc::clone(&copy));
                return errand.serve(&copy, &request, &trace).await;
            }
            errand.fetch(request, trace, deadline, Some(leader)).await
        }
    }
}

type Leader = super::flight::Leader<CacheKey, Arc<CacheEntry>>;

/// A request with its key.
struct KeyedRequest<'a> {
    fetcher: &'a Inner,
    cache: &'a Cache,
    key: CacheKey,
    policy: CachePolicy,
    hops: &'a dyn RedirectCheck,
    started: Instant,
    /// A copy that is too old, and can be confirmed.
    stale: Option<Arc<CacheEntry>>,
}

impl<'a> KeyedRequest<'a> {
    /// A copy that will do.
    async fn look_up(&mut self, request: &Request) -> Option<Arc<CacheEntry>> {
        if self.policy.max_age.is_zero() {
            return None;
        }
        let copy = match tokio::time::timeout(STORE_TIMEOUT, self.cache.store.get(&self.key)).await {
            Ok(Ok(copy)) => copy?,
            Err(_) => {
                tracing::warn!(key = ?self.key, "the cache did not answer in time");
                return None;
            }
            Ok(Err(error)) => {
                tracing::warn!(key = ?self.key, %error, "the cache did not give a copy");
                return None;
            }
        };
        if copy.key != self.key || !fits(self.fetcher, request, &copy) {
            return None;
        }
        if self.policy.accepts(copy.age((self.fetcher.clock)())) {
            return Some(copy);
        }
        self.stale = Some(copy);
        None
    }

    /// Answers by a copy, under the rules that a fetch would be under.
    async fn serve(&self, copy: &CacheEntry, request: &Request, trace: &Trace) -> Result<Response, Error> {
        let fragment = request.url.fragment();
        let url = with_fragment(&copy.url, fragment);
        let hops: Vec<Hop> = copy
            .hops
            .iter()
            .map(|hop| Hop { url: with_fragment(&hop.url, fragment), status: hop.status })
            .collect();
        let _checking = trace.checking();
        self.fetcher.check(hops.first().map_or(&url, |hop| &hop.url))?;
        let targets = hops.iter().skip(1).map(|hop| &hop.url).chain([&url]);
        for (from, to) in hops.iter().map(|hop| &hop.url).zip(targets) {
            self.fetcher.check(to)?;
            self.hops.check(from, to).await.map_err(|refused| refused.at(to))?;
        }
        tracing::debug!(key = ?self.key, "served from the cache");
        Ok(response_of(copy, url, hops, CacheUse::Hit, self.started))
    }

    /// Fetches, keeps what may be kept, and tells those who wait.
    async fn fetch(
        self,
        mut request: Request,
        trace: Arc<Trace>,
        deadline: Instant,
        leader: Option<Leader>,
    ) -> Result<Response, Error> {
        let stale = leader.as_ref().and(self.stale.as_ref());
        request.confirm = stale.and_then(|copy| copy.validators());
        let fragment = request.url.fragment().map(str::to_owned);
        let plain = request.confirm.is_some().then(|| Request { confirm: None, ..request.clone() });
        let sharing = Sharing { hops: self.hops, leader: Mutex::new(leader) };
        // A failure is for nobody else. One that is cancelled says nothing, and another leads in its place.
        let releasing = |error: Error| {
            sharing.release();
            error
        };
        let outcome = exchange::tiers(self.fetcher, request, &sharing, Arc::clone(&trace), deadline).await;
        let mut response = outcome.map_err(releasing)?;
        let is_confirmed =
            |copy: &&Arc<CacheEntry>| without_fragment(&response.url) == without_fragment(&copy.url);
        let mut confirmed = stale.filter(|_| response.status == 304).filter(is_confirmed);
        if response.status == 304 && confirmed.is_none() {
            // It says that something stands which we do not have. The caller asked for a page, without a
            // condition.
            self.forget(deadline).await;
            let again = plain.ok_or_else(|| releasing(unasked(&response.url)))?;
            let outcome = exchange::tiers(self.fetcher, again, &sharing, trace, deadline).await;
            response = outcome.map_err(releasing)?;
            if response.status == 304 {
                return Err(releasing(unasked(&response.url)));
            }
            confirmed = None;
        }
        let now = (self.fetcher.clock)();
        let sent_cookies = response.sent_cookies;
        let entry = if let Some(copy) = confirmed {
            let hops = bare_hops(&response.hops);
            let entry = copy.confirmed(&response.headers, hops, now);
            let hops = std::mem::take(&mut response.hops);
            let timings = response.timings;
            let attempts = response.attempts;
            response = response_of(&entry, response.url, hops, CacheUse::Revalidated, self.started);
            (response.timings, response.attempts) = (timings, attempts);
            (permits(&entry.headers) && !sent_cookies).then_some(entry)
        } else {
            response.cache = Some(CacheFacts { used: CacheUse::Miss, stored_at: None });
            let keeps = self.policy.store && is_storable(&response);
            keeps.then(|| entry_of(self.key.clone(), &response, fragment.as_deref(), now))
        };
        let Some(entry) = entry.map(Arc::new) else {
            sharing.release();
            // What the server no longer has, or no longer lets us have, is not served to others either. What
            // it made of somebody's cookies says nothing about that.
            let says_so = response.is_success() || matches!(response.status, 404 | 410);
            if self.policy.store && says_so && !sent_cookies {
                self.forget(deadline).await;
            }
            return Ok(response);
        };
        if let Some(facts) = &mut response.cache {
            facts.stored_at = Some(now);
        }
        // Before the store has it, which may take its time.
        if let Some(leader) = sharing.take() {
            leader.land(Arc::clone(&entry));
        }
        self.in_time(deadline, self.cache.store.put(entry)).await;
        Ok(response)
    }

    async fn forget(&self, deadline: Instant) {
        self.in_time(deadline, self.cache.store.remove(&self.key)).await;
    }

    /// Waits for the store, but not so long that the answer in hand comes too late.
    async fn in_time(&self, deadline: Instant, work: impl Future<Output = std::io::Result<()>>) {
        let latest = deadline.min(Instant::now() + STORE_TIMEOUT);
        match tokio::time::timeout_at(latest, work).await {
            Ok(outcome) => self.warn(outcome),
            Err(_) => self.warn(Err(std::io::ErrorKind::TimedOut.into())),
        }
    }

    fn warn(&self, outcome: std::io::Result<()>) {
        if let Err(error) = outcome {
            tracing::warn!(key = ?self.key, %error, "the cache did not take a copy");
        }
    }
}

/// The caller's check, asked by one for whom others wait.
struct Sharing<'a> {
    hops: &'a dyn RedirectCheck,
    leader: Mutex<Option<Leader>>,
}

impl Sharing<'_> {
    fn take(&self) -> Option<Leader> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn release(&self) {
        if let Some(leader) = self.take() {
            leader.release();
        }
    }
}

#[async_trait]
impl RedirectCheck for Sharing<'_> {
    /// An answer may need a place at the host that one of those who wait holds. They are let go where it
    /// takes long.
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefused> {
        let mut answer = self.hops.check(from, to);
        match tokio::time::timeout(PATIENCE, &mut answer).await {
            Ok(answer) => answer,
            Err(_) => {
                self.release();
                answer.await
            }
        }
    }
}

/// Does a copy keep to this request's limit, and would each address on the way to it be asked without
/// cookies?
fn fits(fetcher: &Inner, request: &Request, copy: &CacheEntry) -> bool {
    let now = (fetcher.clock)();
    let personal = |url: &Url| request.cookies.as_ref().is_some_and(|jar| jar.header(url, now).is_some());
    copy.body.len() as u64 <= request.max_body.unwrap_or(fetcher.max_body)
        && !copy.hops.iter().map(|hop| &hop.url).chain([&copy.url]).any(personal)
}

/// The key of a request; `None` where its answer is for nobody else.
fn key_of(fetcher: &Inner, cache: &Cache, request: &Request) -> Result<Option<CacheKey>, Error> {
    // No `..`: whoever adds an option decides here whether it changes what comes back.
    let Request {
        url,
        scheme_assumed,
        method,
        headers: given, // among those of `first_headers`
        body,
        timeout: _,
        max_body: _, // held against each copy by `fits`
        max_redirects,
        max_retries: _,
        skip_tls_verification,
        mobile,
        block_ads,
        languages: _, // among those of `first_headers`
        proxy,
        country,
        accept,
        cookies,
        cache: _,
        confirm: _,
        meter: _,
    } = request;
    // Secure cookies go to `https` only, so that this is the address to which most go.
    let address = if *scheme_assumed { exchange::with_scheme(url, "https") } else { url.clone() };
    let personal = cookies.as_ref().is_some_and(|jar| jar.header(&address, (fetcher.clock)()).is_some());
    if body.is_some() || personal {
        return Ok(None);
    }
    let (tier, _) = fetcher.proxies.tiers(*proxy, url)?;
    let headers = exchange::first_headers(fetcher, tier, request)?;
    let digest = if given.is_empty() { cache.digest.of(&headers) } else { digest_of(&headers).into() };
    let max_redirects = max_redirects.unwrap_or(fetcher.max_redirects);
    let options: [(&'static str, &dyn fmt::Display); 10] = [
        ("scheme-assumed", scheme_assumed),
        ("max-redirects", &max_redirects),
        ("skip-tls-verification", skip_tls_verification),
        ("mobile", mobile),
        ("block-ads", block_ads),
        ("proxy", &format_args!("{proxy:?}")),
        // A copy got by one guard is none for another, which might not have let its names through.
        ("egress", &fetcher.policy_digest),
        ("country", &country.as_deref().unwrap_or("-")),
        ("accept", &format_args!("{accept:?}")),
        // What a browser makes of a page is another variant, which does not come this way.
        ("rendering", &"none"),
    ];
    Ok(CacheKey::of(method, &address, &Variant { headers: &headers, digest: &digest, options: &options }))
}

fn unasked(url: &Url) -> Error {
    Error::new(ErrorKind::Protocol, url, "the server answers 304 to a request without a condition").lasting()
}

fn not_cached(url: &Url) -> Error {
    Error::new(
        ErrorKind::NotCached,
        url,
        "the request is to be served from the cache alone, which holds no copy of the right age",
    )
}

fn response_of(copy: &CacheEntry, url: Url, hops: Vec<Hop>, used: CacheUse, started: Instant) -> Response {
    let content_type = copy.headers.get(http::header::CONTENT_TYPE);
    let total = started.elapsed();
    Response {
        address: None,
        requested: hops.first().map_or_else(|| url.clone(), |hop| hop.url.clone()),
        url,
        status: copy.status,
        headers: copy.headers.clone(),
        content_type: content_type.and_then(|value| value.to_str().ok()).map(str::to_owned),
        body: copy.body.clone(),
        hops,
        retry_after: None,
        attempts: 0,
        proxy_used: copy.proxy_used,
        sent_cookies: false,
        cache: Some(CacheFacts { used, stored_at: Some(copy.stored_at) }),
        timings: Timings { first_byte: total, total, ..Timings::default() },
    }
}

fn entry_of(
    key: CacheKey,
    response: &Response,
    fragment: Option<&str>,
    stored_at: std::time::SystemTime,
) -> CacheEntry {
    // Copies, since the originals are slices of the connection's read buffers and would keep all of those.
    let mut headers = super::entry::owned(&response.headers);
    headers.remove(http::header::SET_COOKIE);
    // A fragment that is the request's own was handed down to here; another is a redirect's, and part of the
    // answer.
    let url = if response.url.fragment() == fragment {
        without_fragment(&response.url)
    } else {
        response.url.clone()
    };
    CacheEntry {
        key,
        url,
        status: response.status,
        headers,
        hops: bare_hops(&response.hops),
        stored_at,
        proxy_used: response.proxy_used,
        body: Bytes::copy_from_slice(&response.body),
    }
}

fn bare_hops(hops: &[Hop]) -> Vec<Hop> {
    hops.iter().map(|hop| Hop { url: without_fragment(&hop.url), status: hop.status }).collect()
}

/// The address with this fragment, unless it has its own.
fn with_fragment(url: &Url, fragment: Option<&str>) -> Url {
    let mut changed = url.clone();
    match fragment {
        Some(_) if url.fragment().is_some() => {}
        fragment => changed.set_fragment(fragment),
    }
    changed
}
