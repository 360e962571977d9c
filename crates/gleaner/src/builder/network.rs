//! The settings of an engine's network, as a group.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::{EgressPolicy, ProxyPool, Resolve};

use super::EngineBuilder;

/// How an engine reaches sites, for [`EngineBuilder::network`]: addresses, resolver, timeouts of connections,
/// certificates and proxies. What is not set keeps its default.
///
/// ```
/// use std::time::Duration;
///
/// use gleaner::{Engine, Network, Proxy, ProxyPool};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = ProxyPool::new([Proxy::parse("http://user:secret@10.8.0.1:3128")?])
///     .allow_cidr("10.8.0.0/24".parse()?); // a proxy in a private network; pages there stay forbidden
/// let network = Network::new().basic_proxies(pool).connect_timeout(Duration::from_secs(5));
/// let engine = Engine::builder().network(network).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Network {
    egress: Option<EgressPolicy>,
    resolver: Option<Arc<dyn Resolve>>,
    connect_timeout: Option<Duration>,
    read_timeout: Option<Duration>,
    roots: Vec<Pem>,
    checks_certificates: Option<bool>,
    basic_proxies: Option<ProxyPool>,
    stealth_proxies: Option<ProxyPool>,
}

/// A text with certificates.
#[derive(Clone)]
struct Pem(Vec<u8>);

impl fmt::Debug for Pem {
    /// Without the text: what is no certificate may be a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}

impl Network {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which addresses may be connected to, besides those of
    /// [`allow_private`](EngineBuilder::allow_private). Default: only public ones.
    #[must_use]
    pub fn egress(mut self, policy: EgressPolicy) -> Self {
        self.egress = Some(policy);
        self
    }

    /// Sets the resolver of host names. Its answers pass the egress guard, so it needs no filter of its own.
    /// Default: the resolver of the operating system. Answers are cached for their time to live.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// Sets the maximum time for opening a connection: resolving the name, connecting and the TLS handshake
    /// together, within the `timeout` of the request. Default: 10 seconds.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// Sets the maximum time without a byte from the server: between the request and the head of the
    /// response, and between two parts of the body. Default: none; only the `timeout` of the request applies.
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = Some(timeout);
        self
    }

    /// Trusts more certificate authorities besides Mozilla's roots. `pem` is a text with one or more
    /// certificates, such as the content of a CA bundle. May be called repeatedly.
    #[must_use]
    pub fn add_root_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.push(Pem(pem.into()));
        self
    }

    /// Sets whether TLS certificates are checked even if a request accepts any. Default: false; the request
    /// decides by `skip_tls_verification`. A typed request has them checked unless it says otherwise. In
    /// version 2 of the HTTP API the default of `skipTlsVerification` is true, as its clients expect, so a
    /// service that wants certificates checked needs this setting. For robots.txt, which jobs share, only
    /// this setting counts. The certificates of webhooks, models and search engines are always checked.
    #[must_use]
    pub fn check_certificates(mut self, check: bool) -> Self {
        self.checks_certificates = Some(check);
        self
    }

    /// Sets the proxies of requests with `proxy: "basic"`, and of the first attempt of `"auto"`, which is the
    /// default of requests. Default: these requests go direct.
    #[must_use]
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.basic_proxies = Some(pool);
        self
    }

    /// Sets the proxies of requests with `proxy: "stealth"`, and of the second attempt of `"auto"`. Default:
    /// none; `"stealth"` is refused, and `"auto"` is the same as `"basic"`.
    #[must_use]
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.stealth_proxies = Some(pool);
        self
    }
}

impl EngineBuilder {
    /// Sets how the engine reaches sites. What `network` does not set stays as it is.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.egress = network.egress.unwrap_or(self.egress);
        if let Some(resolver) = network.resolver {
            self.fetcher = self.fetcher.resolver(resolver);
        }
        if let Some(timeout) = network.connect_timeout {
            self.fetcher = self.fetcher.connect_timeout(timeout);
        }
        if let Some(timeout) = network.read_timeout {
            self.fetcher = self.fetcher.read_timeout(timeout);
        }
        for Pem(text) in network.roots {
            self.fetcher = self.fetcher.add_root_certificates_pem(text);
        }
        self.checks_certificates = network.checks_certificates.unwrap_or(self.checks_certificates);
        if let Some(pool) = network.basic_proxies {
            self.fetcher = self.fetcher.basic_proxies(pool);
        }
        if let Some(pool) = network.stealth_proxies {
            self.fetcher = self.fetcher.stealth_proxies(pool);
            self.has_stealth_proxies = true;
        }
        self
    }
}
