//! Reading a request's body within its bounds.

use std::time::Duration;

use bytes::Bytes;
use gleaner::limits::MAX_BODY_BYTES;
use http::StatusCode;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::failure::Failure;

/// How long a request's body may take to come in.
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
        Ok(Err(_)) => Err(Failure::new(StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => {
            let text = format!("the body did not come in within {} s", BODY_TIMEOUT.as_secs());
            Err(Failure::new(StatusCode::REQUEST_TIMEOUT, text))
        }
    }
}

fn too_large() -> Failure {
    let text = format!("the body must be at most {MAX_BODY_BYTES} bytes");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, text)
}
