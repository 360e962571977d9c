//! What went wrong with TLS, in words.
//!
//! The TLS library prints most of its errors as Rust writes them (`Other(OtherError(CaUsedAsEndEntity))`), and some with
//! what the server sent. Clients read these sentences.

use rustls::{AlertDescription, CertificateError, Error};

/// Why the server could not be talked to.
pub(super) fn told(error: &Error) -> &'static str {
    match error {
        Error::InvalidCertificate(reason) => certificate(reason),
        Error::NoCertificatesPresented => "the server showed no certificate",
        Error::AlertReceived(alert) => alerted(*alert),
        Error::PeerIncompatible(_) | Error::NoApplicationProtocol => UNSUPPORTED,
        Error::PeerMisbehaved(_)
        | Error::InappropriateMessage { .. }
        | Error::InappropriateHandshakeMessage { .. }
        | Error::PeerSentOversizedRecord
        | Error::DecryptError => "the server broke the rules of TLS",
        _ => "the TLS handshake failed",
    }
}

const UNSUPPORTED: &str = "the server has no version and no cipher of TLS that are supported here";

fn certificate(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::BadEncoding => "the server's certificate cannot be read",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet"
        }
        CertificateError::Revoked => "the server's certificate was revoked",
        CertificateError::UnhandledCriticalExtension => {
            "the server's certificate has a critical extension that is unknown here"
        }
        CertificateError::UnknownIssuer => "the server's certificate is not from an issuer that is trusted",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is not valid for this name"
        }
        CertificateError::BadSignature => "the signature of the server's certificate is wrong",
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "the server's certificate is signed by a method that is not supported here"
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is for another purpose than a server"
        }
        CertificateError::UnknownRevocationStatus
        | CertificateError::ExpiredRevocationList
        | CertificateError::ExpiredRevocationListContext { .. }
        | CertificateError::InvalidOcspResponse => {
            "it is not known whether the server's certificate was revoked"
        }
        // What has no variant is known by its name alone.
        CertificateError::Other(other) => match other.to_string().as_str() {
            "CaUsedAsEndEntity" => "the certificate is that of a certificate authority, not of a server",
            "EndEntityUsedAsCa" => "the server's certificate is signed by one that may not sign others",
            "NameConstraintViolation" => "the issuer of the server's certificate may not vouch for this name",
            _ => INVALID,
        },
        _ => INVALID,
    }
}

const INVALID: &str = "the server's certificate is not valid";

/// What the server said as it broke off.
fn alerted(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::HandshakeFailure
        | AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity
        | AlertDescription::NoApplicationProtocol => UNSUPPORTED,
        AlertDescription::UnrecognisedName => "the server does not serve this name",
        AlertDescription::CertificateRequired => "the server wants a certificate from its clients",
        _ => "the server broke the TLS handshake off",
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};
    use rustls::{InconsistentKeys, OtherError, PeerIncompatible, PeerMisbehaved};

    use super::*;

    fn other(text: &str) -> OtherError {
        OtherError(Arc::new(io::Error::other(text.to_owned())))
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_said_in_words() {
        let time = UnixTime::since_unix_epoch(Duration::from_secs(1_700_000_000));
        let expected = ServerName::try_from("a.example").unwrap();
        let presented = vec!["*.b.example".to_owned(); 3];
        for (error, words) in [
            (CertificateError::Expired, "has expired"),
            (CertificateError::ExpiredContext { time, not_after: time }, "has expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::NotValidYetContext { time, not_before: time }, "not valid yet"),
            (CertificateError::UnknownIssuer, "not from an issuer that is trusted"),
            (CertificateError::NotValidForName, "not valid for this name"),
            (CertificateError::NotValidForNameContext { expected, presented }, "not valid for this name"),
            (CertificateError::Revoked, "was revoked"),
            (CertificateError::UnknownRevocationStatus, "not known whether"),
            (CertificateError::BadSignature, "signature"),
            (CertificateError::BadEncoding, "cannot be read"),
            (CertificateError::InvalidPurpose, "another purpose"),
            (CertificateError::UnhandledCriticalExtension, "critical extension"),
            (CertificateError::Other(other("CaUsedAsEndEntity")), "that of a certificate authority"),
            (CertificateError::Other(other("EndEntityUsedAsCa")), "may not sign"),
            (CertificateError::Other(other("NameConstraintViolation")), "may not vouch"),
            (CertificateError::Other(other("PathLenConstraintViolated")), "is not valid"),
            (CertificateError::ApplicationVerificationFailure, "is not valid"),
        ] {
            let told = told(&Error::InvalidCertificate(error.clone()));
            assert!(told.contains(words) && told.contains("certificate"), "{error:?}: {told}");
            assert!(!told.contains(['(', ':', '_', '{', '"']), "{told}");
        }
    }

    #[test]
    fn so_are_handshakes_that_fail() {
        for (error, words) in [
            (Error::NoCertificatesPresented, "showed no certificate"),
            (Error::AlertReceived(AlertDescription::HandshakeFailure), "no version and no cipher"),
            (Error::AlertReceived(AlertDescription::ProtocolVersion), "no version and no cipher"),
            (Error::AlertReceived(AlertDescription::UnrecognisedName), "does not serve this name"),
            (Error::AlertReceived(AlertDescription::CertificateRequired), "from its clients"),
            (Error::AlertReceived(AlertDescription::Unknown(200)), "broke the TLS handshake off"),
            (Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered), "no version and no cipher"),
            (Error::PeerMisbehaved(PeerMisbehaved::UnsolicitedEncryptedExtension), "broke the rules of TLS"),
            (Error::DecryptError, "broke the rules of TLS"),
            (Error::InconsistentKeys(InconsistentKeys::Unknown), "the TLS handshake failed"),
            (Error::General("fault at src/x.rs:7".to_owned()), "the TLS handshake failed"),
            (Error::Other(other("Fault(7)")), "the TLS handshake failed"),
        ] {
            let told = told(&error);
            assert!(told.contains(words), "{error:?}: {told}");
            assert!(!told.contains(['(', ':', '_', '{', '"']), "{told}");
        }
    }
}
