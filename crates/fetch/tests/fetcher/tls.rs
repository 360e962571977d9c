//! Tests of certificates, HTTP/2, and URLs without a scheme.

use std::error::Error as _;
use std::sync::Arc;

use gleaner_fetch::{ErrorKind, FollowAll, Request};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::support::{Site, builder, fetcher, get, page, plain_only};

/// A certificate for one name, and the authority that signed it.
pub(crate) struct Identity {
    authority: CertificateDer<'static>,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Identity {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, |_| {})
    }

    /// `change` adjusts the certificate before it is signed.
    fn with(name: &str, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate().unwrap();
        let authority_certificate = authority.self_signed(&authority_key).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut certificate = CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut certificate);
        let certificate = certificate.signed_by(&key, &Issuer::new(authority, authority_key)).unwrap();
        Self {
            authority: authority_certificate.der().clone(),
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
        }
    }
}

/// A server with this identity that offers these protocols.
pub(crate) fn acceptor(identity: &Identity, protocols: &[&str]) -> TlsAcceptor {
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![identity.certificate.clone()],
            PrivateKeyDer::try_from(identity.key.clone()).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

#[tokio::test]
async fn certificates_are_verified_by_default() {
    let identity = Identity::new("a.test");
    let site = Site::serve_tls(acceptor(&identity, &["http/1.1"]), |_| page("secure")).await;
    let trusting = builder().add_root_certificate(identity.authority.to_vec()).build().unwrap();
    let fetch = async |fetcher: &gleaner_fetch::Fetcher, host: &str, skip: bool| {
        let mut request = Request::get(site.https(host, "/"));
        request.skip_tls_verification = skip;
        fetcher.fetch(request, &FollowAll).await
    };

    let stranger = fetcher();
    let error = fetch(&stranger, "a.test", false).await.unwrap_err();
    assert!(
        error.is_tls() && error.source().is_some_and(<dyn std::error::Error>::is::<rustls::Error>),
        "{error}"
    );
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(fetch(&stranger, "a.test", true).await.unwrap().status, 200);
    // The connection that was opened without verification is idle now, and must not serve this one.
    assert_eq!(fetch(&stranger, "a.test", false).await.unwrap_err().kind(), ErrorKind::Tls);

    assert_eq!(&fetch(&trusting, "a.test", false).await.unwrap().body[..], b"secure");
    assert_eq!(fetch(&trusting, "b.test", false).await.unwrap_err().kind(), ErrorKind::Tls);
    assert_eq!(fetch(&trusting, "b.test", true).await.unwrap().status, 200);
}

/// In plain words, not in the debug form of the TLS library.
#[tokio::test]
async fn errors_say_what_is_wrong_with_a_certificate() {
    type Change = fn(&mut CertificateParams);
    let rows: [(&str, Change, bool, &str); 5] = [
        ("a.test", |_| {}, false, "the server's certificate is not from a trusted issuer"),
        ("b.test", |_| {}, true, "the server's certificate is not valid for this name"),
        (
            "a.test",
            |certificate| certificate.not_after = date_time_ymd(2020, 1, 1),
            true,
            "the server's certificate has expired",
        ),
        (
            "a.test",
            |certificate| certificate.not_before = date_time_ymd(4000, 1, 1),
            true,
            "the server's certificate is not valid yet",
        ),
        (
            "a.test",
            |certificate| certificate.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            true,
            "the certificate belongs to a certificate authority, not to a server",
        ),
    ];
    for (host, change, trusted, words) in rows {
        let identity = Identity::with("a.test", change);
        let site = Site::serve_tls(acceptor(&identity, &["http/1.1"]), |_| page("secure")).await;
        let mut builder = builder();
        if trusted {
            builder = builder.add_root_certificate(identity.authority.to_vec());
        }
        let fetcher = builder.build().unwrap();
        let error = fetcher.fetch(Request::get(site.https(host, "/")), &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
        assert!(error.to_string().contains(words), "{error} instead of {words:?}");
    }
}

#[tokio::test]
async fn timings_include_connecting_only_for_new_connections() {
    let identity = Identity::new("a.test");
    let secure = Site::serve_tls(acceptor(&identity, &["http/1.1"]), |_| page("secure")).await;
    let plain = Site::serve(|_| page("plain")).await;
    let fetcher = fetcher();
    let timings = async |url: url::Url| {
        let mut request = Request::get(url);
        request.skip_tls_verification = true;
        fetcher.fetch(request, &FollowAll).await.unwrap().timings
    };
    let first = timings(secure.https("a.test", "/")).await;
    assert!(!first.tls.is_zero() && first.connect >= first.tls + first.dns, "{first:?}");
    assert!(first.first_byte >= first.connect && first.total >= first.first_byte + first.body, "{first:?}");
    let again = timings(secure.https("a.test", "/")).await;
    assert!(again.connect.is_zero() && again.tls.is_zero() && !again.total.is_zero(), "{again:?}");
    let clear = timings(plain.url("b.test", "/")).await;
    assert!(!clear.connect.is_zero() && !clear.dns.is_zero() && clear.tls.is_zero(), "{clear:?}");
}

#[tokio::test]
async fn http2_is_offered() {
    let identity = Identity::new("a.test");
    // The server offers only HTTP/2, so the connection begins with its preface.
    let site = Site::serve_tls(acceptor(&identity, &["h2"]), |_| Vec::new()).await;
    let mut request = Request::get(site.https("a.test", "/"));
    request.skip_tls_verification = true;
    let arrived = async {
        while site.seen().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    // No HTTP/2 follows: what was asked for never comes.
    let fetcher = fetcher();
    tokio::select! {
        () = arrived => {}
        outcome = fetcher.fetch(request, &FollowAll) => assert!(!site.seen().is_empty(), "{outcome:?}"),
    }
    assert_eq!(site.seen()[0].line(), "PRI * HTTP/2.0");
}

#[tokio::test]
async fn an_assumed_scheme_tries_https_first() {
    let identity = Identity::new("a.test");
    let secure = Site::serve_tls(acceptor(&identity, &["http/1.1"]), |_| page("secure")).await;
    let mut request = Request::get(secure.url("a.test", "/p"));
    request.scheme_assumed = true;
    request.skip_tls_verification = true;
    let response = fetcher().fetch(request.clone(), &FollowAll).await.unwrap();
    assert_eq!((response.url.scheme(), &response.body[..]), ("https", &b"secure"[..]));

    // The server speaks TLS and its certificate is refused: no second attempt over plain HTTP.
    request.skip_tls_verification = false;
    let error = fetcher().fetch(request, &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
}

#[tokio::test]
async fn an_assumed_scheme_falls_back_to_http() {
    let plain = plain_only("plain").await;
    let mut request = Request::get(plain.https("a.test", "/p"));
    request.scheme_assumed = true;
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.url.scheme(), &response.body[..]), ("http", &b"plain"[..]));

    assert_eq!(
        get(plain.https("a.test", "/p")).await.unwrap_err().kind(),
        ErrorKind::Tls,
        "the scheme is explicit"
    );
}

#[tokio::test]
async fn an_assumed_scheme_does_not_hide_other_errors() {
    let mut request = Request::get("https://127.0.0.1:9443/".parse().unwrap());
    request.scheme_assumed = true;
    assert_eq!(fetcher().fetch(request, &FollowAll).await.unwrap_err().kind(), ErrorKind::Blocked);
    let mut request = Request::get("https://nowhere.invalid/".parse().unwrap());
    request.scheme_assumed = true;
    assert_eq!(fetcher().fetch(request, &FollowAll).await.unwrap_err().kind(), ErrorKind::Dns);
}
