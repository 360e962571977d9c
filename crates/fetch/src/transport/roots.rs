//! The certificate authorities that TLS trusts: Mozilla's, and those of the configuration.

use std::fmt;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::config_error::{ConfigError, ConfigErrorKind};

/// Certificates of further authorities, as they were given. `Debug` shows only their size, because a text may
/// be a private key by mistake.
#[derive(Clone)]
pub(crate) enum RootCertificates {
    /// One certificate.
    Der(Vec<u8>),
    /// A text with one or more certificates.
    Pem(Vec<u8>),
}

impl fmt::Debug for RootCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Der(bytes) => write!(f, "Der({} bytes)", bytes.len()),
            Self::Pem(bytes) => write!(f, "Pem({} bytes)", bytes.len()),
        }
    }
}

/// Mozilla's roots and `extra`. Mozilla's are built in rather than read from the machine: a container without
/// a certificate bundle works, and the same build trusts the same authorities everywhere.
pub(super) fn root_store(extra: &[RootCertificates]) -> Result<RootCertStore, ConfigError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificates in extra {
        match certificates {
            RootCertificates::Der(der) => add(&mut roots, CertificateDer::from(der.as_slice()))?,
            RootCertificates::Pem(pem) => add_pem(&mut roots, pem)?,
        }
    }
    Ok(roots)
}

fn add(roots: &mut RootCertStore, certificate: CertificateDer<'_>) -> Result<(), ConfigError> {
    roots.add(certificate).map_err(|error| {
        ConfigError::new(
            ConfigErrorKind::RootCertificate,
            "a root certificate is not a valid X.509 certificate",
        )
        .caused_by(error)
    })
}

fn add_pem(roots: &mut RootCertStore, pem: &[u8]) -> Result<(), ConfigError> {
    // The parser's errors quote the text, which may be a private key by mistake: they are not passed on.
    let invalid = |text: &'static str| ConfigError::new(ConfigErrorKind::RootCertificate, text);
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|_| invalid("the root certificates are not valid PEM"))?;
        add(roots, certificate)?;
    }
    if roots.len() == before { Err(invalid("the PEM text of root certificates holds none")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    fn certificate() -> Vec<u8> {
        rcgen::generate_simple_self_signed(["a.test".to_owned()]).unwrap().cert.der().to_vec()
    }

    fn pem(der: &[u8]) -> String {
        let body = BASE64_STANDARD.encode(der);
        let lines: Vec<&str> =
            body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
    }

    #[test]
    fn certificates_add_to_the_built_in_roots() {
        let (one, two) = (certificate(), certificate());
        let bundle = format!("# comment\n{}{}", pem(&one), pem(&two));
        let built_in = webpki_roots::TLS_SERVER_ROOTS.len();
        for (extra, count) in [
            (vec![], 0),
            (vec![RootCertificates::Der(one.clone())], 1),
            (vec![RootCertificates::Pem(bundle.into_bytes())], 2),
        ] {
            assert_eq!(root_store(&extra).unwrap().len(), built_in + count);
        }
    }

    #[test]
    fn invalid_certificates_are_refused_without_quoting_them() {
        let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
        let cut = "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n";
        for extra in [
            RootCertificates::Der(b"secret".to_vec()),
            RootCertificates::Pem(key.into()),
            RootCertificates::Pem(cut.into()),
            RootCertificates::Pem(pem(b"secret").into_bytes()),
            RootCertificates::Pem(Vec::new()),
        ] {
            let error = root_store(&[extra]).unwrap_err();
            assert_eq!(error.kind(), ConfigErrorKind::RootCertificate);
            let source = error.source().map(ToString::to_string).unwrap_or_default();
            assert!(!format!("{error} {error:?} {source}").contains("c2Vj"), "{error:?}");
        }
    }
}
