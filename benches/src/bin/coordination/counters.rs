//! What the server has done, from its own statistics.

use std::time::Duration;

use tokio_postgres::Client;

use crate::{Failure, connect};

/// A backend reports its transactions at most once in this time, and when it ends.
const REPORT_TIME: Duration = Duration::from_secs(2);

/// Counts at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    /// Transactions. A single statement is one.
    pub(crate) commits: i64,
    /// Bytes of WAL since the beginning.
    pub(crate) wal: i64,
}

impl Counters {
    /// Waits until the backends have reported, and reads the counts.
    pub(crate) async fn read(url: &str) -> Result<Self, Failure> {
        tokio::time::sleep(REPORT_TIME).await;
        let client = connect(url).await?;
        let text = "SELECT xact_commit, (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint FROM pg_stat_database
                    WHERE datname = current_database()";
        let row = client.query_one(text, &[]).await?;
        Ok(Self { commits: row.try_get(0)?, wal: row.try_get(1)? })
    }
}

/// The sizes of the tables of a schema with their indexes, the largest first.
pub(crate) async fn sizes(client: &Client, schema: &str) -> Result<Vec<(String, i64)>, Failure> {
    let text = "SELECT coalesce(parent.relname, c.relname)::text, sum(pg_total_relation_size(c.oid))::bigint
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
                LEFT JOIN pg_class parent ON parent.oid = i.inhparent
                WHERE n.nspname = $1 AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC";
    let rows = client.query(text, &[&schema]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// The dead tuples of the tables of a schema, the most first.
pub(crate) async fn dead_tuples(client: &Client, schema: &str) -> Result<Vec<(String, i64)>, Failure> {
    let text =
        "SELECT relname::text, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = $1 ORDER BY 2 DESC";
    let rows = client.query(text, &[&schema]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
