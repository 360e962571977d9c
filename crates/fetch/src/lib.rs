//! The only door of gleaner to the network: egress guard, redirects, deadlines, body limits.
//!
//! A [`Fetcher`] makes HTTP requests to addresses that strangers chose, and answers with bodies that
//! strangers wrote. It assumes the worst of both:
//!
//! - **Where to** is up to an [`EgressPolicy`]: by default the public Internet only. What is judged is the
//!   address that will be dialled: literal ones before the request, resolved ones inside the connector, both
//!   again at each redirect.
//! - **How long** is one deadline for everything, from the name's resolution to the last byte.
//! - **How much** is bounded: redirects, interim answers, headers, body bytes as sent, as decoded, and their
//!   ratio; cookies, and retries of all requests together; kept answers of resolvers, and kept pages.
//! - **How much at once** may be bounded too, for the bodies of all requests together
//!   ([`FetcherBuilder::body_memory`]).
//! - **How often** is up to a [`Politeness`], where the fetcher is given one: so many requests at once, in
//!   all and to each host, and an interval between them.
//! - **Whether at all** is up to the request's [`CachePolicy`], where the fetcher has a cache: a young copy
//!   is served, an older one confirmed, and of many requests for the same page one is sent.
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
//! # // So that the example runs anywhere, its page is on this machine.
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
//! // A copy of up to two days will do, and here nothing else: no proxy is asked.
//! let mut policy = CachePolicy::max_age(Duration::from_secs(2 * 86_400));
//! policy.only = true;
//! request.cache = Some(policy);
//! let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::NotCached);
//! # Ok(())
//! # }
//! ```
//!
//! # A strict guard with one way through
//!
//! ```
//! use gleaner_fetch::{EgressPolicy, ErrorKind, Fetcher, FollowAll, Request};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = EgressPolicy::public_only().allow_cidr("10.20.0.0/16".parse()?).allow_host("wiki.internal");
//! let fetcher = Fetcher::builder().egress(policy).build()?;
//!
//! // The loopback address, in one of its disguises.
//! let request = Request::get("http://2130706433/".parse()?);
//! let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Blocked);
//! # Ok(())
//! # }
//! ```
//!
//! # Redirects under the caller's eye
//!
//! ```
//! use async_trait::async_trait;
//! use gleaner_fetch::{RedirectCheck, RedirectRefused};
//! use url::Url;
//!
//! struct SameHost;
//!
//! #[async_trait]
//! impl RedirectCheck for SameHost {
//!     async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefused> {
//!         if from.host() == to.host() { Ok(()) } else { Err(RedirectRefused::new("it leads to another host")) }
//!     }
//! }
//! # let _ = SameHost;
//! ```

mod base64;
mod body;
mod cache;
mod cookies;
mod date;
mod dns_cache;
mod egress;
mod error;
mod exchange;
mod fetcher;
#[doc(hidden)]
pub mod fuzzing;
mod headers;
mod media;
mod politeness;
mod proxy;
mod redirect;
mod refresh;
mod render;
mod request;
mod resolve;
mod response;
mod retry;
mod retry_after;
mod transport;

pub use base64::data_uri;
pub use body::{FREE_BODY_BYTES, MAX_CODINGS, MAX_RATIO, MAX_TRAILING, MEMORY_TIMEOUT, RATIO_FREE_BYTES};
pub use cache::{
    CacheEntry, CacheFacts, CacheKey, CachePolicy, CacheStore, CacheUse, CorruptEntry,
    DEFAULT_DISK_CACHE_BYTES, DEFAULT_MEMORY_CACHE_BYTES, DiskCache, MAX_CACHED_BODY, MemoryCache,
    STORE_TIMEOUT,
};
pub use cookies::{CookieJar, MAX_COOKIES, MAX_COOKIES_PER_DOMAIN};
pub use dns_cache::{
    DEFAULT_DNS_TTL, DNS_RETRY_PAUSE, MAX_DNS_ENTRIES, MAX_DNS_TTL, MIN_DNS_TTL, NEGATIVE_DNS_TTL,
};
pub use egress::EgressPolicy;
pub use error::{ConfigError, Error, ErrorKind};
pub use fetcher::{
    CHECK_TIMEOUT, DEFAULT_MAX_BODY, DEFAULT_MAX_REDIRECTS, DEFAULT_MOBILE_USER_AGENT, DEFAULT_USER_AGENT,
    Fetcher, FetcherBuilder, MAX_HOST_BYTES,
};
pub use headers::{MAX_REQUEST_HEADERS, STEALTH_MOBILE_USER_AGENT, STEALTH_USER_AGENT};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use media::Accept;
pub use politeness::{
    DEFAULT_MAX_PER_HOST, DEFAULT_MAX_REQUESTS, HostLimits, MAX_INTERVAL, Permit, Politeness,
};
pub use proxy::{MAX_COOL_DOWN, MAX_PROXIES, MAX_PROXY_TRIES, MIN_COOL_DOWN, Proxy, ProxyPool};
pub use redirect::{FollowAll, RedirectCheck, RedirectRefused};
pub use refresh::MAX_REFRESH_DELAY;
pub use render::{
    ActionResult, MAX_BYTES_PER_PAGE, MAX_BYTES_PER_RESOURCE, MAX_REQUESTS_PER_PAGE, Picture, Render,
    RenderProxy, RenderRequest, Rendered, renderer_for,
};
pub use request::{DEFAULT_TIMEOUT, MAX_TIMEOUT, Request};
pub use resolve::{Answers, MAX_ANSWERS, MAX_LOOKUPS, Resolve, SystemResolver};
pub use response::{Hop, Response, Timings};
pub use retry::{MAX_RETRY_AFTER, RETRY_BASE, RETRY_MAX_WAIT};
pub use transport::{
    CONNECT_TIMEOUT, DEFAULT_MAX_KEPT, IDLE_TIMEOUT, MAX_HEADER_BYTES, MAX_IDLE_PER_HOST,
    MAX_INTERIM_ANSWERS, PROXY_TIMEOUT,
};
