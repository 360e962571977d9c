//! A TLS server that speaks HTTP/1.1 and HTTP/2 and counts connections, and tests of connection reuse.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use gleaner_fetch::{FollowAll, Request};
use http_body_util::Full;
use hyper::Response;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::support::fetcher_builder;

/// A certificate for one name and the authority that signed it.
pub(crate) struct Identity {
    authority: CertificateDer<'static>,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Identity {
    pub(crate) fn new(name: &str) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate().unwrap();
        let authority_certificate = authority.self_signed(&authority_key).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.to_owned()])
            .unwrap()
            .signed_by(&key, &Issuer::new(authority, authority_key))
            .unwrap();
        Self {
            authority: authority_certificate.der().clone(),
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
        }
    }

    pub(crate) fn authority(&self) -> Vec<u8> {
        self.authority.to_vec()
    }
}

/// Responds to every request with its HTTP version.
pub(crate) struct Server {
    addr: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) async fn start(identity: &Identity, protocols: &[&str]) -> Self {
        Self::start_with(identity, protocols, |_| {}).await
    }

    /// Applies `change` to each response.
    pub(crate) async fn start_with(
        identity: &Identity,
        protocols: &[&str],
        change: impl Fn(&mut Response<Full<Bytes>>) + Clone + Send + 'static,
    ) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![identity.certificate.clone()],
                PrivateKeyDer::try_from(identity.key.clone()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (acceptor, change) = (acceptor.clone(), change.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                        let mut response = Response::new(Full::from(format!("{:?}", request.version())));
                        response.headers_mut().insert("content-type", "text/html".parse().unwrap());
                        change(&mut response);
                        async move { Ok::<_, Infallible>(response) }
                    });
                    let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { addr, connections }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }
}

#[tokio::test]
async fn http2_is_negotiated_and_connections_are_shared() {
    const REQUESTS: usize = 50;
    let identity = Identity::new("site.example");
    for (protocols, version) in [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1")] {
        let server = Server::start(&identity, protocols).await;
        let fetcher = fetcher_builder().add_root_certificate(identity.authority()).build().unwrap();
        let url: url::Url = format!("https://site.example:{}/", server.addr.port()).parse().unwrap();
        for _ in 0..REQUESTS {
            let response = fetcher.fetch(Request::get(url.clone()), &FollowAll).await.unwrap();
            assert_eq!(&response.body[..], version.as_bytes());
        }
        let sequential = server.connections.load(Ordering::SeqCst);
        assert_eq!(sequential, 1, "{version}");
        let concurrent = (0..REQUESTS).map(|_| {
            let (fetcher, url) = (fetcher.clone(), url.clone());
            tokio::spawn(async move { fetcher.fetch(Request::get(url), &FollowAll).await.unwrap().status })
        });
        for task in concurrent.collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap(), 200);
        }
        let connections = server.connections.load(Ordering::SeqCst);
        assert!(
            version == "HTTP/1.1" || connections == 1,
            "all HTTP/2 streams share a connection: {connections}"
        );
        assert!(connections <= REQUESTS, "the idle connection is reused: {connections}");
        println!(
            "{version}: {REQUESTS} sequential, {REQUESTS} concurrent requests over {connections} connections"
        );
    }
}

#[tokio::test]
async fn idle_connections_beyond_the_limit_are_closed_over_http2_too() {
    let identity = Identity::new("site.example");
    let (first, second) = (
        Server::start(&identity, &["h2", "http/1.1"]).await,
        Server::start(&identity, &["h2", "http/1.1"]).await,
    );
    let fetcher =
        fetcher_builder().add_root_certificate(identity.authority()).max_kept_connections(1).build().unwrap();
    for _ in 0..3 {
        for (server, version) in [(&first, "HTTP/2.0"), (&second, "HTTP/1.1")] {
            let url = format!("https://site.example:{}/", server.addr.port()).parse().unwrap();
            let response = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap();
            assert_eq!(&response.body[..], version.as_bytes());
        }
    }
    // The pool drops an HTTP/2 connection only when it next checks it; it keeps no HTTP/1.1 connection.
    let connections = [&first, &second].map(|server| server.connections.load(Ordering::SeqCst));
    assert_eq!(connections, [1, 3]);
}

#[tokio::test]
async fn floods_of_headers_over_http2_are_refused() {
    let identity = Identity::new("site.example");
    let flood = |answer: &mut Response<Full<Bytes>>| {
        for number in 0..2000 {
            let name = hyper::header::HeaderName::try_from(format!("x-{number}")).unwrap();
            answer.headers_mut().insert(name, "y".repeat(100).parse().unwrap());
        }
    };
    let server = Server::start_with(&identity, &["h2"], flood).await;
    let fetcher = fetcher_builder().add_root_certificate(identity.authority()).build().unwrap();
    let url = format!("https://site.example:{}/", server.addr.port()).parse().unwrap();
    let error = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), gleaner_fetch::ErrorKind::Protocol, "{error}");
}
