//! The service of `gleaner-http`. Input: a request as text, `METHOD PATH`, header lines, an empty line, the body.

use std::cell::RefCell;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner::Engine;
use gleaner::desk::{Deliver, DeliverError, Delivery, MemoryAccounts, Team, TeamConfig, TeamId};
use gleaner_http::Service;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tokio::runtime::Runtime;
use tower_service::Service as _;
use url::Url;

/// The key of the one team, which has no credits: whatever an input asks for, nothing leaves this process.
const KEY: &str = "k";

/// More headers than a server would let through.
const MOST_HEADERS: usize = 100;

/// Refuses every address without looking at it: a look would ask the system's resolver.
#[derive(Debug)]
struct Nowhere;

#[async_trait]
impl Deliver for Nowhere {
    async fn check(&self, _: &Url) -> Result<(), DeliverError> {
        Err(DeliverError { refused: true, message: "no address is good".to_owned() })
    }

    async fn deliver(&self, _: Delivery<'_>) -> Result<u16, DeliverError> {
        Err(DeliverError { refused: true, message: "no address is good".to_owned() })
    }
}

thread_local! {
    static HOST: RefCell<Option<(Runtime, Service)>> = const { RefCell::new(None) };
}

/// Any request is answered, with valid JSON of the documented form, and never by a failure of the service's own.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn http(data: &[u8]) {
    let Some(request) = request(data) else { return };
    let response = HOST.with_borrow_mut(|host| {
        let (runtime, service) = host.get_or_insert_with(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            (runtime.expect("a runtime"), service())
        });
        runtime.block_on(async {
            let Ok(response) = service.call(request).await;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.map(http_body_util::Collected::to_bytes);
            Response::from_parts(parts, body.unwrap_or_default())
        })
    });
    documented(&response);
}

#[expect(clippy::expect_used, reason = "nothing in it depends on the input")]
fn service() -> Service {
    let team = TeamConfig { credits: Some(0), ..TeamConfig::new(Team::new(TeamId::default())) };
    let accounts = MemoryAccounts::new().with_team(KEY, team);
    let engine = Engine::builder().accounts(Arc::new(accounts)).deliver(Arc::new(Nowhere)).build();
    Service::new(engine.expect("an engine"))
}

fn documented(response: &Response<Bytes>) {
    let status = response.status();
    assert!(!status.is_server_error(), "{status}: {response:?}");
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    assert_eq!(header("content-type"), Some("application/json"), "{status}");
    let body: Result<Value, _> = serde_json::from_slice(response.body());
    assert!(body.as_ref().is_ok_and(Value::is_object), "{status}: the body is no JSON object: {body:?}");
    let body = body.unwrap_or_default();
    if status == StatusCode::OK {
        assert_ne!(body.get("success"), Some(&Value::Bool(false)), "{body}");
        return;
    }
    assert!(status.is_client_error(), "{status}");
    assert_eq!(body.get("success"), Some(&Value::Bool(false)), "{status}: {body}");
    let error = body.get("error").and_then(Value::as_str);
    assert!(error.is_some_and(|text| !text.is_empty()), "{status}: {body}");
    for (of, needed) in [
        (StatusCode::METHOD_NOT_ALLOWED, "allow"),
        (StatusCode::UNAUTHORIZED, "www-authenticate"),
        (StatusCode::TOO_MANY_REQUESTS, "retry-after"),
    ] {
        assert!(status != of || header(needed).is_some(), "{status} without {needed}");
    }
    if let Some(details) = body.get("details") {
        assert!(details.as_array().is_some_and(|details| !details.is_empty()), "{body}");
        assert!(matches!(status.as_u16(), 400 | 422), "{status}: {body}");
    }
}

/// `None` where the input is nothing that a server would hand on.
fn request(data: &[u8]) -> Option<Request<Full<Bytes>>> {
    let (head, body) = match data.windows(2).position(|pair| pair == b"\n\n") {
        Some(end) => (data.get(..end)?, data.get(end + 2..)?),
        None => (data, &[][..]),
    };
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next()?;
    let space = first.iter().position(|byte| *byte == b' ')?;
    let (method, path) = (first.get(..space)?, first.get(space + 1..)?);
    let mut request = Request::builder().method(method).uri(path);
    for line in lines.take(MOST_HEADERS) {
        let colon = line.iter().position(|byte| *byte == b':')?;
        request = request.header(line.get(..colon)?, line.get(colon + 1..)?.trim_ascii());
    }
    request.body(Full::new(Bytes::copy_from_slice(body))).ok()
}
