//! Tests of HTTP redirects: limits, loops, methods and headers.

use std::sync::Mutex;

use gleaner_fetch::{ErrorKind, FollowAll, RedirectCheck, RedirectRefused, Request};
use gleaner_types::{BoxFuture, ErrorCode};
use url::Url;

use super::support::{Site, fetcher, get, page, redirect};
use super::tls::{Identity, acceptor};

#[tokio::test]
async fn the_response_lists_its_redirects() {
    let site = Site::serve(|seen| match seen.path() {
        "/one" => redirect(301, "two?x=1"),
        "/two?x=1" => redirect(307, "/three#there"),
        _ => page("end"),
    })
    .await;
    let response = get(site.url("a.test", "/one#here")).await.unwrap();
    assert_eq!(response.requested, site.url("a.test", "/one#here"));
    assert_eq!(response.url, site.url("a.test", "/three#there"));
    let hops: Vec<_> = response.hops.iter().map(|hop| (hop.url.path().to_owned(), hop.status)).collect();
    assert_eq!(hops, [("/one".to_owned(), 301), ("/two".to_owned(), 307)]);
    assert_eq!(&response.body[..], b"end");
}

#[tokio::test]
async fn redirects_are_limited_and_loops_detected() {
    let chain = Site::serve(|seen| {
        let hop: usize = seen.path()[1..].parse().unwrap();
        redirect(302, &format!("/{}", hop + 1))
    })
    .await;
    let error = get(chain.url("a.test", "/0")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooManyRedirects);
    assert_eq!(chain.seen().len(), 21, "the first request and 20 redirects");

    let mut request = Request::get(chain.url("a.test", "/0"));
    request.max_redirects = Some(3);
    let error = fetcher().fetch(request, &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooManyRedirects);
    assert_eq!(chain.seen().len(), 21 + 4);

    for (name, targets, requests) in
        [("itself", vec!["/0"], 1), ("two", vec!["/1", "/0"], 2), ("by fragment", vec!["/0#x"], 1)]
    {
        let site = Site::serve(move |seen| {
            let hop: usize = seen.path()[1..].parse().unwrap();
            redirect(302, targets[hop])
        })
        .await;
        let error = get(site.url("a.test", "/0")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RedirectLoop, "{name}");
        assert_eq!(site.seen().len(), requests, "{name}");
    }
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_is_the_response() {
    let site = Site::serve(|_| redirect(302, "/elsewhere")).await;
    let mut request = Request::get(site.url("a.test", "/"));
    request.max_redirects = Some(0);
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.status, response.header("location")), (302, Some("/elsewhere")));
}

#[tokio::test]
async fn a_redirect_without_a_location_is_a_response_and_a_broken_one_an_error() {
    let missing = Site::serve(|_| super::support::answer(302, &[], b"gone")).await;
    let response = get(missing.url("a.test", "/")).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (302, &b"gone"[..]));

    let broken = Site::serve(|_| redirect(302, "http://[")).await;
    assert_eq!(get(broken.url("a.test", "/")).await.unwrap_err().kind(), ErrorKind::Protocol);
}

#[tokio::test]
async fn methods_and_bodies_change_by_status() {
    for (status, expected) in [
        (301, "GET /next HTTP/1.1"),
        (302, "GET /next HTTP/1.1"),
        (303, "GET /next HTTP/1.1"),
        (307, "POST /next HTTP/1.1"),
        (308, "POST /next HTTP/1.1"),
    ] {
        let site =
            Site::serve(move |seen| if seen.path() == "/" { redirect(status, "/next") } else { page("") })
                .await;
        let request =
            Request::post(site.url("a.test", "/"), "{}").header("content-type", "application/json").unwrap();
        fetcher().fetch(request, &FollowAll).await.unwrap();
        let seen = site.seen();
        assert_eq!(seen[1].line(), expected, "{status}");
        let kept = expected.starts_with("POST");
        assert_eq!(seen[1].body == b"{}", kept, "{status}");
        assert_eq!(seen[1].header("content-type").is_some(), kept, "{status}");
    }
}

