use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gleaner_types::limits::MAX_URL_BYTES;
use http::HeaderValue;
use url::{Host, Url};

use crate::body::BodyMemory;
use crate::cache::{Cache, CacheStore};
use crate::dns_cache::CachedResolver;
use crate::egress::{EgressPolicy, Refusal};
use crate::error::{ConfigError, Error, ErrorKind};
use crate::exchange;
use crate::headers;
use crate::politeness::Politeness;
use crate::proxy::{Proxies, ProxyPool, Tier};
use crate::redirect::RedirectCheck;
use crate::request::{DEFAULT_TIMEOUT, Request};
use crate::resolve::{ForbiddenAnswer, Guarded, Resolve, SystemResolver};
use crate::response::Response;
use crate::retry::RetryBudget;
use crate::transport::{DEFAULT_MAX_KEPT, HttpTransport, Route};

/// The user agent where nothing else is said.
pub const DEFAULT_USER_AGENT: &str =
    concat!("Mozilla/5.0 (compatible; gleaner/", env!("CARGO_PKG_VERSION"), ")");
/// The user agent of a request with [`Request::mobile`]: what sites look for in a phone's, and who asks.
pub const DEFAULT_MOBILE_USER_AGENT: &str = concat!(
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 ",
    "(compatible; gleaner/",
    env!("CARGO_PKG_VERSION"),
    ")"
);
/// Most bytes of a body, as sent and as decoded, where nothing else is said: 50 MiB, since PDFs are pages too.
pub const DEFAULT_MAX_BODY: u64 = 50 * 1024 * 1024;
/// Most redirects that are followed where nothing else is said, as in browsers.
pub const DEFAULT_MAX_REDIRECTS: u32 = 20;

/// Longest host name in bytes, without a final dot (RFC 1035 section 2.3.4).
pub const MAX_HOST_BYTES: usize = 253;

/// How long [`Fetcher::check_resolved`] waits for a name to resolve.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Fetches over HTTP within a policy and within limits. Cheap to clone: clones share connections.
#[derive(Debug, Clone)]
pub struct Fetcher(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) proxies: Proxies,
    pub(crate) policy: Arc<EgressPolicy>,
    /// The policy in a few words, for keys.
    pub(crate) policy_digest: String,
    guard: Guarded,
    pub(crate) user_agent: HeaderValue,
    pub(crate) mobile_user_agent: HeaderValue,
    pub(crate) stealth_user_agent: Option<HeaderValue>,
    pub(crate) timeout: Duration,
    pub(crate) max_body: u64,
    pub(crate) body_memory: Option<BodyMemory>,
    pub(crate) max_redirects: u32,
    pub(crate) clock: fn() -> SystemTime,
    pub(crate) retries: RetryBudget,
    pub(crate) cache: Option<Cache>,
    pub(crate) politeness: Option<Politeness>,
}

impl Fetcher {
    /// A fetcher to be configured.
    pub fn builder() -> FetcherBuilder {
        FetcherBuilder::default()
    }

    /// Fetches. `hops` is asked before each redirect is followed ([`crate::FollowAll`] follows all).
    ///
    /// Dropping the future cancels the request. Needs a tokio runtime with its clock and its I/O enabled.
    ///
    /// # Errors
    ///
    /// Whatever kept a response from coming back whole, in the words of [`ErrorKind`]. A response with an error status
    /// is a response.
    pub async fn fetch(&self, request: Request, hops: &dyn RedirectCheck) -> Result<Response, Error> {
        exchange::run(&self.0, request, hops).await
    }

    /// Holds a URL against the policy without any traffic: its scheme, its port, and its host where that is a literal
    /// address. A name may still turn out to lead to a forbidden address when it is fetched.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Scheme`], [`ErrorKind::Port`], [`ErrorKind::Blocked`] or [`ErrorKind::TooLong`].
    pub fn check(&self, url: &Url) -> Result<(), Error> {
        self.0.check(url)
    }

