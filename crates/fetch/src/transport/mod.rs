//! The one place where connections are opened.
//!
//! hyper's client over a connector of our own. The connector resolves a name, checks every answer against the
//! policy, and dials exactly the addresses that it checked; behind a proxy it asks the proxy to connect to
//! them. Clients one level up (reqwest) leave that to the proxy, have no limits for bodies, read proxies from
//! the environment, and share their cookies between all jobs.

mod connect;
mod dial;
mod exhausted;
mod failure;
mod interim;
mod roots;
mod stream;
mod tls_text;
pub(crate) mod trace;

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio_rustls::TlsConnector;

use connect::Connector;
pub(crate) use connect::Route;
pub(crate) use exhausted::{EXHAUSTED, kind_of, lacks_descriptors};
pub(crate) use failure::{classify, proxy_failure};
pub use interim::MAX_INTERIM_ANSWERS;
use interim::{Interim, TooManyInterim};
pub(crate) use roots::RootCertificates;
pub(crate) use stream::Peer;
use stream::{ConnectionLimit, Usage};

use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::resolve::GuardedResolver;

/// Most idle connections that are kept to one host.
pub const MAX_IDLE_PER_HOST: usize = 16;
/// Most connections that are kept open for further requests, to all hosts together, by default. Half of the
/// usual limit of open files of a process.
pub const DEFAULT_MAX_KEPT_CONNECTIONS: usize = 512;
/// An idle connection is closed after this time. Shorter than what common servers allow, so that the server
/// has rarely closed it first.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for resolving, connecting and the TLS handshake together by default, within the request's
/// deadline.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time for connecting to a proxy, and again for its own handshake. After that another proxy is
/// tried.
pub const PROXY_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest accepted header section over HTTP/2, in bytes, as in browsers. Over HTTP/1.1 it is about 400 KiB.
pub const MAX_HEADER_BYTES: u32 = 256 * 1024;
/// Most fields of a header section over HTTP/1.1. The bytes are what bounds pages; the client wants a number
/// too, because it reserves memory for so many.
const MAX_HEADER_FIELDS: usize = 4096;

/// The body of an answer, as it comes off the wire.
pub(crate) type Incoming = hyper::body::Incoming;

/// Why no answer came, as input of [`classify`].
pub(crate) type SendError = Box<dyn std::error::Error + Send + Sync>;

/// What all clients of a fetcher share.
pub(crate) struct HttpTransport {
    guard: GuardedResolver,
    verified: Tls,
    unverified: Tls,
    connect_timeout: Duration,
    connection_limit: ConnectionLimit,
}

impl HttpTransport {
    /// At most `max_open` connections are open, and `max_kept` of them are kept open for further requests.
    pub(crate) fn open(
        guard: &GuardedResolver,
        roots: &[RootCertificates],
        connect_timeout: Duration,
        (max_open, max_kept): (usize, usize),
    ) -> Result<Self, ConfigError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let accept_any = Arc::new(AcceptAnyCertificate { provider: Arc::clone(&provider) });
        let builder = || {
            ClientConfig::builder_with_provider(Arc::clone(&provider))
                .with_safe_default_protocol_versions()
                .map_err(|error| {
                    ConfigError::new(ConfigErrorKind::Tls, "TLS cannot be set up").caused_by(error)
                })
        };
        let verified = builder()?.with_root_certificates(roots::root_store(roots)?).with_no_client_auth();
        let unverified =
            builder()?.dangerous().with_custom_certificate_verifier(accept_any).with_no_client_auth();
        Ok(Self {
            guard: guard.clone(),
            verified: Tls::new(verified),
            unverified: Tls::new(unverified),
            connect_timeout,
            connection_limit: ConnectionLimit::new(max_open, max_kept),
        })
    }

    /// The clients whose connections all take this route.
    pub(crate) fn clients(&self, route: &Route) -> Clients {
        let client = |tls: &Tls| {
            let connector = Connector::new(
                self.guard.clone(),
                tls.clone(),
                route.clone(),
                self.connect_timeout,
                self.connection_limit.clone(),
            );
            Client {
                kept: pooled(connector.clone(), MAX_IDLE_PER_HOST),
                // Without idle connections there is no pool, and each request opens a connection.
                fresh: pooled(connector, 0),
            }
        };
        Clients { verified: client(&self.verified), unverified: client(&self.unverified) }
    }
}