#[tokio::test]
async fn another_origin_gets_no_headers_of_the_caller() {
    let secret = ["authorization", "cookie", "x-api-key", "x-custom", "referer"];
    let identity = Identity::new("a.test");
    let other = Site::serve(|_| page("")).await;
    let other_tls = Site::serve_tls(acceptor(&identity, &[]), |_| page("")).await;
    let rows = [
        ("host", false, other.url("b.test", "/")),
        ("subdomain", false, other.url("sub.a.test", "/")),
        ("port", false, other.url("a.test", "/")),
        ("scheme up", false, other_tls.https("a.test", "/")),
        ("scheme down", true, other.url("a.test", "/")),
    ];
    let (mut leaked, mut checked) = (0, 0);
    for (change, first_is_tls, target) in rows {
        let answer = move |_: &super::support::Seen| redirect(302, target.as_str());
        let first = match first_is_tls {
            true => Site::serve_tls(acceptor(&identity, &[]), answer).await,
            false => Site::serve(answer).await,
        };
        let url = if first_is_tls { first.https("a.test", "/") } else { first.url("a.test", "/") };
        let mut request = Request::get(url);
        request.skip_tls_verification = true;
        for name in secret {
            request = request.header(name, "hunter2").unwrap();
        }
        fetcher().fetch(request, &FollowAll).await.unwrap();
        assert!(first.seen()[0].head.contains("hunter2"), "{change}: the first origin gets them");
        let seen = [other.seen(), other_tls.seen()].concat();
        for name in secret {
            checked += 1;
            leaked += usize::from(seen.iter().any(|seen| seen.header(name).is_some()));
        }
    }
    assert_eq!((leaked, checked), (0, 25));
}

#[tokio::test]
async fn a_redirect_back_does_not_restore_removed_headers() {
    let site = Site::serve(|seen| match seen.path() {
        "/start" => redirect(302, "/same"),
        "/same" => {
            let port = seen.header("host").unwrap().rsplit(':').next().unwrap().to_owned();
            redirect(302, &format!("http://b.test:{port}/away"))
        }
        "/away" => {
            let port = seen.header("host").unwrap().rsplit(':').next().unwrap().to_owned();
            redirect(302, &format!("http://a.test:{port}/back"))
        }
        _ => page(""),
    })
    .await;
    let request = Request::get(site.url("a.test", "/start")).header("x-api-key", "hunter2").unwrap();
    fetcher().fetch(request, &FollowAll).await.unwrap();
    let with_key: Vec<bool> = site.seen().iter().map(|seen| seen.header("x-api-key").is_some()).collect();
    assert_eq!(with_key, [true, true, false, false]);
}

/// Records its calls and refuses one path.
#[derive(Default)]
struct Recorder(Mutex<Vec<(String, String)>>);

impl RedirectCheck for Recorder {
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            self.0.lock().unwrap().push((from.path().to_owned(), to.path().to_owned()));
            if to.path() == "/forbidden" {
                return Err(RedirectRefused::new("robots.txt forbids it").with_code(ErrorCode::CrawlDenial));
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn the_caller_is_asked_before_each_hop() {
    let site = Site::serve(|seen| match seen.path() {
        "/a" => redirect(302, "/b"),
        _ => redirect(302, "/forbidden"),
    })
    .await;
    let recorder = Recorder::default();
    let error = fetcher().fetch(Request::get(site.url("a.test", "/a")), &recorder).await.unwrap_err();
    assert!(error.is_blocked() && !error.is_egress_denied());
    assert_eq!((error.kind(), error.code()), (ErrorKind::RedirectRefused, ErrorCode::CrawlDenial));
    assert!(error.to_string().contains("robots.txt forbids it"));
    let calls = recorder.0.into_inner().unwrap();
    assert_eq!(calls, [("/a".to_owned(), "/b".to_owned()), ("/b".to_owned(), "/forbidden".to_owned())]);
    assert_eq!(site.seen().len(), 2, "the forbidden page was not requested");
}

#[tokio::test]
async fn credentials_in_urls_are_not_sent() {
    let site = Site::serve(|seen| match seen.path() {
        "/" => {
            let host = seen.header("host").unwrap();
            redirect(302, &format!("http://user:hunter2@{host}/in"))
        }
        _ => page(""),
    })
    .await;
    let response = get(site.url("a.test", "/")).await.unwrap();
    assert_eq!((response.url.username(), response.url.password()), ("", None));
    assert!(site.seen().iter().all(|seen| seen.header("authorization").is_none()));

    let error = get(site.url("user:hunter2@a.test", "/")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}
