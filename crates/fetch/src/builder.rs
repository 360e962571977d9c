//! Configures a fetcher: egress policy, limits, proxies, certificates, cache.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::HeaderValue;

use crate::body::BodyMemory;
use crate::cache::{Cache, CacheStore};
use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::dns_cache::CachedResolver;
use crate::egress::EgressPolicy;
use crate::fetcher::{Fetcher, Inner};
use crate::headers::DEFAULT_USER_AGENT;
use crate::layer::FetchLayer;
use crate::proxy::{Proxies, ProxyPool};
use crate::request::{DEFAULT_TIMEOUT, MAX_TIMEOUT};
use crate::resolve::{GuardedResolver, Resolve, SystemResolver};
use crate::transport::{
    DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_KEPT_CONNECTIONS, HttpTransport, RootCertificates, Route,
};

/// Most bytes of a body, as sent and as decoded, by default: 50 MiB, because PDFs are pages too.
pub const DEFAULT_MAX_BODY: u64 = 50 * 1024 * 1024;
/// Most redirects that are followed by default, as in browsers.
pub const DEFAULT_MAX_REDIRECTS: u32 = 20;

/// Configures a [`Fetcher`]. Every limit has a documented default.
///
/// ```
/// use std::time::Duration;
/// use gleaner_fetch::{ConfigErrorKind, Fetcher};
///
/// let builder = Fetcher::builder()
///     .default_timeout(Duration::from_secs(20))
///     .connect_timeout(Duration::from_secs(3))
///     .read_timeout(Duration::from_secs(10))
///     .max_body(5 * 1024 * 1024);
/// let error = builder.clone().add_root_certificates_pem("not a certificate").build().unwrap_err();
/// assert_eq!(error.kind(), ConfigErrorKind::RootCertificate);
/// let fetcher = builder.build()?;
/// # Ok::<(), gleaner_fetch::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct FetcherBuilder {
    policy: EgressPolicy,
    resolver: Arc<dyn Resolve>,
    user_agent: String,
    basic_proxies: Option<ProxyPool>,
    stealth_proxies: Option<ProxyPool>,
    timeout: Duration,
    connect_timeout: Duration,
    read_timeout: Option<Duration>,
    max_body: u64,
    body_memory: Option<u64>,
    max_redirects: u32,
    max_open: usize,
    max_kept: usize,
    roots: Vec<RootCertificates>,
    clock: fn() -> SystemTime,
    cache: Option<Arc<dyn CacheStore>>,
    layer: Option<Arc<dyn FetchLayer>>,
    dns_cache: bool,
}

impl Default for FetcherBuilder {
    fn default() -> Self {
        Self {
            policy: EgressPolicy::public_only(),
            resolver: Arc::new(SystemResolver::default()),
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            basic_proxies: None,
            stealth_proxies: None,
            timeout: DEFAULT_TIMEOUT,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            read_timeout: None,
            max_body: DEFAULT_MAX_BODY,
            body_memory: None,
            max_redirects: DEFAULT_MAX_REDIRECTS,
            max_open: usize::MAX,
            max_kept: DEFAULT_MAX_KEPT_CONNECTIONS,
            roots: Vec::new(),
            clock: SystemTime::now,
            cache: None,
            layer: None,
            dns_cache: true,
        }
    }
}

impl FetcherBuilder {
    /// Sets where requests may go. Default: the public Internet.
    pub fn egress(mut self, policy: EgressPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the resolver of host names. Default: the operating system's. Its answers are checked against the
    /// policy.
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets the `User-Agent`. Default: [`DEFAULT_USER_AGENT`].
    pub fn user_agent(mut self, text: impl Into<String>) -> Self {
        self.user_agent = text.into();
        self
    }

    /// Sets the proxies of the mode `basic`. Without them it connects directly.
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.basic_proxies = Some(pool);
        self
    }

