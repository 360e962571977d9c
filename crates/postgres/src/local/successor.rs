//! Ending the term of a dead worker: what it held goes back to the database.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use gleaner_types::JobState;
use tokio_postgres::types::Type;

use super::give_back::{Pages, Rewrite, rewrite};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::jobs::end_if_done;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{count, micros, number, url_key};

/// A longer gap of a host is that of a site that asks for it, and could not be added to a time.
const MAX_GAP: Duration = Duration::from_secs(86_400);

struct EndTerm<'a> {
    sql: &'a Sql,
    dead: i64,
    grace: Duration,
    now: Duration,
}

#[async_trait::async_trait]
impl Operation for EndTerm<'_> {
    /// The rows of its jobs; `None` if the term has not ended, or another process ends it.
    type Output = Option<Vec<JobRow>>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Option<Vec<JobRow>>, Failure> {
        // A commit of the worker that is under way holds the row: it is tried again later.
        let text = self.sql.text(
            "DELETE FROM {schema}.worker WHERE id IN (SELECT id FROM {schema}.worker WHERE id = $1
                 AND until < now() - $2 * interval '1 microsecond' FOR UPDATE SKIP LOCKED)",
        );
        let grace = micros(self.grace);
        let ended = t.execute_typed(&text, &[(&self.dead, Type::INT8), (&grace, Type::INT8)]).await?;
        if ended == 0 {
            return Ok(None);
        }
        self.free_hosts(t).await?;
        self.rewrite_blocks(t).await?;
        let rows = self.free_job_shares(t).await?;
        self.free_team_shares(t).await?;
        self.free_events(t).await?;
        Ok(Some(rows))
    }
}

impl EndTerm<'_> {
    /// Its requests may still be under way, so nobody asks the hosts for a while.
    async fn free_hosts(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text(
            "WITH held AS MATERIALIZED (SELECT id FROM {schema}.host WHERE worker = $1 ORDER BY id
                 FOR NO KEY UPDATE)
             UPDATE {schema}.host h SET worker = NULL, has_work = true,
                 ready_at = GREATEST(h.ready_at, $2 + LEAST(h.gap, $3)) FROM held WHERE h.id = held.id",
        );
        let ready = micros(self.now.saturating_add(self.grace));
        let max_gap = micros(MAX_GAP);
        t.execute_typed(&text, &[(&self.dead, Type::INT8), (&ready, Type::INT8), (&max_gap, Type::INT8)])
            .await?;
        Ok(())
    }

    async fn rewrite_blocks(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text =
            self.sql.text("DELETE FROM {schema}.ended WHERE worker = $1 RETURNING blocks, hosts, jobs, keys");
        let mut ended: BTreeMap<(i32, i32, i64), HashSet<_>> = BTreeMap::new();
        for row in t.query_typed(&text, &[(&self.dead, Type::INT8)]).await? {
            let blocks: Vec<i64> = row.try_get(0)?;
            let (hosts, jobs): (Vec<i32>, Vec<i32>) = (row.try_get(1)?, row.try_get(2)?);
            let keys: Vec<i64> = row.try_get(3)?;
            for (((block, host), job), key) in blocks.into_iter().zip(hosts).zip(jobs).zip(keys) {
                ended.entry((host, job, block)).or_default().insert(url_key(key));
            }
        }
        let blocks: Vec<Rewrite> = ended
            .into_iter()
            .map(|((host, job, id), keys)| Rewrite { host, job, id, pages: Pages::Without(keys) })
            .collect();
        rewrite(t, self.sql, &blocks).await
    }

    async fn free_job_shares(&self, t: &Transaction<'_>) -> Result<Vec<JobRow>, Failure> {
        let text = self.sql.text("SELECT job FROM {schema}.job_share WHERE worker = $1");
        let found = t.query_typed(&text, &[(&self.dead, Type::INT8)]).await?;
        let mut numbers: Vec<i32> = found.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        numbers.sort_unstable();
        let mut rows = JobRow::lock_many(t, self.sql, &numbers).await?;
        let text =
            self.sql.text("DELETE FROM {schema}.job_share WHERE worker = $1 RETURNING job, tokens, slots");
        let mut shares: HashMap<i32, (u64, u32)> = HashMap::new();
        for row in t.query_typed(&text, &[(&self.dead, Type::INT8)]).await? {
            shares.insert(row.try_get(0)?, (count(row.try_get(1)?), number(row.try_get(2)?)));
        }
        for row in rows.iter_mut().filter(|row| row.state == JobState::Scraping) {
            let (tokens, slots) = shares.get(&row.number).copied().unwrap_or_default();
            row.tokens_held = row.tokens_held.saturating_sub(tokens);
            row.slots_held = row.slots_held.saturating_sub(slots);
            end_if_done(t, self.sql, row, self.now).await?;
        }
        JobRow::store_many(t, self.sql, &rows).await?;
        Ok(rows)
    }

    async fn free_team_shares(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text(
            "WITH held AS MATERIALIZED (SELECT t.name FROM {schema}.team t WHERE t.name IN
                 (SELECT team FROM {schema}.team_share WHERE worker = $1) ORDER BY t.name
                 FOR NO KEY UPDATE),
             freed AS (DELETE FROM {schema}.team_share WHERE worker = $1 RETURNING team, slots)
             UPDATE {schema}.team t SET slots_held = GREATEST(t.slots_held - freed.slots, 0)
             FROM freed, held WHERE t.name = freed.team AND held.name = freed.team",
        );
        t.execute_typed(&text, &[(&self.dead, Type::INT8)]).await?;
        Ok(())
    }
}

impl EndTerm<'_> {
    /// The events that it was delivering are due at once. Their receivers know events that come twice by their
    /// ids.
    async fn free_events(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text =
            self.sql.text("UPDATE {schema}.due SET at = LEAST(at, $2), worker = NULL WHERE worker = $1");
        t.execute_typed(&text, &[(&self.dead, Type::INT8), (&micros(self.now), Type::INT8)]).await?;
        Ok(())
    }
}

impl Inner {
    /// Ends the terms of dead workers. It is a task of its own: the next heartbeat does not wait for it.
    pub(crate) async fn succeed_dead(&self) {
        let mut found = self.dead.subscribe();
        while found.changed().await.is_ok() {
            let dead = found.borrow_and_update().clone();
            for worker in dead {
                if let Err(failure) = self.succeed(worker).await {
                    tracing::warn!(%failure, worker, "the term of a worker could not be ended");
                }
            }
        }
    }

    /// Ends the term of a dead worker.
    async fn succeed(&self, dead: i64) -> Result<(), Failure> {
        let (now, knows_time) = {
            let local = self.local();
            (local.time(), local.knows_time())
        };
        if !knows_time {
            // The hosts could not be left alone for a while.
            return Ok(());
        }
        let end = EndTerm { sql: &self.db.sql, dead, grace: self.grace(), now };
        let Some(rows) = self.db.write(&end).await? else { return Ok(()) };
        tracing::warn!(worker = dead, "the term of a worker has ended; others go on with its hosts");
        for row in rows.iter().filter(|row| row.ended_at.is_some()) {
            self.job_changed(row);
        }
        self.notify_maintenance();
        self.wake();
        Ok(())
    }
}
