//! The service of `gleaner-http`. Input: a request as text, `METHOD PATH`, header lines, an empty line, the
//! body.
//!
//! `~batch` and `~crawl` in the path are replaced by the ids of two finished jobs with documents, a failure
//! and spent credits. They scrape a page on loopback before the first input. After that the team has no
//! credits left, so no input causes a fetch.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use gleaner::service::{Deliver, DeliverError, Delivery, MemoryAccounts, Serving, Team, TeamConfig, TeamId};
use gleaner::{Engine, EngineBuilder};
use gleaner_http::Service;
use gleaner_types::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio::runtime::{Handle, Runtime};
use tower_service::Service as _;
use url::Url;

use super::documented::assert_documented;

/// The API key of the only team.
const KEY: &str = "k";

/// Enough for three pages of the batch and one of the crawl.
const CREDITS: u64 = 4;

/// Upper bound on headers read from an input; servers allow fewer.
const MAX_HEADERS: usize = 100;

/// Refuses every webhook URL without resolving it, because that would query the system's resolver.
#[derive(Debug)]
struct RefuseAll;

impl Deliver for RefuseAll {
    fn check<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Result<(), DeliverError>> {
        Box::pin(async move { Err(DeliverError::refused("no webhooks here")) })
    }

    fn deliver<'a>(&'a self, _: Delivery<'a>) -> BoxFuture<'a, Result<u16, DeliverError>> {
        Box::pin(async move { Err(DeliverError::refused("no webhooks here")) })
    }
}

/// A service and the ids of its finished jobs.
struct Host {
    runtime: Runtime,
    service: Service,
    batch: String,
    crawl: String,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// Any request gets a JSON response that matches the OpenAPI document, and never a 5xx status.
pub fn http(data: &[u8]) {
    HOST.with_borrow_mut(|host| {
        let host = host.get_or_insert_with(Host::new);
        let Some(request) = host.request(data) else { return };
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = host.runtime.block_on(answer(&mut host.service, request));
        check(&method, &path, &response);
    });
}

async fn answer(service: &mut Service, request: Request<Full<Bytes>>) -> Response<Bytes> {
    let Ok(response) = service.call(request).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes);
    Response::from_parts(parts, body.unwrap_or_default())
}

impl Host {
    #[expect(clippy::expect_used, reason = "does not depend on the input")]
    fn new() -> Self {
        let page = serve_page();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the runtime builds");
        let mut service = service(runtime.handle());
        let page = format!("http://{page}");
        let urls =
            [format!("{page}/a"), format!("{page}/b"), format!("{page}/c"), "http://10.0.0.1/".to_owned()];
        let (batch, crawl) = runtime.block_on(async {
            let batch = run_job(&mut service, "/v2/batch/scrape", json!({ "urls": urls })).await;
            let body = json!({ "url": page, "limit": 1, "sitemap": "skip" });
            (batch, run_job(&mut service, "/v2/crawl", body).await)
        });
        Self { runtime, service, batch, crawl }
    }

    /// `None` if the input is not a request that a server would pass on.
    fn request(&self, data: &[u8]) -> Option<Request<Full<Bytes>>> {
        let (head, body) = match data.windows(2).position(|pair| pair == b"\n\n") {
            Some(end) => (data.get(..end)?, data.get(end + 2..)?),
            None => (data, &[][..]),
        };
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.next()?;
        let space = first.iter().position(|byte| *byte == b' ')?;
        let (method, path) = (first.get(..space)?, first.get(space + 1..)?);
        let mut request = Request::builder().method(method);
        request = match std::str::from_utf8(path) {
            Ok(path) => request.uri(path.replace("~batch", &self.batch).replace("~crawl", &self.crawl)),
            Err(_) => request.uri(path),
        };
        for line in lines.take(MAX_HEADERS) {
            let colon = line.iter().position(|byte| *byte == b':')?;
            request = request.header(line.get(..colon)?, line.get(colon + 1..)?.trim_ascii());
        }
        request.body(Full::new(Bytes::copy_from_slice(body))).ok()
    }
}

