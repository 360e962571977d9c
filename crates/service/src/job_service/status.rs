//! The status of a crawl or batch, with one page of its documents.

use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::{Error, timestamp};
use gleaner_store::{JobSnapshot, JsonSlice, ReadBound, TeamId};
use gleaner_types::response::JobStatus;
use gleaner_types::{Document, JobId, JobKind, limits};
use tokio::time::Instant;

use super::JobService;
use super::response_json::{PieceWriter, ResponseJson};
use super::response_memory::ResponseShare;

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

/// Bytes of a response that are copied before other work of the thread has its turn.
pub(super) const COPY_SLICE: usize = 1 << 20;

/// The serialized status of a job.
#[derive(Debug)]
#[non_exhaustive]
pub struct StatusBody {
    /// A [`JobStatus`]: at most [`MAX_STATUS_BYTES`](limits::MAX_STATUS_BYTES), unless its only document is
    /// larger.
    pub json: ResponseJson,
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
        self.run(async {
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
                let share = self.response_memory.reserve(team, limits::MAX_STATUS_BYTES).await?;
                // Documents are read before the counts, so that the counts include all of them.
                let slice = self.store().read_json(id, from, bound).await?;
                let snapshot = self.store().snapshot(id).await?;
                if may_wait && slice.documents.is_empty() && !snapshot.state.is_terminal() {
                    drop(share);
                    may_wait =
                        matches!(tokio::time::timeout_at(deadline, progress.changed()).await, Ok(Ok(())));
                    continue;
                }
                return status_body(&mut self.envelope(snapshot), slice, share, next).await;
            }
        })
        .await
    }

    /// The status without documents.
    pub(super) fn envelope(&self, job: JobSnapshot) -> JobStatus {
        JobStatus {
            success: true,
            status: job.state,
            completed: job.completed,
            total: job.contract_total(),
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
async fn status_body(
    status: &mut JobStatus,
    slice: JsonSlice,
    mut share: ResponseShare,
    next: NextUrl<'_>,
) -> Result<StatusBody, Error> {
    let mut documents = slice.documents;
    let first = slice.next.saturating_sub(documents.len() as u64);
    loop {
        let next_index = first + documents.len() as u64;
        let is_last = slice.end && next_index == slice.next;
        status.next = (!is_last).then(|| next(next_index));
        let envelope = Envelope::of(status)?;
        let content: usize = documents.iter().map(Bytes::len).sum();
        let length = envelope.length() + content + documents.len().saturating_sub(1);
        if length > limits::MAX_STATUS_BYTES && documents.len() > 1 {
            documents.pop();
            continue;
        }
        // A single document may be larger than the share.
        share.grow_to(length).await?;
        let (mut json, mut copied, count) = (PieceWriter::default(), 0, documents.len());
        json.push(envelope.start());
        for (number, document) in documents.into_iter().enumerate() {
            if number > 0 {
                json.push(b",");
            }
            for part in document.chunks(COPY_SLICE) {
                json.push(part);
                copied += part.len();
                if copied >= COPY_SLICE {
                    copied = 0;
                    tokio::task::yield_now().await;
                }
            }
        }
        json.push(envelope.end());
        let next = (!is_last).then_some(next_index);
        return Ok(StatusBody { json: json.finish(share), documents: count, next });
    }
}

/// The JSON of a status without documents, with the place for them.
pub(super) struct Envelope {
    json: Vec<u8>,
    insert_at: usize,
}

impl Envelope {
    pub(super) fn of(status: &JobStatus) -> Result<Self, Error> {
        const EMPTY: &[u8] = br#""data":[]"#;
        let json = serde_json::to_vec(status)
            .map_err(|error| Error::failed(format!("a status could not be serialized: {error}")))?;
        // A string in the envelope cannot contain this, because its quotes would be escaped.
        let position = json.windows(EMPTY.len()).position(|window| window == EMPTY);
        let insert_at = position.map_or(json.len(), |start| start + EMPTY.len() - 1);
        Ok(Self { json, insert_at })
    }

    fn length(&self) -> usize {
        self.json.len()
    }

    pub(super) fn start(&self) -> &[u8] {
        self.json.get(..self.insert_at).unwrap_or_default()
    }

    pub(super) fn end(&self) -> &[u8] {
        self.json.get(self.insert_at..).unwrap_or_default()
    }
}
