//! Large answers are written on threads for blocking work. On a thread of the runtime that would hold up the connections that
//! share it.

use std::sync::Arc;
use std::thread::available_parallelism;

use bytes::Bytes;
use gleaner::Document;
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::failure::Failure;

/// Larger answers are written aside.
const LIGHT_ANSWER: usize = 256 << 10;

/// Answers of more JSON than this are written in the places for large ones.
const LARGE: usize = 256 << 10;

/// Large answers at once.
const MAX_LARGE_TRANSFORMS: usize = 2;

/// Others at once: as many as there are processors, and at least this many.
const MIN_MEDIUM_TRANSFORMS: usize = 4;

/// The places for writing answers. Large ones have their own, so that it holds up nothing else.
#[derive(Debug, Clone)]
pub(crate) struct BlockingLimits {
    large: Arc<Semaphore>,
    middling: Arc<Semaphore>,
}

impl Default for BlockingLimits {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self {
            large: Arc::new(Semaphore::new(MAX_LARGE_TRANSFORMS)),
            middling: Arc::new(Semaphore::new(processors.max(MIN_MEDIUM_TRANSFORMS))),
        }
    }
}

impl BlockingLimits {
    /// Does work on so many bytes of JSON, bounded by them and so without a bound of time.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let places = if bytes > LARGE { &self.large } else { &self.middling };
        let place = Arc::clone(places).acquire_owned().await.map_err(|closed| Failure::internal(&closed))?;
        let work = move || {
            // Free when the work has ended, and not when nobody waits for it any more.
            let _place = place;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Failure::internal(&"the service panicked"))
    }

    /// The JSON of an answer of about so many bytes.
    pub(crate) async fn written<T: Serialize + Send + 'static>(
        &self,
        bytes: usize,
        answer: T,
    ) -> Result<Bytes, Failure> {
        if bytes <= LIGHT_ANSWER {
            return json(&answer);
        }
        self.blocking(bytes, move || json(&answer)).await?
    }

    /// The JSON of an answer of unknown size.
    pub(crate) async fn written_aside<T: Serialize + Send + 'static>(
        &self,
        answer: T,
    ) -> Result<Bytes, Failure> {
        self.blocking(0, move || json(&answer)).await?
    }
}

/// The JSON of a small answer.
pub(crate) fn json(answer: &impl Serialize) -> Result<Bytes, Failure> {
    match serde_json::to_vec(answer) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err(Failure::internal(&error)),
    }
}

/// About how many bytes of JSON a document is. What schemas, selectors and actions gave counts as much.
pub(crate) fn weight(document: &Document) -> usize {
    let Document { markdown, html, raw_html, screenshot, summary, links, images, .. } = document;
    let Document { json, extract, change_tracking, branding, attributes, actions, .. } = document;
    let texts = [markdown, html, raw_html, screenshot, summary].into_iter().flatten();
    let addresses = [links, images].into_iter().flatten().flatten();
    let values = [json, extract, change_tracking, branding, attributes].into_iter().flatten().count();
    let unknown = values + usize::from(actions.is_some());
    texts.chain(addresses).map(String::len).sum::<usize>().saturating_add(unknown * (LIGHT_ANSWER + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_weigh_what_they_hold() {
        let text = |bytes: usize| Some("x".repeat(bytes));
        assert_eq!(weight(&Document::default()), 0);
        let document = Document {
            markdown: text(5),
            raw_html: text(7),
            links: Some(vec!["https://a.example/".to_owned(); 3]),
            ..Document::default()
        };
        assert_eq!(weight(&document), 5 + 7 + 3 * 18);
        let document = Document { json: Some(serde_json::json!({})), ..Document::default() };
        assert!(weight(&document) > LIGHT_ANSWER);
    }

    #[tokio::test]
    async fn work_is_done_where_it_holds_nothing_up() {
        let places = BlockingLimits::default();
        assert_eq!(places.written(2, "x").await.unwrap(), "\"x\"");
        assert_eq!(places.written(usize::MAX, "x").await.unwrap(), "\"x\"");
        let failed: Result<(), Failure> = places.blocking(0, || panic!("on purpose")).await;
        assert_eq!(failed.unwrap_err().into_response().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(places.large.available_permits(), MAX_LARGE_TRANSFORMS);
    }
}
