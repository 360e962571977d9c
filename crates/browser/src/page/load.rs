//! Answers the requests of a page through its [`RenderProxy`](gleaner_fetch::RenderProxy).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use gleaner_fetch::{Error, Load, LoadKind, Request, Response};
use gleaner_types::SafeUrl;
use http::header::{ACCEPT_LANGUAGE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tokio::time::Instant;
use url::Url;

use super::activity::{is_blocking, is_needed};
use super::state::{PageFault, PageState};
use super::tab::Tab;
use crate::blocking::blocking;
use crate::emulate;
use crate::protocol::fetch::{self, FailRequest, FulfillRequest, Header, Paused, PostData};
use crate::sec_fetch;
use crate::wire::{CallError, SessionId};

/// Headers of answers that the browser must not see: they describe the connection, or make it connect on its
/// own.
const DROPPED_HEADERS: &[&str] = &[
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "keep-alive",
    "link",
    "nel",
    "report-to",
    "reporting-endpoints",
    "speculation-rules",
    "transfer-encoding",
];

/// The statuses of answers that leave the document as it is (RFC 9110, 15.3.5 and 15.3.6).
const NO_CONTENT: [u16; 2] = [204, 205];

/// Most bytes of a body, because Chromium accepts messages of at most 100 MiB and base64 adds a third.
const MAX_BODY_BYTES: usize = 75_000_000;

/// Why a request is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// It would stay open for as long as the page.
    Stream,
    /// It has no URL, method or body that can be sent.
    Invalid,
}

/// Answers one request.
pub(super) async fn answer(tab: &Tab<'_>, session: SessionId, paused: Paused) {
    let url = Url::parse(&paused.request.url).ok();
    let is_stream = accepts_event_stream(&paused.request);
    let number = url.as_ref().map(|url| {
        let (method, resource) = (&paused.request.method, &paused.resource_type);
        tab.shared.change(|state| state.activity.begin(method, url, resource, is_stream))
    });
    let kind = kind_of(tab, &paused);
    let outcome = match to_load(tab, &paused, url.clone(), kind, is_stream) {
        Ok(load) => tokio::select! {
            outcome = tab.proxy.fetch(load) => outcome.map_err(Some),
            () = given_up(tab, &paused.resource_type) => {
                tab.shared.change(|state| state.unanswered += 1);
                Err(None)
            }
        },
        Err(refusal) => {
            tab.shared.change(|state| match refusal {
                Refusal::Stream => state.refused_streams += 1,
                Refusal::Invalid => state.refused_requests += 1,
            });
            Err(None)
        }
    };
    if let (LoadKind::Frame, Some(frame), Some(url)) = (kind, &paused.frame_id, &url) {
        let PageState { frames, url: main, .. } = &mut *tab.shared.lock();
        frames.answered(frame, url, main.as_ref());
    }
    // An exchange holds an answer of another URL, which the gate has not seen.
    let is_exchange = outcome.as_ref().is_ok_and(|response| {
        response.header("content-type").is_some_and(|value| value.starts_with("application/signed-exchange"))
    });
    let shows_nothing = kind == LoadKind::Navigation
        && (tab.proxy.is_other_document() || outcome.as_ref().is_ok_and(|answer| is_empty_page(tab, answer)));
    match &outcome {
        Ok(response) if response.body.len() <= MAX_BODY_BYTES && !is_exchange => {
            fulfill(tab, &session, &paused, response, shows_nothing).await;
        }
        _ => fail(tab, &session, &paused, outcome.as_ref().err().and_then(Option::as_ref)).await,
    }
    let fault = url.filter(|_| kind == LoadKind::Resource && is_needed(&paused.resource_type));
    let fault = fault.and_then(|url| fault_of(&url, &outcome).map(|text| (url, text)));
    tab.shared.change(|state| {
        if let Some((url, text)) = fault {
            let is_own = state.url.as_ref().is_some_and(|main| main.host() == url.host());
            state.add_fault(PageFault { text, is_own });
        }
        if let Some(number) = number {
            state.activity.end(number, outcome.as_ref().ok().map(|response| response.body.as_ref()));
        }
        if let (LoadKind::Navigation, Err(Some(error))) = (kind, outcome) {
            state.navigation_error = Some(error);
        }
    });
}

/// Whether the first document of a page is an answer without content. The browser would wait for another one
/// without end.
fn is_empty_page(tab: &Tab<'_>, answer: &Response) -> bool {
    let is_first = tab.shared.lock().url.as_ref().is_none_or(|url| url.scheme() == "about");
    is_first && NO_CONTENT.contains(&answer.status)
}

/// The fault of a response; `None` if it has none, or if the request was refused.
fn fault_of(url: &Url, outcome: &Result<Response, Option<Error>>) -> Option<String> {
    match outcome {
        Ok(answer) if answer.status >= 400 => {
            Some(format!("{} has the status {}", SafeUrl::from(url), answer.status))
        }
        Ok(_) | Err(None) => None,
        Err(Some(error)) => Some(error.to_string()),
    }
}

/// Waits for the time after which a request that starts now is abandoned.
async fn given_up(tab: &Tab<'_>, resource: &str) {
    if !is_blocking(resource) {
        return std::future::pending().await;
    }
    let began = Instant::now();
    tab.shared
        .wait_for(|state| state.given_up_before.is_some_and(|before| began < before).then_some(()))
        .await;
}

