//! The server of the example `host`, and clients that stall. Time is virtual.

use std::net::SocketAddr;
use std::time::Duration;

use gleaner_http::BODY_TIMEOUT;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::{KEY, service};
use serve::HEAD_TIMEOUT;

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

/// What comes until the server closes the connection.
async fn answer(mut client: TcpStream) -> String {
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_whole_head_is_closed_in_time() {
    let address = served(8).await;
    for (name, sent, status) in [
        ("silent", "", ""),
        ("half a head", "GET /openapi.json HTTP/1.1\r\nHost: a", ""),
        ("idle after a request", "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n"),
    ] {
        let begun = Instant::now();
        let answer = answer(connect(address, sent).await).await;
        let took = begun.elapsed();
        assert!(answer.starts_with(status) && (!status.is_empty() || answer.is_empty()), "{name}: {answer}");
        assert!((HEAD_TIMEOUT..HEAD_TIMEOUT * 2).contains(&took), "{name}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_is_given_up_in_time() {
    let address = served(8).await;
    let head = format!(
        "POST /v2/scrape HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 1000\r\n\r\n"
    );
    let begun = Instant::now();
    let (mut reader, mut writer) = connect(address, &head).await.into_split();
    tokio::spawn(async move {
        while writer.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(7)).await;
        }
    });
    let mut status = [0; 12];
    reader.read_exact(&mut status).await.unwrap();
    let took = begun.elapsed();
    assert_eq!(&status, b"HTTP/1.1 408");
    assert!((BODY_TIMEOUT..BODY_TIMEOUT + HEAD_TIMEOUT).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_bound_wait_for_one_to_end() {
    let address = served(1).await;
    let begun = Instant::now();
    let silent = connect(address, "").await;
    let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = answer(connect(address, request).await).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(begun.elapsed() >= HEAD_TIMEOUT, "two were served at once");
    drop(silent);
}
