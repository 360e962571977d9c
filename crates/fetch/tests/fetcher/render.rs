//! The network of a rendered page: where its main frame may go, what its loads carry, and the facts of its
//! document.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gleaner_fetch::{
    ActionResult, Error, ErrorKind, FollowAll, JarCookie, Load, LoadKind, MAX_RESULTS_BYTES_PER_PAGE,
    RedirectCheck, RedirectRefused, Render, RenderProxy, RenderRequest, Rendered, Request,
};
use gleaner_types::plan::ScrapePlan;
use gleaner_types::{BoxFuture, ProxyUsed};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

use super::support::{Seen, Site, answer, builder, fetcher, page, redirect};

/// Permits every URL except `/refused`, and records the paths that it was asked about.
#[derive(Default)]
struct Recorder(Mutex<Vec<(String, String)>>);

impl RedirectCheck for Recorder {
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            self.0.lock().unwrap().push((from.path().to_owned(), to.path().to_owned()));
            if to.path() == "/refused" { Err(RedirectRefused::new("not there")) } else { Ok(()) }
        })
    }
}

impl Recorder {
    fn assert_asked(&self, expected: &[(&str, &str)]) {
        let asked = self.0.lock().unwrap();
        let asked: Vec<(&str, &str)> = asked.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(asked, expected);
    }
}

/// A request to render `url` with these options within 30 seconds.
fn request(url: Url, mut options: Value) -> RenderRequest {
    options.as_object_mut().unwrap().insert("url".to_owned(), "https://example.com/".into());
    let options = ScrapePlan::from_json(&options).unwrap().options;
    RenderRequest::new(url, &options, Instant::now() + Duration::from_secs(30))
}

fn load(url: &Url, kind: LoadKind, document: Option<&Url>) -> Load {
    let load = Load::new(Request::get(url.clone()), kind);
    match document {
        Some(document) => load.from_document(document.clone()),
        None => load,
    }
}

fn paths(site: &Site) -> Vec<String> {
    site.seen().iter().map(|seen| seen.path().to_owned()).collect()
}

/// A URL of another host on the server that got this request.
fn at(host: &str, path: &str, seen: &Seen) -> String {
    let port = seen.header("host").and_then(|host| host.split(':').nth(1)).unwrap();
    format!("http://{host}:{port}{path}")
}

#[tokio::test]
async fn a_navigation_of_a_script_is_checked_before_its_request() {
    let site = Site::serve(|_| page("text")).await;
    let first = site.url("a.test", "/first");
    let (fetcher, request, recorder) = (fetcher(), request(first.clone(), json!({})), Recorder::default());
    let proxy = RenderProxy::new(&fetcher, &request, &recorder);
    proxy.fetch(load(&first, LoadKind::Navigation, None)).await.unwrap();
    let refused = site.url("a.test", "/refused");
    let error = proxy.fetch(load(&refused, LoadKind::Navigation, Some(&first))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RedirectRefused);
    // A reload, frames and resources need no permission.
    proxy.fetch(load(&first, LoadKind::Navigation, Some(&first))).await.unwrap();
    proxy.fetch(load(&refused, LoadKind::Frame, Some(&first))).await.unwrap();
    proxy.fetch(load(&refused, LoadKind::Resource, Some(&first))).await.unwrap();
    let second = site.url("b.test", "/second");
    proxy.fetch(load(&second, LoadKind::Navigation, Some(&first))).await.unwrap();
    proxy.fetch(load(&refused, LoadKind::Navigation, Some(&second))).await.unwrap_err();
    recorder.assert_asked(&[("/first", "/refused"), ("/first", "/second"), ("/second", "/refused")]);
    assert_eq!(paths(&site), ["/first", "/first", "/refused", "/refused", "/second"]);
    let forbidden = "http://10.0.0.1/".parse().unwrap();
    let error = proxy.fetch(load(&forbidden, LoadKind::Navigation, Some(&second))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Blocked, "the policy decides first");
    recorder.assert_asked(&[("/first", "/refused"), ("/first", "/second"), ("/second", "/refused")]);
}

#[tokio::test]
async fn the_target_of_a_redirect_is_checked_once() {
    let site = Site::serve(|seen| match seen.path() {
        "/first" => redirect(302, "/middle"),
        "/middle" => redirect(301, "/end#part"),
        _ => page("end"),
    })
    .await;
    let (fetcher, recorder) = (fetcher(), Recorder::default());
    let request = request(site.url("a.test", "/first"), json!({}));
    let rendered = fetcher.render(&Browser::default(), &request, &recorder).await.unwrap();
    assert_eq!(rendered.page.url.path(), "/end");
    recorder.assert_asked(&[("/first", "/middle"), ("/middle", "/end")]);
    assert_eq!(paths(&site), ["/first", "/middle", "/end"]);
}

