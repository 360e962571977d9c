//! The service from the view of its clients: called as a `tower` service, or over a connection if that
//! matters.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption ends the test"
)]

#[path = "service/activity.rs"]
mod activity;
#[path = "../examples/axum_service.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod axum_service;
#[path = "service/credits.rs"]
mod credits;
#[path = "service/maps.rs"]
mod maps;
#[path = "service/memory.rs"]
mod memory;
#[path = "service/reads.rs"]
mod reads;
#[path = "service/serving.rs"]
mod serving;
#[path = "service/texts.rs"]
mod texts;
#[path = "service/watch.rs"]
mod watch;

use std::sync::Arc;

use bytes::Bytes;
use gleaner::limits::MAX_BODY_BYTES;
use gleaner::service::{MemoryAccounts, Operation, Team, TeamConfig, TeamId};
use gleaner::{Engine, EngineBuilder};
use gleaner_http::Service;
use gleaner_testkit::{Extras, Server, Site, SiteSpec};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tower_service::Service as _;

const KEY: &str = "key";

fn site() -> Server {
    Site::generate(SiteSpec {
        pages: 30,
        extras: Extras { slow: true, ..Extras::default() },
        ..SiteSpec::default()
    })
    .serve()
    .unwrap()
}

/// An engine in the runtime of the test, whose time may be paused.
fn builder() -> EngineBuilder {
    Engine::builder().on_runtime(Handle::current())
}

/// A service with one team. `one_scrape` limits it to one scrape per minute.
fn service_with(credits: Option<u64>, one_scrape: bool) -> Service {
    let mut team = TeamConfig::new(Team::new(TeamId::new("birds")))
        .requests_per_minute(one_scrape.then_some((Operation::Scrape, 1)));
    team.credits = credits;
    let accounts = MemoryAccounts::new().with_team(KEY, team);
    let engine = builder().accounts(Arc::new(accounts)).allow_private("127.0.0.0/8".parse().unwrap());
    Service::new(engine.build().unwrap())
}

fn service() -> Service {
    service_with(None, false)
}

struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

async fn send(service: &Service, request: Request<Full<Bytes>>) -> Reply {
    let (parts, body) = service.clone().call(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    assert_eq!(parts.headers["content-type"], "application/json");
    Reply { status: parts.status, headers: parts.headers, body: serde_json::from_slice(&body).unwrap() }
}

fn request(line: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let (method, path) = line.split_once(' ').unwrap();
    Request::builder()
        .method(method)
        .uri(path)
        .header("host", "api.example:8080")
        .header("authorization", format!("Bearer {KEY}"))
        .body(Full::new(body.into()))
        .unwrap()
}

async fn call(service: &Service, line: &str, body: Value) -> Reply {
    send(service, request(line, body.to_string())).await
}

/// Reads the status until the job has ended.
async fn ended(service: &Service, path: &str) -> Value {
    loop {
        // The long poll keeps this loop from spinning.
        let status = call(service, &format!("GET {path}?skip=1000"), Value::Null).await;
        assert_eq!(status.status, 200);
        if status.body["status"] != "scraping" {
            return call(service, &format!("GET {path}"), Value::Null).await.body;
        }
    }
}

#[tokio::test]
async fn a_submit_to_a_server_that_stops_can_be_sent_again() {
    let engine = Engine::builder().build().unwrap();
    let service = Service::new(engine.clone());
    engine.stop().await;
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": "https://a.example/"})),
        ("POST /v2/batch/scrape", json!({"urls": ["https://a.example/"]})),
        ("POST /v2/scrape", json!({"url": "https://a.example/"})),
    ] {
        let reply = call(&service, line, body).await;
        assert_eq!(reply.status, 503, "{line}: {}", reply.body);
        assert!(reply.headers.contains_key("retry-after") && reply.body["success"] == json!(false), "{line}");
    }
}

