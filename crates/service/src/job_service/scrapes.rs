//! One document, by the id of its scrape.

use std::sync::Arc;

use bytes::Bytes;
use gleaner_runtime::{Error, LARGE_DOCUMENT, blocking_operation};
use gleaner_store::{TeamId, is_heavier};
use gleaner_types::Document;
use uuid::Uuid;

use super::JobService;

/// What a `ScrapeResponse` has before its document, and after it.
const HEAD: &[u8] = br#"{"success":true,"data":"#;
const TAIL: &[u8] = b"}";

impl JobService {
    /// The document whose `metadata.scrapeId` this is: of a page of one of the team's crawls and batches as
    /// long as its results are kept, or of one of its latest scrapes. It is the JSON of a
    /// [`ScrapeResponse`](gleaner_types::response::ScrapeResponse), which counts among the [bodies under
    /// way](super::MAX_CONCURRENT_BODIES) until the last copy of it is dropped.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) where too
    /// many are under way.
    pub async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Bytes, Error> {
        let slot = self.bodies.slot(team).await?;
        let document = self.store().scraped(team, scrape).await?.ok_or_else(Error::not_found)?;
        Ok(slot.hold([HEAD, document.as_ref(), TAIL].concat()))
    }

    /// Keeps the document of a scrape for [`scraped`](Self::scraped), and gives it back. The scrape itself
    /// does not fail by it.
    pub(super) async fn keep(&self, team: &TeamId, document: Document) -> Document {
        let is_large = is_heavier(&document, LARGE_DOCUMENT);
        let (store, team, now) = (Arc::clone(self.store()), team.clone(), self.clock().now());
        let keeping = async move {
            if let Err(error) = store.keep_scrape(&team, &document, now).await {
                tracing::warn!(%error, %team, "the document of a scrape could not be kept");
            }
            document
        };
        if is_large { blocking_operation(keeping).await } else { keeping.await }
    }
}
