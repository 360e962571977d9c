//! Certificates, proxies, the cache on disk, and rules for links.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::process::Output;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gleaner_testkit::{ProxyServer, RawServer, Site, SiteSpec, Step};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::support::{printed, refuses, run_on_loopback, stderr, succeed};

/// A page over TLS with a certificate of an unknown authority.
struct SecurePage {
    url: String,
    /// The certificate of the authority, in DER form.
    authority: Vec<u8>,
}

async fn secure_page() -> SecurePage {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let authority_certificate = authority.self_signed(&authority_key).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])
        .unwrap()
        .signed_by(&key, &Issuer::new(authority, authority_key))
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that rejects the certificate ends the handshake.
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut request = [0; 4_096];
                let _ = stream.read(&mut request).await;
                let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\
                            Connection: close\r\n\r\n<h1>Tea</h1>";
                let _ = stream.write_all(page.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    SecurePage { url, authority: authority_certificate.der().to_vec() }
}

/// Runs the program in the background, because the server needs this thread's runtime.
async fn run_in_background(words: &[&str]) -> Output {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let run = move || run_on_loopback(&words.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_checked_by_default() {
    let url = secure_page().await.url;
    for words in [&["scrape", &url][..], &["crawl", &url], &["map", &url, "--sitemap", "skip"]] {
        let output = run_in_background(words).await;
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("--skip-tls-verification"), "{words:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{words:?}");
    }
    let output = run_in_background(&["scrape", &url, "--skip-tls-verification"]).await;
    assert_eq!(succeed(&output).trim(), "# Tea");
}

#[tokio::test(flavor = "multi_thread")]
async fn authorities_in_a_file_are_trusted() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let page = secure_page().await;
    let (ours, other) = (file("ours.pem"), file("other.pem"));
    fs::write(&ours, pem(&page.authority)).unwrap();
    fs::write(&other, pem(&secure_page().await.authority)).unwrap();

    let output = run_in_background(&["scrape", &page.url, "--ca-certificate", &other]).await;
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    // The option was given, so the hint does not name it again.
    let errors = stderr(&output);
    assert!(errors.contains("no authority in the given files") && !errors.contains("--ca-"), "{errors}");
    let both = ["scrape", &page.url, "--ca-certificate", &other, "--ca-certificate", &ours];
    assert_eq!(succeed(&run_in_background(&both).await).trim(), "# Tea");

    let (der, broken) = (file("authority.der"), file("broken.pem"));
    fs::write(&der, &page.authority).unwrap();
    fs::write(&broken, pem(b"not a certificate")).unwrap();
    for (unusable, reason) in [
        (file("missing.pem"), "No such file"),
        (der, "holds none"),
        (broken, "not a valid X.509 certificate"),
    ] {
        let words = ["scrape", &page.url, "--ca-certificate", &ours, "--ca-certificate", &unusable];
        refuses(&words, &["--ca-certificate", &unusable, reason, "PEM"]);
    }
}

fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", BASE64_STANDARD.encode(der))
}

#[test]
fn requests_go_through_the_given_proxy() {
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let (plain, stealth) = (ProxyServer::start().unwrap(), ProxyServer::start().unwrap());
    let page = server.url("/p/1");
    let proxies = [format!("http://{}", plain.addr()), format!("socks5://{}", stealth.addr())];
    let words = [
        "scrape",
        &page,
        "--formats",
        "markdown,links",
        "--proxy-url",
        &proxies[0],
        "--stealth-proxy-url",
        &proxies[1],
    ];
    let used = printed(&run_on_loopback(&words))["metadata"]["proxyUsed"].clone();
    assert_eq!((used.as_str(), plain.connections(), stealth.connections()), (Some("basic"), 1, 0));
    let used =
        printed(&run_on_loopback(&[&words[..], &["--proxy", "stealth"]].concat()))["metadata"]["proxyUsed"]
            .clone();
    assert_eq!((used.as_str(), plain.connections(), stealth.connections()), (Some("stealth"), 1, 1));
}

#[test]
fn a_cache_in_a_folder_persists() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let page = server.url("/p/1");
    let words = ["scrape", &page, "--formats", "markdown,links", "--cache", place.path().to_str().unwrap()];
    let state = |more: &[&str]| {
        let output = run_on_loopback(&[&words[..], more].concat());
        printed(&output)["metadata"]["cacheState"].as_str().map(str::to_owned)
    };
    assert_eq!(state(&["--store-in-cache", "false"]).as_deref(), Some("miss"));
    assert_eq!(state(&[]).as_deref(), Some("miss"), "no copy was stored");
    assert_eq!(state(&[]).as_deref(), Some("hit"));
    assert_eq!(state(&["--max-age", "0"]), None, "the cache was not used");
    assert_eq!(server.requests(), 3);
}

#[test]
fn map_skips_nofollow_links_and_follows_iframes_on_request() {
    let page = "<a href=/a>a</a> <a rel=nofollow href=/b>b</a> <iframe src=/c></iframe>";
    let answer = Step::respond("200 OK", &[("content-type", "text/html")], page);
    let missing = Step::respond("404 Not Found", &[("connection", "close")], "");
    for (options, paths) in [
        (&[][..], &["/", "/a", "/b"][..]),
        (&["--nofollow"], &["/", "/a"]),
        (&["--iframes"], &["/", "/a", "/b", "/c"]),
    ] {
        let robots = vec![Step::ReadRequest, missing.clone(), Step::Close];
        let site =
            RawServer::start_per_connection([robots, vec![Step::ReadRequest, answer.clone()]]).unwrap();
        let url = format!("{}/", site.base_url());
        let listed = succeed(&run_on_loopback(&[&["map", &url, "--sitemap", "skip"], options].concat()));
        let mut listed: Vec<&str> =
            listed.lines().filter_map(|line| line.strip_prefix(&site.base_url())).collect();
        listed.sort_unstable();
        assert_eq!(listed, paths, "{options:?}");
    }
}

#[test]
fn a_country_without_proxies_is_reported() {
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let page = server.url("/p/1");
    for words in [["scrape", &page], ["map", &page]] {
        let output = run_on_loopback(&[&words[..], &["--location-country", "DE"]].concat());
        succeed(&output);
        assert!(
            stderr(&output).contains("--location-country applies to rendered pages only"),
            "{words:?}: {}",
            stderr(&output)
        );
    }
}
