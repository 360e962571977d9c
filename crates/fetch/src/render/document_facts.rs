//! The HTTP response that a rendered document came from.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::ProxyUsed;
use http::HeaderMap;
use http::header::CONTENT_DISPOSITION;

use crate::response::Response;

/// The answer that the main frame's document came from. The [`RenderProxy`](super::RenderProxy) records it,
/// so it does not depend on the engine. `Debug` shows no header values and no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct DocumentFacts {
    /// HTTP status.
    pub status: u16,
    /// The headers as sent: `Content-Encoding` and `Content-Length` describe the body on the wire.
    pub headers: HeaderMap,
    /// `Content-Type` as sent, or the type of the body if the header is missing or wrong.
    pub content_type: Option<String>,
    /// The `Retry-After` of the answer; not capped.
    pub retry_after: Option<Duration>,
    /// From the request for the document to the head of its answer.
    pub latency: Duration,
    /// Which proxies the document came through.
    pub proxy_used: ProxyUsed,
    /// The body, if it is no HTML document for a browser to show: PDF, JSON, feeds, text, pictures, files to
    /// download.
    pub other_body: Option<Bytes>,
}

impl DocumentFacts {
    /// The facts of an answer that is not a redirect.
    pub(super) fn of(response: &Response) -> Self {
        let is_html = matches!(response.media_type().as_str(), "text/html" | "application/xhtml+xml");
        let shows = is_html && !is_download(response);
        Self {
            status: response.status,
            headers: response.headers.clone(),
            content_type: Some(response.effective_content_type()),
            retry_after: response.retry_after,
            latency: response.timings.answer,
            proxy_used: response.proxy_used,
            other_body: (!shows).then(|| response.body.clone()),
        }
    }
}

/// Whether a browser keeps the document that it shows, in place of this answer: it says that there is no
/// content, or it is to be saved as a file.
pub(super) fn keeps_document(response: &Response) -> bool {
    matches!(response.status, 204 | 205) || is_download(response)
}

/// Whether the answer is to be saved as a file (RFC 6266 section 4.2).
fn is_download(response: &Response) -> bool {
    let disposition = response.headers.get(CONTENT_DISPOSITION).and_then(|value| value.to_str().ok());
    disposition
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("attachment"))
}

impl fmt::Debug for DocumentFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentFacts")
            .field("status", &self.status)
            .field("headers", &crate::headers::Names(&self.headers))
            .field("content_type", &self.content_type)
            .field("retry_after", &self.retry_after)
            .field("latency", &self.latency)
            .field("proxy_used", &self.proxy_used)
            .field("other_body_bytes", &self.other_body.as_ref().map(Bytes::len))
            .finish()
    }
}
