//! What belongs to removed jobs is deleted in small transactions: one job may have millions of pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio_postgres::types::{ToSql, Type};

use super::days;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{from_micros, micros};

/// Maximum number of rows with a key that one transaction deletes.
const KEYS: i64 = 5_000;
/// The same of documents.
const DOCUMENTS: i64 = 500;
/// Maximum number of jobs that are listed at a time.
const JOBS: i64 = 100;
/// Partitions are dropped with all their documents. A running job that is older than this keeps the partition
/// of its day, so the documents of the other jobs of that day are deleted one by one.
const OLD: Duration = Duration::from_secs(2 * 86_400);
/// Tables with the primary key (job, key).
const KEYED: [&str; 3] = ["page", "graph", "too_deep"];

/// Whether this process is cleaning.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cleaning(Arc<AtomicBool>);

impl Cleaning {
    /// Starts a task that deletes what belongs to removed jobs, unless it runs.
    pub(crate) fn start(&self, inner: &Arc<Inner>, now: Duration) {
        if self.0.swap(true, Ordering::AcqRel) {
            return;
        }
        let running = Running(Arc::clone(&self.0));
        inner.spawn(move |inner| async move {
            if let Err(failure) = inner.clean(now).await {
                tracing::warn!(%failure, "removed jobs could not be deleted");
            }
            drop(running);
        });
    }
}

/// Ends with the task, also if that is dropped.
struct Running(Arc<AtomicBool>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A removed job with something left to delete.
#[derive(Debug, Clone, Copy)]
struct Removed {
    number: i32,
    day: i32,
    /// Its rows are gone, except for its documents, its events and what must be settled.
    cleaned: bool,
    /// Its documents cannot wait until their partition is dropped.
    deletes_documents: bool,
    /// Nobody needs the rest.
    is_over: bool,
}

/// Lists removed jobs after a number.
struct List<'a> {
    sql: &'a Sql,
    after: i32,
    now: Duration,
    /// Jobs that ended at or before this time have expired.
    until: Option<Duration>,
}

#[async_trait]
impl Operation for List<'_> {
    type Output = Vec<Removed>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<Removed>, Failure> {
        let text = "SELECT number, created_at, cleaned, ended_at > $3 OR EXISTS (SELECT 1 FROM {schema}.job \
                    AS o WHERE o.state = 0 AND o.created_at <= $4 \
                    AND o.created_at / 86400000000 = j.created_at / 86400000000), \
                    NOT unsettled AND next_event >= events FROM {schema}.job AS j WHERE removed \
                    AND number > $1 AND (NOT cleaned OR (NOT unsettled AND next_event >= events)) \
                    ORDER BY number LIMIT $2";
        let until = self.until.map_or(-1, micros);
        let old = micros(self.now.saturating_sub(OLD));
        let parameters: [(&(dyn ToSql + Sync), Type); 4] =
            [(&self.after, Type::INT4), (&JOBS, Type::INT8), (&until, Type::INT8), (&old, Type::INT8)];
        let rows = t.query_typed(&self.sql.text(text), &parameters).await?;
        let removed = |row: &tokio_postgres::Row| {
            Ok(Removed {
                number: row.try_get(0)?,
                day: days::day(from_micros(row.try_get(1)?)),
                cleaned: row.try_get(2)?,
                deletes_documents: row.try_get::<_, Option<bool>>(3)?.unwrap_or(true),
                is_over: row.try_get(4)?,
            })
        };
        rows.iter().map(removed).collect()
    }
}

/// Locks a removed job. False if another process has it or has deleted it.
async fn lock(t: &Transaction<'_>, sql: &Sql, job: i32) -> Result<bool, Failure> {
    let text = "SELECT 1 FROM {schema}.job WHERE number = $1 AND removed FOR NO KEY UPDATE SKIP LOCKED";
    Ok(t.query_typed_opt(&sql.text(text), &[(&job, Type::INT4)]).await?.is_some())
}

/// What a transaction that deletes a part has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left<T> {
    /// There may be more, from here on.
    From(T),
    Nothing,
    /// Another process is deleting it, or has deleted the job.
    Unknown,
}

/// Deletes rows of a table from a key on.
struct DeleteKeys<'a> {
    sql: &'a Sql,
    table: &'static str,
    job: i32,
    from: i64,
}

#[async_trait]
impl Operation for DeleteKeys<'_> {
    type Output = Left<i64>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Left<i64>, Failure> {
        let Self { sql, table, job, from } = *self;
        if !lock(t, sql, job).await? {
            return Ok(Left::Unknown);
        }
        let text = format!(
            "SELECT max(key) FROM (SELECT key FROM {{schema}}.{table} WHERE job = $1 AND key >= $2 \
             ORDER BY key LIMIT $3) AS chunk"
        );
        let parameters: [(&(dyn ToSql + Sync), Type); 3] =
            [(&job, Type::INT4), (&from, Type::INT8), (&KEYS, Type::INT8)];
        let last: Option<i64> = t.query_typed_one(&sql.text(&text), &parameters).await?.try_get(0)?;
        let Some(last) = last else { return Ok(Left::Nothing) };
        let text = format!("DELETE FROM {{schema}}.{table} WHERE job = $1 AND key >= $2 AND key <= $3");
        let parameters: [(&(dyn ToSql + Sync), Type); 3] =
            [(&job, Type::INT4), (&from, Type::INT8), (&last, Type::INT8)];
        t.execute_typed(&sql.text(&text), &parameters).await?;
        Ok(last.checked_add(1).map_or(Left::Nothing, Left::From))
    }
}