/// TLS in both variants of its protocol negotiation (ALPN).
#[derive(Clone)]
pub(crate) struct Tls {
    /// HTTP/2 if the server supports it, else HTTP/1.1.
    any: TlsConnector,
    /// HTTP/1.1 only, for connections that are closed after their request: the pool never closes an HTTP/2
    /// connection at once.
    http1: TlsConnector,
}

impl Tls {
    fn new(mut config: ClientConfig) -> Self {
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let http1 = TlsConnector::from(Arc::new(config.clone()));
        config.alpn_protocols.insert(0, b"h2".to_vec());
        Self { any: TlsConnector::from(Arc::new(config)), http1 }
    }

    fn connector(&self, is_kept: bool) -> &TlsConnector {
        if is_kept { &self.any } else { &self.http1 }
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").field("guard", &self.guard).finish_non_exhaustive()
    }
}

/// One client for each kind of connection: a pool must not hand a connection with an unverified certificate
/// to a request that wants it verified, nor one through a proxy to a request with another route.
#[derive(Debug)]
pub(crate) struct Clients {
    verified: Client,
    unverified: Client,
}

/// Connections of one kind.
#[derive(Debug)]
struct Client {
    kept: HttpClient,
    /// For requests that failed with a kept connection.
    fresh: HttpClient,
}

type HttpClient = legacy::Client<Connector, Full<Bytes>>;

impl Clients {
    /// Sends a request and returns its answer once the head is there.
    ///
    /// An idempotent request is sent again on a new connection, once, if its kept connection ended before a
    /// byte of the answer. A `408` there has the same cause: some servers announce the end of an idle
    /// connection by it, and browsers ask again too.
    pub(crate) async fn send(
        &self,
        request: http::Request<Full<Bytes>>,
        skip_tls_verification: bool,
    ) -> Result<http::Response<Incoming>, SendError> {
        let client = if skip_tls_verification { &self.unverified } else { &self.verified };
        let again = request.method().is_idempotent().then(|| request.clone());
        let (error, is_stale) = match exchange(&client.kept, request).await {
            Ok(answer) => {
                let is_reused = answer.extensions().get::<Usage>().is_some_and(Usage::serve);
                if !(is_reused && answer.status() == StatusCode::REQUEST_TIMEOUT) {
                    return Ok(answer);
                }
                let Some(again) = again else { return Ok(answer) };
                drop(answer);
                return exchange(&client.fresh, again).await.map_err(|(error, _)| error);
            }
            Err((error, usage)) => (error, usage.is_some_and(|usage| usage.is_stale())),
        };
        match again {
            Some(again) if is_stale => {
                tracing::debug!("the server ended a kept connection: sent again on a new one");
                exchange(&client.fresh, again).await.map_err(|(error, _)| error)
            }
            _ => Err(error),
        }
    }
}

/// Sends a request through a client. The error comes with the usage of its connection.
async fn exchange(
    client: &HttpClient,
    mut request: http::Request<Full<Bytes>>,
) -> Result<http::Response<Incoming>, (SendError, Option<Usage>)> {
    let interim = Interim::count(&mut request);
    let mut answer = client.request(request);
    // Leaving the answer unread closes its connection.
    poll_fn(|context| {
        if interim.exceeds_limit(context) {
            return Poll::Ready(Err((SendError::from(TooManyInterim), None)));
        }
        Pin::new(&mut answer).poll(context).map_err(|error| {
            let usage = Usage::of(error.connect_info());
            (SendError::from(error), usage)
        })
    })
    .await
}

#[expect(clippy::disallowed_methods, reason = "the only client: its connector asks the guard")]
fn pooled(connector: Connector, max_idle_per_host: usize) -> HttpClient {
    legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_max_idle_per_host(max_idle_per_host)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_max_headers(MAX_HEADER_FIELDS)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_adaptive_window(true)
        .build(connector)
}

/// Accepts any certificate, for requests that skip verification. The handshake's signatures are still
/// verified, so the server holds at least the key of the certificate that it presents.
#[derive(Debug)]
struct AcceptAnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
