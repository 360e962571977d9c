//! The contract of a browser, tested with a small one that loads linked URLs and supports a few actions.

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_fetch::{
    ActionResult, Error, ErrorKind, FollowAll, JarCookie, Load, LoadKind, MAX_BYTES_PER_PAGE,
    MAX_REQUESTS_PER_PAGE, MOBILE_USER_AGENT, Picture, RedirectCheck, RedirectRefused, Render, RenderProxy,
    RenderRequest, Rendered, RenderedPage, Request, Response,
};
use gleaner_testkit::{Canary, ProxyServer, RawServer, Step, hrefs};
use gleaner_types::plan::{Action, ScrapeOptionsPlan, ScrapePlan};
use gleaner_types::{ErrorCode, ProxyUsed};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

use super::support::{fetcher_builder, page, pool};

/// Loads a document of the main frame.
async fn navigate(proxy: &RenderProxy<'_>, url: &Url) -> Result<Response, Error> {
    proxy.fetch(Load::new(Request::get(url.clone()), LoadKind::Navigation)).await
}

/// Loads a page and every URL on it, and counts refused requests.
#[derive(Debug, Default)]
struct FakeBrowser;

#[async_trait]
impl Render for FakeBrowser {
    async fn render(&self, request: &RenderRequest, proxy: &RenderProxy<'_>) -> Result<Rendered, Error> {
        let now = proxy.now();
        let cookies = request.cookies.cookies(now);
        let response = navigate(proxy, &request.url).await?;
        let mut html = String::from_utf8_lossy(&response.body).into_owned();
        let mut refused = 0;
        for address in hrefs(&html) {
            let Ok(url) = request.url.join(&address) else { continue };
            let load = Load::new(Request::get(url), LoadKind::Resource).from_document(response.url.clone());
            refused += u32::from(proxy.fetch(load).await.is_err());
        }
        html.push_str(&format!("<!-- {refused} refused -->"));
        let host = request.url.host_str().unwrap_or_default();
        let by_script = JarCookie::new("by", "script", host);
        request.cookies.merge(&cookies, [&cookies[..], &[by_script]].concat(), now);
        let mut rendered = Rendered::new(response.url, html);
        let picture = || Picture { content_type: "image/png", bytes: Bytes::from_static(b"\x89PNG") };
        for planned in &request.actions {
            match &planned.action {
                Action::Click { selector, .. }
                    if !rendered.html.contains(selector.trim_start_matches('#')) =>
                {
                    return Err(Error::action(&request.url, planned.index, "nothing matches its selector"));
                }
                Action::Screenshot(_) => rendered.results.push(ActionResult::Screenshot(picture())),
                Action::Scrape => rendered
                    .results
                    .push(ActionResult::Scrape { url: rendered.url.clone(), html: rendered.html.clone() }),
                _ => {}
            }
        }
        rendered.screenshot = request.screenshot.as_ref().map(|_| picture());
        Ok(rendered)
    }
}

fn options(body: Value) -> ScrapeOptionsPlan {
    let mut body = body;
    body.as_object_mut().unwrap().insert("url".to_owned(), "https://example.com/".into());
    ScrapePlan::from_json(&body).unwrap().options
}

/// A request to render `url` with these options within a minute.
fn request(url: &str, options: &ScrapeOptionsPlan) -> RenderRequest {
    RenderRequest::new(url.parse().unwrap(), options, Instant::now() + Duration::from_secs(60))
}

async fn render(request: &RenderRequest) -> Result<RenderedPage, Error> {
    fetcher_builder().build().unwrap().render(&FakeBrowser, request, &FollowAll).await
}

#[tokio::test]
async fn every_request_of_a_rendered_page_passes_the_egress_guard() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let body = format!(
        "<a href=\"{0}/secret\"></a><a href=\"http://2130706434:{1}/\"></a>\
         <a href=\"file:///etc/passwd\"></a><b id=more>",
        canary.base_url(),
        canary.addr().port()
    );
    let server = RawServer::start([Step::ReadRequest, page(&body)]).unwrap();
    let plan = options(json!({
        "formats": ["screenshot"],
        "headers": { "X-Mine": "1" },
        "actions": [{ "type": "click", "selector": "#more" }, { "type": "screenshot" }, { "type": "scrape" }],
    }));
    let request = request(&server.base_url(), &plan);
    let rendered = render(&request).await.unwrap().page;
    assert!(rendered.html.contains("3 refused"), "{}", rendered.html);
    assert_eq!(canary.connections(), 0);
    assert!(rendered.screenshot.is_some());
    assert!(matches!(rendered.results[..], [ActionResult::Screenshot(_), ActionResult::Scrape { .. }]));
    assert_eq!(request.cookies.len(), 1);
    assert!(String::from_utf8_lossy(&server.requests()[0]).contains("x-mine: 1"));
    println!("rendered page: 0 of 3 requests to forbidden addresses got through");
}

