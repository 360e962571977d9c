//! Tests of connections: limits, reuse, and connections that a server closes.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_fetch::{ErrorKind, FollowAll, Method, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::{Names, Site, answer, builder, fetcher, page, read_request, redirect};

#[tokio::test]
async fn a_response_has_the_address_that_was_dialled() {
    let loopback = Some(IpAddr::from([127, 0, 0, 1]));
    let site = Site::serve(|seen| if seen.path() == "/" { redirect(302, "/end") } else { page("end") }).await;
    let fetcher = fetcher();
    for connection in ["new", "reused"] {
        let response = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        assert_eq!(response.address, loopback, "{connection}");
        assert!(!format!("{response:?}").contains("127.0.0.1"), "{response:?}");
    }
    assert_eq!(site.connections(), 1);

    let names = Names { table: [("b.test", vec![IpAddr::from([127, 0, 0, 2])])].into(), ..Names::default() };
    let elsewhere = Site::serve_on("127.0.0.2:0", None, |_| page("b")).await;
    let fetcher = builder().resolver(Arc::new(names)).build().unwrap();
    let response = fetcher.fetch(Request::get(elsewhere.url("b.test", "/")), &FollowAll).await.unwrap();
    assert_eq!(response.address, Some(IpAddr::from([127, 0, 0, 2])));
}

#[tokio::test]
async fn connections_above_the_limit_serve_one_request() {
    let mut sites = Vec::new();
    for _ in 0..4 {
        sites.push(Site::serve(|_| page("")).await);
    }
    let fetcher = builder().max_kept_connections(2).build().unwrap();
    for _ in 0..3 {
        for site in &sites {
            fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        }
    }
    let connections: Vec<usize> = sites.iter().map(Site::connections).collect();
    assert_eq!(connections, [1, 1, 3, 3]);
}

/// What a server does with the second request of a connection, without having said `connection: close`.
#[derive(Debug, Clone, Copy)]
enum End {
    /// It reads the request and closes.
    Close,
    /// It closes while the request is unread, which resets the connection.
    Reset,
    /// It says that the connection was idle for too long.
    Timeout,
    /// It begins an answer and closes.
    PartOfAnAnswer,
}

/// A server that answers the first request of each connection. `requests` counts those that it has read.
async fn one_answer_per_connection(end: End, requests: &Arc<AtomicUsize>) -> Site {
    let requests = Arc::clone(requests);
    Site::script(move |mut stream| {
        let requests = Arc::clone(&requests);
        async move {
            if read_request(&mut stream).await.is_none() {
                return;
            }
            requests.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(&page("answered")).await;
            if let End::Reset = end {
                let _ = stream.read_u8().await;
                return;
            }
            if read_request(&mut stream).await.is_none() {
                return;
            }
            requests.fetch_add(1, Ordering::SeqCst);
            let _ = match end {
                End::Close | End::Reset => Ok(()),
                End::Timeout => stream.write_all(&answer(408, &[("connection", "close")], b"")).await,
                End::PartOfAnAnswer => stream.write_all(b"HTTP/1.1 200 OK\r\n").await,
            };
        }
    })
    .await
}

/// Seen with old application servers, and with others at the end of their idle time.
#[tokio::test]
async fn a_kept_connection_that_ends_at_the_next_request_loses_no_page() {
    for end in [End::Close, End::Reset, End::Timeout] {
        let requests = Arc::new(AtomicUsize::new(0));
        let site = one_answer_per_connection(end, &requests).await;
        let fetcher = fetcher();
        for method in [Method::GET, Method::HEAD, Method::GET, Method::GET, Method::HEAD, Method::GET] {
            let mut request = Request::get(site.url("a.test", "/"));
            request.method = method;
            let response = fetcher.fetch(request, &FollowAll).await.unwrap();
            assert_eq!(response.status, 200, "{end:?}");
        }
    }
}

#[tokio::test]
async fn a_request_that_may_have_had_an_effect_is_not_sent_again() {
    for (method, end) in
        [(Method::POST, End::Close), (Method::POST, End::Timeout), (Method::GET, End::PartOfAnAnswer)]
    {
        let requests = Arc::new(AtomicUsize::new(0));
        let site = one_answer_per_connection(end, &requests).await;
        let fetcher = fetcher();
        fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        let mut request = Request::post(site.url("a.test", "/"), "");
        request.method = method.clone();
        let outcome = fetcher.fetch(request, &FollowAll).await;
        match end {
            End::Timeout => assert_eq!(outcome.unwrap().status, 408),
            _ => assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Protocol, "{method}: {end:?}"),
        }
        assert_eq!((requests.load(Ordering::SeqCst), site.connections()), (2, 1), "{method}: {end:?}");
    }
}

#[tokio::test]
async fn a_new_connection_that_ends_without_an_answer_is_a_failure() {
    let site = Site::script(|mut stream| async move {
        let _ = read_request(&mut stream).await;
    })
    .await;
    let error = fetcher().fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap_err();
    assert_eq!((error.kind(), site.connections()), (ErrorKind::Protocol, 1));
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_head_of_many_fields_is_read() {
    let site = Site::serve(|_| {
        let fields: String = (0..3000).map(|number| format!("x-{number}: a\r\n")).collect();
        format!("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n{fields}\r\npage").into_bytes()
    })
    .await;
    let response = fetcher().fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
    assert_eq!((&response.body[..], response.header("x-2999")), (&b"page"[..], Some("a")));
}
