//! Reads request bodies within a size and a time limit.

use std::time::Duration;

use bytes::Bytes;
use gleaner::Faults;
use gleaner::limits::MAX_BODY_BYTES;
use gleaner::media::{MediaKind, MediaType};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::failure::Failure;

/// How long a request body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// The whole body, of at most [`MAX_BODY_BYTES`].
pub(crate) async fn read<B>(body: B) -> Result<Bytes, Failure>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, MAX_BODY_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Failure::bad_request("the request body ended early")),
        Err(_) => {
            let text = format!("the request body did not arrive within {} s", BODY_TIMEOUT.as_secs());
            Err(Failure::new(StatusCode::REQUEST_TIMEOUT, text))
        }
    }
}

/// The `Content-Type` of a body.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The error for a body that is not JSON. The `Content-Type` does not matter for valid JSON. For an invalid
/// body, a type other than JSON suggests that the client was not configured to send JSON, and the message
/// says so.
pub(crate) fn invalid_json(faults: Faults, content_type: &str) -> Failure {
    let failure = Failure::from(faults);
    if content_type.is_empty() || MediaType::of_header(content_type).kind() == MediaKind::Json {
        return failure;
    }
    failure.append_text("; its `Content-Type` is not `application/json`")
}

fn too_large() -> Failure {
    let text = format!("the request body must be at most {MAX_BODY_BYTES} bytes");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, text)
}
