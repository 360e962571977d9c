use gleaner_fetch::{ErrorKind, FollowAll, Request};

use super::support::{Canary, Site, answer, fetcher, get, page};

fn meta(target: &str) -> Vec<u8> {
    page(&format!("<!doctype html><title>Moved</title><meta http-equiv=refresh content='0; url={target}'>"))
}

#[tokio::test]
async fn a_page_that_only_sends_on_is_a_redirect() {
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

#[tokio::test]
async fn it_passes_the_same_checks() {
    let canary = Canary::on("127.0.0.1:0");
    let port = canary.port();
    for (target, kind) in [
        (format!("http://127.0.0.1:{port}/"), ErrorKind::Blocked),
        (format!("//closed.test:{port}/"), ErrorKind::Blocked),
        ("http://169.254.169.254/latest/".to_owned(), ErrorKind::Blocked),
        ("http://a.test:25/".to_owned(), ErrorKind::Port),
    ] {
        for by_header in [true, false] {
            let target = target.clone();
            let site = Site::serve(move |_| match by_header {
                true => answer(
                    200,
                    &[("refresh", &format!("0;url={target}")), ("content-type", "text/html")],
                    b"",
                ),
                false => meta(&target),
            })
            .await;
            assert_eq!(get(site.url("a.test", "/")).await.unwrap_err().kind(), kind);
        }
    }
    assert_eq!(canary.connections(), 0);

    let circle = Site::serve(|seen| meta(if seen.path() == "/a" { "/b" } else { "/a" })).await;
    assert_eq!(get(circle.url("a.test", "/a")).await.unwrap_err().kind(), ErrorKind::RedirectLoop);

    let other = Site::serve(|_| page("")).await;
    let target = other.url("b.test", "/").to_string();
    let site = Site::serve(move |_| meta(&target)).await;
    let request = Request::get(site.url("a.test", "/")).header("x-api-key", "hunter2").unwrap();
    fetcher().fetch(request, &FollowAll).await.unwrap();
    assert!(other.seen()[0].header("x-api-key").is_none());
}

#[tokio::test]
async fn pages_that_stay_are_left_alone() {
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