#[tokio::test]
async fn headers_of_the_request_are_sent_only_to_its_origin() {
    let other = RawServer::start([Step::ReadRequest, page("")]).unwrap();
    let body = format!("<a href=\"{}/x\"></a>", other.base_url());
    let server = RawServer::start([Step::ReadRequest, page(&body)]).unwrap();
    let plan = options(json!({ "headers": { "X-Api-Key": "secret" } }));
    render(&request(&server.base_url(), &plan)).await.unwrap();
    assert!(String::from_utf8_lossy(&server.requests()[0]).contains("secret"));
    assert!(!String::from_utf8_lossy(&other.requests()[0]).contains("secret"));
}

#[tokio::test]
async fn the_number_of_requests_of_a_page_is_limited() {
    let links: String =
        (0..MAX_REQUESTS_PER_PAGE + 20).map(|number| format!("<a href=\"/{number}\"></a>")).collect();
    let server = RawServer::start([Step::ReadRequest, page(&links), Step::Repeat]).unwrap();
    let rendered = render(&request(&server.base_url(), &options(json!({})))).await.unwrap();
    assert!(rendered.page.html.contains("21 refused"));
    assert_eq!(server.requests().len() as u32, MAX_REQUESTS_PER_PAGE);
}

#[tokio::test]
async fn the_error_of_a_failed_action_has_its_index() {
    let server = RawServer::start([Step::ReadRequest, page("")]).unwrap();
    // The wait is two actions of the plan.
    let plan = options(json!({ "actions": [
        { "type": "wait", "milliseconds": 1, "selector": "p" },
        { "type": "click", "selector": "#gone" },
    ] }));
    let error = render(&request(&server.base_url(), &plan)).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Action, ErrorCode::ScrapeActionError));
    assert!(error.to_string().contains("action 1"), "{error}");
}

/// Refuses redirects to another host.
struct SameHost;

#[async_trait]
impl RedirectCheck for SameHost {
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefused> {
        if from.host() == to.host() { Ok(()) } else { Err(RedirectRefused::new("another host")) }
    }
}

/// Follows redirects itself, like a browser.
#[derive(Debug)]
struct RedirectingBrowser;

#[async_trait]
impl Render for RedirectingBrowser {
    async fn render(&self, request: &RenderRequest, proxy: &RenderProxy<'_>) -> Result<Rendered, Error> {
        let mut url = request.url.clone();
        loop {
            let response = navigate(proxy, &url).await?;
            match response.header("location") {
                Some(location) => url = url.join(location).unwrap(),
                None => return Ok(Rendered::new(url, String::new())),
            }
        }
    }
}

#[tokio::test]
async fn a_refused_redirect_of_the_document_is_never_requested() {
    let end = RawServer::start([Step::ReadRequest, page("end"), Step::Repeat]).unwrap();
    let to = format!("http://b.example:{}/", end.addr().port());
    let hop = |to: &str| Step::respond("302 Found", &[("Location", to)], "");
    let steps = [Step::ReadRequest, hop("/next"), Step::ReadRequest, hop(&to), Step::Repeat];
    let start = RawServer::start(steps).unwrap();
    let url = format!("http://a.example:{}/#part", start.addr().port());
    let request = request(&url, &options(json!({})));
    let fetcher = fetcher_builder().build().unwrap();
    let error = fetcher.render(&RedirectingBrowser, &request, &SameHost).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RedirectRefused);
    assert_eq!((start.requests().len(), end.requests().len()), (2, 0));
    fetcher.render(&RedirectingBrowser, &request, &FollowAll).await.unwrap();
    assert_eq!(end.requests().len(), 1);
}