#[tokio::test]
async fn redirects_of_a_rendered_page_are_bounded() {
    let site = Site::serve(|_| redirect(302, "/again")).await;
    let request = request(site.url("a.test", "/"), json!({}));
    let error = fetcher().render(&Browser::default(), &request, &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooManyRedirects);
    assert_eq!(site.seen().len(), 21);
}

#[tokio::test]
async fn a_redirect_of_a_rendered_page_must_have_a_valid_target() {
    for (location, kind) in [("http://[", ErrorKind::Protocol), ("file:///etc/passwd", ErrorKind::Scheme)] {
        let site = Site::serve(move |_| redirect(302, location)).await;
        let request = request(site.url("a.test", "/"), json!({}));
        let error = fetcher().render(&Browser::default(), &request, &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{location}");
    }
}

#[tokio::test]
async fn an_answer_without_a_document_keeps_the_old_one() {
    let site = Site::serve(|seen| match seen.path() {
        "/file" => {
            let headers =
                [("content-type", "text/html"), ("content-disposition", "Attachment; filename=\"a.html\"")];
            answer(200, &headers, b"<p>file")
        }
        "/empty" => answer(204, &[], b""),
        _ => page("text"),
    })
    .await;
    let urls = ["/first", "/file", "/empty", "/second"].map(|path| site.url("a.test", path));
    let (fetcher, recorder) = (fetcher(), Recorder::default());
    let request_first = request(urls[0].clone(), json!({}));
    let proxy = RenderProxy::new(&fetcher, &request_first, &recorder);
    for url in &urls {
        proxy.fetch(load(url, LoadKind::Navigation, None)).await.unwrap();
        assert!(!proxy.is_other_document(), "{url}");
    }
    recorder.assert_asked(&[("/first", "/file"), ("/first", "/empty"), ("/first", "/second")]);
    // As the first answer, a file is the document.
    let request_file = request(urls[1].clone(), json!({}));
    let rendered = fetcher.render(&Browser::default(), &request_file, &FollowAll).await.unwrap();
    assert_eq!(rendered.document.other_body.as_deref(), Some(&b"<p>file"[..]));
}

#[tokio::test]
async fn headers_of_the_caller_are_for_documents_of_the_first_origin() {
    use LoadKind::{Frame, Navigation, Resource};
    let site = Site::serve(|_| page("text")).await;
    let (a, b) = (site.url("a.test", "/"), site.url("b.test", "/"));
    let (fetcher, request) = (fetcher(), request(a.clone(), json!({ "headers": { "X-Api-Key": "secret" } })));
    let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
    let rows = [
        ("first load", &a, Navigation, None, true),
        ("its resource", &a, Resource, Some(&a), true),
        ("its frame", &a, Frame, Some(&a), true),
        ("a resource of another origin", &b, Resource, Some(&a), false),
        ("a document of another origin", &b, Navigation, Some(&a), false),
        ("a resource that the other document embeds", &a, Resource, Some(&b), false),
        ("the same, if the engine does not name the document", &a, Resource, None, false),
        ("the same, if the engine names the document before it", &a, Resource, Some(&a), false),
        ("a frame that the other document embeds", &a, Frame, Some(&b), false),
        ("a form that the other document sends", &a, Navigation, Some(&b), false),
        ("a resource once the first origin is back", &a, Resource, Some(&a), true),
    ];
    for (name, url, kind, document, sent) in rows {
        proxy.fetch(load(url, kind, document)).await.unwrap();
        let seen = site.seen();
        assert_eq!(seen.last().unwrap().header("x-api-key"), sent.then_some("secret"), "{name}");
    }
    proxy.fetch(load(&b, Navigation, Some(&a))).await.unwrap();
    proxy.restart();
    proxy.fetch(load(&a, Navigation, None)).await.unwrap();
    assert!(
        site.seen().last().unwrap().header("x-api-key").is_some(),
        "a restart begins with the first load"
    );
}

#[tokio::test]
async fn a_redirect_through_another_origin_loses_the_headers_of_the_caller() {
    let site = Site::serve(|seen| match seen.path() {
        "/" => redirect(302, &at("b.test", "/through", seen)),
        "/through" => redirect(302, &at("a.test", "/back", seen)),
        _ => page("end"),
    })
    .await;
    let request = request(site.url("a.test", "/"), json!({ "headers": { "X-Api-Key": "secret" } }));
    fetcher().render(&Browser::default(), &request, &FollowAll).await.unwrap();
    let sent: Vec<bool> = site.seen().iter().map(|seen| seen.header("x-api-key").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn cookies_belong_to_the_browser() {
    let site =
        Site::serve(|_| answer(200, &[("content-type", "text/html"), ("set-cookie", "s=1")], b"text")).await;
    let url = site.url("a.test", "/");
    for (headers, expected) in [(json!({}), "b=1; c=2"), (json!({ "Cookie": "u=1" }), "u=1; b=1; c=2")] {
        let fetcher = fetcher();
        let request = request(url.clone(), json!({ "headers": headers }));
        let now = SystemTime::now();
        request.cookies.merge(&[], vec![JarCookie::new("jar", "1", "a.test")], now);
        let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
        let mut first = load(&url, LoadKind::Navigation, None);
        first.request = first.request.header("cookie", "b=1; c=2").unwrap();
        let response = proxy.fetch(first).await.unwrap();
        assert_eq!(response.header("set-cookie"), Some("s=1"));
        let seen = site.seen();
        let head = &seen.last().unwrap().head;
        assert_eq!(seen.last().unwrap().header("cookie"), Some(expected), "{head}");
        assert_eq!(head.to_lowercase().matches("cookie:").count(), 1, "{head}");
        let names: Vec<String> = request.cookies.cookies(now).into_iter().map(|cookie| cookie.name).collect();
        assert_eq!(names, ["jar"], "the proxy stores none");
    }
}

#[tokio::test]
async fn headers_of_the_browser_are_sent_as_they_are() {
    let site = Site::serve(|_| page("text")).await;
    let url = site.url("a.test", "/");
    let fetcher = fetcher();
    let options = json!({ "mobile": true, "location": { "country": "DE", "languages": ["de"] } });
    let request = request(url.clone(), options);
    let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
    let mut picture = load(&url, LoadKind::Resource, None);
    picture.request = picture
        .request
        .headers([
            ("user-agent", "Theirs/1"),
            ("accept", "image/avif,application/signed-exchange;v=b3;q=0.7,*/*;q=0.8"),
            ("sec-fetch-dest", "image"),
        ])
        .unwrap();
    proxy.fetch(picture).await.unwrap();
    let seen = site.seen();
    let mut lines: Vec<&str> = seen[0].head.lines().skip(1).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    let host = format!("host: a.test:{}", site.address.port());
    let expected = [
        "accept-encoding: gzip, deflate, br, zstd",
        "accept: image/avif,*/*;q=0.8",
        &host,
        "sec-fetch-dest: image",
        "user-agent: Theirs/1",
    ];
    assert_eq!(lines, expected);
}

/// Loads the page, follows its redirects, and returns HTML and results of its own.
#[derive(Debug, Default)]
struct Browser {
    results: Vec<ActionResult>,
    /// The path of the URL at the end, as a script sets it.
    end: Option<&'static str>,
}

const RENDERED: &str = "<p>rendered";

impl Render for Browser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let mut url = request.url.clone();
            loop {
                let response = proxy.fetch(load(&url, LoadKind::Navigation, None)).await?;
                let Some(location) = response.header("location") else { break };
                url = url.join(location).unwrap();
            }
            if let Some(end) = self.end {
                url.set_path(end);
            }
            let mut page = Rendered::new(url, RENDERED.to_owned());
            page.results.clone_from(&self.results);
            Ok(page)
        })
    }
}

