//! Measures the overhead of the fetcher: the same GET over loopback by the fetcher, by a bare reqwest client
//! and by a bare hyper client, each with one pooled connection. Run each under a counter of user
//! instructions, twice with different counts; the difference of the two is the cost of the pages alone.
//!
//! ```text
//! overhead serve                    # prints its address
//! overhead fetch ADDRESS COUNT      # or reqwest, or hyper
//! ```

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a measuring program, run by hand"
)]
#![expect(clippy::disallowed_methods, reason = "the baselines are clients without the guard, on loopback")]

use std::net::SocketAddr;

use gleaner_fetch::{EgressPolicy, Fetcher, FollowAll, Request};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

/// Size of a common page.
const PAGE_BYTES: usize = 20_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve"] => serve().await,
        [client, address, count] => {
            let address: SocketAddr = address.parse().expect("an address");
            let url = Url::parse(&format!("http://{address}/page?id=1")).expect("a URL");
            let count: usize = count.parse().expect("a number");
            match client {
                "fetch" => by_fetcher(url, count).await,
                "reqwest" => by_reqwest(url, count).await,
                "hyper" => by_hyper(url, count).await,
                _ => panic!("fetch, reqwest or hyper"),
            }
        }
        _ => panic!("serve, or a client, an address and a count"),
    }
}

async fn by_fetcher(url: Url, count: usize) {
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().expect("a network"));
    let fetcher = Fetcher::builder().egress(policy).build().expect("a fetcher");
    for _ in 0..count {
        let response = fetcher.fetch(Request::get(url.clone()), &FollowAll).await.expect("a page");
        assert_eq!(response.body.len(), PAGE_BYTES);
    }
}

async fn by_reqwest(url: Url, count: usize) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for _ in 0..count {
        let response = client.get(url.clone()).send().await.expect("an answer");
        assert_eq!(response.bytes().await.expect("a page").len(), PAGE_BYTES);
    }
}

async fn by_hyper(url: Url, count: usize) {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<bytes::Bytes>>();
    let uri: http::Uri = url.as_str().parse().expect("a URI");
    for _ in 0..count {
        let response = client.get(uri.clone()).await.expect("an answer");
        let body = response.into_body().collect().await.expect("a page").to_bytes();
        assert_eq!(body.len(), PAGE_BYTES);
    }
}

async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {PAGE_BYTES}\r\n\r\n"
    );
    let body = b"<p>text</p>\n".iter().copied().cycle().take(PAGE_BYTES);
    let answer: Vec<u8> = head.bytes().chain(body).collect();
    loop {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let answer = answer.clone();
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            // One request is one read: the clients wait for each answer.
            while matches!(stream.read(&mut buffer).await, Ok(length) if length > 0) {
                if stream.write_all(&answer).await.is_err() {
                    return;
                }
            }
        });
    }
}
