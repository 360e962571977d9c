//! The response to a fetch, with redirects, timings and the use of the cache.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::media::MediaType;
use gleaner_types::{ProxyUsed, SafeUrl};
use http::HeaderMap;
use url::Url;

use crate::cache::CacheFacts;

/// The answer to a request, with any status: the caller decides whether a 404 is a failure. `Debug` shows no
/// header values and no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Response {
    /// The URL that was requested.
    pub requested: Url,
    /// The URL that answered, after redirects.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// The headers of the answer as sent: `Content-Encoding` and `Content-Length` still describe the body on
    /// the wire.
    pub headers: HeaderMap,
    /// `Content-Type` as sent; several lines are joined with commas.
    pub content_type: Option<String>,
    /// The body without its content codings. Its charset is not converted.
    pub body: Bytes,
    /// The redirects that led here, in their order.
    pub hops: Vec<Hop>,
    /// How long the server asks to wait before the next request; not capped.
    pub retry_after: Option<Duration>,
    /// Which proxies the request used: the basic pool (or a direct connection without one), or the stealth
    /// pool.
    pub proxy_used: ProxyUsed,
    /// The address that was dialled for the answer; `None` through a proxy or from the cache. `Debug` leaves
    /// it out, and it must not be shown to clients, because it reveals the internal network.
    pub address: Option<IpAddr>,
    /// What the cache did for the request; `None` if it was bypassed.
    pub cache: Option<CacheFacts>,
    /// A request of the chain carried cookies.
    pub(crate) sent_cookies: bool,
    /// How long each phase took.
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
            .field("proxy_used", &self.proxy_used)
            .field("cache", &self.cache)
            .field("timings", &self.timings)
            .finish_non_exhaustive()
    }
}

impl Response {
    /// Whether the status is 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The media type of the body, in lower case and without parameters: its `Content-Type`, or the type of
    /// its first bytes if that header is missing, says nothing or is wrong (WHATWG MIME Sniffing). A body
    /// that claims to be HTML and begins like a PDF is `application/pdf`.
    #[must_use]
    pub fn media_type(&self) -> String {
        crate::media::computed(&self.headers, &self.body)
    }

    /// `Content-Type` as sent, if it is one valid type and that of the [body](Self::media_type); otherwise the
    /// body's type, with the header's parameters, such as the charset, if it is text.
    #[must_use]
    pub fn effective_content_type(&self) -> String {
        content_type(self.content_type.as_deref(), self.media_type())
    }

    /// The value of a header if it is text; the first of several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

fn content_type(header: Option<&str>, computed: String) -> String {
    let Some(header) = header else { return computed };
    if MediaType::parse(header).is_some_and(|valid| valid.essence() == computed) {
        return header.to_owned();
    }
    let declared = MediaType::of_header(header);
    if declared.essence() == computed || computed.starts_with("text/") {
        declared.with_essence(computed).to_string()
    } else {
        computed
    }
}

/// One redirect.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hop {
    /// The URL that answered with the redirect.
    pub url: Url,
    /// Its status.
    pub status: u16,
}

impl fmt::Debug for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hop({} {})", self.status, SafeUrl::from(&self.url))
    }
}

/// How long each phase of a request took, over all its hops. If the proxy mode `auto` made two attempts,
/// `dns`, `connect` and `tls` are those of both, the other phases those of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Resolving names; zero with pooled connections.
    pub dns: Duration,
    /// Opening connections, `dns` and `tls` included; zero with pooled connections.
    pub connect: Duration,
    /// TLS handshakes, a part of `connect`; zero with pooled connections.
    pub tls: Duration,
    /// From the start to the head of the final answer.
    pub first_byte: Duration,
    /// From the last request of the chain to the head of its answer: how long that host took, without earlier
    /// redirects and their checks. Zero if the answer came from the cache.
    pub answer: Duration,
    /// Reading and decoding the body.
    pub body: Duration,
    /// From the start to the end of the body.
    pub total: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_header_are_kept() {
        let rows = [
            (None, "text/html", "text/html"),
            (Some("Text/HTML; charset=x"), "text/html", "Text/HTML; charset=x"),
            (
                Some("application/octet-stream; charset=windows-1251"),
                "text/html",
                "text/html; charset=windows-1251",
            ),
            (Some("application/octet-stream"), "text/plain", "text/plain"),
            (Some("text/html; charset=utf-8"), "application/pdf", "application/pdf"),
            (Some("text/html, Text/HTML;charset=gbk"), "text/html", "text/html; charset=gbk"),
            (Some("text/html charset=utf-8"), "text/html", "text/html"),
            (Some("html; charset=\"gbk"), "text/html", "text/html; charset=gbk"),
            (Some("*/*"), "text/plain", "text/plain"),
        ];
        for (header, computed, expected) in rows {
            assert_eq!(content_type(header, computed.to_owned()), expected, "{header:?}");
        }
    }
}
