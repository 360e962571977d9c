//! From the client's errors to ours.

use std::error::Error as StdError;
use std::io;

use url::Url;

use super::connect::ConnectError;
use super::interim::TooManyInterim;
use super::tls_text;
use crate::error::{Error, ErrorKind};
use crate::proxy::ProxyFailure;

/// Longest chain of sources that is walked.
const MAX_SOURCES: usize = 16;

/// What the client's error means for a request to `url`.
pub(crate) fn classify(error: &(dyn StdError + 'static), url: &Url) -> Error {
    let mut deepest = None;
    for cause in Causes(Some(error)).take(MAX_SOURCES) {
        if let Some(failed) = cause.downcast_ref::<ConnectError>() {
            return connect_failure(failed, url);
        }
        if let Some(too_many) = cause.downcast_ref::<TooManyInterim>() {
            return Error::new(ErrorKind::Protocol, url, too_many.to_string()).permanent();
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return tls_failure(tls, url);
        }
        deepest = Some(cause);
    }
    let io = deepest.and_then(|cause| cause.downcast_ref::<io::Error>());
    match (io, deepest) {
        (Some(io), _) => io_failure(ErrorKind::Protocol, url, io.kind()),
        // hyper's own text names HTTP rules only; the client's errors around it may hold more.
        (None, Some(cause)) if cause.is::<hyper::Error>() => {
            let error = Error::new(ErrorKind::Protocol, url, format!("the answer broke off: {cause}"));
            // An answer that is not HTTP, or has too many headers, will be the same next time.
            let is_permanent = cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse);
            if is_permanent { error.permanent() } else { error }
        }
        _ => Error::new(ErrorKind::Protocol, url, "the answer broke off"),
    }
}

/// The proxy's failure, if that is the cause of `error`.
pub(crate) fn proxy_failure(error: &(dyn StdError + 'static)) -> Option<ProxyFailure> {
    let failed =
        Causes(Some(error)).take(MAX_SOURCES).find_map(|cause| cause.downcast_ref::<ConnectError>())?;
    match failed {
        ConnectError::Proxy(failure) => Some(*failure),
        _ => None,
    }
}

fn connect_failure(failed: &ConnectError, url: &Url) -> Error {
    match failed {
        ConnectError::TimedOut => Error::new(ErrorKind::Connect, url, failed.to_string()),
        ConnectError::Forbidden => forbidden_name(url),
        ConnectError::Unresolved => Error::new(ErrorKind::Dns, url, failed.to_string()),
        // The resolver's own text is not shown: it may name its servers.
        ConnectError::ResolverDown(kind) => {
            Error::new(ErrorKind::Dns, url, failed.to_string()).caused_by(io::Error::from(*kind)).temporary()
        }
        ConnectError::Exhausted => Error::new(ErrorKind::Exhausted, url, failed.to_string()),
        ConnectError::Refused(kind) => io_failure(ErrorKind::Connect, url, *kind),
        ConnectError::Tls(tls) => tls_failure(tls, url),
        // The TCP connection was open, and was closed during the handshake.
        ConnectError::TlsBrokeOff(io::ErrorKind::UnexpectedEof) => {
            Error::new(ErrorKind::Tls, url, failed.to_string()).not_tls()
        }
        ConnectError::TlsBrokeOff(kind) => io_failure(ErrorKind::Connect, url, *kind),
        ConnectError::Proxy(failure) if failure.blames_proxy() => {
            Error::new(ErrorKind::Proxy, url, failure.to_string())
        }
        ConnectError::Proxy(failure) => Error::new(ErrorKind::Connect, url, failure.to_string()),
    }
}

/// The name resolves to an address that the policy forbids.
fn forbidden_name(url: &Url) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(
        ErrorKind::Blocked,
        url,
        format!("{host} resolves to an address that the egress policy forbids"),
    )
}

fn tls_failure(tls: &rustls::Error, url: &Url) -> Error {
    let error = Error::new(ErrorKind::Tls, url, tls_text::describe(tls)).caused_by(tls.clone());
    if matches!(tls, rustls::Error::InvalidMessage(_)) { error.not_tls() } else { error }
}

/// An I/O error by its kind: the full text comes from many places and may hold an address.
fn io_failure(kind: ErrorKind, url: &Url, io: io::ErrorKind) -> Error {
    Error::new(kind, url, io.to_string()).caused_by(io::Error::from(io))
}

/// An error and its sources. For an [`io::Error`] that wraps another error this is the wrapped one, which its
/// own `source` skips.
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
