//! Pauses or resumes a job.

use async_trait::async_trait;
use gleaner_store::{Error, JobSnapshot};
use gleaner_types::JobId;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// The user pauses or resumes a job.
struct Pause<'a> {
    sql: &'a Sql,
    job: JobId,
    paused: bool,
}

#[async_trait]
impl Operation for Pause<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        row.paused = self.paused;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

impl Inner {
    pub(crate) async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        let row = self.db.write(&Pause { sql: &self.db.sql, job, paused }).await?;
        self.job_committed(&row);
        self.wake();
        Ok(row.snapshot())
    }
}
