//! What has been kept long enough is removed.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::Error;
use gleaner_types::JobId;
use tokio_postgres::types::Type;

use super::orphans::RemoveParts;
use super::trim::Trim;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::micros;

/// Maximum number of jobs that one transaction removes.
const BATCH: usize = 200;
/// Maximum number of such transactions of one call.
const BATCHES: usize = 20;

/// Removes jobs that ended at or before `until`, and drops their events that still wait.
struct Expire<'a> {
    sql: &'a Sql,
    until: Duration,
}

struct Expired {
    rows: Vec<JobRow>,
    /// The jobs that were not removed before.
    removed: Vec<JobId>,
}

#[async_trait]
impl Operation for Expire<'_> {
    type Output = Expired;

    async fn run(&self, t: &Transaction<'_>) -> Result<Expired, Failure> {
        let rest = "WHERE ended_at <= $1 AND (NOT removed OR next_event < events) \
                    ORDER BY ended_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED";
        let (until, limit) = (micros(self.until), BATCH as i64);
        let mut rows =
            JobRow::select(t, self.sql, rest, &[(&until, Type::INT8), (&limit, Type::INT8)]).await?;
        let mut removed = Vec::new();
        for row in &mut rows {
            removed.extend((!row.removed).then_some(row.id));
            row.removed = true;
            if row.has_events() {
                let events = row.events - row.next_event;
                tracing::warn!(
                    job = %row.id, events,
                    "webhook events expired undelivered with the results of their job"
                );
                row.next_event = row.events;
            }
        }
        let numbers: Vec<i32> = rows.iter().map(|row| row.number).collect();
        if !numbers.is_empty() {
            let text = self.sql.text("DELETE FROM {schema}.due WHERE job = ANY($1)");
            t.execute_typed(&text, &[(&numbers, Type::INT4_ARRAY)]).await?;
        }
        JobRow::store_many(t, self.sql, &rows).await?;
        Ok(Expired { rows, removed })
    }
}

impl Inner {
    /// Removes jobs and what else was kept for the retention. Returns the jobs. What belongs to them is
    /// deleted by [`Cleaning`](super::Cleaning).
    pub(crate) async fn expire_jobs(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        let sql = &self.db.sql;
        for part in self.db.write(&RemoveParts { sql, now }).await? {
            self.job_committed(&part);
        }
        let Some(until) = now.checked_sub(self.config.retention) else { return Ok(Vec::new()) };
        let mut removed = Vec::new();
        for _ in 0..BATCHES {
            let expired = self.db.write(&Expire { sql, until }).await?;
            for row in &expired.rows {
                self.job_committed(row);
            }
            removed.extend(expired.removed);
            if expired.rows.len() < BATCH {
                break;
            }
        }
        self.db.write(&Trim { sql, until }).await?;
        self.expire_documents(until).await?;
        removed.sort_unstable();
        Ok(removed)
    }
}