    /// Sets the proxies of the mode `stealth`, and of the second attempt of `auto`. Without them `stealth` is
    /// an error.
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.stealth_proxies = Some(pool);
        self
    }

    /// Sets the total time of requests that set none. Default: [`DEFAULT_TIMEOUT`].
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the longest time for opening a connection: resolving, connecting and the TLS handshake together,
    /// within the request's total time. Default: [`DEFAULT_CONNECT_TIMEOUT`]. A connection that takes longer
    /// fails with [`ErrorKind::Connect`](crate::ErrorKind::Connect).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the longest time without a byte from the server: from the sent request to the head of the answer,
    /// and between two pieces of the body. Default: none, so only the request's total time bounds it. A
    /// server that is silent for longer fails the request with
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = Some(timeout);
        self
    }

    /// Sets the most bytes of a body, as sent and as decoded, of requests that set no limit. Default:
    /// [`DEFAULT_MAX_BODY`]. A larger body fails the request with
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge).
    pub fn max_body(mut self, bytes: u64) -> Self {
        self.max_body = bytes;
        self
    }

    /// Sets the most bytes that the bodies of all requests may take together, each until its last copy is
    /// dropped. Default: unlimited. The first [`FREE_BODY_BYTES`](crate::FREE_BODY_BYTES) of each body are
    /// not counted, nor are copies from the cache. Without free memory a body waits at most
    /// [`MEMORY_TIMEOUT`](crate::MEMORY_TIMEOUT), which does not count towards the request's timeout. One
    /// waiting body at a time goes on in any case, so one body may exceed the bound.
    ///
    /// The [owners](crate::Request::owner) of requests take turns. Each takes at most as much as it leaves
    /// free. If no request has an owner, its bodies may take all.
    ///
    /// Set it only if every body is dropped in the end: a body that is kept keeps its memory.
    pub fn body_memory(mut self, bytes: u64) -> Self {
        self.body_memory = Some(bytes);
        self
    }

    /// Sets the most redirects of requests that set no limit. Default: [`DEFAULT_MAX_REDIRECTS`].
    pub fn max_redirects(mut self, count: u32) -> Self {
        self.max_redirects = count;
        self
    }

    /// Sets the most open connections, to all hosts together. Default: no limit. Further requests wait for a
    /// moment, and fail as [`Error::is_exhausted`](crate::Error::is_exhausted) says. Each connection takes
    /// one of the files that the process may have open.
    pub fn max_connections(mut self, count: usize) -> Self {
        self.max_open = count;
        self
    }

    /// Sets the most connections that are kept open for further requests, to all hosts together. Default:
    /// [`DEFAULT_MAX_KEPT_CONNECTIONS`]. A connection above this limit is closed after its request. To one
    /// host at most [`crate::MAX_IDLE_PER_HOST`] idle connections are kept.
    pub fn max_kept_connections(mut self, count: usize) -> Self {
        self.max_kept = count;
        self
    }

    /// Trusts one more certificate authority besides Mozilla's roots. `der` is its certificate in DER form.
    pub fn add_root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(RootCertificates::Der(der.into()));
        self
    }

    /// Trusts more certificate authorities besides Mozilla's roots. `pem` is a text with one or more
    /// certificates, such as the content of a CA bundle; text between them is ignored.
    pub fn add_root_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.push(RootCertificates::Pem(pem.into()));
        self
    }

    /// Sets the source of the time of day, for dates in headers, expiry of cookies and ages of cached pages.
    /// Default: the system.
    pub fn wall_clock(mut self, clock: fn() -> SystemTime) -> Self {
        self.clock = clock;
        self
    }

    /// Sets where pages are kept for requests with [`Request::cache`](crate::Request::cache). Default:
    /// nowhere.
    pub fn cache(mut self, store: Arc<dyn CacheStore>) -> Self {
        self.cache = Some(store);
        self
    }

    /// Sets a layer around each exchange. Default: none. A second one replaces the first.
    pub fn layer(mut self, layer: Arc<dyn FetchLayer>) -> Self {
        self.layer = Some(layer);
        self
    }

    /// Sets whether the resolver's answers are kept, for at most [`crate::MAX_DNS_TTL`]. Default: they are.
    /// Each use of an answer is checked against the policy.
    pub fn dns_cache(mut self, keep: bool) -> Self {
        self.dns_cache = keep;
        self
    }

    /// Builds the fetcher.
    ///
    /// # Errors
    ///
    /// See [`ConfigErrorKind`]: a user agent that no header can hold, an invalid root certificate, a timeout
    /// of zero, or a pool without proxies or with too many.
    pub fn build(self) -> Result<Fetcher, ConfigError> {
        let user_agent = HeaderValue::from_str(&self.user_agent).map_err(|_| {
            let text = "the user agent holds a line break or another control character";
            ConfigError::new(ConfigErrorKind::UserAgent, text)
        })?;
        let connect_timeout = checked(self.connect_timeout, "the connect timeout is zero")?;
        let read_timeout =
            self.read_timeout.map(|timeout| checked(timeout, "the read timeout is zero")).transpose()?;
        let policy = Arc::new(self.policy);
        let resolver: Arc<dyn Resolve> =
            if self.dns_cache { Arc::new(CachedResolver::new(self.resolver)) } else { self.resolver };
        let guard = GuardedResolver { policy: Arc::clone(&policy), resolver: Arc::clone(&resolver) };
        let transport =
            HttpTransport::open(&guard, &self.roots, connect_timeout, (self.max_open, self.max_kept))?;
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
            user_agent,
            timeout: checked(self.timeout, "the default timeout is zero")?,
            read_timeout,
            max_body: self.max_body,
            body_memory: self.body_memory.map(BodyMemory::new),
            max_redirects: self.max_redirects,
            clock: self.clock,
            cache: self.cache.map(Cache::new),
            layer: self.layer,
        })))
    }
}

/// A timeout that is not zero and at most [`MAX_TIMEOUT`].
fn checked(timeout: Duration, text: &'static str) -> Result<Duration, ConfigError> {
    if timeout.is_zero() {
        return Err(ConfigError::new(ConfigErrorKind::Timeout, text));
    }
    Ok(timeout.min(MAX_TIMEOUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_settings_have_their_kind() {
        let kind = |builder: FetcherBuilder| builder.build().unwrap_err().kind();
        let builder = Fetcher::builder;
        assert_eq!(kind(builder().user_agent("a\nb")), ConfigErrorKind::UserAgent);
        assert_eq!(kind(builder().default_timeout(Duration::ZERO)), ConfigErrorKind::Timeout);
        assert_eq!(kind(builder().connect_timeout(Duration::ZERO)), ConfigErrorKind::Timeout);
        assert_eq!(kind(builder().read_timeout(Duration::ZERO)), ConfigErrorKind::Timeout);
        assert_eq!(kind(builder().add_root_certificate(b"x")), ConfigErrorKind::RootCertificate);
        assert_eq!(kind(builder().basic_proxies(ProxyPool::new([]))), ConfigErrorKind::ProxyPool);
    }
}
