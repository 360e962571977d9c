//! Documents by the id of their scrape.

use std::sync::Arc;

use bytes::Bytes;
use gleaner_runtime::{Error, LARGE_DOCUMENT, blocking_operation};
use gleaner_store::{TeamId, is_heavier};
use gleaner_types::Document;
use uuid::Uuid;

use super::JobService;

/// JSON of a `ScrapeResponse` before and after its document.
const RESPONSE_START: &[u8] = br#"{"success":true,"data":"#;
const RESPONSE_END: &[u8] = b"}";

impl JobService {
    /// The document with this `metadata.scrapeId`: a page of one of the team's crawls or batches while their
    /// results are kept, or one of the team's latest scrapes. The bytes are the JSON of a
    /// [`ScrapeResponse`](gleaner_types::response::ScrapeResponse). They count against the [memory of
    /// responses](super::MAX_RESPONSE_MEMORY) until the last copy is dropped.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) if too many
    /// responses are in memory.
    pub async fn scraped_document(&self, team: &TeamId, scrape: Uuid) -> Result<Bytes, Error> {
        let reservation = self.response_memory.reserve(team).await?;
        let document = self.store().scraped(team, scrape).await?.ok_or_else(Error::not_found)?;
        Ok(reservation.attach([RESPONSE_START, document.as_ref(), RESPONSE_END].concat()))
    }

    /// Stores the document of a scrape for [`scraped_document`](Self::scraped_document) and returns it. A
    /// failure is logged and does not fail the scrape.
    pub(super) async fn store_scrape(&self, team: &TeamId, document: Document) -> Document {
        let is_large = is_heavier(&document, LARGE_DOCUMENT);
        let (store, team, now) = (Arc::clone(self.store()), team.clone(), self.clock().now());
        let storing = async move {
            if let Err(error) = store.keep_scrape(&team, &document, now).await {
                tracing::warn!(%error, %team, "the document of a scrape could not be stored");
            }
            document
        };
        if is_large { blocking_operation(storing).await } else { storing.await }
    }
}
