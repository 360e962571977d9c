//! The proxy protocols with installed proxies: tinyproxy (HTTP) and microsocks (SOCKS5), both Debian
//! packages. If one is not installed, its test prints that it is skipped, and passes.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Duration;

use gleaner_fetch::{ErrorKind, FollowAll, Request};
use gleaner_testkit::{KilledOnDrop, RawServer, Step, unused_port};
use gleaner_types::ProxyUsed;
use gleaner_types::plan::ProxyMode;

use super::support::{fetcher_builder, page, pool};
use super::tls;

/// Starts the program and waits until it listens; `None` if it is not installed.
#[expect(clippy::panic, clippy::disallowed_methods, reason = "checks whether its own child process listens")]
async fn start(program: &str, arguments: &[&str], port: u16) -> Option<KilledOnDrop> {
    let command = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(child) = command else {
        println!("SKIPPED: {program} is not installed (apt-get install {program})");
        return None;
    };
    let process = KilledOnDrop(child);
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    for _ in 0..500 {
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            return Some(process);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{program} does not listen on {address}");
}

/// Fetches by host name a page with and one without TLS, and checks that a wrong password fails.
async fn check_proxy(scheme: &str, port: u16) {
    let plain = RawServer::start([Step::ReadRequest, page("plain"), Step::Repeat]).unwrap();
    let identity = tls::Identity::new("site.example");
    let secure = tls::Server::start(&identity, &["h2", "http/1.1"]).await;
    let fetcher = fetcher_builder()
        .add_root_certificate(identity.authority())
        .stealth_proxies(pool(&[&format!("{scheme}://user:secret@127.0.0.1:{port}")]))
        .build()
        .unwrap();
    for url in [
        format!("http://site.example:{}/", plain.addr().port()),
        format!("https://site.example:{}/", secure.addr().port()),
    ] {
        let mut request = Request::get(url.parse().unwrap());
        request.proxy = ProxyMode::Stealth;
        let response = fetcher.fetch(request, &FollowAll).await.unwrap();
        assert_eq!((response.status, response.proxy_used), (200, ProxyUsed::Stealth), "{url}");
    }
    let wrong_password = fetcher_builder()
        .basic_proxies(pool(&[&format!("{scheme}://user:wrong@127.0.0.1:{port}")]))
        .build()
        .unwrap();
    let url = format!("http://site.example:{}/", plain.addr().port()).parse().unwrap();
    let error = wrong_password.fetch(Request::get(url), &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Proxy, "{error}");
    assert!(error.to_string().contains("credentials"), "{error}");
    assert!(!format!("{error:?}").contains("wrong"), "{error:?}");
}

#[tokio::test]
async fn tinyproxy_tunnels_by_connect_with_credentials() {
    let port = unused_port().unwrap();
    let mut config = tempfile::NamedTempFile::new().unwrap();
    writeln!(config, "Port {port}\nListen 127.0.0.1\nAllow 127.0.0.1\nBasicAuth user secret\nMaxClients 20")
        .unwrap();
    let path = config.path().to_str().unwrap().to_owned();
    let Some(_process) = start("tinyproxy", &["-d", "-c", &path], port).await else { return };
    check_proxy("http", port).await;
    println!("tinyproxy: CONNECT with credentials, plain and TLS");
}

#[tokio::test]
async fn microsocks_tunnels_by_socks5_with_credentials() {
    let port = unused_port().unwrap();
    let text = port.to_string();
    let arguments = ["-i", "127.0.0.1", "-p", &text, "-u", "user", "-P", "secret"];
    let Some(_process) = start("microsocks", &arguments, port).await else { return };
    check_proxy("socks5", port).await;
    println!("microsocks: SOCKS5 with credentials, plain and TLS");
}
