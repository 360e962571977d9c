//! Figures for operators.

use std::time::Duration;

use async_trait::async_trait;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::counters::DatabaseCounts;
use crate::database::{Database, Sql};
use crate::failure::Failure;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{count, from_micros};

/// What waits and runs in the database, for all processes together. Two statements read it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Jobs that have not ended.
    pub running_jobs: u64,
    /// Pages of them that wait or are in work.
    pub pending_pages: u64,
    /// Blocks of waiting pages, as estimated by the last vacuum or analyze of the server.
    pub waiting_blocks: u64,
    /// Hosts that a process holds.
    pub held_hosts: u64,
    /// Hosts with waiting pages that no process holds; at most 100,000 are counted.
    pub free_hosts: u64,
    /// Jobs whose next event is due to be delivered.
    pub due_events: u64,
    /// Time since the first of them was due.
    pub event_lag: Duration,
    /// Ended jobs that are not settled with the accounts provider.
    pub unsettled_jobs: u64,
    /// The processes.
    pub workers: Vec<WorkerStats>,
    /// What this process has sent to the database.
    pub sent: DatabaseCounts,
}

/// A process that works with the database.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WorkerStats {
    /// The number of its term. A process gets another one when its term has ended.
    pub id: u64,
    /// [`PostgresConfig::name`](crate::PostgresConfig::name).
    pub name: String,
    /// The rest of its term; 0 if the term is over.
    pub rest: Duration,
    /// Time since its term was over; 0 if it is not.
    pub late: Duration,
    /// Hosts that it holds.
    pub hosts: u64,
    /// It has capacity, and found no host to take.
    pub is_hungry: bool,
}

impl Stats {
    /// Reads the figures.
    pub(crate) async fn load(database: &Database) -> Result<Self, Failure> {
        let mut stats = database.read(&ReadStats { sql: &database.sql }).await?;
        stats.sent = database.counts();
        Ok(stats)
    }
}

const TOTALS: &str = "
WITH running AS (SELECT count(*) AS jobs, coalesce(sum(pending), 0)::bigint AS pages
    FROM {schema}.job WHERE state = 0),
due AS (SELECT count(*) AS events, min(at) AS first FROM {schema}.due
    WHERE at <= (extract(epoch FROM now()) * 1000000)::bigint)
SELECT running.jobs, running.pages,
    (SELECT greatest(reltuples, 0)::bigint FROM pg_catalog.pg_class WHERE oid = to_regclass($1)),
    (SELECT count(*) FROM {schema}.host WHERE worker IS NOT NULL),
    (SELECT count(*) FROM (SELECT 1 FROM {schema}.host
        WHERE worker IS NULL AND has_work LIMIT 100000) AS free),
    due.events,
    coalesce((extract(epoch FROM now()) * 1000000)::bigint - due.first, 0),
    (SELECT count(*) FROM {schema}.job WHERE unsettled)
FROM running, due";

const WORKERS: &str = "
SELECT id, name, (extract(epoch FROM until - now()) * 1000000)::bigint, hungry,
    (SELECT count(*) FROM {schema}.host WHERE host.worker = worker.id)
FROM {schema}.worker ORDER BY id";

struct ReadStats<'a> {
    sql: &'a Sql,
}

#[async_trait]
impl Operation for ReadStats<'_> {
    type Output = Stats;

    async fn run(&self, t: &Transaction<'_>) -> Result<Stats, Failure> {
        let blocks = self.sql.text("{schema}.block");
        let row = t.query_typed_one(&self.sql.text(TOTALS), &[(&blocks, Type::TEXT)]).await?;
        let number = |at: usize| row.try_get(at).map(count);
        let workers = t.query_typed(&self.sql.text(WORKERS), &[]).await?;
        Ok(Stats {
            running_jobs: number(0)?,
            pending_pages: number(1)?,
            waiting_blocks: number(2)?,
            held_hosts: number(3)?,
            free_hosts: number(4)?,
            due_events: number(5)?,
            event_lag: from_micros(row.try_get(6)?),
            unsettled_jobs: number(7)?,
            workers: workers.iter().map(worker).collect::<Result<_, _>>()?,
            sent: DatabaseCounts::default(),
        })
    }
}

fn worker(row: &Row) -> Result<WorkerStats, tokio_postgres::Error> {
    let rest: i64 = row.try_get(2)?;
    Ok(WorkerStats {
        id: count(row.try_get(0)?),
        name: row.try_get(1)?,
        rest: from_micros(rest),
        late: from_micros(rest.saturating_neg()),
        is_hungry: row.try_get(3)?,
        hosts: count(row.try_get(4)?),
    })
}
