//! From the client's errors to ours.

use std::error::Error as StdError;
use std::io;

use url::Url;

use super::connect::ConnectTimedOut;
use crate::error::{Error, ErrorKind};
use crate::resolve::ForbiddenAnswer;

/// Longest chain of sources that is walked.
const MAX_SOURCES: usize = 16;

/// What the client's error means for a request to `url`.
pub(crate) fn classify(error: &reqwest::Error, url: &Url) -> Error {
    let mut deepest = None;
    for cause in Causes(Some(error)).take(MAX_SOURCES) {
        if cause.is::<ForbiddenAnswer>() {
            return blocked_name(url);
        }
        if cause.is::<ConnectTimedOut>() {
            return Error::new(ErrorKind::Connect, url, ConnectTimedOut.to_string());
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return tls_failure(tls, url);
        }
        deepest = Some(cause);
    }
    if error.is_dns() {
        return Error::new(ErrorKind::Dns, url, "the host name does not resolve");
    }
    let io = deepest.and_then(|cause| cause.downcast_ref::<io::Error>());
    if error.is_connect() {
        return match io {
            // The TCP connection stood, and was closed in the middle of the handshake.
            Some(io) if io.kind() == io::ErrorKind::UnexpectedEof => {
                Error::new(ErrorKind::Tls, url, "the connection was closed during the TLS handshake")
                    .not_tls()
            }
            Some(io) => Error::new(ErrorKind::Connect, url, io_text(io)),
            None => Error::new(ErrorKind::Connect, url, "no connection came about"),
        };
    }
    match (io, deepest) {
        (Some(io), _) => Error::new(ErrorKind::Protocol, url, io_text(io)),
        (None, Some(cause)) if !cause.is::<reqwest::Error>() => {
            Error::new(ErrorKind::Protocol, url, format!("the answer broke off: {cause}"))
        }
        _ => Error::new(ErrorKind::Protocol, url, "the answer broke off"),
    }
}

/// The name leads to where the policy forbids to go.
pub(crate) fn blocked_name(url: &Url) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(
        ErrorKind::Blocked,
        url,
        format!("{host} leads to an address that the egress policy does not open"),
    )
}

fn tls_failure(tls: &rustls::Error, url: &Url) -> Error {
    match tls {
        rustls::Error::InvalidCertificate(reason) => {
            Error::new(ErrorKind::Tls, url, format!("the certificate is not valid: {reason}"))
        }
        rustls::Error::InvalidMessage(_) => {
            Error::new(ErrorKind::Tls, url, "what answered does not speak TLS").not_tls()
        }
        other => Error::new(ErrorKind::Tls, url, format!("the TLS handshake failed: {other}")),
    }
}

/// The kind in words: the full text of an I/O error is written by whoever made it and may hold an address.
fn io_text(io: &io::Error) -> String {
    format!("{}", io.kind())
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
