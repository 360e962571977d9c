//! Documents by the id of their scrape.

use std::sync::Arc;

use gleaner_runtime::{Error, LARGE_DOCUMENT, blocking_operation};
use gleaner_store::TeamId;
use gleaner_types::{Document, is_heavier, limits};
use uuid::Uuid;

use super::JobService;
use super::response_json::{PieceWriter, ResponseJson};
use super::status::COPY_SLICE;

/// JSON of a `ScrapeResponse` before and after its document.
const RESPONSE_START: &[u8] = br#"{"success":true,"data":"#;
const RESPONSE_END: &[u8] = b"}";

impl JobService {
    /// The document with this `metadata.scrapeId`: a page of one of the team's crawls or batches while their
    /// results are kept, or one of the team's latest scrapes, as the JSON of a
    /// [`ScrapeResponse`](gleaner_types::response::ScrapeResponse).
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) if too many
    /// responses are in memory.
    pub async fn scraped_document(&self, team: &TeamId, scrape: Uuid) -> Result<ResponseJson, Error> {
        self.run(async {
            let mut share = self.response_memory.reserve(team, limits::MAX_STATUS_BYTES).await?;
            let document = self.store().scraped(team, scrape).await?.ok_or_else(Error::not_found)?;
            share.grow_to(document.len()).await?;
            let mut json = PieceWriter::default();
            json.push(RESPONSE_START);
            for part in document.chunks(COPY_SLICE) {
                json.push(part);
                tokio::task::yield_now().await;
            }
            json.push(RESPONSE_END);
            Ok(json.finish(share))
        })
        .await
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
