//! TLS errors in plain words.
//!
//! The TLS library prints most of its errors in debug form (`Other(OtherError(CaUsedAsEndEntity))`), and some
//! with bytes that the server sent. Clients of the API read these fixed sentences instead.

use rustls::{AlertDescription, CertificateError, Error};

/// What went wrong, in one sentence for each kind of error. An unknown kind gets a general one.
pub(super) fn describe(error: &Error) -> &'static str {
    match error {
        Error::InvalidMessage(_) => "the server does not speak TLS",
        Error::InvalidCertificate(reason) => certificate(reason),
        Error::NoCertificatesPresented => "the server presented no certificate",
        Error::AlertReceived(alert) => describe_alert(*alert),
        Error::PeerIncompatible(_) => UNSUPPORTED,
        Error::NoApplicationProtocol => NO_PROTOCOL,
        Error::PeerMisbehaved(_)
        | Error::InappropriateMessage { .. }
        | Error::InappropriateHandshakeMessage { .. }
        | Error::PeerSentOversizedRecord
        | Error::DecryptError => "the server violated the TLS protocol",
        _ => "the TLS handshake failed",
    }
}

const UNSUPPORTED: &str = "the server supports no TLS version or cipher that gleaner supports";
const NO_PROTOCOL: &str = "the server supports neither HTTP/1.1 nor HTTP/2 over TLS";

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
            "the server's certificate has an unknown critical extension"
        }
        CertificateError::UnknownIssuer => "the server's certificate is not from a trusted issuer",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is not valid for this name"
        }
        CertificateError::BadSignature => "the signature of the server's certificate is wrong",
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "the server's certificate has a signature algorithm that is not supported"
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is not meant for a server"
        }
        CertificateError::UnknownRevocationStatus
        | CertificateError::ExpiredRevocationList
        | CertificateError::ExpiredRevocationListContext { .. }
        | CertificateError::InvalidOcspResponse => {
            "the server's certificate may be revoked; its status is unknown"
        }
        // These have no variant of their own, only a name.
        CertificateError::Other(other) => match other.to_string().as_str() {
            "CaUsedAsEndEntity" => "the certificate belongs to a certificate authority, not to a server",
            "EndEntityUsedAsCa" => "the server's certificate is signed by one that may not sign others",
            "NameConstraintViolation" => "the issuer of the server's certificate may not certify this name",
            _ => INVALID,
        },
        _ => INVALID,
    }
}

const INVALID: &str = "the server's certificate is not valid";

/// Why the server ended the handshake.
fn describe_alert(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::HandshakeFailure
        | AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity => UNSUPPORTED,
        AlertDescription::NoApplicationProtocol => NO_PROTOCOL,
        AlertDescription::UnrecognisedName => "the server does not serve this name",
        AlertDescription::CertificateRequired => "the server requires a client certificate",
        _ => "the server ended the TLS handshake",
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};
    use rustls::{InconsistentKeys, InvalidMessage, OtherError, PeerIncompatible, PeerMisbehaved};

    use super::*;

    fn other(text: &str) -> OtherError {
        OtherError(Arc::new(io::Error::other(text.to_owned())))
    }

    /// Debug output has one of these.
    fn is_plain(text: &str) -> bool {
        !text.contains(['(', ':', '_', '{', '"'])
    }

    #[test]
    fn certificate_errors_have_plain_sentences() {
        let time = UnixTime::since_unix_epoch(Duration::from_secs(1_700_000_000));
        let expected = ServerName::try_from("a.example").unwrap();
        let presented = vec!["*.b.example".to_owned(); 3];
        for (error, words) in [
            (CertificateError::Expired, "has expired"),
            (CertificateError::ExpiredContext { time, not_after: time }, "has expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::NotValidYetContext { time, not_before: time }, "not valid yet"),
            (CertificateError::UnknownIssuer, "not from a trusted issuer"),
            (CertificateError::NotValidForName, "not valid for this name"),
            (CertificateError::NotValidForNameContext { expected, presented }, "not valid for this name"),
            (CertificateError::Revoked, "was revoked"),
            (CertificateError::UnknownRevocationStatus, "may be revoked"),
            (CertificateError::BadSignature, "signature"),
            (CertificateError::BadEncoding, "cannot be read"),
            (CertificateError::InvalidPurpose, "not meant for a server"),
            (CertificateError::UnhandledCriticalExtension, "critical extension"),
            (CertificateError::Other(other("CaUsedAsEndEntity")), "belongs to a certificate authority"),
            (CertificateError::Other(other("EndEntityUsedAsCa")), "may not sign"),
            (CertificateError::Other(other("NameConstraintViolation")), "may not certify"),
            (CertificateError::Other(other("PathLenConstraintViolated")), "is not valid"),
            (CertificateError::ApplicationVerificationFailure, "is not valid"),
        ] {
            let text = describe(&Error::InvalidCertificate(error.clone()));
            assert!(text.contains(words) && text.contains("certificate"), "{error:?}: {text}");
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn handshake_errors_have_plain_sentences() {
        for (error, words) in [
            (Error::InvalidMessage(InvalidMessage::InvalidContentType), "does not speak TLS"),
            (Error::NoCertificatesPresented, "presented no certificate"),
            (Error::NoApplicationProtocol, "neither HTTP/1.1 nor HTTP/2"),
            (Error::AlertReceived(AlertDescription::NoApplicationProtocol), "neither HTTP/1.1 nor HTTP/2"),
            (Error::AlertReceived(AlertDescription::HandshakeFailure), "no TLS version or cipher"),
            (Error::AlertReceived(AlertDescription::ProtocolVersion), "no TLS version or cipher"),
            (Error::AlertReceived(AlertDescription::UnrecognisedName), "does not serve this name"),
            (Error::AlertReceived(AlertDescription::CertificateRequired), "client certificate"),
            (Error::AlertReceived(AlertDescription::Unknown(200)), "ended the TLS handshake"),
            (Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered), "no TLS version or cipher"),
            (
                Error::PeerMisbehaved(PeerMisbehaved::UnsolicitedEncryptedExtension),
                "violated the TLS protocol",
            ),
            (Error::DecryptError, "violated the TLS protocol"),
            (Error::InconsistentKeys(InconsistentKeys::Unknown), "the TLS handshake failed"),
            (Error::General("fault at src/x.rs:7".to_owned()), "the TLS handshake failed"),
            (Error::Other(other("Fault(7)")), "the TLS handshake failed"),
        ] {
            let text = describe(&error);
            assert!(text.contains(words), "{error:?}: {text}");
            assert!(is_plain(text), "{text}");
        }
    }
}
