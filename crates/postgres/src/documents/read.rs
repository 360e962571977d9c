//! Reads documents.

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_store::{Error, JsonSlice, ReadBound, Slice, Store};
use gleaner_types::{Document, JobId};

use super::lost::MarkLost;
use super::stored::{Batch, StoredDocument, damaged};
use super::take::TakeDocuments;
use crate::blocking;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Reads documents of a job if that changes nothing.
#[derive(Debug)]
struct ReadDocuments<'a> {
    sql: &'a Sql,
    job: JobId,
    from: u64,
    bound: ReadBound,
    /// Only documents that are kept.
    kept_only: bool,
}

#[async_trait]
impl Operation for ReadDocuments<'_> {
    /// `None` if documents before the position must be removed first, or were removed just now.
    type Output = Option<Batch>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let job = JobRow::find(t, self.sql, self.job).await?;
        if self.kept_only && !job.keeps {
            return Ok(Some(Batch::empty(&job, self.from)));
        }
        if !job.keeps && job.read_position < self.from.min(job.documents) {
            return Ok(None);
        }
        Batch::fetch(t, self.sql, &job, self.from, self.bound).await
    }
}

impl Inner {
    pub(crate) async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        if self.is_local(job) {
            return self.memory.read(job, from, bound).await;
        }
        let batch = self.take(job, from, bound, false).await?;
        let (next, end, keeps) = (batch.next, batch.end, batch.keeps);
        let (documents, lost) = blocking::run(is_large(&batch), move || Ok(parse(batch.documents))).await?;
        if let Some(position) = lost.first().copied() {
            if keeps {
                return Err(damaged(job, position));
            }
            self.db.write(&MarkLost { sql: &self.db.sql, job, positions: &lost }).await?;
            // The others are returned. Without any, an empty slice would mean that there is none yet.
            if documents.is_empty() {
                return Err(damaged(job, position));
            }
        }
        let mut slice = Slice::default();
        (slice.documents, slice.next, slice.end) = (documents, next, end);
        Ok(slice)
    }

    pub(crate) async fn read_json(
        &self,
        job: JobId,
        from: u64,
        bound: ReadBound,
    ) -> Result<JsonSlice, Error> {
        if self.is_local(job) {
            return self.memory.read_json(job, from, bound).await;
        }
        let batch = self.take(job, from, bound, true).await?;
        let mut slice = JsonSlice::default();
        (slice.next, slice.end) = (batch.next, batch.end);
        let unpack = move |document: StoredDocument| {
            let position = document.position;
            document.json().map(Bytes::from).ok_or_else(|| damaged(job, position))
        };
        slice.documents = blocking::run(is_large(&batch), move || {
            batch.documents.into_iter().map(unpack).collect::<Result<Vec<Bytes>, Error>>()
        })
        .await?;
        Ok(slice)
    }

    /// Reads documents in their stored form. Those of a stream before `from` are removed.
    async fn take(&self, job: JobId, from: u64, bound: ReadBound, kept_only: bool) -> Result<Batch, Error> {
        let sql = &self.db.sql;
        if let Some(batch) = self.db.read(&ReadDocuments { sql, job, from, bound, kept_only }).await? {
            return Ok(batch);
        }
        let (row, batch) = self.db.write(&TakeDocuments { sql, job, from, bound }).await?;
        // More documents may be unread now.
        self.job_changed(&row);
        self.wake();
        Ok(batch)
    }
}

fn is_large(batch: &Batch) -> bool {
    batch.size() > blocking::LARGE as u64
}

/// The documents, and the positions of those that cannot be read.
fn parse(stored: Vec<StoredDocument>) -> (Vec<Document>, Vec<u64>) {
    let (mut documents, mut lost) = (Vec::with_capacity(stored.len()), Vec::new());
    for document in stored {
        let position = document.position;
        match document.json().and_then(|json| serde_json::from_slice(&json).ok()) {
            Some(document) => documents.push(document),
            None => lost.push(position),
        }
    }
    (documents, lost)
}
