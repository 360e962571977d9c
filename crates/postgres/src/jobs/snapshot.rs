//! Reads the state of a job.

use async_trait::async_trait;
use gleaner_store::{Error, JobSnapshot};
use gleaner_types::JobId;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// The row of a job, without a lock.
struct Find<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait]
impl Operation for Find<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        JobRow::find(t, self.sql, self.job).await
    }
}

impl Inner {
    pub(crate) async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        Ok(self.db.read(&Find { sql: &self.db.sql, job }).await?.snapshot())
    }
}
