//! Private parsers of external input, for the fuzz targets. Not part of the API.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{HeaderMap, StatusCode};
use url::Url;

use crate::body::Limits;
use crate::cache::{CacheEntry, sealed};
use crate::cookies::CookieJar;
use crate::proxy::{Proxy, ProxyFailure};
use crate::{body, media, redirect, refresh};

/// How a proxy's answer was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyReply {
    /// Whether the tunnel is open; `None` if the answer is cut off.
    pub open: Option<bool>,
    /// How many bytes were read.
    pub read: usize,
}

/// The entry with these fields, behind a valid checksum: without one the fields are not examined.
#[must_use]
pub fn cache_entry(fields: &[u8]) -> Option<CacheEntry> {
    CacheEntry::decode(sealed(fields)).ok()
}

/// The result if the proxy with this URL sends only `answer`. `None` if the URL is not a proxy's.
#[must_use]
pub fn proxy_reply(proxy: &str, answer: &[u8]) -> Option<ProxyReply> {
    let proxy = Proxy::parse(proxy).ok()?;
    let destination = crate::proxy::Destination::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 443);
    let mut stream = tokio::io::join(answer, tokio::io::sink());
    // All bytes are there, so there is nothing to wait for.
    let outcome = proxy.tunnel(&mut stream, &destination).now_or_never()?;
    let read = answer.len() - stream.into_inner().0.len();
    let open = match outcome {
        Ok(()) => Some(true),
        Err(ProxyFailure::Closed) => None,
        Err(_) => Some(false),
    };
    Some(ProxyReply { open, read })
}

/// Takes in the cookies that an answer from `url` sets.
pub fn take_cookies(jar: &CookieJar, url: &Url, headers: &HeaderMap, now: SystemTime) {
    jar.store(url, headers, now);
}

/// The `Cookie` header of a request to `url`.
#[must_use]
pub fn cookie_header(jar: &CookieJar, url: &Url, now: SystemTime) -> Option<String> {
    jar.header(url, now)
}

/// The target of a redirect; `Some(None)` if its `Location` is not a URL.
#[must_use]
pub fn redirect_target(status: StatusCode, headers: &HeaderMap, from: &Url) -> Option<Option<Url>> {
    redirect::target(status, headers, from).map(Result::ok)
}

/// The target of a `Refresh` header or of a meta refresh.
#[must_use]
pub fn refresh_target(url: &Url, headers: &HeaderMap, body: &[u8], is_html: bool) -> Option<Url> {
    refresh::target(url, headers, body, is_html)
}

/// How long the server asks to wait.
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    crate::retry_after::retry_after(headers, || now)
}

/// The type of a body by its headers and its first bytes.
#[must_use]
pub fn media_type(headers: &HeaderMap, body: &[u8]) -> String {
    media::computed(headers, body)
}

/// Decodes a body of at most `limit` bytes by its `Content-Encoding`, in pieces of `piece` bytes. `None` if
/// it is broken or longer.
#[must_use]
pub fn decoded(url: &Url, headers: &HeaderMap, body: &[u8], piece: usize, limit: u64) -> Option<Bytes> {
    let mut decoder = body::decoder(headers, url, Limits { bytes: limit }).ok()?;
    for part in body.chunks(piece.max(1)) {
        run(decoder.push(part)).ok()?;
    }
    run(decoder.finish()).ok()
}

/// Runs a step of a decoder, which yields now and then and waits for nothing else.
fn run<F: Future>(step: F) -> F::Output {
    let mut step = pin!(step);
    loop {
        if let Some(output) = step.as_mut().now_or_never() {
            return output;
        }
    }
}
