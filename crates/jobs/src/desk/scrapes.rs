//! One document, by the id of its scrape.

use bytes::Bytes;
use gleaner_store::TeamId;
use gleaner_types::Document;
use uuid::Uuid;

use super::Desk;
use crate::Error;

/// What a `ScrapeResponse` has before its document, and after it.
const HEAD: &[u8] = br#"{"success":true,"data":"#;
const TAIL: &[u8] = b"}";

impl Desk {
    /// The document whose `metadata.scrapeId` this is: of a page of one of the team's crawls and batches as long as its
    /// results are kept, or of one of its latest scrapes. It is the JSON of a
    /// [`ScrapeResponse`](gleaner_types::response::ScrapeResponse), which counts among the [bodies under
    /// way](super::MAX_BODIES_AT_ONCE) until the last copy of it is dropped.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) where too many are under way.
    pub async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Bytes, Error> {
        let room = self.bodies.room(team).await?;
        let document = self.store().scraped(team, scrape).await?.ok_or_else(Error::not_found)?;
        Ok(room.hold([HEAD, document.as_ref(), TAIL].concat()))
    }

    /// Keeps the document of a scrape for [`scraped`](Self::scraped). The scrape itself does not fail by it.
    pub(super) async fn keep(&self, team: &TeamId, document: &Document) {
        if let Err(error) = self.store().keep_scrape(team, document, self.clock().now()).await {
            tracing::warn!(%error, %team, "the document of a scrape could not be kept");
        }
    }
}
