use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::HeaderValue;
use url::Url;

use crate::door::Door;
use crate::egress::{EgressPolicy, Refusal};
use crate::error::{ConfigError, Error, ErrorKind};
use crate::exchange;
use crate::redirect::HopCheck;
use crate::request::{DEFAULT_TIMEOUT, Request};
use crate::resolve::{Guarded, Resolve, SystemResolver};
use crate::response::Response;
use crate::retry::RetryBudget;

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

/// Fetches over HTTP within a policy and within limits. Cheap to clone: clones share connections.
#[derive(Debug, Clone)]
pub struct Fetcher(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) door: Door,
    pub(crate) policy: Arc<EgressPolicy>,
    pub(crate) user_agent: HeaderValue,
    pub(crate) mobile_user_agent: HeaderValue,
    pub(crate) timeout: Duration,
    pub(crate) max_body: u64,
    pub(crate) max_redirects: u32,
    pub(crate) clock: fn() -> SystemTime,
    pub(crate) retries: RetryBudget,
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
    pub async fn fetch(&self, request: Request, hops: &dyn HopCheck) -> Result<Response, Error> {
        exchange::run(&self.0, request, hops).await
    }

    /// Holds a URL against the policy without any traffic: its scheme, its port, and its host where that is a literal
    /// address. A name may still turn out to lead to a forbidden address when it is fetched.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Scheme`], [`ErrorKind::Port`] or [`ErrorKind::Blocked`].
    pub fn check(&self, url: &Url) -> Result<(), Error> {
        self.0.check(url)
    }

    /// The policy that requests are held against.
    #[must_use]
    pub fn egress(&self) -> &EgressPolicy {
        &self.0.policy
    }
}

impl Inner {
    pub(crate) fn check(&self, url: &Url) -> Result<(), Error> {
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
    timeout: Duration,
    max_body: u64,
    max_redirects: u32,
    roots: Vec<Vec<u8>>,
    clock: fn() -> SystemTime,
    seed: Option<u64>,
}

impl Default for FetcherBuilder {
    fn default() -> Self {
        Self {
            policy: EgressPolicy::public_only(),
            resolver: Arc::new(SystemResolver),
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            mobile_user_agent: DEFAULT_MOBILE_USER_AGENT.to_owned(),
            timeout: DEFAULT_TIMEOUT,
            max_body: DEFAULT_MAX_BODY,
            max_redirects: DEFAULT_MAX_REDIRECTS,
            roots: Vec::new(),
            clock: SystemTime::now,
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

    /// Most redirects of requests that name no limit; [`DEFAULT_MAX_REDIRECTS`] by default.
    pub fn max_redirects(mut self, count: u32) -> Self {
        self.max_redirects = count;
        self
    }

    /// Trusts one more certificate authority, given as a DER certificate, besides Mozilla's roots.
    pub fn add_root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(der.into());
        self
    }

    /// Where the time of day comes from; the system by default. It is read for dates in headers only.
    pub fn wall_clock(mut self, clock: fn() -> SystemTime) -> Self {
        self.clock = clock;
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
    /// A user agent that no header can hold, or a root certificate that is none.
    pub fn build(self) -> Result<Fetcher, ConfigError> {
        let agent = |text: &str| {
            HeaderValue::from_str(text).map_err(|_| {
                ConfigError::new("the user agent holds a line break or another control character")
            })
        };
        let policy = Arc::new(self.policy);
        let guard = Guarded { policy: Arc::clone(&policy), resolver: self.resolver };
        Ok(Fetcher(Arc::new(Inner {
            door: Door::open(&guard, &self.roots)?,
            policy,
            user_agent: agent(&self.user_agent)?,
            mobile_user_agent: agent(&self.mobile_user_agent)?,
            timeout: self.timeout,
            max_body: self.max_body,
            max_redirects: self.max_redirects,
            clock: self.clock,
            retries: RetryBudget::new(
                self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
            ),
        })))
    }
}
