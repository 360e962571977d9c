//! From a URL's host to a connection: resolve, check, dial what was checked, shake hands.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tower_service::Service;

use super::dial::dial;
use super::stream::{ConnectionLimit, Peer, Stream, Transport};
use super::trace::{self, Stage, Trace};
use super::{CONNECT_TIMEOUT, PROXY_TIMEOUT, Tls};
use crate::proxy::{Destination, Proxy, ProxyFailure};
use crate::resolve::{ForbiddenAnswer, Guarded};

/// Opens the connections of one client. Everything that the client pools comes from here.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Inner>);

struct Inner {
    guard: Guarded,
    tls: Tls,
    way: Route,
    connection_limit: ConnectionLimit,
}

/// How a connection leaves.
#[derive(Debug, Clone)]
pub(crate) enum Route {
    Direct,
    /// Through this proxy, whose own address is held against `guard`.
    Proxy {
        proxy: Arc<Proxy>,
        guard: Guarded,
    },
}

/// Why no connection came about.
#[derive(Debug)]
pub(crate) enum Failed {
    /// Opening it took longer than granted.
    TimedOut,
    /// The policy forbids the address, or one that the name leads to.
    Forbidden,
    /// The name does not resolve.
    Unresolved,
    /// The resolver failed, which says nothing of the name.
    ResolverDown,
    /// Nothing answers at the addresses.
    Refused(io::ErrorKind),
    /// The TLS handshake failed.
    Tls(rustls::Error),
    /// The connection ended in the middle of the TLS handshake.
    TlsBrokeOff(io::ErrorKind),
    /// The proxy did not do its part.
    Proxy(ProxyFailure),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "no connection came about in time",
            Self::Forbidden => "the egress policy does not open this address",
            Self::Unresolved => "the host name does not resolve",
            Self::ResolverDown => "the host name could not be looked up",
            Self::Refused(_) => "no connection came about",
            Self::Tls(_) => "the TLS handshake failed",
            Self::TlsBrokeOff(_) => "the connection was closed during the TLS handshake",
            Self::Proxy(_) => "the proxy did not lead there",
        })
    }
}

impl std::error::Error for Failed {}

impl Connector {
    pub(crate) fn new(guard: Guarded, tls: Tls, way: Route, connection_limit: ConnectionLimit) -> Self {
        Self(Arc::new(Inner { guard, tls, way, connection_limit }))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = Failed;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failed>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let inner = Arc::clone(&self.0);
        // Taken here, in the task of the request: the future may be finished in the background.
        let trace = trace::current();
        // Not one limit for all: a request whose scheme was only assumed has to leave time for its second try.
        let limit = trace::connect_limit(trace.as_deref(), CONNECT_TIMEOUT);
        if let Some(trace) = &trace {
            trace.enter(Stage::Connecting);
        }
        Box::pin(async move {
            let started = trace::now();
            let outcome = tokio::time::timeout(limit, inner.open(&uri, trace.as_deref())).await;
            trace::connected(trace.as_deref(), started);
            outcome.unwrap_or(Err(Failed::TimedOut)).map(TokioIo::new)
        })
    }
}

impl Inner {
    async fn open(&self, uri: &Uri, trace: Option<&Trace>) -> Result<Stream, Failed> {
        let host = uri.host().ok_or(Failed::Unresolved)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        // Also behind a proxy, which would otherwise be asked for anything: the guard would see its address alone.
        let addresses = judged(&self.guard, host, trace).await?;
        let permit = self.connection_limit.take();
        let mut absolute_form = false;
        let mut peer = None;
        let stream = match &self.way {
            Route::Direct => {
                let dialled = dial(&addresses, port).await;
                let stream = dialled.map_err(|error| Failed::Refused(error.kind()))?;
                peer = stream.peer_addr().ok().map(|address| Peer(address.ip().to_canonical()));
                stream
            }
            Route::Proxy { proxy, guard } => {
                let mut stream = reached(proxy, guard).await?;
                absolute_form = !secure && proxy.takes_absolute_form();
                if !absolute_form {
                    let destination = destination(proxy, host, &addresses, port)?;
                    let tunnel = proxy.tunnel(&mut stream, &destination);
                    let outcome = tokio::time::timeout(PROXY_TIMEOUT, tunnel).await;
                    outcome.unwrap_or(Err(ProxyFailure::Silent)).map_err(Failed::Proxy)?;
                }
                stream
            }
        };
        let transport = if secure {
            let started = trace::now();
            let secured = self.secured(stream, host, permit.is_kept).await;
            trace::secured(trace, started);
            secured?
        } else {
            Transport::Plain(stream)
        };
        Ok(Stream { transport, absolute_form, peer, permit })
    }

    async fn secured(&self, stream: TcpStream, host: &str, is_kept: bool) -> Result<Transport, Failed> {
        let plain = host.strip_suffix('.').unwrap_or(host);
        let name = ServerName::try_from(plain.to_owned()).map_err(|_| Failed::Unresolved)?;
        match self.tls.connector(is_kept).connect(name, stream).await {
            Ok(stream) => Ok(Transport::Tls(Box::new(stream))),
            Err(error) => {
                let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
                Err(tls.map_or_else(|| Failed::TlsBrokeOff(error.kind()), |tls| Failed::Tls(tls.clone())))
            }
        }
    }
}

/// A connection to the proxy itself.
async fn reached(proxy: &Proxy, guard: &Guarded) -> Result<TcpStream, Failed> {
    let unreachable = Failed::Proxy(ProxyFailure::Unreachable);
    let near = match judged(guard, proxy.host(), None).await {
        Ok(near) => near,
        Err(Failed::Forbidden) => return Err(Failed::Proxy(ProxyFailure::Forbidden)),
        Err(_) => return Err(unreachable),
    };
    match tokio::time::timeout(PROXY_TIMEOUT, dial(&near, proxy.port())).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(_)) | Err(_) => Err(unreachable),
    }
}

/// The addresses of `host`, every one of them opened by the policy.
async fn judged(guard: &Guarded, host: &str, trace: Option<&Trace>) -> Result<Vec<IpAddr>, Failed> {
    if let Ok(literal) = host.parse::<IpAddr>() {
        return if guard.policy.permits(literal) { Ok(vec![literal]) } else { Err(Failed::Forbidden) };
    }
    let started = trace::now();
    let answers = guard.addresses(host).await;
    trace::resolved(trace, started);
    answers.map_err(|error| match error.downcast_ref::<io::Error>() {
        _ if error.is::<ForbiddenAnswer>() => Failed::Forbidden,
        Some(error) if error.kind() != io::ErrorKind::NotFound => Failed::ResolverDown,
        _ => Failed::Unresolved,
    })
}

/// What the proxy is asked to connect to: the address that was checked, unless it is trusted with names. One of IPv4
/// where there is one, since many proxies reach no other.
fn destination<'a>(
    proxy: &Proxy,
    host: &'a str,
    addresses: &[IpAddr],
    port: u16,
) -> Result<Destination<'a>, Failed> {
    if proxy.resolves_names() {
        return Ok(match host.parse() {
            Ok(literal) => Destination::Address(literal, port),
            Err(_) => Destination::Name(host, port),
        });
    }
    let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    address.map(|address| Destination::Address(*address, port)).ok_or(Failed::Unresolved)
}
