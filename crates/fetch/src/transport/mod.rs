//! The one place where connections are opened.
//!
//! hyper's client over a connector of our own, which resolves a name, holds every answer against the policy, and dials
//! the very addresses that it checked; the same before a proxy is asked to connect to them. Clients one level up
//! (reqwest) leave that to the proxy, know no limits for bodies, read proxies from the environment, and share their
//! cookies between all jobs.

mod connect;
mod dial;
mod failure;
mod interim;
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
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use connect::Connector;
pub(crate) use connect::Route;
pub(crate) use failure::{classify, proxy_failure};
pub use interim::MAX_INTERIM_ANSWERS;
use interim::{Flood, Interim};
use stream::ConnectionLimit;
pub(crate) use stream::Peer;

use crate::error::ConfigError;
use crate::resolve::Guarded;

/// Most idle connections that are kept to one host.
pub const MAX_IDLE_PER_HOST: usize = 16;
/// Most connections that are kept open for further requests, to all hosts together, where nothing else is said. Half of
/// what a process may commonly have open.
pub const DEFAULT_MAX_KEPT: usize = 512;
/// An idle connection is closed after so long. Shorter than what common servers grant, so that few are found closed.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for resolving, connecting and shaking hands, where the deadline leaves more.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time for connecting to a proxy, and again for its own handshake; then another one is tried.
pub const PROXY_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest header section that is taken over HTTP/2, in bytes. Over HTTP/1.1 it is about 400 KiB and 100 fields.
pub const MAX_HEADER_BYTES: u32 = 64 * 1024;

/// The body of an answer, as it comes off the wire.
pub(crate) type Incoming = hyper::body::Incoming;

/// Why no answer came, for [`classify`] to read.
pub(crate) type Unanswered = Box<dyn std::error::Error + Send + Sync>;

/// What all clients of a fetcher have in common.
pub(crate) struct HttpTransport {
    guard: Guarded,
    verified: Tls,
    unverified: Tls,
    connection_limit: ConnectionLimit,
}

impl HttpTransport {
    /// At most `most_kept` connections are kept open for further requests.
    pub(crate) fn open(guard: &Guarded, roots: &[Vec<u8>], most_kept: usize) -> Result<Self, ConfigError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let accept_any = Arc::new(AcceptAnyCertificate { provider: Arc::clone(&provider) });
        let builder = || {
            ClientConfig::builder_with_provider(Arc::clone(&provider))
                .with_safe_default_protocol_versions()
                .map_err(|error| ConfigError::new(format!("TLS cannot be set up: {error}")))
        };
        let verified = builder()?.with_root_certificates(root_store(roots)?).with_no_client_auth();
        let unverified =
            builder()?.dangerous().with_custom_certificate_verifier(accept_any).with_no_client_auth();
        Ok(Self {
            guard: guard.clone(),
            verified: Tls::of(verified),
            unverified: Tls::of(unverified),
            connection_limit: ConnectionLimit::new(most_kept),
        })
    }

    /// The clients whose connections all leave in this way.
    pub(crate) fn clients(&self, way: &Route) -> Clients {
        let client = |tls: &Tls| {
            pooled(Connector::new(
                self.guard.clone(),
                tls.clone(),
                way.clone(),
                self.connection_limit.clone(),
            ))
        };
        Clients { verified: client(&self.verified), unverified: client(&self.unverified) }
    }
}

/// How TLS is spoken.
#[derive(Clone)]
pub(crate) struct Tls {
    /// HTTP/2 where the server has it.
    any: TlsConnector,
    /// HTTP/1.1, for connections that are closed after their request: the pool never gives up one of HTTP/2 at once.
    http1: TlsConnector,
}

impl Tls {
    fn of(mut config: ClientConfig) -> Self {
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

/// One client for each way in which connections differ, because a pool must not hand a connection with an unverified
/// certificate to a request that wants it verified, nor one through a proxy to a request that goes another way.
#[derive(Debug)]
pub(crate) struct Clients {
    verified: Client<Connector, Full<Bytes>>,
    unverified: Client<Connector, Full<Bytes>>,
}

impl Clients {
    /// Sends a request, and gives its answer once the head is there.
    pub(crate) async fn send(
        &self,
        mut request: http::Request<Full<Bytes>>,
        skip_tls_verification: bool,
    ) -> Result<http::Response<Incoming>, Unanswered> {
        let client = if skip_tls_verification { &self.unverified } else { &self.verified };
        let interim = Interim::of(&mut request);
        let mut answer = client.request(request);
        // Leaving the answer unread closes its connection.
        poll_fn(|context| {
            if interim.is_flood(context) {
                return Poll::Ready(Err(Flood.into()));
            }
            Pin::new(&mut answer).poll(context).map_err(Into::into)
        })
        .await
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door: its connector asks the guard")]
fn pooled(connector: Connector) -> Client<Connector, Full<Bytes>> {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_adaptive_window(true)
        .build(connector)
}

/// Mozilla's roots, built in rather than read from the machine: a container without a certificate bundle works, and the
/// same build trusts the same authorities everywhere. `extra` are DER certificates of further ones.
fn root_store(extra: &[Vec<u8>]) -> Result<RootCertStore, ConfigError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra {
        roots
            .add(CertificateDer::from(certificate.as_slice()))
            .map_err(|error| ConfigError::new(format!("a root certificate is not valid DER: {error}")))?;
    }
    Ok(roots)
}

/// Takes any certificate, for requests that ask for it. The handshake's signatures are still checked, so that the
/// server has at least the key of the certificate that it shows.
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