/// Refuses a request without sending it.
pub(super) async fn refuse(tab: &Tab<'_>, session: &SessionId, paused: &Paused) {
    tab.shared.change(|state| state.refused_requests += 1);
    fail(tab, session, paused, None).await;
}

fn kind_of(tab: &Tab<'_>, paused: &Paused) -> LoadKind {
    if paused.resource_type != "Document" {
        return LoadKind::Resource;
    }
    let state = tab.shared.lock();
    match (&state.main_frame, &paused.frame_id) {
        (Some(main), Some(frame)) if main != frame => LoadKind::Frame,
        _ => LoadKind::Navigation,
    }
}

fn accepts_event_stream(request: &fetch::Request) -> bool {
    let accept = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("accept"));
    accept.is_some_and(|(_, value)| value.eq_ignore_ascii_case("text/event-stream"))
}

fn to_load(
    tab: &Tab<'_>,
    paused: &Paused,
    url: Option<Url>,
    kind: LoadKind,
    is_stream: bool,
) -> Result<Load, Refusal> {
    if is_stream || paused.resource_type == "EventSource" {
        return Err(Refusal::Stream);
    }
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https")).ok_or(Refusal::Invalid)?;
    let sent = &paused.request;
    let document = cause_of(tab, paused, kind);
    let mut headers: HeaderMap = sent
        .headers
        .iter()
        .filter_map(|(name, value)| {
            Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_str(value).ok()?))
        })
        .collect();
    sec_fetch::add(&mut headers, kind, &paused.resource_type, &url, document.as_ref());
    if let Some(agent) = emulate::user_agent(tab) {
        headers.insert(USER_AGENT, agent);
    }
    // The browser leaves it out of requests of workers.
    if let Some(languages) = emulate::accept_language(tab.request) {
        headers.entry(ACCEPT_LANGUAGE).or_insert(languages);
    }
    let mut request = Request::get(url);
    request.method = Method::from_bytes(sent.method.as_bytes()).map_err(|_| Refusal::Invalid)?;
    request.headers = headers;
    request.body = body_of(sent)?;
    let load = Load::new(request, kind);
    Ok(match document {
        Some(document) => load.from_document(document),
        None => load,
    })
}

/// The document that causes a request; `None` before the first one.
fn cause_of(tab: &Tab<'_>, paused: &Paused, kind: LoadKind) -> Option<Url> {
    let state = tab.shared.lock();
    let main = state.url.as_ref().filter(|url| url.scheme() != "about")?;
    Some(match kind {
        LoadKind::Navigation => main.clone(),
        _ => state.frames.cause(paused.frame_id.as_deref(), state.main_frame.as_deref(), main).clone(),
    })
}

/// The body of a request. Parts that are files have no bytes here; no page gets a file to send.
fn body_of(request: &fetch::Request) -> Result<Option<Bytes>, Refusal> {
    if !request.has_post_data {
        return Ok(None);
    }
    let mut body = Vec::new();
    for PostData { bytes } in &request.post_data_entries {
        let part = bytes.as_deref().ok_or(Refusal::Invalid)?;
        body.extend(BASE64_STANDARD.decode(part).map_err(|_| Refusal::Invalid)?);
    }
    if request.post_data_entries.is_empty() {
        body.extend(request.post_data.as_deref().ok_or(Refusal::Invalid)?.as_bytes());
    }
    Ok(Some(body.into()))
}

/// Gives an answer to the browser, or an empty document in its place: a page that is not HTML is read from
/// the answer, and the browser would save it as a file.
async fn fulfill(
    tab: &Tab<'_>,
    session: &SessionId,
    paused: &Paused,
    response: &Response,
    shows_nothing: bool,
) {
    let is_kept = |name: &HeaderName| !DROPPED_HEADERS.contains(&name.as_str());
    let mut headers: Vec<Header> = response
        .headers
        .iter()
        .filter(|(name, _)| is_kept(name))
        // Headers are bytes; the protocol takes them as Latin-1 text.
        .map(|(name, value)| Header {
            name: name.as_str().to_owned(),
            value: value.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
        })
        .collect();
    let mut body = response.body.clone();
    if shows_nothing {
        headers.retain(|header| !matches!(&*header.name, "content-type" | "content-disposition"));
        headers.push(Header { name: "content-type".to_owned(), value: "text/html".to_owned() });
        body = Bytes::from_static(b"<!doctype html><title></title>");
    }
    let bytes = body.len();
    let fulfill = FulfillRequest {
        request_id: paused.request_id.clone(),
        response_code: if shows_nothing && NO_CONTENT.contains(&response.status) {
            200
        } else {
            response.status
        },
        response_headers: headers,
        body: blocking(bytes, move || BASE64_STANDARD.encode(body)).await,
    };
    if let Err(CallError::Refused { .. }) = tab.client().call_large(session.clone(), fulfill, bytes).await {
        // Chromium refuses answers that it cannot show, such as a header with a line break. The request is
        // still paused.
        fail(tab, session, paused, None).await;
    }
}

async fn fail(tab: &Tab<'_>, session: &SessionId, paused: &Paused, error: Option<&Error>) {
    let error_reason = match error {
        Some(error) if error.is_timeout() => "TimedOut",
        Some(error) if !error.is_egress_denied() => "ConnectionFailed",
        _ => "BlockedByClient",
    };
    let fail = FailRequest { request_id: &paused.request_id, error_reason };
    let _ = tab.client().send(Some(session), &fail).await;
}
