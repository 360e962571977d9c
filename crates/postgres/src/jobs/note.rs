//! Changes the notes of a job.

use async_trait::async_trait;
use gleaner_store::{Error, Note};
use gleaner_types::JobId;

use super::notes::apply_notes;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Changes notes without a page.
struct ChangeNotes<'a> {
    sql: &'a Sql,
    job: JobId,
    notes: &'a [Note],
}

#[async_trait]
impl Operation for ChangeNotes<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        apply_notes(t, self.sql, row.number, self.notes).await
    }
}

impl Inner {
    pub(crate) async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error> {
        Ok(self.db.write(&ChangeNotes { sql: &self.db.sql, job, notes: &notes }).await?)
    }
}
