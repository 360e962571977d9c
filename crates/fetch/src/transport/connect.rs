//! From a URL's host to a connection: resolve, check, dial what was checked, shake hands.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tower_service::Service;

use super::dial::{MAX_EXHAUSTED, dial};
use super::exhausted::{EXHAUSTED, is_exhausted};
use super::stream::{ConnectionLimit, Peer, Stream, Transport, Usage};
use super::trace::{self, Stage, Trace};
use super::{PROXY_TIMEOUT, Tls};
use crate::proxy::{Destination, Proxy, ProxyFailure};
use crate::resolve::{ForbiddenAnswer, GuardedResolver};

/// Opens the connections of one client. Every connection that the client pools comes from here.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Inner>);

struct Inner {
    guard: GuardedResolver,
    tls: Tls,
    route: Route,
    connect_timeout: Duration,
    connection_limit: ConnectionLimit,
}

/// The route of a connection.
#[derive(Debug, Clone)]
pub(crate) enum Route {
    Direct,
    /// Through this proxy. `guard` checks the proxy's own address.
    Proxy {
        proxy: Arc<Proxy>,
        guard: GuardedResolver,
    },
}

/// Why no connection was opened.
#[derive(Debug)]
pub(crate) enum ConnectError {
    /// Opening it took longer than allowed.
    TimedOut,
    /// The policy forbids the address, or one that the name resolves to.
    Forbidden,
    /// The name does not exist.
    Unresolved,
    /// The resolver failed, so nothing is known about the name.
    ResolverDown(io::ErrorKind),
    /// This process or machine has no descriptor, port or memory for the connection.
    Exhausted,
    /// No address accepts connections.
    Refused(io::ErrorKind),
    /// The TLS handshake failed.
    Tls(rustls::Error),
    /// The connection ended during the TLS handshake.
    TlsBrokeOff(io::ErrorKind),
    /// The proxy failed.
    Proxy(ProxyFailure),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "no connection could be opened in time",
            Self::Forbidden => "the egress policy forbids this address",
            Self::Unresolved => "the host name does not resolve",
            Self::ResolverDown(_) => "the host name could not be looked up",
            Self::Exhausted => "this machine has no descriptor, port or memory for another connection",
            Self::Refused(_) => "no connection could be opened",
            Self::Tls(_) => "the TLS handshake failed",
            Self::TlsBrokeOff(_) => "the connection was closed during the TLS handshake",
            Self::Proxy(_) => "the proxy did not connect",
        })
    }
}

impl std::error::Error for ConnectError {}

impl Connector {
    pub(crate) fn new(
        guard: GuardedResolver,
        tls: Tls,
        route: Route,
        connect_timeout: Duration,
        connection_limit: ConnectionLimit,
    ) -> Self {
        Self(Arc::new(Inner { guard, tls, route, connect_timeout, connection_limit }))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let inner = Arc::clone(&self.0);
        // Read here, in the task of the request: the future may be finished in the background.
        let trace = trace::current();
        // A request whose scheme is a guess has a shorter limit, to leave time for its second attempt.
        let limit = trace::connect_limit(trace.as_deref(), inner.connect_timeout);
        if let Some(trace) = &trace {
            trace.enter(Stage::Connecting);
        }
        Box::pin(async move {
            let started = trace::now();
            let outcome = tokio::time::timeout(limit, inner.open(&uri, trace.as_deref())).await;
            trace::connected(trace.as_deref(), started);
            outcome.unwrap_or(Err(ConnectError::TimedOut)).map(TokioIo::new)
        })
    }
}

