//! The way of a request that may be answered from the cache.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;
use url::Url;

use super::flight::Seat;
use super::key::Variant;
use super::storable::{is_storable, permits};
use super::{Cache, CacheEntry, CacheFacts, CacheKey, CachePolicy, CacheUse};
use crate::door::trace::{Stage, Trace};
use crate::error::{Error, ErrorKind};
use crate::exchange;
use crate::fetcher::Inner;
use crate::redirect::HopCheck;
use crate::request::Request;
use crate::response::{Hop, Response, Timings};

/// Answers `request` from the cache, or fetches it and keeps what came.
pub(crate) async fn run(
    fetcher: &Inner,
    policy: CachePolicy,
    request: Request,
    hops: &dyn HopCheck,
    trace: Arc<Trace>,
    deadline: Instant,
) -> Result<Response, Error> {
    let started = Instant::now();
    let found = fetcher.cache.as_ref().zip(key_of(fetcher, &request)?);
    let Some((cache, key)) = found else {
        if policy.is_closed() {
            return Err(not_cached(&request.url));
        }
        return exchange::tiers(fetcher, request, hops, trace, deadline).await;
    };
    let mut errand = Errand { fetcher, cache, key, policy, hops, started, stale: None };
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
    match cache.flights.join(&errand.key.clone()).await {
        Seat::Released => errand.fetch(request, trace, deadline, None).await,
        Seat::Landed(copy) if fits(fetcher, &request, &copy) => errand.serve(&copy, &request, &trace).await,
        Seat::Landed(_) => errand.fetch(request, trace, deadline, None).await,
        Seat::Leader(leader) => {
            // Another may have led and landed since the store was asked.
            if let Some(copy) = errand.look_up(&request).await {
                leader.land(Arc::clone(&copy));
                return errand.serve(&copy, &request, &trace).await;
            }
            errand.fetch(request, trace, deadline, Some(leader)).await
        }
    }
}

type Leader<'a> = super::flight::Leader<'a, CacheKey, Arc<CacheEntry>>;

/// A request with its key.
struct Errand<'a> {
    fetcher: &'a Inner,
    cache: &'a Cache,
    key: CacheKey,
    policy: CachePolicy,
    hops: &'a dyn HopCheck,
    started: Instant,
    /// A copy that is too old, and can be confirmed.
    stale: Option<Arc<CacheEntry>>,
}

impl<'a> Errand<'a> {
    /// A copy that will do.
    async fn look_up(&mut self, request: &Request) -> Option<Arc<CacheEntry>> {
        if self.policy.max_age.is_zero() {
            return None;
        }
        let copy = match self.cache.store.get(&self.key).await {
            Ok(copy) => copy?,
            Err(error) => {
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
        trace.enter(Stage::HopCheck);
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
        leader: Option<Leader<'_>>,
    ) -> Result<Response, Error> {
        let stale = leader.as_ref().and(self.stale.as_ref());
        request.confirm = stale.and_then(|copy| copy.validators());
        let fragment = request.url.fragment().map(str::to_owned);
        let outcome = exchange::tiers(self.fetcher, request, self.hops, trace, deadline).await;
        let mut response = match outcome {
            Ok(response) => response,
            Err(error) => {
                if let Some(leader) = leader {
                    leader.release();
                }
                return Err(error);
            }
        };
        let now = (self.fetcher.clock)();
        let sent_cookies = response.sent_cookies;
        let confirmed =
            stale.filter(|copy| response.status == 304 && without_fragment(&response.url) == copy.url);
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
            // What the server no longer has, or no longer lets us have, is not served to others either.
            if self.policy.store && (response.is_success() || matches!(response.status, 404 | 410)) {
                let removed = self.cache.store.remove(&self.key).await;
                self.warn(removed);
            }
            if let Some(leader) = leader {
                leader.release();
            }
            return Ok(response);
        };
        if let Some(facts) = &mut response.cache {
            facts.stored_at = Some(now);
        }
        let kept = self.cache.store.put(Arc::clone(&entry)).await;
        self.warn(kept);
        if let Some(leader) = leader {
            leader.land(entry);
        }
        Ok(response)
    }

    fn warn(&self, outcome: std::io::Result<()>) {
        if let Err(error) = outcome {
            tracing::warn!(key = ?self.key, %error, "the cache did not take a copy");
        }
    }
}

/// Does a copy keep to this request's limit?
fn fits(fetcher: &Inner, request: &Request, copy: &CacheEntry) -> bool {
    copy.body.len() as u64 <= request.max_body.unwrap_or(fetcher.max_body)
}

/// The key of a request; `None` where its answer is for nobody else.
fn key_of(fetcher: &Inner, request: &Request) -> Result<Option<CacheKey>, Error> {
    // No `..`: whoever adds an option decides here whether it changes what comes back.
    let Request {
        url,
        scheme_assumed,
        method,
        headers: _, // among those of `first_headers`
        body,
        timeout: _,
        max_body: _, // held against each copy by `fits`
        max_redirects,
        max_retries: _,
        skip_tls_verification,
        mobile,
        languages: _, // among those of `first_headers`
        proxy,
        country,
        accept,
        cookies,
        cache: _,
        confirm: _,
    } = request;
    // Secure cookies go to `https` only, so that this is the address to which most go.
    let address = if *scheme_assumed { exchange::with_scheme(url, "https") } else { url.clone() };
    let personal = cookies.as_ref().is_some_and(|jar| jar.header(&address, (fetcher.clock)()).is_some());
    if body.is_some() || personal {
        return Ok(None);
    }
    let (tier, _) = fetcher.proxies.tiers(*proxy, url)?;
    let headers = exchange::first_headers(fetcher, tier, request)?;
    let max_redirects = max_redirects.unwrap_or(fetcher.max_redirects);
    let options: [(&'static str, &dyn fmt::Display); 8] = [
        ("scheme-assumed", scheme_assumed),
        ("max-redirects", &max_redirects),
        ("skip-tls-verification", skip_tls_verification),
        ("mobile", mobile),
        ("proxy", &format_args!("{proxy:?}")),
        ("country", &country.as_deref().unwrap_or("-")),
        ("accept", &format_args!("{accept:?}")),
        // What a browser makes of a page is another variant, which does not come this way.
        ("rendering", &"none"),
    ];
    Ok(CacheKey::of(method, &address, &Variant { headers: &headers, options: &options }))
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
    let mut headers = response.headers.clone();
    headers.remove(http::header::SET_COOKIE);
    // A fragment that is the request's own was handed down to here; another is a redirect's, and part of the answer.
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
        body: response.body.clone(),
    }
}

fn bare_hops(hops: &[Hop]) -> Vec<Hop> {
    hops.iter().map(|hop| Hop { url: without_fragment(&hop.url), status: hop.status }).collect()
}

fn without_fragment(url: &Url) -> Url {
    with_fragment(url, None)
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
