//! Readers of what comes from outside and reaches no public function as it came, for the fuzz targets. Not
//! part of the API.

use std::net::{IpAddr, Ipv4Addr};

use futures_util::FutureExt as _;

use crate::cache::{CacheEntry, sealed};
use crate::proxy::{Proxy, ProxyFailure};

/// What a proxy said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyReply {
    /// The tunnel is open; `None` where the proxy hung up in the middle of its answer.
    pub open: Option<bool>,
    /// So many of its bytes were read.
    pub read: usize,
}

/// The entry whose fields are these bytes, behind a right checksum: without one nothing else of them is
/// looked at.
#[must_use]
pub fn cache_entry(fields: &[u8]) -> Option<CacheEntry> {
    CacheEntry::decode(sealed(fields)).ok()
}

/// How the proxy of this URL is heard when `said` is all that it says. `None` where the URL is no proxy's.
#[must_use]
pub fn proxy_reply(proxy: &str, said: &[u8]) -> Option<ProxyReply> {
    let proxy = Proxy::parse(proxy).ok()?;
    let destination = crate::proxy::Destination::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 443);
    let mut stream = tokio::io::join(said, tokio::io::sink());
    // All of it is there, so there is nothing to wait for.
    let outcome = proxy.tunnel(&mut stream, &destination).now_or_never()?;
    let read = said.len() - stream.into_inner().0.len();
    let open = match outcome {
        Ok(()) => Some(true),
        Err(ProxyFailure::BrokeOff) => None,
        Err(_) => Some(false),
    };
    Some(ProxyReply { open, read })
}