/// Deletes what is bounded for each job, and records that this is done.
struct DeleteRest<'a> {
    sql: &'a Sql,
    job: i32,
}

#[async_trait]
impl Operation for DeleteRest<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        if !lock(t, self.sql, self.job).await? {
            return Ok(());
        }
        let text = "WITH blocks AS (DELETE FROM {schema}.block WHERE job = $1), \
                    failures AS (DELETE FROM {schema}.failure WHERE job = $1), \
                    letters AS (DELETE FROM {schema}.dead_letter WHERE job = $1), \
                    shares AS (DELETE FROM {schema}.job_share WHERE job = $1), \
                    notes AS (DELETE FROM {schema}.note WHERE job = $1) \
                    UPDATE {schema}.job SET cleaned = true WHERE number = $1";
        t.execute_typed(&self.sql.text(text), &[(&self.job, Type::INT4)]).await?;
        Ok(())
    }
}

/// Deletes some documents of a job.
struct DeleteDocuments<'a> {
    sql: &'a Sql,
    job: Removed,
}

#[async_trait]
impl Operation for DeleteDocuments<'_> {
    type Output = Left<()>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Left<()>, Failure> {
        let Removed { number, day, .. } = self.job;
        if !lock(t, self.sql, number).await? {
            return Ok(Left::Unknown);
        }
        let text = "SELECT min(position) FROM {schema}.document WHERE day = $1 AND job = $2";
        let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&day, Type::INT4), (&number, Type::INT4)];
        let first: Option<i64> = t.query_typed_one(&self.sql.text(text), &parameters).await?.try_get(0)?;
        let Some(first) = first else { return Ok(Left::Nothing) };
        let text = "DELETE FROM {schema}.document WHERE day = $1 AND job = $2 AND position < $3";
        let end = first.saturating_add(DOCUMENTS);
        let parameters: [(&(dyn ToSql + Sync), Type); 3] =
            [(&day, Type::INT4), (&number, Type::INT4), (&end, Type::INT8)];
        t.execute_typed(&self.sql.text(text), &parameters).await?;
        Ok(Left::From(()))
    }
}

/// Deletes the row of a job that nobody needs, and the last of what belongs to it.
struct Forget<'a> {
    sql: &'a Sql,
    job: i32,
}

#[async_trait]
impl Operation for Forget<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        if !lock(t, self.sql, self.job).await? {
            return Ok(());
        }
        let text = "WITH forms AS (DELETE FROM {schema}.job_form WHERE job = $1), \
                    conclusions AS (DELETE FROM {schema}.conclusion WHERE job = $1), \
                    events AS (DELETE FROM {schema}.event WHERE job = $1), \
                    dues AS (DELETE FROM {schema}.due WHERE job = $1) \
                    DELETE FROM {schema}.job WHERE number = $1";
        t.execute_typed(&self.sql.text(text), &[(&self.job, Type::INT4)]).await?;
        Ok(())
    }
}

impl Inner {
    /// Deletes what belongs to removed jobs.
    async fn clean(&self, now: Duration) -> Result<(), Failure> {
        let sql = &self.db.sql;
        let until = now.checked_sub(self.config.retention);
        let mut after = 0;
        loop {
            let jobs = self.db.read(&List { sql, after, now, until }).await?;
            let Some(last) = jobs.last() else { return self.drop_old_days(now).await };
            after = last.number;
            for job in jobs {
                self.clean_job(job).await?;
            }
        }
    }

    async fn clean_job(&self, removed: Removed) -> Result<(), Failure> {
        let (sql, job) = (&self.db.sql, removed.number);
        if !removed.cleaned {
            for table in KEYED {
                let mut left = Left::From(i64::MIN);
                while let Left::From(from) = left {
                    left = self.db.write(&DeleteKeys { sql, table, job, from }).await?;
                }
                if left == Left::Unknown {
                    return Ok(());
                }
            }
            self.db.write(&DeleteRest { sql, job }).await?;
        }
        if !removed.is_over {
            return Ok(());
        }
        if removed.deletes_documents {
            let mut left = Left::From(());
            while left == Left::From(()) {
                left = self.db.write(&DeleteDocuments { sql, job: removed }).await?;
            }
            if left == Left::Unknown {
                return Ok(());
            }
        }
        self.db.write(&Forget { sql, job }).await
    }
}
