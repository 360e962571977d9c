//! Requests that use the cache.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::BoxFuture;
use tokio::time::Instant;
use url::Url;

use super::flight::FlightRole;
use super::key::{Variant, digest_of};
use super::storable::{is_storable, permits};
use super::{Cache, CacheEntry, CacheFacts, CacheKey, CachePolicy, CacheUse};
use crate::error::{Error, ErrorKind};
use crate::exchange;
use crate::fetcher::Inner;
use crate::media;
use crate::redirect::{RedirectCheck, RedirectRefused, without_fragment};
use crate::request::Request;
use crate::response::{Hop, Response, Timings};
use crate::transport::trace::{Stage, Trace};

/// Longest wait for an operation of a store. A slower one counts as failed.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(1);
/// If the caller's check of a redirect takes longer, requests that wait for the same page are released.
const CHECK_PATIENCE: Duration = Duration::from_secs(1);

/// Answers `request` from the cache, or fetches it and caches the answer.
pub(crate) async fn run(
    fetcher: &Inner,
    policy: CachePolicy,
    request: Request,
    check: &dyn RedirectCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let started = Instant::now();
    let keyed = match &fetcher.cache {
        Some(cache) => key_of(fetcher, cache, &request)?.map(|key| (cache, key)),
        None => None,
    };
    let Some((cache, key)) = keyed else {
        if policy.is_cache_only() {
            return Err(not_cached(&request.url));
        }
        return exchange::fetch_by_tiers(fetcher, request, check, trace, deadline).await;
    };
    let mut keyed = KeyedRequest { fetcher, cache, key, policy, check, started, stale: None };
    if let Some(copy) = keyed.look_up(&request).await {
        return keyed.serve(&copy, &request, &trace).await;
    }
    if policy.is_cache_only() {
        return Err(not_cached(&request.url));
    }
    if !policy.store || policy.max_age.is_zero() {
        return keyed.fetch(request, trace, deadline, None).await;
    }
    trace.enter(Stage::Shared);
    // The leader may be waiting too, for example for a slot of a host that a request here holds. So half of
    // the time is reserved for a fetch of our own.
    let patience = deadline.saturating_duration_since(Instant::now()) / 2;
    let key = keyed.key.clone();
    let Ok(role) = tokio::time::timeout(patience, cache.flights.join(&key)).await else {
        return keyed.fetch(request, trace, deadline, None).await;
    };
    match role {
        FlightRole::Released => keyed.fetch(request, trace, deadline, None).await,
        FlightRole::Landed(copy) if fits(fetcher, &request, &copy) => {
            keyed.serve(&copy, &request, &trace).await
        }
        FlightRole::Landed(_) => keyed.fetch(request, trace, deadline, None).await,
        FlightRole::Leader(leader) => {
            // Another leader may have finished since the first lookup.
            if let Some(copy) = keyed.look_up(&request).await {
                leader.land(Arc::clone(&copy));
                return keyed.serve(&copy, &request, &trace).await;
            }
            keyed.fetch(request, trace, deadline, Some(leader)).await
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
    check: &'a dyn RedirectCheck,
    started: Instant,
    /// A copy that is too old. The server may confirm it.
    stale: Option<Arc<CacheEntry>>,
}

impl<'a> KeyedRequest<'a> {
    /// A copy that the request accepts.
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
                tracing::warn!(key = ?self.key, %error, "the cache could not be read");
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

    /// Answers with a copy, under the same rules as a fetch.
    async fn serve(&self, copy: &CacheEntry, request: &Request, trace: &Trace) -> Result<Response, Error> {
        let fragment = request.url.fragment();
        let url = with_fragment(&copy.url, fragment);
        let hops: Vec<Hop> = copy
            .hops
            .iter()
            .map(|hop| Hop { url: with_fragment(&hop.url, fragment), status: hop.status })
            .collect();
        let _checking = trace.pause(Stage::RedirectCheck);
        self.fetcher.check(hops.first().map_or(&url, |hop| &hop.url))?;
        let targets = hops.iter().skip(1).map(|hop| &hop.url).chain([&url]);
        for (from, to) in hops.iter().map(|hop| &hop.url).zip(targets) {
            self.fetcher.check(to)?;
            self.check.check(from, to).await.map_err(|refused| refused.at(to))?;
        }
        tracing::debug!(key = ?self.key, "served from the cache");
        Ok(response_of(copy, url, hops, CacheUse::Hit, self.started))
    }

    /// Fetches, caches the answer if allowed, and shares it with waiting requests.
    async fn fetch(
        self,
        mut request: Request,
        trace: Arc<Trace>,
        deadline: Instant,
        leader: Option<Leader>,
    ) -> Result<Response, Error> {
        let stale = leader.as_ref().and(self.stale.as_ref());
        request.validators = stale.and_then(|copy| copy.validators());
        let fragment = request.url.fragment().map(str::to_owned);
        let unconditional =
            request.validators.is_some().then(|| Request { validators: None, ..request.clone() });
        let sharing = Sharing { check: self.check, leader: Mutex::new(leader) };
        // A failure is not shared. If this future is dropped, another request becomes the leader.
        let releasing = |error: Error| {
            sharing.release();
            error
        };
        let outcome =
            exchange::fetch_by_tiers(self.fetcher, request, &sharing, Arc::clone(&trace), deadline).await;
        let mut response = outcome.map_err(releasing)?;
        let is_confirmed =
            |copy: &&Arc<CacheEntry>| without_fragment(&response.url) == without_fragment(&copy.url);
        let mut confirmed = stale.filter(|_| response.status == 304).filter(is_confirmed);
        if response.status == 304 && confirmed.is_none() {
            // It confirms a page that is not in the cache. The caller needs a page, so ask without a
            // condition.
            self.forget(deadline).await;
            let again = unconditional.ok_or_else(|| releasing(unexpected_304(&response.url)))?;
            let outcome = exchange::fetch_by_tiers(self.fetcher, again, &sharing, trace, deadline).await;
            response = outcome.map_err(releasing)?;
            if response.status == 304 {
                return Err(releasing(unexpected_304(&response.url)));
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
            response = response_of(&entry, response.url, hops, CacheUse::Revalidated, self.started);
            response.timings = timings;
            (permits(&entry.headers) && !sent_cookies).then_some(entry)
        } else {
            response.cache = Some(CacheFacts { used: CacheUse::Miss, stored_at: None });
            let keeps = self.policy.store && is_storable(&response);
            keeps.then(|| entry_of(self.key.clone(), &response, fragment.as_deref(), now))
        };
        let Some(entry) = entry.map(Arc::new) else {
            sharing.release();
            // If the page is gone, or the server now forbids caching, its copy is removed. An answer to
            // somebody's cookies does not count.
            let is_outdated = response.is_success() || matches!(response.status, 404 | 410);
            if self.policy.store && is_outdated && !sent_cookies {
                self.forget(deadline).await;
            }
            return Ok(response);
        };
        if let Some(facts) = &mut response.cache {
            facts.stored_at = Some(now);
        }
        // Before the store has it, which may take a while.
        if let Some(leader) = sharing.take() {
            leader.land(Arc::clone(&entry));
        }
        self.in_time(deadline, self.cache.store.put(entry)).await;
        Ok(response)
    }

    async fn forget(&self, deadline: Instant) {
        self.in_time(deadline, self.cache.store.remove(&self.key)).await;
    }

    /// Waits for the store, but not past the deadline of the answer.
    async fn in_time(&self, deadline: Instant, work: impl Future<Output = std::io::Result<()>>) {
        let latest = deadline.min(Instant::now() + STORE_TIMEOUT);
        match tokio::time::timeout_at(latest, work).await {
            Ok(outcome) => self.warn(outcome),
            Err(_) => self.warn(Err(std::io::ErrorKind::TimedOut.into())),
        }
    }

    fn warn(&self, outcome: std::io::Result<()>) {
        if let Err(error) = outcome {
            tracing::warn!(key = ?self.key, %error, "the cache could not be changed");
        }
    }
}

/// The caller's check, used by a leader that other requests wait for.
struct Sharing<'a> {
    check: &'a dyn RedirectCheck,
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

impl RedirectCheck for Sharing<'_> {
    /// The check may wait for a slot of a host that a waiting request holds. So after a while the others are
    /// released.
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            let mut answer = self.check.check(from, to);
            match tokio::time::timeout(CHECK_PATIENCE, &mut answer).await {
                Ok(answer) => answer,
                Err(_) => {
                    self.release();
                    answer.await
                }
            }
        })
    }

    fn may_start(&self) -> bool {
        self.check.may_start()
    }

    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        self.check.wait_for_start()
    }
}

