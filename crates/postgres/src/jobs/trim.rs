//! Deletes unused keys, teams and hosts, and the oldest entries of the job log.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::MAX_ACTIVITIES;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::micros;

/// Maximum number of rows of each table that one transaction deletes.
const BATCH: i64 = 10_000;

/// Forgets idempotency keys, teams and hosts that were not used since `until`, and the oldest entries of a
/// full log of ended jobs.
pub(super) struct Trim<'a> {
    pub(super) sql: &'a Sql,
    pub(super) until: Duration,
}

#[async_trait]
impl Operation for Trim<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        self.keys(t).await?;
        self.activities(t).await?;
        self.hosts(t).await?;
        self.teams(t).await
    }
}

impl Trim<'_> {
    async fn keys(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "DELETE FROM {schema}.idempotency_key AS k USING (SELECT team, key \
                    FROM {schema}.idempotency_key WHERE at <= $1 ORDER BY at LIMIT $2 \
                    FOR UPDATE SKIP LOCKED) AS old WHERE k.team = old.team AND k.key = old.key";
        let until = micros(self.until);
        t.execute_typed(&self.sql.text(text), &[(&until, Type::INT8), (&BATCH, Type::INT8)]).await?;
        Ok(())
    }

    /// The log drops the oldest jobs of the teams with the most.
    async fn activities(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text("SELECT count(*) FROM {schema}.activity");
        let count: i64 = t.query_typed_one(&text, &[]).await?.try_get(0)?;
        let excess = count.saturating_sub(MAX_ACTIVITIES as i64).min(BATCH);
        if excess <= 0 {
            return Ok(());
        }
        let text = "DELETE FROM {schema}.activity WHERE number IN (SELECT number FROM (SELECT number, \
                    row_number() OVER (PARTITION BY team ORDER BY ended_at DESC, number DESC) AS place \
                    FROM {schema}.activity) AS ranked ORDER BY place DESC, number LIMIT $1)";
        t.execute_typed(&self.sql.text(text), &[(&excess, Type::INT8)]).await?;
        Ok(())
    }

    /// A transaction that adds pages locks the rows of their hosts, and adds missing rows again.
    async fn hosts(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "DELETE FROM {schema}.host AS h USING (SELECT id FROM {schema}.host \
                    WHERE worker IS NULL AND NOT has_work AND ready_at <= $1 ORDER BY ready_at LIMIT $2 \
                    FOR UPDATE SKIP LOCKED) AS old WHERE h.id = old.id";
        let until = micros(self.until);
        t.execute_typed(&self.sql.text(text), &[(&until, Type::INT8), (&BATCH, Type::INT8)]).await?;
        Ok(())
    }

    /// First the rows are locked, so that the second statement sees every job that was submitted meanwhile.
    async fn teams(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "SELECT name FROM {schema}.team AS t \
                    WHERE (last_success IS NULL OR last_success <= $1) AND slots_held = 0 \
                    AND NOT EXISTS (SELECT 1 FROM {schema}.job AS j WHERE j.team = t.name) \
                    ORDER BY name LIMIT $2 FOR UPDATE OF t SKIP LOCKED";
        let until = micros(self.until);
        let rows = t.query_typed(&self.sql.text(text), &[(&until, Type::INT8), (&BATCH, Type::INT8)]).await?;
        let mut names = Vec::new();
        for row in &rows {
            names.push(row.try_get::<_, &str>(0)?);
        }
        if names.is_empty() {
            return Ok(());
        }
        let text = "WITH shares AS (DELETE FROM {schema}.team_share WHERE team = ANY($1) AND slots = 0) \
                    DELETE FROM {schema}.team AS t WHERE name = ANY($1) \
                    AND NOT EXISTS (SELECT 1 FROM {schema}.job AS j WHERE j.team = t.name)";
        t.execute_typed(&self.sql.text(text), &[(&names, Type::TEXT_ARRAY)]).await?;
        Ok(())
    }
}
