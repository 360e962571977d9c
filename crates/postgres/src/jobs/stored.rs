//! Loads a running job that another process submitted.

use async_trait::async_trait;
use gleaner_store::{Error, StoredJob};
use gleaner_types::JobId;

use super::notes;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_form::load_forms;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// What a process needs to work on a running job.
struct Stored<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait]
impl Operation for Stored<'_> {
    type Output = StoredJob;

    async fn run(&self, t: &Transaction<'_>) -> Result<StoredJob, Failure> {
        let notes_of = JobRow::find(t, self.sql, self.job).await?.number;
        let notes = notes::list(t, self.sql, notes_of).await?;
        let mut forms = load_forms(t, self.sql, &[notes_of]).await?;
        // Last, because the end of the job deletes what was read before.
        let row = JobRow::find(t, self.sql, self.job).await?;
        row.require_running()?;
        let form = forms.remove(&row.number).ok_or_else(|| Failure::damaged("the form of a job"))?;
        Ok(StoredJob {
            id: row.id,
            kind: row.kind,
            request: form.request,
            rules: form.rules,
            account: form.account,
            zero_data_retention: false,
            created_at: row.created_at,
            notes,
        })
    }
}

impl Inner {
    pub(crate) async fn stored(&self, job: JobId) -> Result<StoredJob, Error> {
        Ok(self.db.read(&Stored { sql: &self.db.sql, job }).await?)
    }
}
