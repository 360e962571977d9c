//! The partitions of documents: one for each day on which jobs are submitted.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Error, ErrorKind};
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Seconds of a day.
const DAY: u64 = 86_400;
/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;
/// A lock of the transaction: the partitions of a schema are made one after another.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 7310575178270012))";
/// What drops a partition waits at most this long for its readers, because everybody else waits behind it.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";

/// The day of a time, since the Unix epoch.
pub(crate) fn day(time: Duration) -> i32 {
    i32::try_from(time.as_secs() / DAY).unwrap_or(i32::MAX)
}

/// The days whose partitions this process knows to exist.
#[derive(Debug, Default)]
pub(crate) struct KnownDays(Mutex<BTreeSet<i32>>);

impl KnownDays {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the partition of a day, unless it exists.
struct EnsureDay<'a> {
    sql: &'a Sql,
    day: i32,
}

#[async_trait]
impl Operation for EnsureDay<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        if exists(t, self.sql, self.day).await? {
            return Ok(());
        }
        t.query_typed(LOCK, &[(&self.sql.text("{schema}"), Type::TEXT)]).await?;
        if exists(t, self.sql, self.day).await? {
            return Ok(());
        }
        // Not `PARTITION OF`, which would wait for all readers of documents, and all others behind it.
        let day = self.day;
        let text = format!(
            "CREATE TABLE {{schema}}.document_{day} \
             (LIKE {{schema}}.document INCLUDING DEFAULTS INCLUDING STORAGE)"
        );
        t.execute_typed(&self.sql.text(&text), &[]).await?;
        let text = format!(
            "ALTER TABLE {{schema}}.document ATTACH PARTITION {{schema}}.document_{day} \
             FOR VALUES IN ({day})"
        );
        t.execute_typed(&self.sql.text(&text), &[]).await?;
        Ok(())
    }
}

async fn exists(t: &Transaction<'_>, sql: &Sql, day: i32) -> Result<bool, Failure> {
    let name = sql.text(&format!("{{schema}}.document_{day}"));
    let text = "SELECT to_regclass($1) IS NOT NULL";
    Ok(t.query_typed_one(text, &[(&name, Type::TEXT)]).await?.try_get(0)?)
}

/// The days with partitions.
struct Days<'a> {
    sql: &'a Sql,
}

#[async_trait]
impl Operation for Days<'_> {
    type Output = Vec<i32>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<i32>, Failure> {
        let text = "SELECT CAST(c.relname AS text) FROM pg_catalog.pg_inherits AS i \
                    JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid \
                    WHERE i.inhparent = to_regclass($1)";
        let name = self.sql.text("{schema}.document");
        let rows = t.query_typed(text, &[(&name, Type::TEXT)]).await?;
        let mut days = Vec::new();
        for row in &rows {
            let name: &str = row.try_get(0)?;
            days.extend(name.strip_prefix("document_").and_then(|day| day.parse::<i32>().ok()));
        }
        days.sort_unstable();
        Ok(days)
    }
}

/// Drops the partition of a day that no job was submitted on.
struct DropDay<'a> {
    sql: &'a Sql,
    day: i32,
}

#[async_trait]
impl Operation for DropDay<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let start = i64::from(self.day).saturating_mul(DAY_MICROS);
        let end = start.saturating_add(DAY_MICROS);
        let text = "SELECT EXISTS (SELECT 1 FROM {schema}.job WHERE created_at >= $1 AND created_at < $2)";
        let row =
            t.query_typed_one(&self.sql.text(text), &[(&start, Type::INT8), (&end, Type::INT8)]).await?;
        if row.try_get::<_, bool>(0)? {
            return Ok(());
        }
        t.execute_typed(LOCK_TIMEOUT, &[]).await?;
        let text = format!("DROP TABLE IF EXISTS {{schema}}.document_{}", self.day);
        match t.execute_typed(&self.sql.text(&text), &[]).await {
            // Not tried again at once: each try delays everybody else.
            Err(failure) if failure.is_lock_timeout() => {
                Err(Error::new(ErrorKind::Busy, "the documents of an old day are being read").into())
            }
            dropped => dropped.map(|_| ()),
        }
    }
}

impl Inner {
    /// Makes the partition for the documents of jobs that are submitted now.
    pub(super) async fn ensure_day(&self, now: Duration) -> Result<(), Error> {
        let day = day(now);
        if self.days.lock().contains(&day) {
            return Ok(());
        }
        self.db.write(&EnsureDay { sql: &self.db.sql, day }).await?;
        self.days.lock().insert(day);
        Ok(())
    }

    /// Drops the partitions of days whose jobs are all gone.
    pub(super) async fn drop_old_days(&self, now: Duration) -> Result<(), Failure> {
        let Some(until) = now.checked_sub(self.config.retention) else { return Ok(()) };
        // The clocks of processes may differ.
        let first = day(until).saturating_sub(1);
        let sql = &self.db.sql;
        for day in self.db.read(&Days { sql }).await?.into_iter().filter(|day| *day < first) {
            self.days.lock().remove(&day);
            match self.db.write(&DropDay { sql, day }).await {
                Err(Failure::Refused(error)) if error.kind() == ErrorKind::Busy => {
                    tracing::debug!(%error, day, "the documents of an old day are dropped later");
                }
                dropped => dropped?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_86_400_seconds() {
        let at = |seconds| day(Duration::from_secs(seconds));
        assert_eq!((at(0), at(86_399), at(86_400), at(1_700_000_000)), (0, 0, 1, 19_675));
    }
}
