//! Counts the waiting and leased pages of a team.

use async_trait::async_trait;
use gleaner_store::{Error, Store as _, TeamId, TeamLoad};
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{count, from_micros};

/// The pages that a team has in the queue. `waiting` includes the leased pages.
struct Load<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    worker: i64,
}

#[async_trait]
impl Operation for Load<'_> {
    type Output = TeamLoad;

    /// `leased` is that of the other workers.
    async fn run(&self, t: &Transaction<'_>) -> Result<TeamLoad, Failure> {
        let text = "SELECT j.jobs, j.waiting, w.leased, \
                    (SELECT last_success FROM {schema}.team WHERE name = $1) \
                    FROM (SELECT count(*) AS jobs, coalesce(sum(least(pending - pending_auxiliary, \
                    max_documents - documents)), 0)::bigint AS waiting \
                    FROM {schema}.job WHERE state = 0 AND team = $1) AS j, \
                    (SELECT coalesce(sum((leased ->> $1)::bigint), 0)::bigint AS leased \
                    FROM {schema}.worker WHERE id <> $2) AS w";
        let team = self.team.as_str();
        let text = self.sql.text(text);
        let row = t.query_typed_one(&text, &[(&team, Type::TEXT), (&self.worker, Type::INT8)]).await?;
        let mut load = TeamLoad::default();
        load.jobs = count(row.try_get(0)?);
        load.waiting = count(row.try_get(1)?);
        load.leased = count(row.try_get(2)?);
        load.last_success = row.try_get::<_, Option<i64>>(3)?.map(from_micros);
        Ok(load)
    }
}

impl Inner {
    /// The load of the store and of the memory of this process.
    pub(crate) async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        let mut load = self.db.read(&Load { sql: &self.db.sql, team, worker: self.worker() }).await?;
        load.leased = load.leased.saturating_add(self.team_leased(team));
        load.waiting = load.waiting.saturating_sub(load.leased);
        let local = self.memory.load(team).await?;
        load.jobs = load.jobs.saturating_add(local.jobs);
        load.leased = load.leased.saturating_add(local.leased);
        load.waiting = load.waiting.saturating_add(local.waiting);
        load.last_success = load.last_success.max(local.last_success);
        Ok(load)
    }
}
