//! More pages and credits for a running batch.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{Admitted, Candidate, FrontierConfig};
use gleaner_store::{Error, JobAccount, Store as _};
use gleaner_types::JobId;
use uuid::Uuid;

use super::keys::{ForgetKey, use_key};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::queue::{Additions, Caches, HeldHosts, NewPages, admit, check_capacity, queue_space};
use crate::transaction::Transaction;

struct Append<'a> {
    sql: &'a Sql,
    job: JobId,
    pages: &'a [Candidate],
    credits: u64,
    key: Option<Uuid>,
    caches: &'a Caches,
    queue: &'a FrontierConfig,
    now: Duration,
}

#[async_trait]
impl Operation for Append<'_> {
    type Output = (JobRow, Admitted, Additions);

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let Self { sql, job, .. } = *self;
        let mut row = JobRow::find(t, sql, job).await?;
        // A finish locks the row of a job without a depth limit after its pages, and so does this.
        let locks_first = row.max_depth.is_some();
        if locks_first {
            row = JobRow::lock(t, sql, job).await?;
        }
        row.require_running()?;
        let account = row.team.clone().map(JobAccount::of);
        let account = account.map(|account| JobAccount { idempotency_key: self.key, ..account });
        use_key(t, sql, account.as_ref(), self.now).await?;
        check_capacity(self.pages, row.pending, self.queue)?;
        let pages = NewPages {
            job: row.number,
            max_depth: row.max_depth,
            depth: 0,
            from_links: false,
            space: queue_space(row.pending, self.queue),
            pages: self.pages,
        };
        let (admitted, additions) = admit(t, sql, self.caches, &HeldHosts::default(), &[pages]).await?;
        if !locks_first {
            row = JobRow::lock(t, sql, job).await?;
            row.require_running()?;
        }
        let mut result = Admitted::default();
        for pages in admitted {
            pages.count(&mut row);
            result = pages.admitted;
        }
        row.budget = row.budget.map(|budget| budget.saturating_add(self.credits));
        JobRow::store_many(t, sql, std::slice::from_ref(&row)).await?;
        Ok((row, result, additions))
    }
}

/// Records the key of an append to a job in memory, for all processes.
struct UseKey<'a> {
    sql: &'a Sql,
    account: &'a JobAccount,
    now: Duration,
}

#[async_trait]
impl Operation for UseKey<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        use_key(t, self.sql, Some(self.account), self.now).await
    }
}

impl Inner {
    /// Appends to a job in the memory of this process.
    pub(crate) async fn append_in_memory(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        let stored = self.memory.stored(job).await?;
        let account = stored.account.map(|account| JobAccount { idempotency_key, ..*account });
        let sql = &self.db.sql;
        if let Some(account) = account.as_ref().filter(|account| account.idempotency_key.is_some()) {
            self.db.write(&UseKey { sql, account, now }).await?;
        }
        let appended = self.memory.append(job, pages, credits, None, now).await;
        if let (Err(_), Some(account), Some(key)) = (&appended, &account, idempotency_key) {
            self.db.write(&ForgetKey { sql, team: &account.team, key }).await?;
        }
        appended
    }

    pub(crate) async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        let append = Append {
            sql: &self.db.sql,
            job,
            pages: &pages,
            credits,
            key: idempotency_key,
            caches: &self.caches,
            queue: &self.config.memory.frontier,
            now,
        };
        let (row, admitted, additions) = self.db.write(&append).await?;
        self.pages_committed(&row, additions);
        Ok(admitted)
    }
}
