//! The contract of a browser engine, held by a small one that loads pictures and knows a few actions.

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_fetch::{
    ActionResult, CookieJar, Error, ErrorKind, FollowAll, Gate, MAX_REQUESTS_PER_PAGE, Picture, Render,
    RenderRequest, Rendered, Request, renderer_for,
};
use gleaner_testkit::{Canary, RawServer, Step, hrefs};
use gleaner_types::ErrorCode;
use gleaner_types::plan::{Action, ScrapeOptionsPlan, ScrapePlan};
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

use super::support::{builder, page};

/// Loads a page and every address on it, and counts what it was refused.
#[derive(Debug, Default)]
struct FakeBrowser;

#[async_trait]
impl Render for FakeBrowser {
    async fn render(&self, request: &RenderRequest, gate: &Gate<'_>) -> Result<Rendered, Error> {
        let response = gate.fetch(Request::get(request.url.clone()), &FollowAll).await?;
        let mut html = String::from_utf8_lossy(&response.body).into_owned();
        let mut refused = 0;
        for address in hrefs(&html) {
            let Ok(url) = request.url.join(&address) else { continue };
            refused += u32::from(gate.fetch(Request::get(url), &FollowAll).await.is_err());
        }
        html.push_str(&format!("<!-- {refused} refused -->"));
        gate.set_cookie(&request.url, "by=script");
        let mut rendered = Rendered::new(response.url, response.status, response.headers, html);
        let picture = || Picture { content_type: "image/png", bytes: Bytes::from_static(b"\x89PNG") };
        for (index, action) in request.actions.iter().enumerate() {
            match action {
                Action::Click { selector, .. }
                    if !rendered.html.contains(selector.trim_start_matches('#')) =>
                {
                    return Err(Error::action(&request.url, index, "nothing matches its selector"));
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

async fn render(url: &str, options: &ScrapeOptionsPlan) -> (Result<Rendered, Error>, CookieJar) {
    let fetcher = builder().build().unwrap();
    let request = RenderRequest::new(url.parse().unwrap(), options);
    let gate = Gate::new(&fetcher, &request, Duration::from_secs(20));
    (FakeBrowser.render(&request, &gate).await, request.cookies.clone())
}

#[tokio::test]
async fn everything_that_a_page_asks_for_passes_the_guard() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let body = format!(
        "<a href=\"{0}/secret\"></a><a href=\"http://2130706434:{1}/\"></a><a href=\"file:///etc/passwd\"></a><b id=more>",
        canary.base_url(),
        canary.addr().port()
    );
    let server = RawServer::start([Step::ReadRequest, page(&body)]).unwrap();
    let asked = options(json!({
        "formats": ["screenshot"],
        "headers": { "X-Mine": "1" },
        "actions": [{ "type": "click", "selector": "#more" }, { "type": "screenshot" }, { "type": "scrape" }],
    }));
    let (rendered, cookies) = render(&server.base_url(), &asked).await;
    let rendered = rendered.unwrap();
    assert!(rendered.html.contains("3 refused"), "{}", rendered.html);
    assert_eq!(canary.connections(), 0);
    assert!(rendered.screenshot.is_some());
    assert!(matches!(rendered.results[..], [ActionResult::Screenshot(_), ActionResult::Scrape { .. }]));
    assert_eq!(cookies.len(), 1);
    assert!(String::from_utf8_lossy(&server.requests()[0]).contains("x-mine: 1"));
    println!("row 6: the browser's door: 0 of 3 requests to closed addresses got through");
}

#[tokio::test]
async fn headers_of_the_request_stay_with_its_origin() {
    let other = RawServer::start([Step::ReadRequest, page("")]).unwrap();
    let body = format!("<a href=\"{}/x\"></a>", other.base_url());
    let server = RawServer::start([Step::ReadRequest, page(&body)]).unwrap();
    let (rendered, _) =
        render(&server.base_url(), &options(json!({ "headers": { "X-Api-Key": "secret" } }))).await;
    rendered.unwrap();
    assert!(!String::from_utf8_lossy(&other.requests()[0]).contains("secret"));
}

#[tokio::test]
async fn a_page_has_so_many_requests_and_no_more() {
    let links: String =
        (0..MAX_REQUESTS_PER_PAGE + 20).map(|number| format!("<a href=\"/{number}\"></a>")).collect();
    let server = RawServer::start([Step::ReadRequest, page(&links), Step::Again]).unwrap();
    let (rendered, _) = render(&server.base_url(), &options(json!({}))).await;
    assert!(rendered.unwrap().html.contains("21 refused"));
    assert_eq!(server.requests().len() as u32, MAX_REQUESTS_PER_PAGE);
}

#[tokio::test]
async fn an_action_that_fails_says_which() {
    let server = RawServer::start([Step::ReadRequest, page("")]).unwrap();
    let asked =
        options(json!({ "actions": [{ "type": "scrape" }, { "type": "click", "selector": "#gone" }] }));
    let error = render(&server.base_url(), &asked).await.0.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Action, ErrorCode::ScrapeActionError));
    assert!(error.to_string().contains("action 1"), "{error}");
}

#[test]
fn options_that_need_a_browser_are_refused_without_one() {
    let url: Url = "https://example.com/".parse().unwrap();
    let rows = [
        (
            json!({ "actions": [{ "type": "scrape" }] }),
            Some((ErrorCode::ScrapeActionsNotSupported, "`actions`")),
        ),
        (
            json!({ "formats": ["screenshot"] }),
            Some((ErrorCode::ScrapeScreenshotNotSupported, "`screenshot`")),
        ),
        (json!({ "formats": ["markdown"], "mobile": true, "waitFor": 1 }), None),
    ];
    assert!(renderer_for(Some(&FakeBrowser), &options(json!({})), &url).unwrap().is_none());
    for (body, refused) in rows {
        let options = options(body);
        match (renderer_for(None, &options, &url), refused) {
            (Err(error), Some((code, named))) => {
                assert_eq!((error.kind(), error.code()), (ErrorKind::RenderNotConfigured, code));
                assert!(
                    error.to_string().contains(named) && error.to_string().contains("`Render`"),
                    "{error}"
                );
            }
            (found, expected) => assert!(found.unwrap().is_none() && expected.is_none()),
        }
        assert!(renderer_for(Some(&FakeBrowser), &options, &url).unwrap().is_some(), "used where it is there");
    }
}
