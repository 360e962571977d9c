//! The status of a crawl or batch, with a piece of its documents.

use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{Error, timestamp};
use gleaner_store::{JobSnapshot, JsonSlice, ReadBound, TeamId};
use gleaner_types::response::JobStatus;
use gleaner_types::{Document, JobId, JobKind, limits};
use tokio::time::Instant;

use super::JobService;
use super::bodies::BodySlot;

/// A reader who asks for what comes next of a running job is kept waiting for at most so long where nothing
/// is there yet, lest it ask again at once.
pub const LONG_POLL: Duration = Duration::from_secs(1);

/// Which piece of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// From this place on. One who names a place waits up to [`LONG_POLL`] for something to be there.
    pub skip: Option<u64>,
    /// At most so many documents, 1 to [`MAX_STATUS_LIMIT`](limits::MAX_STATUS_LIMIT).
    pub limit: Option<u64>,
}

/// A status as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusBody {
    /// The JSON of a [`JobStatus`]: at most [`MAX_STATUS_BYTES`](limits::MAX_STATUS_BYTES), unless its only
    /// document is larger. It counts among the [bodies under way](super::MAX_CONCURRENT_BODIES) until the
    /// last copy of it is dropped.
    pub bytes: Bytes,
    /// How many documents it holds.
    pub documents: usize,
    /// The place of the next ones; `None` at the end of the data.
    pub next: Option<u64>,
}

/// Makes the absolute address of the documents from a place on.
pub(super) type NextUrl<'a> = &'a (dyn Fn(u64) -> String + Send + Sync);

impl JobService {
    /// How a crawl or batch stands, with documents from `page.skip` on. `next` makes the absolute address
    /// that the following ones are read from.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) where too
    /// many are under way.
    pub async fn status(
        &self,
        team: &TeamId,
        kind: JobKind,
        id: JobId,
        page: Page,
        next: NextUrl<'_>,
    ) -> Result<StatusBody, Error> {
        self.find(team, kind, id).await?;
        let from = page.skip.unwrap_or(0);
        let most = page.limit.map(|limit| limit.clamp(1, limits::MAX_STATUS_LIMIT));
        let documents = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let bound = ReadBound { documents, bytes: limits::MAX_STATUS_BYTES };
        let mut progress = self.store().progress(id)?;
        let give_up = Instant::now() + LONG_POLL;
        let mut patient = page.skip.is_some();
        loop {
            progress.borrow_and_update();
            let slot = self.bodies.slot(team).await?;
            // The documents before the counts: so these never tell of fewer than are there.
            let slice = self.store().read_json(id, from, bound).await?;
            let snapshot = self.store().snapshot(id).await?;
            if patient && slice.documents.is_empty() && !snapshot.state.is_terminal() {
                drop(slot);
                patient = matches!(tokio::time::timeout_at(give_up, progress.changed()).await, Ok(Ok(())));
                continue;
            }
            return body(&mut self.envelope(snapshot), slice, slot, next);
        }
    }

    /// The status without documents.
    pub(super) fn envelope(&self, job: JobSnapshot) -> JobStatus {
        JobStatus {
            success: true,
            status: job.state,
            completed: job.completed,
            total: job.total,
            credits_used: job.credits_used,
            expires_at: self.expires_at(job.ended_at),
            next: None,
            data: Vec::<Document>::new(),
            created_at: timestamp(job.created_at),
            completed_at: job.ended_at.map(timestamp),
            warning: job.warning,
            error: job.error,
        }
    }
}

/// Writes a status around as many of the documents as the body has room for.
fn body(
    status: &mut JobStatus,
    slice: JsonSlice,
    slot: BodySlot,
    next: NextUrl<'_>,
) -> Result<StatusBody, Error> {
    const EMPTY: &[u8] = br#""data":[]"#;
    let mut documents = slice.documents;
    let first = slice.next.saturating_sub(documents.len() as u64);
    loop {
        let place = first + documents.len() as u64;
        let at_end = slice.end && place == slice.next;
        status.next = (!at_end).then(|| next(place));
        let envelope = serde_json::to_vec(status)
            .map_err(|error| Error::failed(format!("a status could not be written: {error}")))?;
        let content: usize = documents.iter().map(Bytes::len).sum();
        let length = envelope.len() + content + documents.len().saturating_sub(1);
        if length > limits::MAX_STATUS_BYTES && documents.len() > 1 {
            documents.pop();
            continue;
        }
        // No text of the envelope can hold this: its quotes would be escaped.
        let found = envelope.windows(EMPTY.len()).position(|window| window == EMPTY);
        let place_of_data = found.map_or(envelope.len(), |start| start + EMPTY.len() - 1);
        let (head, tail) = envelope.split_at(place_of_data);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(head);
        for (number, document) in documents.iter().enumerate() {
            if number > 0 {
                bytes.push(b',');
            }
            bytes.extend_from_slice(document);
        }
        bytes.extend_from_slice(tail);
        let (bytes, documents) = (slot.hold(bytes), documents.len());
        return Ok(StatusBody { bytes, documents, next: (!at_end).then_some(place) });
    }
}
