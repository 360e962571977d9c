//! The contract of a browser, tested with a small one that loads linked URLs and supports a few actions.

use bytes::Bytes;
use gleaner_fetch::{
    ActionResult, Error, FollowAll, JarCookie, Load, LoadKind, MAX_BYTES_PER_PAGE, MAX_REQUESTS_PER_PAGE,
    MOBILE_USER_AGENT, Picture, Render, RenderProxy, RenderRequest, Rendered, RenderedPage, Request,
    Response, conformance,
};
use gleaner_testkit::{Canary, ProxyServer, RawServer, Step, hrefs};
use gleaner_types::plan::{Action, ScrapeOptionsPlan, ScrapePlan};
use gleaner_types::{BoxFuture, ProxyUsed};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use url::Url;

use super::support::{fetcher_builder, page, pool};

/// Loads a document of the main frame.
async fn navigate(proxy: &RenderProxy<'_>, url: &Url) -> Result<Response, Error> {
    proxy.fetch(Load::new(Request::get(url.clone()), LoadKind::Navigation)).await
}

/// Loads a page, its links, and what it embeds by `src`, and counts refused requests.
#[derive(Debug, Default)]
struct FakeBrowser;

impl Render for FakeBrowser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let before = request.cookies.cookies(proxy.now());
            let mut cookies = before.clone();
            let mut url = request.url.clone();
            let response = loop {
                let load = Load::new(with_cookies(&url, &cookies)?, LoadKind::Navigation);
                let response = proxy.fetch(load).await?;
                cookies.extend(cookie_of(&response));
                let target = response.header("location").and_then(|location| url.join(location).ok());
                match target {
                    Some(target) => url = target,
                    None => break response,
                }
            };
            let mut page = Rendered::new(url.clone(), String::from_utf8_lossy(&response.body).into_owned());
            let mut refused = 0;
            for address in hrefs(&page.html).into_iter().chain(sources(&page.html)) {
                let Ok(to) = url.join(&address) else { continue };
                let load =
                    Load::new(with_cookies(&to, &cookies)?, LoadKind::Resource).from_document(url.clone());
                match timeout(proxy.remaining() / 2, proxy.fetch(load)).await {
                    Ok(outcome) => refused += u32::from(outcome.is_err()),
                    Err(_) => page.warnings.push(format!("{to} did not come in time")),
                }
            }
            page.html.push_str(&format!("<!-- {refused} refused -->"));
            cookies.push(JarCookie::new("by", "script", url.host_str().unwrap_or_default()));
            request.cookies.merge(&before, cookies, proxy.now());
            let picture = || Picture::new("image/png", Bytes::from_static(b"\x89PNG"));
            for planned in &request.actions {
                match &planned.action {
                    Action::Click { selector, .. }
                        if !page.html.contains(selector.trim_start_matches('#')) =>
                    {
                        return Err(Error::action(&url, planned.index, "nothing matches its selector"));
                    }
                    Action::Screenshot(_) => page.results.push(ActionResult::Screenshot(picture())),
                    Action::Scrape => {
                        let (url, html) = (page.url.clone(), page.html.clone());
                        page.results.push(ActionResult::Scrape { url, html });
                    }
                    _ => {}
                }
            }
            page.screenshot = request.screenshot.as_ref().map(|_| picture());
            Ok(page)
        })
    }
}

/// A request with the cookies of its host.
fn with_cookies(url: &Url, cookies: &[JarCookie]) -> Result<Request, Error> {
    let own = cookies.iter().filter(|cookie| Some(cookie.domain.as_str()) == url.host_str());
    let pairs: Vec<String> = own.map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
    let request = Request::get(url.clone());
    if pairs.is_empty() { Ok(request) } else { request.header("cookie", &pairs.join("; ")) }
}

/// The cookie that an answer sets.
fn cookie_of(response: &Response) -> Option<JarCookie> {
    let (name, value) = response.header("set-cookie")?.split(';').next()?.split_once('=')?;
    Some(JarCookie::new(name, value, response.url.host_str()?))
}

/// The addresses of what a page embeds.
fn sources(html: &str) -> Vec<String> {
    let parts = html.split("src=\"").skip(1);
    parts.filter_map(|part| part.split('"').next()).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_small_engine_keeps_the_rules_of_every_engine() {
    conformance::render(&FakeBrowser).await;
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
async fn the_number_of_requests_of_a_page_is_limited() {
    let links: String =
        (0..MAX_REQUESTS_PER_PAGE + 20).map(|number| format!("<a href=\"/{number}\"></a>")).collect();
    let server = RawServer::start([Step::ReadRequest, page(&links), Step::Repeat]).unwrap();
    let rendered = render(&request(&server.base_url(), &options(json!({})))).await.unwrap();
    assert!(rendered.page.html.contains("21 refused"));
    assert_eq!(server.requests().len() as u32, MAX_REQUESTS_PER_PAGE);
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
