//! The HTTP client of gleaner, its only access to the network: egress guard, redirects, deadlines, body
//! limits.
//!
//! A [`Fetcher`] requests URLs that strangers chose and returns bodies that strangers wrote. It assumes that
//! both are hostile:
//!
//! - **Egress** is checked against an [`EgressPolicy`]: by default only the public Internet. The address that
//!   will be dialled is checked: literal addresses before the request, resolved ones in the connector, both
//!   again at each redirect.
//! - **Time** is bounded by one deadline for everything, from the lookup of the name to the last byte, and by
//!   timeouts for connecting and for a silent server.
//! - **Size** is bounded: redirects, interim answers, headers, body bytes as sent and as decoded, and their
//!   ratio; cookies, cached answers of resolvers, and cached pages.
//! - **Memory** for the bodies of all requests together can be bounded ([`FetcherBuilder::body_memory`]).
//! - **Caching** is controlled by the request's [`CachePolicy`] if the fetcher has a cache: a young copy is
//!   served, an older one revalidated, and concurrent requests for the same page send one request.
//!
//! It does not repeat failed requests and does not limit requests per host. A caller with a queue, such as
//! the engine, does both better: it knows all jobs of a host, and can put a page off instead of sleeping.
//!
//! With the feature `testing`, `conformance` has the test suites for every cache, resolver and browser
//! engine.
//!
//! # A page
//!
//! ```
//! use gleaner_fetch::{Fetcher, FollowAll, Request};
//! use url::Url;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::builder().build()?;
//! let page: Url = "https://example.com/".parse()?;
//! # // The page is on this machine, so that the example runs anywhere.
//! # let server = std::net::TcpListener::bind("127.0.0.1:0")?;
//! # let page = page.join(&format!("http://{}/", server.local_addr()?))?;
//! # let policy = fetcher.egress().clone().allow_cidr("127.0.0.1/32".parse()?);
//! # let fetcher = Fetcher::builder().egress(policy).build()?;
//! # std::thread::spawn(move || {
//! #     use std::io::{Read, Write};
//! #     let (mut stream, _) = server.accept().expect("a connection");
//! #     let _ = stream.read(&mut [0; 4096]);
//! #     stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 7\r\n\r\n<p>text")
//! # });
//! let response = fetcher.fetch(Request::get(page), &FollowAll).await?;
//! println!("{} {} ({} bytes)", response.status, response.url, response.body.len());
//! # assert_eq!(&response.body[..], b"<p>text");
//! # Ok(())
//! # }
//! ```
//!
//! # Through a proxy, with a cache
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use gleaner_fetch::{CachePolicy, ErrorKind, Fetcher, FollowAll, MemoryCache, Proxy, ProxyPool, Request};
//! use gleaner_types::plan::ProxyMode;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::builder()
//!     .stealth_proxies(ProxyPool::new([Proxy::parse("http://user:password@proxy.example:3128")?]))
//!     .cache(Arc::new(MemoryCache::default()))
//!     .build()?;
//!
//! let mut request = Request::get("https://example.com/".parse()?);
//! request.proxy = ProxyMode::Stealth;
//! // Accept a copy of up to two days, and only a copy: no request is sent.
//! let mut policy = CachePolicy::max_age(Duration::from_secs(2 * 86_400));
//! policy.only = true;
//! request.cache = Some(policy);
//! let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::NotCached);
//! # Ok(())
//! # }
//! ```
//!
//! # A strict policy with two exceptions
//!
//! ```
//! use gleaner_fetch::{EgressPolicy, ErrorKind, Fetcher, FollowAll, Request};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = EgressPolicy::public_only().allow_cidr("10.20.0.0/16".parse()?).allow_host("wiki.internal");
//! let fetcher = Fetcher::builder().egress(policy).build()?;
//!
//! // The loopback address as a decimal number.
//! let request = Request::get("http://2130706433/".parse()?);
//! let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Blocked);
//! # Ok(())
//! # }
//! ```
//!
//! # A check of redirects
//!
//! ```
//! use gleaner_fetch::{BoxFuture, RedirectCheck, RedirectRefused};
//! use url::Url;
//!
//! struct SameHost;
//!
//! impl RedirectCheck for SameHost {
//!     fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
//!         Box::pin(async move {
//!             let same = from.host() == to.host();
//!             if same { Ok(()) } else { Err(RedirectRefused::new("it leads to another host")) }
//!         })
//!     }
//! }
//! # let _ = SameHost;
//! ```

