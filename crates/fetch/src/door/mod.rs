//! The one place where connections are opened.
//!
//! Built on reqwest with everything switched off that would go around the policy: its redirects (they would not be
//! checked), proxies from the environment (they would resolve names themselves), its cookie store (it would be shared by
//! all jobs) and its decoding of bodies (it knows no limits). What is left is HTTP/1.1 and HTTP/2 over a connection
//! pool.

mod connect;
mod failure;
pub(crate) mod trace;

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

pub(crate) use failure::classify;

use crate::error::ConfigError;
use crate::resolve::Guarded;

/// Most idle connections that are kept to one host.
pub const MAX_IDLE_PER_HOST: usize = 16;
/// An idle connection is closed after so long. Shorter than what common servers grant, so that few are found closed.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for resolving, connecting and shaking hands, where the deadline leaves more.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest header section that is taken over HTTP/2, in bytes. Over HTTP/1.1 it is about 400 KiB and 100 fields.
pub const MAX_HEADER_BYTES: u32 = 64 * 1024;

/// The clients: one for each way in which connections differ, because a pool must not hand a connection with an
/// unverified certificate to a request that wants it verified.
#[derive(Debug)]
pub(crate) struct Door {
    verified: reqwest::Client,
    unverified: reqwest::Client,
}

impl Door {
    pub(crate) fn open(guard: &Guarded, roots: &[Vec<u8>]) -> Result<Self, ConfigError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let unverified = Arc::new(AcceptAnyCertificate { provider: Arc::clone(&provider) });
        let builder = || {
            ClientConfig::builder_with_provider(Arc::clone(&provider))
                .with_safe_default_protocol_versions()
                .map_err(|error| ConfigError::new(format!("TLS cannot be set up: {error}")))
        };
        let verified_tls = builder()?.with_root_certificates(root_store(roots)?).with_no_client_auth();
        let unverified_tls =
            builder()?.dangerous().with_custom_certificate_verifier(unverified).with_no_client_auth();
        Ok(Self { verified: client(guard, verified_tls)?, unverified: client(guard, unverified_tls)? })
    }

    pub(crate) fn client(&self, skip_tls_verification: bool) -> &reqwest::Client {
        if skip_tls_verification { &self.unverified } else { &self.verified }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the door: the guard is its resolver, literals are checked before"
)]
fn client(guard: &Guarded, mut tls: ClientConfig) -> Result<reqwest::Client, ConfigError> {
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    reqwest::Client::builder()
        .dns_resolver(Arc::new(guard.clone()))
        .connector_layer(connect::BoundedConnect { limit: CONNECT_TIMEOUT })
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_nodelay(true)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|error| ConfigError::new(format!("the HTTP client cannot be set up: {error}")))
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