/// Whether a copy is within this request's limit, and the request has no cookies for any URL of its
/// redirects.
fn fits(fetcher: &Inner, request: &Request, copy: &CacheEntry) -> bool {
    let now = (fetcher.clock)();
    let personal = |url: &Url| request.cookies.as_ref().is_some_and(|jar| jar.header(url, now).is_some());
    copy.body.len() as u64 <= request.max_body.unwrap_or(fetcher.max_body)
        && !copy.hops.iter().map(|hop| &hop.url).chain([&copy.url]).any(personal)
}

/// The key of a request; `None` if its answer must not be shared.
fn key_of(fetcher: &Inner, cache: &Cache, request: &Request) -> Result<Option<CacheKey>, Error> {
    // No `..`, so that for each new option it is decided here whether it changes the answer.
    let Request {
        url,
        scheme_assumed,
        method,
        headers: given, // part of `first_headers`
        body,
        timeout: _,
        max_body: _, // checked for each copy by `fits`
        max_redirects,
        skip_tls_verification,
        mobile,
        block_ads,
        languages: _, // part of `first_headers`
        proxy,
        country,
        accept,
        cookies,
        owner: _,
        cache: _,
        validators: _,
        meter: _,
        from_browser: _, // part of `first_headers`
    } = request;
    // Secure cookies go to `https` only, so this URL gets the most cookies.
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
        // A copy that one policy permitted must not be served under another policy.
        ("egress", &fetcher.policy_digest),
        ("country", &country.as_deref().unwrap_or("-")),
        ("accept", &format_args!("{accept:?}")),
        // Rendered pages would be another variant. They are not cached here.
        ("rendering", &"none"),
    ];
    Ok(CacheKey::of(method, &address, &Variant { headers: &headers, digest: &digest, options: &options }))
}

