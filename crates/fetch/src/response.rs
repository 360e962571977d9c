use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use url::Url;

/// What came back. Any status is a response: whether a 404 is a failure is for the caller to say.
#[derive(Debug, Clone)]
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
    pub attempts: u32,
    /// Where the time went.
    pub timings: Timings,
}

impl Response {
    /// Is the status 2xx?
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A header's value, where it is there and is text; the first of several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// One redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The address that answered with the redirect.
    pub url: Url,
    /// Its status.
    pub status: u16,
}

/// Where the time of a request went, over all its hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Resolving names; zero where pooled connections were used.
    pub dns: Duration,
    /// Opening connections, with `dns` and TLS in it; zero where pooled connections were used.
    pub connect: Duration,
    /// From the start to the head of the final answer.
    pub first_byte: Duration,
    /// Reading and decoding the body.
    pub body: Duration,
    /// Everything.
    pub total: Duration,
}