#[expect(clippy::expect_used, reason = "does not depend on the input")]
fn service(runtime: &Handle) -> Service {
    let team = TeamConfig::new(Team::new(TeamId::default())).credits(CREDITS);
    let accounts = MemoryAccounts::new().with_team(KEY, team);
    let loopback = "127.0.0.0/8".parse().expect("a valid range");
    let builder: EngineBuilder = Engine::builder().allow_private(loopback).accounts(Arc::new(accounts));
    let builder = builder.on_runtime(runtime.clone());
    Service::new(
        builder.serving(Serving::new().deliver(Arc::new(RefuseAll))).build().expect("the engine builds"),
    )
}

/// Starts a job, waits until it is completed and settled, and returns its id.
#[expect(clippy::expect_used, clippy::indexing_slicing, reason = "does not depend on the input")]
async fn run_job(service: &mut Service, path: &str, body: Value) -> String {
    let request = |method: &str, path: &str, body: String| {
        let request = Request::builder().method(method).uri(path).header("host", "h.example");
        let request = request.header("authorization", format!("Bearer {KEY}"));
        request.body(Full::new(Bytes::from(body))).expect("a valid request")
    };
    let json = |response: Response<Bytes>| -> Value {
        serde_json::from_slice(response.body()).expect("a JSON response")
    };
    let started = json(answer(service, request("POST", path, body.to_string())).await);
    let id = started["id"].as_str().expect("the job has an id").to_owned();
    loop {
        // The long poll keeps this from spinning.
        let address = format!("{path}/{id}?skip=1000");
        let status = json(answer(service, request("GET", &address, String::new())).await);
        if status["status"] == "completed" {
            break;
        }
    }
    // Until the job is settled, its reservation holds credits that the next job needs.
    while json(answer(service, request("GET", "/v2/team/queue-status", String::new())).await)["jobsInQueue"]
        != 0
    {
        tokio::task::yield_now().await;
    }
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    id
}

/// Serves one small page at every path, on its own thread.
#[expect(clippy::expect_used, reason = "does not depend on the input")]
fn serve_page() -> SocketAddr {
    const PAGE: &str = "<!doctype html><title>A</title><h1>A</h1><p>A page of some words.</p>";
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("a bound address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut lines = BufReader::new(&stream).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
            let (status, body) =
                if first.contains("robots.txt") { ("404 Not Found", "") } else { ("200 OK", PAGE) };
            let _closed_by_client = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
    Connection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

fn check(method: &Method, path: &str, response: &Response<Bytes>) {
    let status = response.status();
    assert!(!status.is_server_error(), "{status}: {response:?}");
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    assert_eq!(header("content-type"), Some("application/json"), "{status}");
    let body: Result<Value, _> = serde_json::from_slice(response.body());
    assert!(body.as_ref().is_ok_and(Value::is_object), "{status}: the body is not a JSON object: {body:?}");
    let body = body.unwrap_or_default();
    assert_documented(method, path, status, &body);
    if status == StatusCode::OK {
        assert_ne!(body.get("success"), Some(&Value::Bool(false)), "{body}");
        return;
    }
    assert!(status.is_client_error(), "{status}");
    assert_eq!(body.get("success"), Some(&Value::Bool(false)), "{status}: {body}");
    let error = body.get("error").and_then(Value::as_str);
    assert!(error.is_some_and(|text| !text.is_empty()), "{status}: {body}");
    for (expected, needed) in [
        (StatusCode::METHOD_NOT_ALLOWED, "allow"),
        (StatusCode::UNAUTHORIZED, "www-authenticate"),
        (StatusCode::TOO_MANY_REQUESTS, "retry-after"),
    ] {
        assert!(status != expected || header(needed).is_some(), "{status} without {needed}");
    }
    if let Some(details) = body.get("details") {
        assert!(details.as_array().is_some_and(|details| !details.is_empty()), "{body}");
        assert!(matches!(status.as_u16(), 400 | 422), "{status}: {body}");
    }
}
