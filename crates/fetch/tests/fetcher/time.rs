//! Tokio's clock is paused in these tests. It jumps to the next timer as soon as nothing else can happen, so
//! an hour of waiting takes no time and deadlines can be checked to the millisecond.

use std::time::Duration;

use gleaner_fetch::{
    DEFAULT_CONNECT_TIMEOUT, ErrorKind, FollowAll, MAX_INTERIM_ANSWERS, RedirectCheck, RedirectRefused,
    Request,
};
use gleaner_types::BoxFuture;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};
use url::Url;

use super::support::{Site, fetcher, page, read_request, redirect};

const LIMIT: Duration = Duration::from_secs(7);

/// Fetches with [`LIMIT`] and expects a timeout in this stage, on time.
async fn assert_times_out(url: Url, stage: &str) {
    let mut request = Request::get(url);
    request.timeout = Some(LIMIT);
    let started = Instant::now();
    let error = fetcher().fetch(request, &FollowAll).await.unwrap_err();
    let taken = started.elapsed();
    assert!(error.is_timeout(), "{error}");
    assert!(taken >= LIMIT && taken < LIMIT + Duration::from_millis(20), "{taken:?}");
    assert!(error.to_string().contains(stage), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_accepts_and_is_silent() {
    let site = Site::script(|stream| async move {
        sleep(Duration::from_secs(3600)).await;
        drop(stream);
    })
    .await;
    assert_times_out(site.url("a.test", "/"), "waiting for the answer").await;
}

#[tokio::test(start_paused = true)]
async fn a_head_at_a_byte_a_second() {
    let site = Site::script(|mut stream| async move {
        read_request(&mut stream).await;
        for byte in b"HTTP/1.1 200 OK\r\nx-slow: ".iter().chain(std::iter::repeat(&b'x')) {
            if stream.write_all(&[*byte]).await.is_err() {
                return;
            }
            sleep(Duration::from_secs(1)).await;
        }
    })
    .await;
    assert_times_out(site.url("a.test", "/"), "waiting for the answer").await;
}

#[tokio::test(start_paused = true)]
async fn a_body_at_a_byte_a_second() {
    let site = Site::script(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            sleep(Duration::from_secs(1)).await;
        }
    })
    .await;
    assert_times_out(site.url("a.test", "/"), "reading the body").await;
}

#[tokio::test(start_paused = true)]
async fn redirects_share_one_deadline() {
    let site = Site::script(|mut stream| async move {
        while let Some(seen) = read_request(&mut stream).await {
            sleep(Duration::from_secs(2)).await;
            let hop: usize = seen.path()[1..].parse().unwrap();
            let _ = stream.write_all(&redirect(302, &format!("/{}", hop + 1))).await;
        }
    })
    .await;
    assert_times_out(site.url("a.test", "/0"), "waiting for the answer").await;
}

/// Answers after five minutes, like a check that waits for a slot of a host.
struct SlowCheck;

