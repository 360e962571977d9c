//! Serializes large responses on blocking threads. On a thread of the runtime, that would delay the
//! connections that share it.

use std::thread::available_parallelism;

use bytes::Bytes;
use gleaner::Document;
use gleaner::service::{PieceWriter, ResponseShare, TeamId};
use serde::Serialize;

use crate::failure::Failure;
use crate::response_body::ResponseBody;
use crate::team_slots::TeamSlots;

/// Responses with at most this many bytes of JSON are serialized on the runtime thread.
const SMALL_RESPONSE: usize = 256 << 10;

/// Responses with more bytes of JSON than this use the slots for large ones.
const LARGE_RESPONSE: usize = 256 << 10;

/// Slots for large responses, of which a team takes one.
const LARGE_SLOTS: usize = 2;

/// Minimum of slots for other responses; there is at least one per processor. A team takes half of them.
const MIN_MEDIUM_SLOTS: usize = 4;

/// Slots for the serialization of responses. Large responses have their own, so that they delay no others.
#[derive(Debug, Clone)]
pub(crate) struct BlockingLimits {
    large: TeamSlots,
    medium: TeamSlots,
}

impl Default for BlockingLimits {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        let medium = processors.max(MIN_MEDIUM_SLOTS);
        Self { large: TeamSlots::new(LARGE_SLOTS, 1), medium: TeamSlots::new(medium, medium / 2) }
    }
}

impl BlockingLimits {
    /// Runs work on about this many bytes of JSON. The size bounds its time, so it has no deadline.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        team: &TeamId,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let slots = if bytes > LARGE_RESPONSE { &self.large } else { &self.medium };
        let slot = slots.acquire(team).await?;
        let work = move || {
            // The slot is freed when the work ends, even if the request is dropped before.
            let _slot = slot;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Failure::internal(&"the service panicked"))
    }

    /// The JSON of a response of about this many bytes.
    pub(crate) async fn pieces<T: Serialize + Send + 'static>(
        &self,
        team: &TeamId,
        bytes: usize,
        response: T,
    ) -> Result<PieceWriter, Failure> {
        match bytes {
            ..=SMALL_RESPONSE => to_pieces(&response),
            _ => self.blocking(team, bytes, move || to_pieces(&response)).await?,
        }
    }

    /// The JSON of a response of about this many bytes, within its share.
    pub(crate) async fn serialize<T: Serialize + Send + 'static>(
        &self,
        team: &TeamId,
        bytes: usize,
        share: ResponseShare,
        response: T,
    ) -> Result<ResponseBody, Failure> {
        within(share, self.pieces(team, bytes, response).await?).await
    }

    /// The JSON of a response of unknown size, within its share.
    pub(crate) async fn serialize_blocking<T: Serialize + Send + 'static>(
        &self,
        team: &TeamId,
        share: ResponseShare,
        response: T,
    ) -> Result<ResponseBody, Failure> {
        let json = self.blocking(team, 0, move || to_pieces(&response)).await??;
        within(share, json).await
    }
}

/// A body with a share that covers it.
async fn within(mut share: ResponseShare, json: PieceWriter) -> Result<ResponseBody, Failure> {
    share.grow_to(json.written()).await?;
    Ok(ResponseBody::json(json.finish(share)))
}

fn to_pieces(response: &impl Serialize) -> Result<PieceWriter, Failure> {
    let mut json = PieceWriter::default();
    serde_json::to_writer(&mut json, response).map_err(|error| Failure::internal(&error))?;
    Ok(json)
}

/// The JSON of a small response, which needs no share.
pub(crate) fn to_json(response: &impl Serialize) -> Result<ResponseBody, Failure> {
    match serde_json::to_vec(response) {
        Ok(json) => Ok(Bytes::from(json).into()),
        Err(error) => Err(Failure::internal(&error)),
    }
}

/// Approximate size of a document in bytes of JSON. Results of schemas, selectors and actions have no known
/// size; each counts as one byte more than a small response.
pub(crate) fn estimated_size(document: &Document) -> usize {
    let Document { markdown, html, raw_html, screenshot, summary, links, images, .. } = document;
    let Document { json, extract, change_tracking, branding, attributes, actions, .. } = document;
    let texts = [markdown, html, raw_html, screenshot, summary].into_iter().flatten();
    let urls = [links, images].into_iter().flatten().flatten();
    let values = [json, extract, change_tracking, branding, attributes].into_iter().flatten().count();
    let unknown = values + usize::from(actions.is_some());
    texts.chain(urls).map(String::len).sum::<usize>().saturating_add(unknown * (SMALL_RESPONSE + 1))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gleaner::Engine;
    use http_body_util::BodyExt as _;

    use super::*;

    #[test]
    fn the_size_of_a_document_is_estimated_from_its_content() {
        let text = |bytes: usize| Some("x".repeat(bytes));
        assert_eq!(estimated_size(&Document::default()), 0);
        let mut document = Document::default();
        (document.markdown, document.raw_html) = (text(5), text(7));
        document.links = Some(vec!["https://a.example/".to_owned(); 3]);
        assert_eq!(estimated_size(&document), 5 + 7 + 3 * 18);
        let mut document = Document::default();
        document.json = Some(serde_json::json!({}));
        assert!(estimated_size(&document) > SMALL_RESPONSE);
    }

    #[tokio::test]
    async fn responses_of_any_size_are_serialized_and_a_panic_is_an_internal_error() {
        let limits = BlockingLimits::default();
        let service = Arc::clone(Engine::builder().build().unwrap().service());
        let team = TeamId::new("a");
        for bytes in [2, usize::MAX] {
            let share = service.response_memory().reserve(&team, 1).await.unwrap();
            let body = limits.serialize(&team, bytes, share, "x").await.unwrap();
            assert_eq!(body.collect().await.unwrap().to_bytes(), "\"x\"");
        }
        let failed: Result<(), Failure> = limits.blocking(&team, 0, || panic!("on purpose")).await;
        assert_eq!(failed.unwrap_err().into_response().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(limits.large.free(), LARGE_SLOTS);
    }
}
