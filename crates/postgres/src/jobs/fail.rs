//! Ends a job with an error.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Error, JobFailure, JobSnapshot};
use gleaner_types::{JobId, JobState};

use super::end::end_job;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::text;
use crate::transaction::Transaction;

/// A worker reports that a job cannot go on.
struct Fail<'a> {
    sql: &'a Sql,
    job: JobId,
    reason: &'a str,
    now: Duration,
}

#[async_trait]
impl Operation for Fail<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        row.failure = Some(JobFailure::Other);
        row.error = Some(text::clean(self.reason).into_owned());
        end_job(t, self.sql, &mut row, JobState::Failed, self.now).await?;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

impl Inner {
    pub(crate) async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        Ok(self.fail_job(job, reason, now).await?.snapshot())
    }

    /// As [`fail`](Self::fail). Returns the row of the job.
    pub(crate) async fn fail_job(&self, job: JobId, reason: &str, now: Duration) -> Result<JobRow, Failure> {
        let row = self.db.write(&Fail { sql: &self.db.sql, job, reason, now }).await?;
        self.job_committed(&row);
        Ok(row)
    }
}