impl RedirectCheck for SlowCheck {
    fn check<'a>(&'a self, _: &'a Url, _: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            sleep(Duration::from_secs(300)).await;
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_check_of_a_redirect_does_not_count_towards_the_timeout() {
    for (silent, seconds) in [(false, 310), (true, 330)] {
        let site = Site::script(move |mut stream| async move {
            while let Some(seen) = read_request(&mut stream).await {
                if seen.path() == "/" {
                    sleep(Duration::from_secs(10)).await;
                    let _ = stream.write_all(&redirect(302, "/next")).await;
                } else if silent {
                    std::future::pending::<()>().await;
                } else {
                    let _ = stream.write_all(&page("there")).await;
                }
            }
        })
        .await;
        let started = Instant::now();
        let outcome = fetcher().fetch(Request::get(site.url("a.test", "/")), &SlowCheck).await;
        assert_eq!(outcome.is_err_and(|error| error.is_timeout()), silent);
        assert_eq!(started.elapsed().as_secs(), seconds, "the rest still has its deadline");
    }
}

#[tokio::test(start_paused = true)]
async fn timings_separate_the_last_host_from_earlier_redirects() {
    let site = Site::script(|mut stream| async move {
        while let Some(seen) = read_request(&mut stream).await {
            let (seconds, answer) =
                if seen.path() == "/" { (10, redirect(302, "/next")) } else { (3, page("there")) };
            sleep(Duration::from_secs(seconds)).await;
            let _ = stream.write_all(&answer).await;
        }
    })
    .await;
    let request = Request::get(site.url("a.test", "/"));
    let timings = fetcher().fetch(request, &SlowCheck).await.unwrap().timings;
    assert_eq!((timings.answer.as_secs(), timings.first_byte.as_secs()), (3, 313));
}

#[tokio::test(start_paused = true)]
async fn interim_answers_are_skipped_up_to_a_limit() {
    for (count, kind) in
        [(0, None), (MAX_INTERIM_ANSWERS, None), (MAX_INTERIM_ANSWERS + 1, Some(ErrorKind::Protocol))]
    {
        let site = Site::script(move |mut stream| async move {
            read_request(&mut stream).await;
            for _ in 0..count {
                stream.write_all(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n").await.unwrap();
                sleep(Duration::from_millis(1)).await;
            }
            // Too many are an error at once, not after this minute.
            if kind.is_some() {
                sleep(Duration::from_secs(60)).await;
            }
            let _ = stream.write_all(&page("text")).await;
        })
        .await;
        let mut request = Request::get(site.url("a.test", "/"));
        request.timeout = Some(Duration::from_secs(10));
        let outcome = fetcher().fetch(request, &FollowAll).await;
        assert_eq!(outcome.err().map(|error| error.kind()), kind, "{count}");
    }
}

/// A resolver that never answers. The deadline and the connect timeout bound it too.
#[derive(Debug)]
struct Slow;

impl gleaner_fetch::Resolve for Slow {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn connecting_is_bounded_by_its_own_timeout_and_by_the_deadline() {
    let builder = super::support::builder().resolver(std::sync::Arc::new(Slow));
    let seconds = Duration::from_secs;
    for (connect_timeout, limit, expected, kind) in [
        (None, seconds(60), DEFAULT_CONNECT_TIMEOUT, ErrorKind::Connect),
        (Some(seconds(2)), seconds(60), seconds(2), ErrorKind::Connect),
        (None, seconds(3), seconds(3), ErrorKind::Timeout),
    ] {
        let builder = builder.clone();
        let builder = match connect_timeout {
            Some(timeout) => builder.connect_timeout(timeout),
            None => builder,
        };
        let fetcher = builder.build().unwrap();
        let mut request = Request::get("http://a.test/".parse().unwrap());
        request.timeout = Some(limit);
        let started = Instant::now();
        let error = fetcher.fetch(request, &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(started.elapsed().as_secs(), expected.as_secs());
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_for_too_long_is_a_timeout() {
    let builder = super::support::builder().default_timeout(Duration::from_secs(3600));
    let fetcher = builder.read_timeout(Duration::from_secs(5)).build().unwrap();
    // Pieces of an answer, each after 4 seconds. After the last one the server is silent.
    let rows: [(&str, &[&str], Option<&str>); 4] = [
        ("whole", &["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n", "te", "xt"], None),
        ("no head", &[], Some("waiting for the answer")),
        ("no body", &["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"], Some("reading the body")),
        ("half a body", &["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n", "te"], Some("reading the body")),
    ];
    for (name, pieces, stage) in rows {
        let site = Site::script(move |mut stream| async move {
            read_request(&mut stream).await;
            for piece in pieces {
                sleep(Duration::from_secs(4)).await;
                let _ = stream.write_all(piece.as_bytes()).await;
            }
            std::future::pending::<()>().await;
        })
        .await;
        let started = Instant::now();
        let outcome = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await;
        let seconds = 4 * pieces.len() as u64;
        let Some(stage) = stage else {
            assert_eq!(&outcome.unwrap().body[..], b"text", "{name}");
            assert_eq!(started.elapsed().as_secs(), seconds, "{name}");
            continue;
        };
        let error = outcome.unwrap_err();
        assert!(error.is_timeout() && error.to_string().contains(stage), "{name}: {error}");
        assert!(error.to_string().contains("nothing for 5000 ms"), "{name}: {error}");
        assert_eq!(started.elapsed().as_secs(), seconds + 5, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_read_timeout_does_not_count_connecting() {
    let site = Site::serve(|_| page("there")).await;
    let builder = super::support::builder().resolver(std::sync::Arc::new(Delayed));
    let fetcher = builder.read_timeout(Duration::from_secs(2)).build().unwrap();
    let response = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
    assert_eq!((response.timings.dns.as_secs(), &response.body[..]), (7, &b"there"[..]));
}

/// A resolver that needs 7 seconds.
#[derive(Debug)]
struct Delayed;

impl gleaner_fetch::Resolve for Delayed {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
        Box::pin(async move {
            sleep(Duration::from_secs(7)).await;
            Ok(vec![std::net::IpAddr::from([127, 0, 0, 1])])
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_half_closed_connection_still_delivers() {
    let site = Site::script(|mut stream| async move {
        read_request(&mut stream).await;
        sleep(Duration::from_secs(1)).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\nhalf").await;
        let _ = stream.shutdown().await;
        sleep(Duration::from_secs(3600)).await;
    })
    .await;
    let response = super::support::get(site.url("a.test", "/")).await.unwrap();
    assert_eq!(&response.body[..], b"half");
    assert_eq!(response.timings.first_byte.as_secs(), 1);
}

#[tokio::test]
async fn connections_are_reused_after_cancelled_requests() {
    let site = Site::serve(|_| page("again")).await;
    let fetcher = fetcher();
    for _ in 0..20 {
        let response = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        assert_eq!(&response.body[..], b"again");
    }
    assert_eq!(site.connections(), 1);
    for _ in 0..20 {
        let cancelled = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll);
        tokio::select! { biased; _ = cancelled => {}, () = std::future::ready(()) => {} }
    }
    let response = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
    assert_eq!(&response.body[..], b"again");
}
