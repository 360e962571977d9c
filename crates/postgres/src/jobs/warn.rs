//! Adds a warning to a job.

use async_trait::async_trait;
use gleaner_store::{Error, JobWarning};
use gleaner_types::JobId;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Adds a warning for the reader of a job, which may have ended.
struct Warn<'a> {
    sql: &'a Sql,
    job: JobId,
    warning: &'a JobWarning,
}

#[async_trait]
impl Operation for Warn<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        if row.add_warning(self.warning.clone()) {
            JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        }
        Ok(())
    }
}

impl Inner {
    pub(crate) async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        Ok(self.db.write(&Warn { sql: &self.db.sql, job, warning: &warning }).await?)
    }
}
