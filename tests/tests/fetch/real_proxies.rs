//! The proxy protocols against proxies that others wrote: tinyproxy (HTTP) and microsocks (SOCKS5), both
//! packages of Debian. Where one is not installed, its test says so and passes.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gleaner_fetch::{ErrorKind, FollowAll, Request};
use gleaner_testkit::{RawServer, Step, unused_port};
use gleaner_types::ProxyUsed;
use gleaner_types::plan::ProxyMode;

use super::support::{fetcher_builder, page, pool};
use super::tls;

/// A proxy's process, ended with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and waits until it listens; `None` where it is not installed.
#[expect(clippy::panic, clippy::disallowed_methods, reason = "it looks whether its own child listens")]
async fn start(program: &str, arguments: &[&str], port: u16) -> Option<Process> {
    let command = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(child) = command else {
        println!("SKIPPED: {program} is not installed (apt-get install {program})");
        return None;
    };
    let process = Process(child);
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    for _ in 0..500 {
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            return Some(process);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{program} does not listen on {address}");
}

/// A page in the clear and one over TLS, by name, and a wrong password.
async fn works(scheme: &str, port: u16) {
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
    let stranger = fetcher_builder()
        .basic_proxies(pool(&[&format!("{scheme}://user:wrong@127.0.0.1:{port}")]))
        .build()
        .unwrap();
    let url = format!("http://site.example:{}/", plain.addr().port()).parse().unwrap();
    let error = stranger.fetch(Request::get(url), &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Proxy, "{error}");
    assert!(error.to_string().contains("credentials"), "{error}");
    assert!(!format!("{error:?}").contains("wrong"), "{error:?}");
}

#[tokio::test]
async fn tinyproxy() {
    let port = unused_port().unwrap();
    let mut config = tempfile::NamedTempFile::new().unwrap();
    writeln!(config, "Port {port}\nListen 127.0.0.1\nAllow 127.0.0.1\nBasicAuth user secret\nMaxClients 20")
        .unwrap();
    let path = config.path().to_str().unwrap().to_owned();
    let Some(_process) = start("tinyproxy", &["-d", "-c", &path], port).await else { return };
    works("http", port).await;
    println!("tinyproxy: CONNECT with credentials, plain and TLS");
}

#[tokio::test]
async fn microsocks() {
    let port = unused_port().unwrap();
    let text = port.to_string();
    let arguments = ["-i", "127.0.0.1", "-p", &text, "-u", "user", "-P", "secret"];
    let Some(_process) = start("microsocks", &arguments, port).await else { return };
    works("socks5", port).await;
    println!("microsocks: SOCKS5 with credentials, plain and TLS");
}
