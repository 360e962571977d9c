//! Grants or denies further credits to a job.

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

/// Credits for a job that cannot go on without them; 0 denies them.
struct Grant<'a> {
    sql: &'a Sql,
    job: JobId,
    credits: u64,
    /// The number of grants that the shortage was listed with. Another process may have made this grant: its
    /// id is the same, so the credits were reserved once.
    listed: Option<u64>,
    now: Duration,
}

#[async_trait]
impl Operation for Grant<'_> {
    type Output = Option<JobRow>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let Some(mut row) = JobRow::lock_any(t, self.sql, self.job).await? else { return Ok(None) };
        let is_made = self.listed.is_some_and(|listed| listed != row.grants);
        if is_made || row.denied || row.missing_credits().is_none() {
            return Ok(None);
        }
        row.grants = row.grants.saturating_add(1);
        if self.credits > 0 {
            row.budget = row.budget.map(|budget| budget.saturating_add(self.credits));
        } else {
            row.denied = true;
            end_if_done(t, self.sql, &mut row, self.now).await?;
        }
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(Some(row))
    }
}

impl Inner {
    pub(crate) async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        let listed = self.listed_shortages.take(job);
        let grant = Grant { sql: &self.db.sql, job, credits, listed, now };
        let Some(row) = self.db.write(&grant).await? else { return Ok(()) };
        self.job_committed(&row);
        self.wake();
        Ok(())
    }
}
