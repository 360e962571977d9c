//! Reads documents of a stream, and removes those before them.

use async_trait::async_trait;
use gleaner_store::ReadBound;
use gleaner_types::JobId;
use tokio_postgres::types::Type;

use super::stored::{Batch, damaged};
use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, count};

/// Removes the documents of a stream before a position, which the reader has, and reads those after it.
#[derive(Debug)]
pub(super) struct TakeDocuments<'a> {
    pub(super) sql: &'a Sql,
    pub(super) job: JobId,
    pub(super) from: u64,
    pub(super) bound: ReadBound,
}

#[async_trait]
impl Operation for TakeDocuments<'_> {
    /// The row of the job as it is now, and the documents.
    type Output = (JobRow, Batch);

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let mut job = JobRow::lock(t, self.sql, self.job).await?;
        let read = self.from.min(job.documents);
        if !job.keeps && job.read_position < read {
            let removed = self.remove(t, &job, read).await?;
            job.unread_bytes = job.unread_bytes.saturating_sub(removed);
            job.read_position = read;
            JobRow::store_many(t, self.sql, std::slice::from_ref(&job)).await?;
        }
        let batch = Batch::fetch(t, self.sql, &job, self.from, self.bound).await?;
        let position = self.from.max(job.read_position);
        let batch = batch.ok_or_else(|| damaged(self.job, position))?;
        Ok((job, batch))
    }
}

impl TakeDocuments<'_> {
    /// Removes the documents before this position. Returns their size in bytes.
    async fn remove(&self, t: &Transaction<'_>, job: &JobRow, before: u64) -> Result<u64, Failure> {
        let text = self.sql.text(
            "WITH removed AS (DELETE FROM {schema}.document WHERE day = $1 AND job = $2 AND position < $3 \
             RETURNING size) SELECT coalesce(sum(size), 0)::bigint FROM removed",
        );
        let row = t
            .query_typed_one(
                &text,
                &[(&job.day(), Type::INT4), (&job.number, Type::INT4), (&big(before), Type::INT8)],
            )
            .await?;
        Ok(count(row.try_get(0)?))
    }
}
