//! Removes a job, and cancels it first if it runs.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::Error;
use gleaner_types::{JobId, JobState};

use super::end::end_job;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Removes a job, and cancels it if it runs. What belongs to it is deleted later.
struct Remove<'a> {
    sql: &'a Sql,
    job: JobId,
    now: Duration,
}

#[async_trait]
impl Operation for Remove<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        remove_locked(t, self.sql, &mut row, self.now).await?;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

/// Removes a job whose row is locked. The row must be stored.
pub(super) async fn remove_locked(
    t: &Transaction<'_>,
    sql: &Sql,
    row: &mut JobRow,
    now: Duration,
) -> Result<(), Failure> {
    if row.is_running() {
        end_job(t, sql, row, JobState::Cancelled, now).await?;
    }
    row.removed = true;
    Ok(())
}

impl Inner {
    pub(crate) async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let row = self.db.write(&Remove { sql: &self.db.sql, job, now }).await?;
        self.job_committed(&row);
        Ok(())
    }
}
