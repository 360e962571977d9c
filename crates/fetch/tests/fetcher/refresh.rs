//! Tests of redirects by the `Refresh` of a page.

use gleaner_fetch::{ErrorKind, FollowAll, RedirectCheck, RedirectRefused, Request};
use gleaner_types::BoxFuture;
use url::Url;

use super::support::{Canary, Site, answer, fetcher, get, page, redirect};

fn meta(target: &str) -> Vec<u8> {
    page(&format!("<!doctype html><title>Moved</title><meta http-equiv=refresh content='0; url={target}'>"))
}

#[tokio::test]
async fn a_page_with_a_refresh_is_a_redirect() {
    let site = Site::serve(|seen| match seen.path() {
        "/meta" => meta("/header"),
        "/header" => answer(200, &[("refresh", "1;url=/end"), ("content-type", "text/html")], b"moved"),
        _ => page("end"),
    })
    .await;
    let response = get(site.url("a.test", "/meta")).await.unwrap();
    assert_eq!(&response.body[..], b"end");
    let hops: Vec<_> = response.hops.iter().map(|hop| (hop.url.path(), hop.status)).collect();
    assert_eq!(hops, [("/meta", 200), ("/header", 200)]);

    let mut request = Request::get(site.url("a.test", "/meta"));
    request.max_redirects = Some(0);
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.url.path(), response.hops.len()), ("/meta", 0));
}

/// Seen as pages that stayed at "Moved", and as wrong pages.
#[tokio::test]
async fn a_refresh_leads_where_a_browser_goes() {
    let late = format!("<style>{}</style>", "p{margin:0}\n".repeat(2_000));
    for html in [
        "<base href='/town/'><meta http-equiv=refresh content='0;url=mill?a=1'>".to_owned(),
        "<body><p>Moved.<meta http-equiv=refresh content='0; URL = \"/town/mill?a=1\"'>".to_owned(),
        "<meta http-equiv=refresh content='0;url=&#x2F;town&sol;mill?a&#61;1'>".to_owned(),
        format!("{late}<meta http-equiv=refresh content='0;url=/town/mill?a=1'>"),
    ] {
        let start = html.clone();
        let site =
            Site::serve(move |seen| page(if seen.path() == "/old/mill" { &start } else { "end" })).await;
        let response = get(site.url("a.test", "/old/mill")).await.unwrap();
        assert_eq!((response.url.path(), response.url.query()), ("/town/mill", Some("a=1")), "{html}");
    }
}

#[tokio::test]
async fn a_page_with_a_forbidden_refresh_is_the_response() {
    let canary = Canary::on("127.0.0.1:0");
    let port = canary.port();
    for (target, is_response) in [
        (format!("http://127.0.0.1:{port}/"), true),
        ("http://169.254.169.254/latest/".to_owned(), true),
        ("http://a.test:25/".to_owned(), true),
        // The address of a name is known only after the redirect is followed.
        (format!("//closed.test:{port}/"), false),
    ] {
        for by_header in [true, false] {
            let target = target.clone();
            let site = Site::serve(move |_| match by_header {
                true => answer(
                    200,
                    &[("refresh", &format!("0;url={target}")), ("content-type", "text/html")],
                    b"moved",
                ),
                false => meta(&target),
            })
            .await;
            match get(site.url("a.test", "/")).await {
                Ok(response) => assert!(is_response && response.url.path() == "/", "{response:?}"),
                Err(error) => assert!(!is_response && error.kind() == ErrorKind::Blocked, "{error}"),
            }
        }
    }
    assert_eq!(canary.connections(), 0);

    let site = Site::serve(|seen| meta(if seen.path() == "/a" { "/b" } else { "/a" })).await;
    let response = get(site.url("a.test", "/a")).await.unwrap();
    // The first page of the loop, which has the requested URL.
    assert_eq!((response.url.path(), response.hops.len()), ("/a", 0));
    assert_eq!(site.seen().len(), 2);
}

/// Refuses redirects to `/out`.
struct Inside;

impl RedirectCheck for Inside {
    fn check<'a>(&'a self, _: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            if to.path() == "/out" { Err(RedirectRefused::new("it leads out")) } else { Ok(()) }
        })
    }
}

#[tokio::test]
async fn a_page_with_a_refused_refresh_keeps_its_redirects() {
    let site = Site::serve(|seen| match seen.path() {
        "/" => redirect(302, "/sends-on"),
        "/sends-on" => meta("/out"),
        _ => page("out"),
    })
    .await;
    let request = Request::get(site.url("a.test", "/"));
    let response = fetcher().fetch(request, &Inside).await.unwrap();
    assert_eq!((response.status, response.url.path()), (200, "/sends-on"));
    assert!(response.body.starts_with(b"<!doctype html><title>Moved"));
    let hops: Vec<_> = response.hops.iter().map(|hop| (hop.url.path(), hop.status)).collect();
    assert_eq!(hops, [("/", 302)]);
    assert_eq!(site.seen().len(), 2);
}

#[tokio::test]
async fn headers_of_the_caller_stay_with_their_origin() {
    let other = Site::serve(|_| page("")).await;
    let target = other.url("b.test", "/").to_string();
    let site = Site::serve(move |_| meta(&target)).await;
    let request = Request::get(site.url("a.test", "/")).header("x-api-key", "hunter2").unwrap();
    fetcher().fetch(request, &FollowAll).await.unwrap();
    assert!(other.seen()[0].header("x-api-key").is_none());
}

#[tokio::test]
async fn pages_that_stay_are_the_response() {
    for body in [
        "<meta http-equiv=refresh content='300;url=/next'>",
        "<meta http-equiv=refresh content='0;url=/'>",
        "<meta http-equiv=refresh content='0;url=file:///etc/passwd'>",
        "<meta http-equiv=refresh content='0;url=mailto:a@b.example'>",
    ] {
        let site = Site::serve(move |_| page(body)).await;
        assert_eq!(&get(site.url("a.test", "/")).await.unwrap().body[..], body.as_bytes());
        assert_eq!(site.seen().len(), 1);
    }
}
