//! Error responses.

use std::fmt::Display;

use bytes::Bytes;
use gleaner::response::ErrorBody;
use gleaner::{ErrorCode, Fault, FaultPath, Faults, JobError};
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, SEC_WEBSOCKET_VERSION, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use uuid::Uuid;

use crate::response_body::ResponseBody;

/// A response with an [`ErrorBody`].
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    body: Box<ErrorBody>,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Failure {
    /// A failure without a code of the contract.
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, body: Box::new(ErrorBody::new(text)), header: None }
    }

    /// A fault outside the body: in the path, the query or a header.
    pub(crate) fn fault(path: &str, message: impl Into<String>) -> Self {
        Faults::from(Fault::invalid_value(FaultPath::key(path), message)).into()
    }

    /// A fault of the request as a whole.
    pub(crate) fn bad_request(text: &str) -> Self {
        let body = ErrorBody::with_code(ErrorCode::BadRequest, text);
        Self { status: StatusCode::BAD_REQUEST, body: Box::new(body), header: None }
    }

    pub(crate) fn unknown_route() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such route; GET /openapi.json lists all routes")
    }

    pub(crate) fn unknown_job() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Job not found")
    }

    pub(crate) fn wrong_method(allowed: &str) -> Self {
        let text = format!("this route accepts {allowed}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, text).with_header(ALLOW, allowed)
    }

    pub(crate) fn websocket_version() -> Self {
        Self::new(StatusCode::UPGRADE_REQUIRED, "the WebSocket's version must be 13")
            .with_header(SEC_WEBSOCKET_VERSION, "13")
    }

    pub(crate) fn busy(text: &str, seconds: u64) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, text).with_header(RETRY_AFTER, &seconds.to_string())
    }

    /// An internal error: the cause goes only to the log, with an identifier that the client also gets.
    pub(crate) fn internal(cause: &dyn Display) -> Self {
        let id = Uuid::now_v7();
        tracing::error!(%id, %cause, "a request failed");
        let text = format!("the engine failed on this request; its log has the reason under {id}");
        let body = ErrorBody::with_code(ErrorCode::UnknownError, text);
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, body: Box::new(body), header: None }
    }

    /// Appends to the message.
    pub(crate) fn append_text(mut self, text: &str) -> Self {
        self.body.error.push_str(text);
        self
    }

    fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        self.header = HeaderValue::from_str(value).ok().map(|value| (name, value));
        self
    }

    fn of(status: u16, body: ErrorBody, cause: &dyn Display) -> Self {
        match StatusCode::from_u16(status) {
            // A client may send the request again to the next engine.
            Ok(status) if !status.is_server_error() || status == StatusCode::SERVICE_UNAVAILABLE => {
                Self { status, body: Box::new(body), header: None }
            }
            _ => Self::internal(cause),
        }
    }

    pub(crate) fn into_response(self) -> Response<ResponseBody> {
        let body = serde_json::to_vec(&self.body).unwrap_or_default();
        let mut response = json_response(Bytes::from(body));
        *response.status_mut() = self.status;
        if self.status == StatusCode::UNAUTHORIZED {
            // RFC 9110, 15.5.2.
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A response with this JSON as its body.
pub(crate) fn json_response(body: impl Into<ResponseBody>) -> Response<ResponseBody> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        let failure = Self::of(error.http_status(), error.body(), &error);
        match error.retry_after() {
            // Whole seconds (RFC 9110, 10.2.3), plus one so that no client retries too early.
            Some(wait) => failure.with_header(RETRY_AFTER, &wait.as_secs().saturating_add(1).to_string()),
            None => failure,
        }
    }
}

impl From<gleaner::Error> for Failure {
    fn from(error: gleaner::Error) -> Self {
        Self::of(error.http_status(), error.body(), &error)
    }
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Self {
        Self::of(faults.http_status(), faults.clone().into(), &faults)
    }
}
