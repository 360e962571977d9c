//! The server of the example `host` with clients that stall, in virtual time.

use std::net::SocketAddr;
use std::time::Duration;

use gleaner_http::BODY_TIMEOUT;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::{KEY, service};
use serve::{HEAD_TIMEOUT, WRITE_TIMEOUT};

#[path = "../../examples/host/serve.rs"]
pub(super) mod serve;

async fn served(max_connections: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve::serve(listener, service(), max_connections));
    address
}

#[expect(clippy::disallowed_methods, reason = "the client of a test")]
async fn connect(address: SocketAddr, sent: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(sent.as_bytes()).await.unwrap();
    client
}

/// Everything that the server sends until it closes the connection.
async fn read_all(mut client: TcpStream) -> String {
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    String::from_utf8(received).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_complete_head_is_closed_after_the_timeout() {
    let address = served(8).await;
    for (name, sent, status) in [
        ("silent", "", ""),
        ("half a head", "GET /openapi.json HTTP/1.1\r\nHost: a", ""),
        ("idle after a request", "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n"),
    ] {
        let start = Instant::now();
        let received = read_all(connect(address, sent).await).await;
        let elapsed = start.elapsed();
        let is_expected = received.starts_with(status) && (!status.is_empty() || received.is_empty());
        assert!(is_expected, "{name}: {received}");
        assert!((HEAD_TIMEOUT..HEAD_TIMEOUT * 2).contains(&elapsed), "{name}: {elapsed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_is_refused_after_the_timeout() {
    let address = served(8).await;
    let head = format!(
        "POST /v2/scrape HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 1000\r\n\r\n"
    );
    let start = Instant::now();
    let (mut reader, mut writer) = connect(address, &head).await.into_split();
    tokio::spawn(async move {
        while writer.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(7)).await;
        }
    });
    let mut status = [0; 12];
    reader.read_exact(&mut status).await.unwrap();
    let elapsed = start.elapsed();
    assert_eq!(&status, b"HTTP/1.1 408");
    assert!((BODY_TIMEOUT..BODY_TIMEOUT + HEAD_TIMEOUT).contains(&elapsed), "{elapsed:?}");
}

/// With 200 connections that sent no key and never read, a host had no descriptors left for pages.
#[tokio::test]
async fn connections_without_a_key_have_a_small_share() {
    // Two of sixteen.
    let address = served(16).await;
    let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let (first, mut second) = (connect(address, "").await, connect(address, "").await);
    let third = read_all(connect(address, request).await).await;
    assert!(third.starts_with("HTTP/1.1 200 OK\r\n"), "{third}");
    assert_eq!(read_all(first).await, "", "the oldest one is closed for the third");
    // At once: the head timeout would have closed both.
    second.write_all(request.as_bytes()).await.unwrap();
    let second = read_all(second).await;
    assert!(second.starts_with("HTTP/1.1 200 OK\r\n"), "{second}");
}

#[tokio::test(start_paused = true)]
async fn connections_above_the_limit_wait_for_a_free_slot() {
    let address = served(1).await;
    let start = Instant::now();
    let silent = connect(address, "").await;
    let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let received = read_all(connect(address, request).await).await;
    assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
    assert!(start.elapsed() >= HEAD_TIMEOUT, "two connections were served at once");
    drop(silent);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_disconnected() {
    /// Their responses are more than the buffers of the system.
    const REQUESTS: usize = 400;
    let address = served(1).await;
    let start = Instant::now();
    let unread = connect(address, &"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(REQUESTS)).await;
    // It waits for the only slot.
    let request = "GET /v2/team/credit-usage HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let other = connect(address, request).await;
    let received = tokio::time::timeout(WRITE_TIMEOUT * 20, read_all(other)).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 401"), "{received}");
    assert!(start.elapsed() >= WRITE_TIMEOUT, "the first client had its time");
    drop(unread);
}