    /// As [`check`](Self::check), and holds the addresses that the host's name leads to now against the policy too. A name
    /// that does not resolve within [`CHECK_TIMEOUT`] passes, since nothing is known against it. When the URL is fetched,
    /// all this is checked again.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub async fn check_resolved(&self, url: &Url) -> Result<(), Error> {
        self.0.check(url)?;
        let Some(Host::Domain(host)) = url.host() else { return Ok(()) };
        match tokio::time::timeout(CHECK_TIMEOUT, self.0.guard.addresses(host)).await {
            Ok(Err(error)) if error.is::<ForbiddenAnswer>() => {
                Err(Error::new(ErrorKind::Blocked, url, error.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Most bytes of a body of requests that name no limit.
    pub(crate) fn max_body(&self) -> u64 {
        self.0.max_body
    }

    /// The time of day.
    pub(crate) fn now(&self) -> SystemTime {
        (self.0.clock)()
    }

    /// The policy that requests are held against.
    #[must_use]
    pub fn egress(&self) -> &EgressPolicy {
        &self.0.policy
    }
}

impl Inner {
    /// The headers of the first request of a chain that goes this way.
    pub(crate) fn headers(
        &self,
        tier: Tier,
        request: &Request,
        languages: Option<HeaderValue>,
    ) -> http::HeaderMap {
        let agent = match (tier, request.mobile) {
            (Tier::Stealth, mobile) => {
                let agent = self.stealth_user_agent.as_ref();
                return headers::compose_as_browser(agent, mobile, languages, &request.headers);
            }
            (Tier::Basic, true) => &self.mobile_user_agent,
            (Tier::Basic, false) => &self.user_agent,
        };
        headers::compose(agent, languages, &request.headers)
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
                format!("`{scheme}` URLs are not fetched, only http and https are"),
            ),
            Refusal::Port(port) => {
                Error::new(ErrorKind::Port, url, format!("port {port} is not one where pages are served"))
            }
            Refusal::Address => {
                Error::new(ErrorKind::Blocked, url, "the egress policy does not open this address")
            }
            Refusal::NoHost => Error::new(ErrorKind::Scheme, url, "the URL has no host"),
        })
    }
}

/// Configures a [`Fetcher`]. Every limit has a documented default.
#[derive(Debug, Clone)]
#[must_use]
pub struct FetcherBuilder {
    policy: EgressPolicy,
    resolver: Arc<dyn Resolve>,
    user_agent: String,
    mobile_user_agent: String,
    stealth_user_agent: Option<String>,
    basic_proxies: Option<ProxyPool>,
    stealth_proxies: Option<ProxyPool>,
    timeout: Duration,
    max_body: u64,
    body_memory: Option<u64>,
    max_redirects: u32,
    max_kept: usize,
    roots: Vec<Vec<u8>>,
    clock: fn() -> SystemTime,
    cache: Option<Arc<dyn CacheStore>>,
    politeness: Option<Politeness>,
    dns_cache: bool,
    seed: Option<u64>,
}

impl Default for FetcherBuilder {
    fn default() -> Self {
        Self {
            policy: EgressPolicy::public_only(),
            resolver: Arc::new(SystemResolver::default()),
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            mobile_user_agent: DEFAULT_MOBILE_USER_AGENT.to_owned(),
            stealth_user_agent: None,
            basic_proxies: None,
            stealth_proxies: None,
            timeout: DEFAULT_TIMEOUT,
            max_body: DEFAULT_MAX_BODY,
            body_memory: None,
            max_redirects: DEFAULT_MAX_REDIRECTS,
            max_kept: DEFAULT_MAX_KEPT,
            roots: Vec::new(),
            clock: SystemTime::now,
            cache: None,
            politeness: None,
            dns_cache: true,
            seed: None,
        }
    }
}

impl FetcherBuilder {
    /// Where requests may go; the public Internet by default.
    pub fn egress(mut self, policy: EgressPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Who resolves names; the operating system by default. Its answers are held against the policy.
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// The `User-Agent`; [`DEFAULT_USER_AGENT`] by default.
    pub fn user_agent(mut self, text: impl Into<String>) -> Self {
        self.user_agent = text.into();
        self
    }

    /// The `User-Agent` of requests with [`Request::mobile`]; [`DEFAULT_MOBILE_USER_AGENT`] by default.
    pub fn mobile_user_agent(mut self, text: impl Into<String>) -> Self {
        self.mobile_user_agent = text.into();
        self
    }

    /// The `User-Agent` of requests that go by the stealth pool; [`crate::STEALTH_USER_AGENT`] by default, or
    /// [`crate::STEALTH_MOBILE_USER_AGENT`] with [`Request::mobile`]. Client hints that would contradict it are left out.
    pub fn stealth_user_agent(mut self, text: impl Into<String>) -> Self {
        self.stealth_user_agent = Some(text.into());
        self
    }

    /// The proxies of the mode `basic`, which goes direct without them.
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.basic_proxies = Some(pool);
        self
    }

    /// The proxies of the mode `stealth`, which is an error without them, and of `auto` where `basic` does not do.
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.stealth_proxies = Some(pool);
        self
    }

