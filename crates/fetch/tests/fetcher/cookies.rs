//! Tests of cookies: jobs, hosts and redirects.

use gleaner_fetch::{CookieJar, ErrorKind, FollowAll, Request};

use super::support::{Seen, Site, answer, fetcher, get, page};

fn cookie(seen: &Seen) -> Option<String> {
    seen.header("cookie").map(str::to_owned)
}

#[tokio::test]
async fn jobs_do_not_share_cookies() {
    let site =
        Site::serve(|_| answer(200, &[("content-type", "text/html"), ("set-cookie", "k=v; Path=/")], b""))
            .await;
    let fetcher = fetcher();
    let (one, other) = (CookieJar::new(), CookieJar::new());
    for jar in [Some(&one), Some(&one), Some(&other), None, None] {
        let mut request = Request::get(site.url("a.test", "/"));
        request.cookies = jar.cloned();
        fetcher.fetch(request, &FollowAll).await.unwrap();
    }
    let sent: Vec<_> = site.seen().iter().map(cookie).collect();
    assert_eq!(sent, [None, Some("k=v".to_owned()), None, None, None]);
}

#[tokio::test]
async fn a_redirect_back_after_setting_a_cookie_is_not_a_loop() {
    let site = Site::serve(|seen| match cookie(seen) {
        Some(_) => page("welcome"),
        None => answer(302, &[("location", "/"), ("set-cookie", "seen=1")], b""),
    })
    .await;
    let response = get(site.url("a.test", "/")).await.unwrap();
    assert_eq!((&response.body[..], response.hops.len()), (&b"welcome"[..], 1));
}

#[tokio::test]
async fn redirects_with_changing_cookies_end_at_the_limit() {
    let site = Site::serve(|seen| {
        let count = cookie(seen).map_or(0, |text| text["n=".len()..].parse::<u32>().unwrap());
        let next = format!("n={}", count + 1);
        answer(302, &[("location", "/"), ("set-cookie", &next)], b"")
    })
    .await;
    assert_eq!(get(site.url("a.test", "/")).await.unwrap_err().kind(), ErrorKind::TooManyRedirects);
    assert_eq!(site.seen().len(), 21);

    // The same cookie each time is a loop.
    let site = Site::serve(|_| answer(302, &[("location", "/"), ("set-cookie", "n=1")], b"")).await;
    assert_eq!(get(site.url("a.test", "/")).await.unwrap_err().kind(), ErrorKind::RedirectLoop);
    assert_eq!(site.seen().len(), 2);
}

#[tokio::test]
async fn cookies_do_not_cross_to_another_host() {
    let other = Site::serve(|_| page("")).await;
    let target = other.url("b.test", "/");
    let site = Site::serve(move |_| {
        let cookies =
            [("location", target.as_str()), ("set-cookie", "k=1"), ("set-cookie", "t=1; Domain=test")];
        answer(302, &cookies, b"")
    })
    .await;
    get(site.url("a.test", "/")).await.unwrap();
    assert_eq!(other.seen().iter().map(cookie).collect::<Vec<_>>(), [None]);
}

#[tokio::test]
async fn the_callers_cookies_come_first() {
    let site = Site::serve(|_| page("")).await;
    let jar = CookieJar::new();
    let setter =
        Site::serve(|_| answer(200, &[("set-cookie", "theirs=2"), ("content-type", "text/html")], b"")).await;
    for url in [setter.url("a.test", "/"), site.url("a.test", "/")] {
        let mut request = Request::get(url).header("cookie", "mine=1").unwrap();
        request.cookies = Some(jar.clone());
        fetcher().fetch(request, &FollowAll).await.unwrap();
    }
    assert_eq!(cookie(&site.seen()[0]).as_deref(), Some("mine=1; theirs=2"));
}

/// Seen at a gate that sets the region of a visitor and redirects to the page.
#[tokio::test]
async fn cookies_that_are_not_ascii_open_the_gate() {
    let site = Site::serve(|seen| match cookie(seen) {
        Some(cookies) if cookies == "mine=ä; region=Münster" => page("welcome"),
        _ => answer(302, &[("location", "/größe"), ("set-cookie", "region=Münster; Path=/")], b""),
    })
    .await;
    let request = Request::get(site.url("a.test", "/")).header("Cookie", "mine=ä").unwrap();
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!(&response.body[..], b"welcome");
    assert_eq!(response.url.path(), "/gr%C3%B6%C3%9Fe");
}
