use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::{ProxyUsed, SafeUrl};
use http::HeaderMap;
use url::Url;

use crate::cache::CacheFacts;

/// What came back. Any status is a response: whether a 404 is a failure is for the caller to say. `Debug` shows
/// no header values and no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Response {
    /// The address that was asked for.
    pub requested: Url,
    /// The address that answered, after redirects.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// The headers of the answer, as sent: `Content-Encoding` and `Content-Length` still describe the body on the wire.
    pub headers: HeaderMap,
    /// `Content-Type` as sent, where it is text.
    pub content_type: Option<String>,
    /// The body, its content codings undone. Its charset is untouched.
    pub body: Bytes,
    /// The redirects that led here, in their order; empty where there were none.
    pub hops: Vec<Hop>,
    /// How long the server asks to wait before the next request; not capped.
    pub retry_after: Option<Duration>,
    /// How often the request was sent to get this answer, redirects not counted: 1 where the first try did.
    /// Of a request that went both ways of [`ProxyMode::Auto`](gleaner_types::plan::ProxyMode), those of the last way.
    pub attempts: u32,
    /// Which way the request went: by the basic pool (or direct, where there is none) or by the stealth pool.
    pub proxy_used: ProxyUsed,
    /// The address that was dialled for the answer. `None` where it did not come over a connection of our own to its host:
    /// through a proxy, or from the cache. Not in `Debug`, and for no one outside: it tells of the network inside.
    pub address: Option<IpAddr>,
    /// What the cache did for the request; `None` where it was not asked.
    pub cache: Option<CacheFacts>,
    /// A request on the way here carried cookies.
    pub(crate) sent_cookies: bool,
    /// Where the time went.
    pub timings: Timings,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("requested", &SafeUrl::from(&self.requested))
            .field("url", &SafeUrl::from(&self.url))
            .field("status", &self.status)
            .field("headers", &crate::headers::Names(&self.headers))
            .field("body_bytes", &self.body.len())
            .field("hops", &self.hops)
            .field("retry_after", &self.retry_after)
            .field("attempts", &self.attempts)
            .field("proxy_used", &self.proxy_used)
            .field("cache", &self.cache)
            .field("timings", &self.timings)
            .finish_non_exhaustive()
    }
}

impl Response {
    /// Is the status 2xx?
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// What the body is, in lower case and without parameters: its `Content-Type` where that can be, and what its first
    /// bytes tell where that is missing, says nothing, or lies (WHATWG MIME Sniffing). A body that says it is HTML and
    /// begins as a PDF does is `application/pdf`.
    #[must_use]
    pub fn media_type(&self) -> String {
        crate::media::computed(&self.headers, &self.body)
    }

    /// A header's value, where it is there and is text; the first of several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// One redirect.
#[derive(Clone, PartialEq, Eq)]
pub struct Hop {
    /// The address that answered with the redirect.
    pub url: Url,
    /// Its status.
    pub status: u16,
}

impl fmt::Debug for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hop({} {})", self.status, SafeUrl::from(&self.url))
    }
}

/// Where the time of a request went, over all its hops; of the last way alone where it went both of `auto`. What an
/// earlier way took is in no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Resolving names; zero where pooled connections were used.
    pub dns: Duration,
    /// Opening connections, with `dns` and TLS in it; zero where pooled connections were used.
    pub connect: Duration,
    /// Shaking hands for TLS, which is part of `connect`; zero where pooled connections were used.
    pub tls: Duration,
    /// From the start to the head of the final answer.
    pub first_byte: Duration,
    /// From the last request of the chain to the head of its answer: how long that host took, without the redirects before
    /// and what their checks waited for. Zero where the answer came from the cache.
    pub answer: Duration,
    /// Reading and decoding the body.
    pub body: Duration,
    /// Everything.
    pub total: Duration,
}
