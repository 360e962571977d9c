//! Marks an ended job as settled with the accounts provider.

use async_trait::async_trait;
use gleaner_store::{EndedJob, Error, Store as _};
use gleaner_types::JobId;
use tokio_postgres::types::Type;

use super::accounting::ended_job;
use super::activities;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_form::load_forms;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// At most this many unsettled jobs in memory are searched at a time. They are settled in their order.
const SEARCHED: usize = 1_000;

/// The accounts provider knows about the end of a job, which may be removed.
struct Settle<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait]
impl Operation for Settle<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let Some(mut row) = JobRow::lock_any(t, self.sql, self.job).await? else { return Ok(()) };
        if !row.unsettled {
            return Ok(());
        }
        let url = load_forms(t, self.sql, &[row.number]).await?.remove(&row.number).and_then(|form| form.url);
        if let Some(ended) = ended_job(&row, url) {
            activities::insert(t, self.sql, &ended.for_log()).await?;
        }
        row.unsettled = false;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await
    }
}

/// The same for a job in the memory of this process: the log is that of all processes.
struct SettleInMemory<'a> {
    sql: &'a Sql,
    ended: &'a EndedJob,
}

#[async_trait]
impl Operation for SettleInMemory<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text("DELETE FROM {schema}.reservation WHERE job = $1");
        t.execute_typed(&text, &[(self.ended.snapshot.id.as_uuid(), Type::UUID)]).await?;
        activities::insert(t, self.sql, self.ended).await
    }
}

impl Inner {
    pub(crate) async fn settled(&self, job: JobId) -> Result<(), Error> {
        let sql = &self.db.sql;
        let unsettled = self.memory.accounting(SEARCHED).await?.ended;
        if let Some(ended) = unsettled.into_iter().find(|ended| ended.snapshot.id == job) {
            let ended = ended.for_log();
            self.db.write(&SettleInMemory { sql, ended: &ended }).await?;
            return self.memory.settled(job).await;
        }
        self.memory.settled(job).await?;
        Ok(self.db.write(&Settle { sql, job }).await?)
    }
}