fn unexpected_304(url: &Url) -> Error {
    let text = "the server answers 304 to a request without a condition";
    Error::new(ErrorKind::Protocol, url, text).permanent()
}

fn not_cached(url: &Url) -> Error {
    Error::new(
        ErrorKind::NotCached,
        url,
        "the request accepts cached copies only, and there is no copy of the right age",
    )
}

fn response_of(copy: &CacheEntry, url: Url, hops: Vec<Hop>, used: CacheUse, started: Instant) -> Response {
    let total = started.elapsed();
    Response {
        address: None,
        requested: hops.first().map_or_else(|| url.clone(), |hop| hop.url.clone()),
        url,
        status: copy.status,
        headers: copy.headers.clone(),
        content_type: media::content_type(&copy.headers),
        body: copy.body.clone(),
        hops,
        retry_after: None,
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
    // Copies, because the originals are slices of the connection's read buffers and would keep those alive.
    let mut headers = super::entry::owned(&response.headers);
    headers.remove(http::header::SET_COOKIE);
    // The request's own fragment is inherited by redirects and not kept. Another fragment is a redirect's,
    // and kept.
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

/// The URL with this fragment, unless it has its own.
fn with_fragment(url: &Url, fragment: Option<&str>) -> Url {
    let mut changed = url.clone();
    match fragment {
        Some(_) if url.fragment().is_some() => {}
        fragment => changed.set_fragment(fragment),
    }
    changed
}
