//! The public HTTP client of the engine, and its shared state.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gleaner_types::BoxFuture;
use gleaner_types::limits::MAX_URL_BYTES;
use http::HeaderValue;
use url::{Host, Url};

use crate::body::BodyMemory;
use crate::builder::FetcherBuilder;
use crate::cache::Cache;
use crate::egress::{EgressPolicy, Refusal};
use crate::error::{Error, ErrorKind};
use crate::exchange;
use crate::headers;
use crate::layer::FetchLayer;
use crate::proxy::{Proxies, Tier};
use crate::redirect::RedirectCheck;
use crate::request::Request;
use crate::resolve::{ForbiddenAnswer, GuardedResolver};
use crate::response::Response;

/// Longest host name in bytes, without a final dot (RFC 1035 section 2.3.4).
pub const MAX_HOST_BYTES: usize = 253;

/// How long [`Fetcher::check_resolved`] and [`Fetcher::address`] wait for a name to resolve.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Fetches over HTTP within a policy and within limits. Cheap to clone: clones share connections.
#[derive(Debug, Clone)]
pub struct Fetcher(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) proxies: Proxies,
    pub(crate) policy: Arc<EgressPolicy>,
    /// A short form of the policy, for cache keys.
    pub(crate) policy_digest: String,
    pub(crate) guard: GuardedResolver,
    pub(crate) user_agent: HeaderValue,
    pub(crate) timeout: Duration,
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) max_body: u64,
    pub(crate) body_memory: Option<BodyMemory>,
    pub(crate) max_redirects: u32,
    pub(crate) clock: fn() -> SystemTime,
    pub(crate) cache: Option<Cache>,
    pub(crate) layer: Option<Arc<dyn FetchLayer>>,
}

impl Fetcher {
    /// A builder with the default settings.
    pub fn builder() -> FetcherBuilder {
        FetcherBuilder::default()
    }

    /// Fetches. `check` is asked before each redirect is followed ([`crate::FollowAll`] follows all).
    ///
    /// Dropping the future cancels the request. Needs a tokio runtime with its clock and its I/O enabled.
    ///
    /// # Errors
    ///
    /// Whatever kept a response from coming back whole; see [`ErrorKind`]. A response with an error status is
    /// a response.
    pub fn fetch<'a>(
        &'a self,
        request: Request,
        check: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move { exchange::run(&self.0, request, check).await })
    }

    /// Checks a URL against the policy without any traffic: its scheme, its port, and its host if that is a
    /// literal address. A name may still resolve to a forbidden address when it is fetched.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Scheme`], [`ErrorKind::Port`], [`ErrorKind::Blocked`] or [`ErrorKind::TooLong`].
    pub fn check(&self, url: &Url) -> Result<(), Error> {
        self.0.check(url)
    }

    /// As [`check`](Self::check), and also checks the addresses that the host's name resolves to now. A name
    /// that does not resolve within [`CHECK_TIMEOUT`] passes. All this is checked again when the URL is
    /// fetched.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn check_resolved<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(self.0.check_resolved(url))
    }

    /// The first address that the host of a URL resolves to; `None` if it resolves to none within
    /// [`CHECK_TIMEOUT`], or to one that the policy forbids. The URL is resolved and checked again when it is
    /// fetched.
    pub async fn address(&self, url: &Url) -> Option<IpAddr> {
        let address: IpAddr = match url.host()? {
            Host::Ipv4(address) => address.into(),
            Host::Ipv6(address) => address.into(),
            Host::Domain(host) => {
                let resolved = tokio::time::timeout(CHECK_TIMEOUT, self.0.guard.addresses(host)).await;
                *resolved.ok()?.ok()?.first()?
            }
        };
        Some(address.to_canonical())
    }

    /// Most bytes of a body of requests that set no limit.
    pub(crate) fn max_body(&self) -> u64 {
        self.0.max_body
    }

    /// The user agent of requests in the basic tier.
    pub(crate) fn user_agent(&self, mobile: bool) -> HeaderValue {
        self.0.user_agent(mobile)
    }

    /// The time of day.
    pub(crate) fn now(&self) -> SystemTime {
        (self.0.clock)()
    }

    /// The policy that requests are checked against.
    #[must_use]
    pub fn egress(&self) -> &EgressPolicy {
        &self.0.policy
    }
}

impl Inner {
    /// The headers of the first request of a chain in this tier.
    pub(crate) fn headers(
        &self,
        tier: Tier,
        request: &Request,
        languages: Option<HeaderValue>,
    ) -> http::HeaderMap {
        if request.from_browser {
            return headers::compose_for_browser(&request.headers);
        }
        match tier {
            Tier::Stealth => headers::compose_as_browser(request.mobile, languages, &request.headers),
            Tier::Basic => headers::compose(self.user_agent(request.mobile), languages, &request.headers),
        }
    }

    /// The user agent of requests in the basic tier.
    fn user_agent(&self, mobile: bool) -> HeaderValue {
        if mobile { headers::MOBILE_AGENT } else { self.user_agent.clone() }
    }

    /// As [`Fetcher::check_resolved`].
    pub(crate) async fn check_resolved(&self, url: &Url) -> Result<(), Error> {
        self.check(url)?;
        let Some(Host::Domain(host)) = url.host() else { return Ok(()) };
        match tokio::time::timeout(CHECK_TIMEOUT, self.guard.addresses(host)).await {
            Ok(Err(error)) if error.is::<ForbiddenAnswer>() => {
                Err(Error::new(ErrorKind::Blocked, url, error.to_string()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check(&self, url: &Url) -> Result<(), Error> {
        let host = url.host_str().unwrap_or_default();
        if host.strip_suffix('.').unwrap_or(host).len() > MAX_HOST_BYTES {
            let text = format!("the host name is longer than {MAX_HOST_BYTES} bytes");
            return Err(Error::new(ErrorKind::TooLong, url, text));
        }
        if url.as_str().len() > MAX_URL_BYTES {
            let text = format!("the URL is longer than {MAX_URL_BYTES} bytes");
            return Err(Error::new(ErrorKind::TooLong, url, text));
        }
        self.policy.check_url(url).map_err(|refusal| match refusal {
            Refusal::Scheme(scheme) => Error::new(
                ErrorKind::Scheme,
                url,
                format!("`{scheme}` URLs are not fetched, only http and https"),
            ),
            Refusal::Port(port) => {
                Error::new(ErrorKind::Port, url, format!("web pages are not served on port {port}"))
            }
            Refusal::Address => Error::new(ErrorKind::Blocked, url, "the egress policy forbids this address"),
            Refusal::NoHost => Error::new(ErrorKind::Scheme, url, "the URL has no host"),
        })
    }
}
