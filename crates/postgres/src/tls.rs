//! TLS to the server, with rustls.

use std::path::Path;
use std::sync::Arc;

use gleaner_store::{Error, ErrorKind};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The protocol in the handshake, which servers expect with `sslnegotiation=direct`.
const PROTOCOL: &[u8] = b"postgresql";

/// Connects with TLS where the options of the URL say so. It verifies the certificate of the server if
/// `verifies`, or if there is a file with authorities.
pub(crate) fn connector(verifies: bool, authorities: Option<&Path>) -> Result<MakeRustlsConnect, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::new(ErrorKind::Unsuitable, format!("TLS is not available: {error}")))?;
    let builder = if verifies || authorities.is_some() {
        builder.with_root_certificates(roots(authorities)?)
    } else {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

/// The authorities in this PEM file, or those of Mozilla.
fn roots(file: Option<&Path>) -> Result<RootCertStore, Error> {
    let Some(file) = file else {
        return Ok(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() });
    };
    // Errors of the parser quote the file, which may have a private key: they are not passed on.
    let invalid = |what: &str| {
        let file = file.display();
        Error::new(ErrorKind::Unsuitable, format!("{file}, the certificates for the database, {what}"))
    };
    let pem = std::fs::read(file).map_err(|error| invalid(&format!("cannot be read: {error}")))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|_| invalid("is not valid PEM"))?;
        roots.add(certificate).map_err(|_| invalid("has a certificate that is not valid"))?;
    }
    if roots.is_empty() { Err(invalid("has no certificate in PEM form")) } else { Ok(roots) }
}

/// Accepts every certificate: the traffic is encrypted, and the server is not verified. This is what
/// `sslmode=prefer` and `require` mean everywhere, because many servers have a certificate of their own.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        assert!(connector(false, None).is_ok());
        assert!(connector(true, None).is_ok());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for (text, expected) in [
            ("", "no certificate"),
            ("-----BEGIN CERTIFICATE-----\nc2VjcmV0\n", "not valid PEM"),
            ("-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n", "not valid"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = connector(false, Some(&file)).map(|_| ()).unwrap_err();
            assert!(error.is_unsuitable() && error.to_string().contains(expected), "{error}");
            assert!(!error.to_string().contains("c2Vj"), "{error}");
        }
        let missing = connector(false, Some(&folder.path().join("none.pem"))).map(|_| ()).unwrap_err();
        assert!(missing.to_string().contains("cannot be read"), "{missing}");
    }
}
