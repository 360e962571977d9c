//! The only door of gleaner to the network: egress guard, redirects, deadlines, body limits.
//!
//! A [`Fetcher`] makes HTTP requests to addresses that strangers chose, and answers with bodies that strangers wrote.
//! It assumes the worst of both:
//!
//! - **Where to** is up to an [`EgressPolicy`]: by default the public Internet only. What is judged is the address that
//!   will be dialled: literal ones before the request, resolved ones inside the connector, both again at each redirect.
//! - **How long** is one deadline for everything, from the name's resolution to the last byte.
//! - **How much** is bounded: redirects, headers, body bytes as sent, as decoded, and their ratio; cookies, and retries
//!   of all requests together.
//!
//! # A page
//!
//! ```no_run
//! use gleaner_fetch::{Fetcher, FollowAll, Request};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::builder().build()?;
//! let response = fetcher.fetch(Request::get("https://example.com/".parse()?), &FollowAll).await?;
//! println!("{} {} ({} bytes)", response.status, response.url, response.body.len());
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
//! use gleaner_fetch::{HopCheck, HopRefused};
//! use url::Url;
//!
//! struct SameHost;
//!
//! #[async_trait]
//! impl HopCheck for SameHost {
//!     async fn check(&self, from: &Url, to: &Url) -> Result<(), HopRefused> {
//!         if from.host() == to.host() { Ok(()) } else { Err(HopRefused::new("it leads to another host")) }
//!     }
//! }
//! # let _ = SameHost;
//! ```

mod body;
mod cookies;
mod door;
mod egress;
mod error;
mod exchange;
mod fetcher;
mod headers;
mod media;
mod redirect;
mod refresh;
mod request;
mod resolve;
mod response;
mod retry;
mod retry_after;

pub use body::{MAX_CODINGS, MAX_RATIO, RATIO_FREE_BYTES};
pub use cookies::{CookieJar, MAX_COOKIES, MAX_COOKIES_PER_DOMAIN};
pub use door::{CONNECT_TIMEOUT, IDLE_TIMEOUT, MAX_HEADER_BYTES, MAX_IDLE_PER_HOST};
pub use egress::EgressPolicy;
pub use error::{ConfigError, Error, ErrorKind};
pub use fetcher::{
    DEFAULT_MAX_BODY, DEFAULT_MAX_REDIRECTS, DEFAULT_MOBILE_USER_AGENT, DEFAULT_USER_AGENT, Fetcher,
    FetcherBuilder,
};
pub use headers::MAX_REQUEST_HEADERS;
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use media::Accept;
pub use redirect::{FollowAll, HopCheck, HopRefused};
pub use refresh::MAX_REFRESH_DELAY;
pub use request::{DEFAULT_TIMEOUT, Request};
pub use resolve::{MAX_ANSWERS, Resolve, SystemResolver};
pub use response::{Hop, Response, Timings};
pub use retry::{MAX_RETRY_AFTER, RETRY_BASE, RETRY_MAX_WAIT};
