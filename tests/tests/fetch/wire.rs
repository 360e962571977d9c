//! Endless, slow and malformed responses.

use std::time::{Duration, Instant};

use gleaner_fetch::{DEFAULT_MAX_REDIRECTS, ErrorKind, FollowAll, Request};
use gleaner_testkit::{RawServer, Step};

use super::support::{fetcher_builder, get};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";

#[tokio::test]
async fn endless_bodies_end_at_the_limit() {
    const LIMIT: u64 = 1024 * 1024;
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let plain = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let false_length = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999999\r\n\r\n";
    let rows = [
        ("no length", plain, "x".repeat(4096), ErrorKind::TooLarge),
        ("endless chunks", CHUNKED, chunk, ErrorKind::TooLarge),
        ("a length of 100 GB", false_length, "x".repeat(4096), ErrorKind::TooLarge),
        ("an endless chunk extension", &format!("{CHUNKED}1;"), "e".repeat(4096), ErrorKind::Protocol),
        ("endless trailers", &format!("{CHUNKED}0\r\n"), "x: y\r\n".repeat(100), ErrorKind::Protocol),
    ];
    for (name, head, piece, kind) in rows {
        let server =
            RawServer::start([Step::ReadRequest, Step::send(head.to_owned()), Step::send_endless(piece)])
                .unwrap();
        let mut request = Request::get(server.base_url().parse().unwrap());
        request.max_body = Some(LIMIT);
        let error = fetcher_builder().build().unwrap().fetch(request, &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
        // Socket buffers of both sides hold data beyond the limit.
        let sent = server.bytes_sent();
        assert!(sent < LIMIT + 16 * 1024 * 1024, "{name}: {sent}");
        println!("endless bodies: {name}: {kind:?}, {sent} bytes sent, limit {LIMIT}");
    }
}

#[tokio::test]
async fn slow_responses_end_at_the_deadline() {
    const DEADLINE: Duration = Duration::from_millis(300);
    let slow = |text: &str| Step::send_slow(text.to_owned(), 1, Duration::from_millis(100));
    let rows = [
        ("no response", vec![Step::Hang]),
        (
            "a head of 10 bytes a second",
            vec![Step::ReadRequest, slow("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")],
        ),
        (
            "a body of 10 bytes a second",
            vec![Step::ReadRequest, Step::send(CHUNKED), slow("5\r\nhello\r\n5\r\nhello\r\n5\r\nhello\r\n")],
        ),
        (
            "a half-closed socket",
            vec![Step::ReadRequest, Step::send("HTTP/1.1 200"), Step::Wait(Duration::from_secs(60))],
        ),
    ];
    for (name, script) in rows {
        let server = RawServer::start(script).unwrap();
        let fetcher = fetcher_builder().build().unwrap();
        let tasks: Vec<_> = (0..25)
            .map(|number| {
                let (fetcher, base) = (fetcher.clone(), server.base_url());
                tokio::spawn(async move {
                    let mut request = Request::get(format!("{base}/{number}").parse().unwrap());
                    request.timeout = Some(DEADLINE);
                    let started = Instant::now();
                    let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
                    assert!(error.is_timeout(), "{name}: {error}");
                    started.elapsed().saturating_sub(DEADLINE)
                })
            })
            .collect();
        let mut late = Vec::new();
        for task in tasks {
            late.push(task.await.unwrap());
        }
        late.sort();
        println!(
            "slow responses: {name}: the latest of 25 requests ended {:.1} ms after the deadline",
            late[24].as_secs_f64() * 1000.0
        );
        // A few milliseconds on an idle machine; on any machine, long before the responses would end.
        assert!(late[24] < Duration::from_secs(30), "{name}: {:?} late", late[24]);
    }
}

#[tokio::test]
async fn floods_of_headers_are_refused() {
    let rows = [
        ("an endless header", "HTTP/1.1 200 OK\r\nx: ", "y".repeat(4096), ErrorKind::Protocol),
        ("endless headers", "HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(500), ErrorKind::Protocol),
        // Each interim response is allowed (RFC 9110 section 15.2), so they are counted.
        ("endless interim responses", "", "HTTP/1.1 103 Early\r\n\r\n".repeat(100), ErrorKind::Protocol),
    ];
    for (name, head, piece, kind) in rows {
        let server =
            RawServer::start([Step::ReadRequest, Step::send(head), Step::send_endless(piece)]).unwrap();
        let mut request = Request::get(server.base_url().parse().unwrap());
        request.timeout = Some(Duration::from_secs(30));
        let error = fetcher_builder().build().unwrap().fetch(request, &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
        // Socket buffers of both sides hold data beyond the limit.
        let sent = server.bytes_sent();
        assert!(sent < 16 * 1024 * 1024, "{name}: {sent}");
        println!("floods of headers: {name}: {kind:?}, {sent} bytes sent");
    }
    // A line break in a header value does not inject a header into the next request.
    let split =
        Step::send("HTTP/1.1 302 Found\r\nLocation: /next\r\nX-A: b\rX-B: c\r\nContent-Length: 0\r\n\r\n");
    let server = RawServer::start([Step::ReadRequest, split]).unwrap();
    let outcome = get(&server.base_url()).await;
    assert!(outcome.is_err(), "{outcome:?}");
    let sent = server.requests().concat();
    assert!(!String::from_utf8_lossy(&sent).to_lowercase().contains("x-b"), "{sent:?}");
}

#[tokio::test]
async fn endless_redirects_end_at_the_cap() {
    let hop = |number: usize, cookie: bool| {
        let location = if cookie { "/".to_owned() } else { format!("/{number}") };
        let cookie = format!("n={}; Path=/", if cookie { number } else { 0 });
        [
            Step::ReadRequest,
            Step::respond("302 Found", &[("Location", &location), ("Set-Cookie", &cookie)], ""),
        ]
    };
    let chain: Vec<Step> = (1..200).flat_map(|number| hop(number, false)).collect();
    let ping_pong: Vec<Step> = (1..200).flat_map(|number| hop(number, true)).collect();
    let same_url: Vec<Step> = (0..200)
        .flat_map(|_| [Step::ReadRequest, Step::respond("302 Found", &[("Location", "/")], "")])
        .collect();
    let cap = DEFAULT_MAX_REDIRECTS as usize;
    for (name, script, kind, requests) in [
        ("a chain of distinct URLs", chain, ErrorKind::TooManyRedirects, cap + 1),
        ("a cookie that changes each time", ping_pong, ErrorKind::TooManyRedirects, cap + 1),
        ("the same URL", same_url, ErrorKind::RedirectLoop, 1),
    ] {
        let server = RawServer::start(script).unwrap();
        let error = get(&server.base_url()).await.unwrap_err();
        assert_eq!((error.kind(), server.requests().len()), (kind, requests), "{name}: {error}");
        println!("endless redirects: {name}: {kind:?} after {requests} requests, cap {cap} hops");
    }
}