#[tokio::test]
async fn facts_are_those_of_the_last_document() {
    let site = Site::serve(|seen| match seen.path() {
        "/" => redirect(302, "/busy"),
        _ => answer(
            503,
            &[
                ("content-type", "Text/HTML; charset=latin1"),
                ("retry-after", "7"),
                ("x-robots-tag", "nofollow"),
            ],
            b"<p>busy",
        ),
    })
    .await;
    let request = request(site.url("a.test", "/"), json!({}));
    let rendered = fetcher().render(&Browser::default(), &request, &FollowAll).await.unwrap();
    assert_eq!(rendered.page.html, RENDERED);
    let document = rendered.document;
    assert_eq!((document.status, document.proxy_used), (503, ProxyUsed::Basic));
    assert_eq!(document.content_type.as_deref(), Some("Text/HTML; charset=latin1"));
    assert_eq!(document.retry_after, Some(Duration::from_secs(7)));
    assert_eq!(document.headers.get("x-robots-tag").unwrap(), "nofollow");
    assert_eq!(document.other_body, None);
    assert!(!format!("{document:?}").contains("nofollow"), "{document:?}");
}

#[tokio::test]
async fn the_body_of_a_document_that_is_not_html_is_kept() {
    let rows = [
        ("text/html", &b"<p>text"[..], None),
        ("application/xhtml+xml", b"<html xmlns=\"http://www.w3.org/1999/xhtml\"/>", None),
        ("", b"<!doctype html><p>text", None),
        ("application/pdf", b"%PDF-1.7", Some("application/pdf")),
        ("text/html", b"%PDF-1.7", Some("application/pdf")),
        ("application/json", b"{}", Some("application/json")),
        ("text/plain; charset=utf-8", b"words", Some("text/plain; charset=utf-8")),
        ("application/rss+xml", b"<rss/>", Some("application/rss+xml")),
        ("image/png", b"\x89PNG\r\n\x1a\n", Some("image/png")),
    ];
    for (declared, body, other) in rows {
        let site = Site::serve(move |_| {
            let headers = [("content-type", declared)];
            answer(200, if declared.is_empty() { &[] } else { &headers }, body)
        })
        .await;
        let request = request(site.url("a.test", "/"), json!({}));
        let document = fetcher().render(&Browser::default(), &request, &FollowAll).await.unwrap().document;
        assert_eq!(document.other_body.as_deref(), other.map(|_| body), "{declared}");
        if let Some(other) = other {
            assert_eq!(document.content_type.as_deref(), Some(other), "{declared}");
        }
        let fetcher = fetcher();
        let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
        assert!(!proxy.is_other_document());
        proxy.fetch(load(&request.url, LoadKind::Navigation, None)).await.unwrap();
        assert_eq!(proxy.is_other_document(), other.is_some(), "{declared}");
    }
}