mod body;
mod builder;
mod cache;
mod config_error;
#[cfg(feature = "testing")]
pub mod conformance;
mod cookies;
mod data_uri;
mod date;
mod dns_cache;
mod egress;
mod error;
mod exchange;
mod fetcher;
#[doc(hidden)]
pub mod fuzzing;
mod headers;
mod layer;
mod media;
mod proxy;
mod redirect;
mod refresh;
mod render;
mod request;
mod resolve;
mod response;
mod retry_after;
mod transport;

pub use body::{FREE_BODY_BYTES, MAX_CODINGS, MAX_RATIO, MAX_TRAILING, MEMORY_TIMEOUT, RATIO_FREE_BYTES};
pub use builder::{DEFAULT_MAX_BODY, DEFAULT_MAX_REDIRECTS, FetcherBuilder};
pub use cache::{
    CacheEntry, CacheFacts, CacheKey, CachePolicy, CacheStore, CacheUse, CorruptEntry,
    DEFAULT_MEMORY_CACHE_BYTES, DiskCache, MAX_CACHED_BODY, MemoryCache, STORE_TIMEOUT,
};
pub use config_error::{ConfigError, ConfigErrorKind};
pub use cookies::{CookieJar, JarCookie, MAX_COOKIES, MAX_COOKIES_PER_DOMAIN, SameSite};
pub use data_uri::data_uri;
pub use dns_cache::{
    DEFAULT_DNS_TTL, DNS_RETRY_PAUSE, MAX_DNS_ENTRIES, MAX_DNS_TTL, MIN_DNS_TTL, NEGATIVE_DNS_TTL,
};
pub use egress::EgressPolicy;
pub use error::{Error, ErrorKind};
pub use fetcher::{CHECK_TIMEOUT, Fetcher, MAX_HOST_BYTES};
pub use gleaner_types::BoxFuture;
pub use headers::{
    DEFAULT_USER_AGENT, MAX_REQUEST_HEADERS, MOBILE_USER_AGENT, STEALTH_MOBILE_USER_AGENT, STEALTH_USER_AGENT,
};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use layer::{AnswerBody, FetchLayer, LayerAnswer, LayerRequest, Next};
pub use media::Accept;
pub use proxy::{MAX_COOL_DOWN, MAX_PROXIES, MAX_PROXY_TRIES, MIN_COOL_DOWN, Proxy, ProxyPool};
pub use redirect::{FollowAll, RedirectCheck, RedirectRefused};
pub use refresh::MAX_REFRESH_DELAY;
pub use render::{
    ActionResult, DEFAULT_RENDERS, DocumentFacts, Load, LoadKind, MAX_BYTES_PER_PAGE, MAX_BYTES_PER_RESOURCE,
    MAX_LOADS_PER_HOST, MAX_LOADS_PER_PAGE, MAX_REQUESTS_PER_PAGE, MAX_RESULTS_BYTES_PER_PAGE, Picture,
    Render, RenderProxy, RenderRequest, Rendered, RenderedPage,
};
pub use request::{DEFAULT_TIMEOUT, MAX_TIMEOUT, Request};
pub use resolve::{DnsAnswer, MAX_ANSWERS, MAX_LOOKUPS, Resolve, SystemResolver};
pub use response::{Hop, Response, Timings};
pub use transport::{
    DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_KEPT_CONNECTIONS, IDLE_TIMEOUT, MAX_HEADER_BYTES, MAX_IDLE_PER_HOST,
    MAX_INTERIM_ANSWERS, PROXY_TIMEOUT,
};