impl Inner {
    async fn open(&self, uri: &Uri, trace: Option<&Trace>) -> Result<Stream, ConnectError> {
        let host = uri.host().ok_or(ConnectError::Unresolved)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        // Also behind a proxy. Otherwise the guard would check the proxy's address alone.
        let addresses = permitted_addresses(&self.guard, host, trace).await?;
        let permit = tokio::time::timeout(MAX_EXHAUSTED, self.connection_limit.take()).await;
        let permit = permit.ok().flatten().ok_or(ConnectError::Exhausted)?;
        let mut absolute_form = false;
        let mut peer = None;
        let stream = match &self.route {
            Route::Direct => {
                let dialled = dial(&addresses, port).await;
                let stream = dialled.map_err(|error| match error.kind() {
                    EXHAUSTED => ConnectError::Exhausted,
                    kind => ConnectError::Refused(kind),
                })?;
                peer = stream.peer_addr().ok().map(|address| Peer(address.ip().to_canonical()));
                stream
            }
            Route::Proxy { proxy, guard } => {
                let mut stream = connect_to_proxy(proxy, guard).await?;
                absolute_form = !secure && proxy.takes_absolute_form();
                if !absolute_form {
                    let destination = destination(proxy, host, &addresses, port)?;
                    let tunnel = proxy.tunnel(&mut stream, &destination);
                    let outcome = tokio::time::timeout(PROXY_TIMEOUT, tunnel).await;
                    outcome.unwrap_or(Err(ProxyFailure::Silent)).map_err(ConnectError::Proxy)?;
                }
                stream
            }
        };
        let transport = if secure {
            let started = trace::now();
            let outcome = self.handshake(stream, host, permit.is_kept).await;
            trace::secured(trace, started);
            outcome?
        } else {
            Transport::Plain(stream)
        };
        Ok(Stream { transport, absolute_form, peer, permit, usage: Usage::default() })
    }

    async fn handshake(
        &self,
        stream: TcpStream,
        host: &str,
        is_kept: bool,
    ) -> Result<Transport, ConnectError> {
        let host = host.strip_suffix('.').unwrap_or(host);
        let name = ServerName::try_from(host.to_owned()).map_err(|_| ConnectError::Unresolved)?;
        match self.tls.connector(is_kept).connect(name, stream).await {
            Ok(stream) => Ok(Transport::Tls(Box::new(stream))),
            Err(error) => {
                let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
                Err(tls.map_or_else(
                    || ConnectError::TlsBrokeOff(error.kind()),
                    |tls| ConnectError::Tls(tls.clone()),
                ))
            }
        }
    }
}

/// A connection to the proxy itself.
async fn connect_to_proxy(proxy: &Proxy, guard: &GuardedResolver) -> Result<TcpStream, ConnectError> {
    let unreachable = ConnectError::Proxy(ProxyFailure::Unreachable);
    let addresses = match permitted_addresses(guard, proxy.host(), None).await {
        Ok(addresses) => addresses,
        Err(ConnectError::Forbidden) => return Err(ConnectError::Proxy(ProxyFailure::Forbidden)),
        Err(ConnectError::Exhausted) => return Err(ConnectError::Exhausted),
        Err(_) => return Err(unreachable),
    };
    match tokio::time::timeout(PROXY_TIMEOUT, dial(&addresses, proxy.port())).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() == EXHAUSTED => Err(ConnectError::Exhausted),
        Ok(Err(_)) | Err(_) => Err(unreachable),
    }
}

/// The addresses of `host`. The policy permits every one of them.
async fn permitted_addresses(
    guard: &GuardedResolver,
    host: &str,
    trace: Option<&Trace>,
) -> Result<Vec<IpAddr>, ConnectError> {
    if let Ok(literal) = host.parse::<IpAddr>() {
        return if guard.policy.permits(literal) { Ok(vec![literal]) } else { Err(ConnectError::Forbidden) };
    }
    let started = trace::now();
    let answers = guard.addresses(host).await;
    trace::resolved(trace, started);
    answers.map_err(|error| match error.downcast_ref::<io::Error>() {
        _ if error.is::<ForbiddenAnswer>() => ConnectError::Forbidden,
        Some(error) if is_exhausted(error) => ConnectError::Exhausted,
        Some(error) if error.kind() != io::ErrorKind::NotFound => ConnectError::ResolverDown(error.kind()),
        _ => ConnectError::Unresolved,
    })
}

/// What the proxy is asked to connect to: the address that was checked, unless the proxy resolves names
/// itself. An IPv4 address if there is one, because many proxies reach no others.
fn destination<'a>(
    proxy: &Proxy,
    host: &'a str,
    addresses: &[IpAddr],
    port: u16,
) -> Result<Destination<'a>, ConnectError> {
    if proxy.resolves_names() {
        return Ok(match host.parse() {
            Ok(literal) => Destination::Address(literal, port),
            Err(_) => Destination::Name(host, port),
        });
    }
    let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    address.map(|address| Destination::Address(*address, port)).ok_or(ConnectError::Unresolved)
}
