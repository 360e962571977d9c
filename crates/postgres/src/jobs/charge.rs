//! Records the tokens and credits that a running extract has used.

use async_trait::async_trait;
use gleaner_store::Error;
use gleaner_types::JobId;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// What a running job with one result has used so far.
struct Charge<'a> {
    sql: &'a Sql,
    job: JobId,
    tokens: u64,
    credits: u64,
}

#[async_trait]
impl Operation for Charge<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        (row.tokens_used, row.credits_used) = (self.tokens, self.credits);
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

impl Inner {
    pub(crate) async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        let charge = Charge { sql: &self.db.sql, job, tokens: tokens_used, credits };
        let row = self.db.write(&charge).await?;
        self.job_committed(&row);
        Ok(())
    }
}
