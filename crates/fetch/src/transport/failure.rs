//! From the client's errors to ours.

use std::error::Error as StdError;
use std::io;

use url::Url;

use super::connect::Failed;
use super::interim::Flood;
use super::tls_text;
use crate::error::{Error, ErrorKind};
use crate::proxy::ProxyFailure;

/// Longest chain of sources that is walked.
const MAX_SOURCES: usize = 16;

/// What the client's error means for a request to `url`.
pub(crate) fn classify(error: &(dyn StdError + 'static), url: &Url) -> Error {
    let mut deepest = None;
    for cause in Causes(Some(error)).take(MAX_SOURCES) {
        if let Some(failed) = cause.downcast_ref::<Failed>() {
            return unconnected(failed, url);
        }
        if let Some(flood) = cause.downcast_ref::<Flood>() {
            return Error::new(ErrorKind::Protocol, url, flood.to_string()).lasting();
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return tls_failure(tls, url);
        }
        deepest = Some(cause);
    }
    let io = deepest.and_then(|cause| cause.downcast_ref::<io::Error>());
    match (io, deepest) {
        (Some(io), _) => Error::new(ErrorKind::Protocol, url, io_text(io.kind())),
        // hyper's errors are words about HTTP alone; the client's around them may hold more.
        (None, Some(cause)) if cause.is::<hyper::Error>() => {
            let error = Error::new(ErrorKind::Protocol, url, format!("the answer broke off: {cause}"));
            // What is no HTTP, or has too many headers, will be so the next time.
            let is_lasting = cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse);
            if is_lasting { error.lasting() } else { error }
        }
        _ => Error::new(ErrorKind::Protocol, url, "the answer broke off"),
    }
}

/// What a proxy did wrong, where that is what went wrong.
pub(crate) fn proxy_failure(error: &(dyn StdError + 'static)) -> Option<ProxyFailure> {
    let failed = Causes(Some(error)).take(MAX_SOURCES).find_map(|cause| cause.downcast_ref::<Failed>())?;
    match failed {
        Failed::Proxy(failure) => Some(*failure),
        _ => None,
    }
}

fn unconnected(failed: &Failed, url: &Url) -> Error {
    match failed {
        Failed::TimedOut => Error::new(ErrorKind::Connect, url, failed.to_string()),
        Failed::Forbidden => blocked_name(url),
        Failed::Unresolved => Error::new(ErrorKind::Dns, url, failed.to_string()),
        Failed::ResolverDown => Error::new(ErrorKind::Dns, url, failed.to_string()).passing(),
        Failed::Refused(kind) => Error::new(ErrorKind::Connect, url, io_text(*kind)),
        Failed::Tls(tls) => tls_failure(tls, url),
        // The TCP connection stood, and was closed in the middle of the handshake.
        Failed::TlsBrokeOff(io::ErrorKind::UnexpectedEof) => {
            Error::new(ErrorKind::Tls, url, failed.to_string()).not_tls()
        }
        Failed::TlsBrokeOff(kind) => Error::new(ErrorKind::Connect, url, io_text(*kind)),
        Failed::Proxy(failure) if failure.blames_proxy() => {
            Error::new(ErrorKind::Proxy, url, failure.to_string())
        }
        Failed::Proxy(failure) => Error::new(ErrorKind::Connect, url, failure.to_string()),
    }
}

/// The name leads to where the policy forbids to go.
fn blocked_name(url: &Url) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(
        ErrorKind::Blocked,
        url,
        format!("{host} leads to an address that the egress policy does not open"),
    )
}

fn tls_failure(tls: &rustls::Error, url: &Url) -> Error {
    match tls {
        rustls::Error::InvalidMessage(_) => {
            Error::new(ErrorKind::Tls, url, "what answered does not speak TLS").not_tls()
        }
        other => Error::new(ErrorKind::Tls, url, tls_text::told(other)),
    }
}

/// The kind in words: the full text of an I/O error is written by whoever made it and may hold an address.
fn io_text(kind: io::ErrorKind) -> String {
    kind.to_string()
}

/// An error and its sources. An [`io::Error`] that wraps another shows what is inside it: its own `source` skips that.
struct Causes<'a>(Option<&'a (dyn StdError + 'static)>);

impl<'a> Iterator for Causes<'a> {
    type Item = &'a (dyn StdError + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let cause = self.0?;
        self.0 = match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as &(dyn StdError + 'static)),
            None => cause.source(),
        };
        Some(cause)
    }
}
