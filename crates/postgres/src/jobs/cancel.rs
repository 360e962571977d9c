//! Cancels a job.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Error, JobSnapshot};
use gleaner_types::{JobId, JobState};

use super::end::end_job;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// The user ends a job.
struct Cancel<'a> {
    sql: &'a Sql,
    job: JobId,
    now: Duration,
}

#[async_trait]
impl Operation for Cancel<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        end_job(t, self.sql, &mut row, JobState::Cancelled, self.now).await?;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

impl Inner {
    pub(crate) async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        let row = self.db.write(&Cancel { sql: &self.db.sql, job, now }).await?;
        self.job_committed(&row);
        Ok(row.snapshot())
    }
}
