//! Private parsers of external input, for the fuzz targets. Not part of the API.

use std::net::{IpAddr, Ipv4Addr};

use futures_util::FutureExt as _;

use crate::cache::{CacheEntry, sealed};
use crate::proxy::{Proxy, ProxyFailure};

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
        Err(ProxyFailure::BrokeOff) => None,
        Err(_) => Some(false),
    };
    Some(ProxyReply { open, read })
}