#[tokio::test]
async fn errors_have_the_documented_form() {
    let service = service();
    let large = format!("{{\"url\":\"{}\"}}", "a".repeat(MAX_BODY_BYTES));
    let unknown = "0195c0de-0000-7000-8000-000000000000";
    for (name, line, body, status, code) in [
        ("no route", "GET /v9/scrape".to_owned(), String::new(), 404, None),
        ("wrong method", "GET /v2/scrape".to_owned(), String::new(), 405, None),
        ("no JSON", "POST /v2/scrape".to_owned(), "{".to_owned(), 400, Some("BAD_REQUEST_INVALID_JSON")),
        ("no body", "POST /v2/map".to_owned(), String::new(), 400, Some("BAD_REQUEST_INVALID_JSON")),
        ("a rule", "POST /v2/scrape".to_owned(), "{}".to_owned(), 400, Some("BAD_REQUEST")),
        ("too large", "POST /v2/scrape".to_owned(), large, 413, None),
        ("no UUID", "GET /v2/crawl/abc".to_owned(), String::new(), 404, None),
        ("query", format!("GET /v2/crawl/{unknown}?limit=0"), String::new(), 400, Some("BAD_REQUEST")),
        ("no job", format!("DELETE /v1/crawl/{unknown}"), String::new(), 404, None),
        (
            "no browser",
            "POST /v2/scrape".to_owned(),
            r#"{"url":"a.example","formats":["screenshot"]}"#.to_owned(),
            400,
            Some("SCRAPE_SCREENSHOT_NOT_SUPPORTED"),
        ),
        (
            "no model",
            "POST /v1/extract".to_owned(),
            r#"{"urls":["https://a.example"],"prompt":"names"}"#.to_owned(),
            400,
            Some("MODEL_NOT_CONFIGURED"),
        ),
        (
            "blocked target",
            "POST /v2/scrape".to_owned(),
            r#"{"url":"http://169.254.169.254/"}"#.to_owned(),
            403,
            Some("SCRAPE_BLOCKED"),
        ),
    ] {
        let reply = send(&service, request(&line, body)).await;
        assert_eq!(reply.status.as_u16(), status, "{name}: {}", reply.body);
        assert_eq!(reply.body["success"], false, "{name}");
        assert!(reply.body["error"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        assert_eq!(reply.body["code"].as_str(), code, "{name}");
        assert_eq!(reply.headers.contains_key("allow"), status == 405, "{name}");
    }
}

#[tokio::test]
async fn the_error_of_invalid_json_has_its_position_and_another_content_type() {
    let service = service();
    let other_type = "; its `Content-Type` is not `application/json`";
    for (name, content_type, body, end) in [
        ("a form", Some("application/x-www-form-urlencoded"), "url=a.example", other_type),
        ("text", Some("text/plain; charset=utf-8"), "{\"url\": }", other_type),
        ("truncated JSON", Some("application/json"), "{\n\"url\": ", "at line 2 column 7"),
        ("no content type", None, "{,", "at line 1 column 2"),
    ] {
        let mut request = request("POST /v2/scrape", body);
        if let Some(content_type) = content_type {
            request.headers_mut().insert("content-type", content_type.parse().unwrap());
        }
        let reply = send(&service, request).await;
        let (code, text) = (reply.body["code"].as_str(), reply.body["error"].as_str().unwrap());
        assert_eq!((reply.status.as_u16(), code), (400, Some("BAD_REQUEST_INVALID_JSON")), "{name}");
        assert!(text.ends_with(end) && text.contains("line"), "{name}: {text}");
    }
    // Valid JSON is accepted with any content type.
    let mut request = request("POST /v2/scrape", r#"{"url": "http://169.254.169.254/"}"#);
    request.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    assert_eq!(send(&service, request).await.status, 403);
}

#[tokio::test]
async fn a_wrong_method_is_answered_with_the_allowed_ones() {
    let service = service();
    let id = "0195c0de-0000-7000-8000-000000000000";
    for (line, allow) in [
        ("OPTIONS /v2/scrape".to_owned(), Some("POST")),
        ("HEAD /v2/scrape".to_owned(), Some("POST")),
        (format!("POST /v2/crawl/{id}"), Some("GET, HEAD, DELETE")),
        (format!("PATCH /v1/crawl/{id}/errors"), Some("GET, HEAD")),
        ("HEAD /v2/crawl/ongoing".to_owned(), None),
        ("HEAD /openapi.json".to_owned(), None),
    ] {
        let reply = send(&service, request(&line, "")).await;
        let allowed = reply.headers.get("allow").map(|value| value.to_str().unwrap());
        assert_eq!(
            (reply.status.as_u16(), allowed),
            (if allow.is_some() { 405 } else { 200 }, allow),
            "{line}"
        );
    }
}

#[tokio::test]
async fn a_request_without_a_valid_key_is_rejected() {
    let service = service();
    for (header, text) in [
        (None, "Unauthorized: Token missing"),
        (Some("Basic a2V5"), "Unauthorized: Token missing"),
        (Some("Bearer other"), "Unauthorized: Invalid token"),
    ] {
        let mut request = Request::get("/v2/team/credit-usage");
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        let reply = send(&service, request.body(Full::default()).unwrap()).await;
        assert_eq!((reply.status.as_u16(), reply.body["error"].as_str()), (401, Some(text)));
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
    }
    let document = Request::get("/openapi.json").body(Full::default()).unwrap();
    assert_eq!(send(&service, document).await.body["openapi"], "3.1.0", "needs no key");
}

#[tokio::test]
async fn rate_limits_are_answered_with_a_retry_time_and_missing_credits_with_402() {
    let site = site();
    let limited = service_with(None, true);
    let page = json!({"url": site.url("/p/1")});
    assert_eq!(call(&limited, "POST /v2/scrape", page.clone()).await.status, 200);
    let reply = call(&limited, "POST /v2/scrape", page).await;
    assert_eq!(reply.status, 429);
    let wait: u64 = reply.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");

    let poor = service_with(Some(2), false);
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.base_url(), "limit": 3})),
        ("POST /v2/batch/scrape", json!({"urls": [site.url("/p/1"), site.url("/p/2"), site.url("/p/3")]})),
    ] {
        assert_eq!(call(&poor, line, body).await.status, 402, "{line}");
    }
    let usage = call(&poor, "GET /v2/team/credit-usage", Value::Null).await.body;
    assert_eq!(usage["data"]["remainingCredits"], 2, "a refused job reserves nothing");
    let usage = call(&poor, "GET /v1/team/credit-usage", Value::Null).await.body;
    assert_eq!(usage["data"]["remaining_credits"], 2);
}

