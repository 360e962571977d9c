use std::sync::Mutex;

use async_trait::async_trait;
use gleaner_fetch::{ErrorKind, FollowAll, RedirectCheck, RedirectRefused, Request};
use gleaner_types::ErrorCode;
use url::Url;

use super::support::{Site, fetcher, get, page, redirect};
use super::tls::{Identity, acceptor};

#[tokio::test]
async fn the_chain_is_reported() {
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
async fn caps_and_circles() {
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
        let circle = Site::serve(move |seen| {
            let hop: usize = seen.path()[1..].parse().unwrap();
            redirect(302, targets[hop])
        })
        .await;
        let error = get(circle.url("a.test", "/0")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RedirectLoop, "{name}");
        assert_eq!(circle.seen().len(), requests, "{name}");
    }
}

#[tokio::test]
async fn none_followed_gives_the_redirect_itself() {
    let site = Site::serve(|_| redirect(302, "/elsewhere")).await;
    let mut request = Request::get(site.url("a.test", "/"));
    request.max_redirects = Some(0);
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.status, response.header("location")), (302, Some("/elsewhere")));
}

#[tokio::test]
async fn a_redirect_to_nowhere_is_an_answer_or_a_failure() {
    let silent = Site::serve(|_| super::support::answer(302, &[], b"gone")).await;
    let response = get(silent.url("a.test", "/")).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (302, &b"gone"[..]));

    let broken = Site::serve(|_| redirect(302, "http://[")).await;
    assert_eq!(get(broken.url("a.test", "/")).await.unwrap_err().kind(), ErrorKind::Protocol);
}

#[tokio::test]
async fn methods_and_bodies() {
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
async fn another_origin_sees_no_header_of_the_callers() {
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
        assert!(first.seen()[0].head.contains("hunter2"), "{change}: the first origin is the one meant");
        let seen = [other.seen(), other_tls.seen()].concat();
        for name in secret {
            checked += 1;
            leaked += usize::from(seen.iter().any(|seen| seen.header(name).is_some()));
        }
    }
    assert_eq!((leaked, checked), (0, 25));
}

#[tokio::test]
async fn the_same_origin_sees_them_and_a_way_back_does_not_restore_them() {
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

/// Remembers what it was asked, and refuses one path.
#[derive(Default)]
struct RenderProxy(Mutex<Vec<(String, String)>>);

#[async_trait]
impl RedirectCheck for RenderProxy {
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefused> {
        self.0.lock().unwrap().push((from.path().to_owned(), to.path().to_owned()));
        if to.path() == "/forbidden" {
            return Err(RedirectRefused::new("robots.txt forbids it").with_code(ErrorCode::CrawlDenial));
        }
        Ok(())
    }
}

#[tokio::test]
async fn the_caller_is_asked_before_each_hop() {
    let site = Site::serve(|seen| match seen.path() {
        "/a" => redirect(302, "/b"),
        _ => redirect(302, "/forbidden"),
    })
    .await;
    let gate = RenderProxy::default();
    let error = fetcher().fetch(Request::get(site.url("a.test", "/a")), &gate).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::RedirectRefused, ErrorCode::CrawlDenial));
    assert!(error.to_string().contains("robots.txt forbids it"));
    let asked = gate.0.into_inner().unwrap();
    assert_eq!(asked, [("/a".to_owned(), "/b".to_owned()), ("/b".to_owned(), "/forbidden".to_owned())]);
    assert_eq!(site.seen().len(), 2, "the forbidden page was not asked for");
}

#[tokio::test]
async fn credentials_in_urls() {
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