/// Loads this URL 40 times at once. Returns the bytes of all bodies.
async fn load_often(proxy: &RenderProxy<'_>, url: &Url) -> usize {
    let load = || Load::new(Request::get(url.clone()), LoadKind::Resource);
    let mut fetches: Vec<_> = (0..40).map(|_| Box::pin(proxy.fetch(load()))).collect();
    let mut bytes = 0;
    poll_fn(|context| {
        fetches.retain_mut(|fetch| match fetch.as_mut().poll(context) {
            Poll::Ready(response) => {
                bytes += response.map_or(0, |response| response.body.len());
                false
            }
            Poll::Pending => true,
        });
        if fetches.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    bytes
}

#[tokio::test]
async fn concurrent_requests_share_the_byte_limit_of_a_page() {
    const SIZE: usize = 12 * 1024 * 1024;
    // Complete files, and files truncated before their last byte: received bytes count in both cases.
    for (missing, whole) in [(0, 8), (1, 0)] {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            SIZE + missing
        );
        let piece = vec![b'x'; 1 << 20];
        let steps = [
            Step::ReadRequest,
            Step::send(head),
            Step::SendRepeated { bytes: piece.into(), times: SIZE as u64 >> 20 },
            Step::Close,
        ];
        let server = RawServer::start(steps).unwrap();
        let request = request(&server.base_url(), &options(json!({})));
        let fetcher = fetcher_builder().build().unwrap();
        let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
        assert_eq!(load_often(&proxy, &request.url).await, whole * SIZE);
        let max_requests = MAX_BYTES_PER_PAGE as usize / SIZE + 2;
        assert!(server.requests().len() <= max_requests, "{} requests", server.requests().len());
    }
}

#[tokio::test]
async fn all_loads_use_the_proxies_that_the_document_came_through() {
    let refusal = || Step::respond("403 Forbidden", &[("Content-Type", "text/html")], "go away");
    let welcome = || page("<p>welcome");
    // The scripts of the connections, the status of a resource, and the proxies of both.
    let rows = [
        (
            vec![
                vec![Step::ReadRequest, refusal(), Step::Close],
                vec![Step::ReadRequest, welcome(), Step::Repeat],
            ],
            200,
            ProxyUsed::Stealth,
        ),
        (
            vec![vec![Step::ReadRequest, welcome(), Step::ReadRequest, refusal(), Step::Repeat]],
            403,
            ProxyUsed::Basic,
        ),
    ];
    for (scripts, status, used) in rows {
        let server = RawServer::start_per_connection(scripts).unwrap();
        let proxies = ProxyServer::start().unwrap();
        let stealth = pool(&[&format!("http://{}", proxies.addr())]);
        let fetcher = fetcher_builder().stealth_proxies(stealth).build().unwrap();
        let request = request(&server.base_url(), &options(json!({ "proxy": "auto" })));
        let proxy = RenderProxy::new(&fetcher, &request, &FollowAll);
        let document = navigate(&proxy, &request.url).await.unwrap();
        assert_eq!((document.status, document.proxy_used), (200, used));
        let resource = Load::new(Request::get(request.url.clone()), LoadKind::Resource);
        let resource = proxy.fetch(resource).await.unwrap();
        assert_eq!((resource.status, resource.proxy_used), (status, used));
        assert_eq!(proxies.destinations().len(), usize::from(used == ProxyUsed::Stealth));
    }
}

#[test]
fn a_page_has_the_user_agent_of_other_requests_and_with_stealth_that_of_the_browser() {
    let fetcher = fetcher_builder().user_agent("mine/1.0").build().unwrap();
    for (body, expected) in [
        (json!({}), Some("mine/1.0")),
        (json!({ "proxy": "basic" }), Some("mine/1.0")),
        (json!({ "mobile": true }), Some(MOBILE_USER_AGENT)),
        (json!({ "proxy": "stealth" }), None),
        (json!({ "proxy": "stealth", "mobile": true }), None),
        (json!({ "headers": { "User-Agent": "theirs" } }), Some("theirs")),
        (json!({ "headers": { "user-agent": "theirs" }, "proxy": "stealth" }), Some("theirs")),
    ] {
        let mut request = request("https://example.com/", &options(body.clone()));
        fetcher.identify(&mut request);
        let agent = request.user_agent.as_ref().map(|agent| agent.to_str().unwrap());
        assert_eq!(agent, expected, "{body}");
    }
}
