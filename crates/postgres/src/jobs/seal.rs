//! Seals a job, so that it accepts no more pages.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::Error;
use gleaner_types::JobId;

use super::end::end_if_done;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// No other pages will be admitted to a job.
struct Seal<'a> {
    sql: &'a Sql,
    job: JobId,
    now: Duration,
}

#[async_trait]
impl Operation for Seal<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        if row.is_running() {
            row.sealed = true;
            end_if_done(t, self.sql, &mut row, self.now).await?;
            JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        }
        Ok(row)
    }
}

impl Inner {
    pub(crate) async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let row = self.db.write(&Seal { sql: &self.db.sql, job, now }).await?;
        self.job_committed(&row);
        Ok(())
    }
}