#[tokio::test]
async fn what_an_engine_returns_is_checked() {
    let site = Site::serve(|_| page("x")).await;
    let request = request(site.url("a.test", "/"), json!({}));
    let refused = Browser { end: Some("/refused"), ..Browser::default() };
    let error = fetcher().render(&refused, &request, &Recorder::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RedirectRefused, "a script changed the URL");
    let small = builder().max_body(RENDERED.len() as u64 - 1).build().unwrap();
    let error = small.render(&Browser::default(), &request, &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    let file = Bytes::from(vec![0; MAX_RESULTS_BYTES_PER_PAGE as usize]);
    for (bytes, fits) in [(0, true), (1, false)] {
        let more = Bytes::from(vec![0; bytes]);
        let results = vec![ActionResult::Pdf(file.clone()), ActionResult::Pdf(more)];
        let outcome = fetcher()
            .render(&Browser { results, end: None }, &request, &FollowAll)
            .await
            .map_err(|e| e.kind());
        assert_eq!(outcome.err(), (!fits).then_some(ErrorKind::TooLarge));
    }
    let error = fetcher().render(&Idle, &request, &FollowAll).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Render);
}

/// Returns a page that it did not load.
#[derive(Debug)]
struct Idle;

impl Render for Idle {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        _: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move { Ok(Rendered::new(request.url.clone(), RENDERED.to_owned())) })
    }
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

/// Loads the page and never returns.
#[derive(Debug)]
struct Endless;

impl Render for Endless {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            Browser::default().render(request, proxy).await?;
            std::future::pending().await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_check_of_a_navigation_extends_the_deadline() {
    let site =
        Site::serve(|seen| if seen.path() == "/" { redirect(302, "/next") } else { page("there") }).await;
    for (engine, seconds) in [(&Browser::default() as &dyn Render, 300), (&Endless, 330)] {
        let request = request(site.url("a.test", "/"), json!({}));
        let started = Instant::now();
        let outcome = fetcher().render(engine, &request, &SlowCheck).await;
        let error = outcome.err().map(|error| error.to_string());
        assert_eq!(started.elapsed().as_secs(), seconds, "{error:?}");
        let late = error.is_some_and(|text| text.ends_with("30000 ms ran out while rendering"));
        assert_eq!(late, seconds == 330);
    }
}