    /// The total time of requests that name none; [`DEFAULT_TIMEOUT`] by default.
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Most bytes of a body of requests that name no limit; [`DEFAULT_MAX_BODY`] by default.
    pub fn max_body(mut self, bytes: u64) -> Self {
        self.max_body = bytes;
        self
    }

    /// How many bytes the bodies of all requests may take together, each until its last copy is dropped; by default there
    /// is no such bound. [`FREE_BODY_BYTES`](crate::FREE_BODY_BYTES) of each are not counted, nor are copies that the cache
    /// gives. Where there is no memory left, a body waits for at most [`MEMORY_TIMEOUT`](crate::MEMORY_TIMEOUT), which is no
    /// part of the request's timeout; one of those that wait goes on in any case, so the bound may be exceeded by one body.
    ///
    /// Set it only where every body is dropped in the end: one that is kept keeps its memory.
    pub fn body_memory(mut self, bytes: u64) -> Self {
        self.body_memory = Some(bytes);
        self
    }

    /// Most redirects of requests that name no limit; [`DEFAULT_MAX_REDIRECTS`] by default.
    pub fn max_redirects(mut self, count: u32) -> Self {
        self.max_redirects = count;
        self
    }

    /// Most connections that are kept open for further requests, to all hosts together; [`DEFAULT_MAX_KEPT`] by default.
    /// One that is opened beyond it is closed after its request. To one host it is [`crate::MAX_IDLE_PER_HOST`] at most.
    pub fn max_kept_connections(mut self, count: usize) -> Self {
        self.max_kept = count;
        self
    }

    /// Trusts one more certificate authority, given as a DER certificate, besides Mozilla's roots.
    pub fn add_root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(der.into());
        self
    }

    /// Where the time of day comes from; the system by default. It is read for dates
    /// in headers and for the ages of cached pages.
    pub fn wall_clock(mut self, clock: fn() -> SystemTime) -> Self {
        self.clock = clock;
        self
    }

    /// Where pages are kept for requests with [`Request::cache`]; by default nowhere.
    pub fn cache(mut self, store: Arc<dyn CacheStore>) -> Self {
        self.cache = Some(store);
        self
    }

    /// How many requests may be under way, in all and to each host; by default no more is done than is asked for. Each
    /// request takes a permit within its own deadline.
    pub fn politeness(mut self, politeness: Politeness) -> Self {
        self.politeness = Some(politeness);
        self
    }

    /// Whether the resolver's answers are kept for a while ([`crate::MAX_DNS_TTL`] at most); they are by default. Each use
    /// of an answer is held against the policy, kept or not.
    pub fn dns_cache(mut self, keep: bool) -> Self {
        self.dns_cache = keep;
        self
    }

    /// Where the scatter of waits begins; by default somewhere else in each process.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The fetcher.
    ///
    /// # Errors
    ///
    /// A user agent that no header can hold, a root certificate that is none, or a pool without proxies or with too many.
    pub fn build(self) -> Result<Fetcher, ConfigError> {
        let agent = |text: &str| {
            HeaderValue::from_str(text).map_err(|_| {
                ConfigError::new("the user agent holds a line break or another control character")
            })
        };
        let policy = Arc::new(self.policy);
        let resolver: Arc<dyn Resolve> =
            if self.dns_cache { Arc::new(CachedResolver::new(self.resolver)) } else { self.resolver };
        let guard = Guarded { policy: Arc::clone(&policy), resolver: Arc::clone(&resolver) };
        let transport = HttpTransport::open(&guard, &self.roots, self.max_kept)?;
        let proxy_list =
            |pool: Option<ProxyPool>| pool.map(|pool| pool.open(&transport, &resolver)).transpose();
        Ok(Fetcher(Arc::new(Inner {
            proxies: Proxies {
                direct: transport.clients(&Route::Direct),
                basic: proxy_list(self.basic_proxies)?,
                stealth: proxy_list(self.stealth_proxies)?,
            },
            policy_digest: policy.digest(),
            policy,
            guard,
            user_agent: agent(&self.user_agent)?,
            mobile_user_agent: agent(&self.mobile_user_agent)?,
            stealth_user_agent: self.stealth_user_agent.as_deref().map(agent).transpose()?,
            timeout: self.timeout,
            max_body: self.max_body,
            body_memory: self.body_memory.map(BodyMemory::new),
            max_redirects: self.max_redirects,
            clock: self.clock,
            cache: self.cache.map(Cache::new),
            politeness: self.politeness,
            retries: RetryBudget::new(
                self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
            ),
        })))
    }
}