#[tokio::test]
async fn a_batch_is_read_in_pages_and_a_repeated_submit_is_refused() {
    let (site, service) = (site(), service());
    let urls: Vec<String> = (1..=5).map(|page| site.url(&format!("/p/{page}"))).collect();
    let body = json!({"urls": urls, "formats": ["links"]});
    let submit = || {
        let mut request = request("POST /v2/batch/scrape", body.to_string());
        let key = "0195c0de-0000-7000-8000-00000000000a".parse().unwrap();
        request.headers_mut().insert("x-idempotency-key", key);
        request
    };
    let first = send(&service, submit()).await;
    assert_eq!(first.status, 200);
    let id = first.body["id"].as_str().unwrap();
    assert_eq!(first.body["url"], format!("http://api.example:8080/v2/batch/scrape/{id}"));
    assert_eq!(first.body["invalidURLs"], json!([]));
    assert_eq!(send(&service, submit()).await.status, 409);

    let path = format!("/v2/batch/scrape/{id}");
    let whole = ended(&service, &path).await;
    assert_eq!(
        (&whole["status"], &whole["completed"], &whole["next"]),
        (&"completed".into(), &5.into(), &Value::Null)
    );
    let mut read = Vec::new();
    let mut next = Some(format!("{path}?limit=2"));
    while let Some(address) = next {
        let page = call(&service, &format!("GET {address}"), Value::Null).await.body;
        read.extend(page["data"].as_array().unwrap().iter().cloned());
        next = page["next"].as_str().map(|next| {
            let (origin, path) = next.split_at("http://api.example:8080".len());
            assert_eq!(origin, "http://api.example:8080");
            assert!(path.ends_with("&limit=2"), "{path}");
            path.to_owned()
        });
    }
    assert_eq!(Value::Array(read), whole["data"], "every document once, in the same order");
    let other_kind = call(&service, &format!("GET /v2/extract/{id}"), Value::Null).await;
    assert_eq!((other_kind.status.as_u16(), &other_kind.body["error"]), (404, &"Job not found".into()));
    assert_eq!(call(&service, &format!("DELETE {path}"), Value::Null).await.status, 409);
}

#[tokio::test]
async fn v1_and_v2_differ_as_the_contract_specifies() {
    let (site, service) = (site(), service());
    let body = json!({"url": site.base_url(), "limit": 3});
    let v2 = call(&service, "POST /v2/map", body.clone()).await.body;
    let v1 = call(&service, "POST /v1/map", body).await.body;
    assert!(v2["links"].as_array().unwrap().iter().all(|link| link["url"].is_string()));
    assert!(v1["links"].as_array().unwrap().iter().all(Value::is_string));
    let options = json!({"urls": [site.url("/p/1")], "parsePDF": false});
    let old = call(&service, "POST /v1/batch/scrape", options.clone()).await;
    assert_eq!(old.status, 200);
    assert!(old.body["url"].as_str().unwrap().contains("/v1/batch/scrape/"));
    let refused = call(&service, "POST /v2/batch/scrape", options).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
}

#[tokio::test]
async fn a_scrape_is_stopped_when_its_client_disconnects() {
    let (site, service) = (site(), service());
    let body = json!({"url": site.url("/slow/20000"), "timeout": 60_000});
    let scrape = tokio::spawn({
        let service = service.clone();
        async move { call(&service, "POST /v2/scrape", body).await.status }
    });
    let in_progress =
        async || call(&service, "GET /v2/concurrency-check", Value::Null).await.body["concurrency"].clone();
    while in_progress().await == 0 {
        tokio::task::yield_now().await;
    }
    scrape.abort();
    assert!(scrape.await.unwrap_err().is_cancelled());
    while in_progress().await != 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_example_behind_axum_has_a_route_of_its_own_and_the_api() {
    let mut app = axum_service::router(Engine::builder().build().unwrap());
    for (line, status) in [("GET /health", 200_u16), ("GET /openapi.json", 200), ("GET /v9/scrape", 404)] {
        assert_eq!(app.call(request(line, "")).await.unwrap().status(), status, "{line}");
    }
}
