//! The status of a crawl or batch, with one page of its documents.

use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{Error, timestamp};
use gleaner_store::{JobSnapshot, JsonSlice, ReadBound, TeamId};
use gleaner_types::response::JobStatus;
use gleaner_types::{Document, JobId, JobKind, limits};
use tokio::time::Instant;

use super::JobService;
use super::response_memory::MemoryReservation;

/// How long a request for the next documents of a running job waits if there are none yet. Without the wait,
/// readers would poll without pause.
pub const LONG_POLL: Duration = Duration::from_secs(1);

/// A range of a job's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// Index of the first document. If it is set, the read waits up to [`LONG_POLL`] for a document.
    pub skip: Option<u64>,
    /// Maximum number of documents, 1 to [`MAX_STATUS_LIMIT`](limits::MAX_STATUS_LIMIT).
    pub limit: Option<u64>,
}

/// The serialized status of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusBody {
    /// The JSON of a [`JobStatus`]: at most [`MAX_STATUS_BYTES`](limits::MAX_STATUS_BYTES), unless its only
    /// document is larger. It counts against the [memory of responses](super::MAX_RESPONSE_MEMORY) until the
    /// last copy is dropped.
    pub bytes: Bytes,
    /// Number of documents in it.
    pub documents: usize,
    /// Index of the next document; `None` at the end of the data.
    pub next: Option<u64>,
}

/// Builds the absolute URL of the documents from an index on.
pub(super) type NextUrl<'a> = &'a (dyn Fn(u64) -> String + Send + Sync);

impl JobService {
    /// The status of a crawl or batch, with documents from `page.skip` on. `next` builds the absolute URL of
    /// the following documents.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) if too many
    /// responses are in memory.
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
        let limit = page.limit.map(|limit| limit.clamp(1, limits::MAX_STATUS_LIMIT));
        let documents = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let bound = ReadBound { documents, bytes: limits::MAX_STATUS_BYTES };
        let mut progress = self.store().progress(id).await?;
        let deadline = Instant::now() + LONG_POLL;
        let mut may_wait = page.skip.is_some();
        loop {
            progress.borrow_and_update();
            let reservation = self.response_memory.reserve(team).await?;
            // Documents are read before the counts, so that the counts include all of them.
            let slice = self.store().read_json(id, from, bound).await?;
            let snapshot = self.store().snapshot(id).await?;
            if may_wait && slice.documents.is_empty() && !snapshot.state.is_terminal() {
                drop(reservation);
                may_wait = matches!(tokio::time::timeout_at(deadline, progress.changed()).await, Ok(Ok(())));
                continue;
            }
            return status_body(&mut self.envelope(snapshot), slice, reservation, next);
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
            warning: job.warning(),
            error: job.error,
        }
    }
}

/// Writes a status with as many of the documents as fit into the size limit.
fn status_body(
    status: &mut JobStatus,
    slice: JsonSlice,
    reservation: MemoryReservation,
    next: NextUrl<'_>,
) -> Result<StatusBody, Error> {
    const EMPTY: &[u8] = br#""data":[]"#;
    let mut documents = slice.documents;
    let first = slice.next.saturating_sub(documents.len() as u64);
    loop {
        let next_index = first + documents.len() as u64;
        let is_last = slice.end && next_index == slice.next;
        status.next = (!is_last).then(|| next(next_index));
        let envelope = serde_json::to_vec(status)
            .map_err(|error| Error::failed(format!("a status could not be serialized: {error}")))?;
        let content: usize = documents.iter().map(Bytes::len).sum();
        let length = envelope.len() + content + documents.len().saturating_sub(1);
        if length > limits::MAX_STATUS_BYTES && documents.len() > 1 {
            documents.pop();
            continue;
        }
        // A string in the envelope cannot contain this, because its quotes would be escaped.
        let position = envelope.windows(EMPTY.len()).position(|window| window == EMPTY);
        let insert_at = position.map_or(envelope.len(), |start| start + EMPTY.len() - 1);
        let (start, end) = envelope.split_at(insert_at);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(start);
        for (number, document) in documents.iter().enumerate() {
            if number > 0 {
                bytes.push(b',');
            }
            bytes.extend_from_slice(document);
        }
        bytes.extend_from_slice(end);
        let (bytes, documents) = (reservation.attach(bytes), documents.len());
        return Ok(StatusBody { bytes, documents, next: (!is_last).then_some(next_index) });
    }
}
