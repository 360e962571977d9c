//! Jobs without pages of their own, and parts of them, whose process has ended.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::Error;
use gleaner_types::{JobId, JobKind};
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::remove::remove_locked;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::{JobRow, kind_code};
use crate::local::term::check_term;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Maximum number of jobs of one transaction.
const BATCH: i64 = 100;

/// Takes the running jobs of a kind that no worker runs, and removes their parts.
struct TakeOrphans<'a> {
    sql: &'a Sql,
    kind: JobKind,
    worker: i64,
}

#[async_trait]
impl Operation for TakeOrphans<'_> {
    /// The jobs that were taken, and the removed parts.
    type Output = (Vec<JobRow>, Vec<JobRow>);

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        check_term(t, self.sql, self.worker).await?;
        let rest = "AS j WHERE state = 0 AND kind = $1 AND part_of IS NULL AND (runner IS NULL \
                    OR NOT EXISTS (SELECT 1 FROM {schema}.worker AS w WHERE w.id = j.runner)) \
                    ORDER BY number LIMIT $2 FOR NO KEY UPDATE OF j SKIP LOCKED";
        let kind = kind_code(self.kind);
        let mut jobs =
            JobRow::select(t, self.sql, rest, &[(&kind, Type::INT2), (&BATCH, Type::INT8)]).await?;
        if jobs.is_empty() {
            return Ok((jobs, Vec::new()));
        }
        let ids: Vec<Uuid> = jobs.iter().map(|job| *job.id.as_uuid()).collect();
        let rest = "WHERE part_of = ANY($1) AND NOT removed ORDER BY number FOR NO KEY UPDATE";
        let mut parts = JobRow::select(t, self.sql, rest, &[(&ids, Type::UUID_ARRAY)]).await?;
        for part in &mut parts {
            // Its end is in no list, so its time does not matter.
            let at = part.created_at;
            remove_locked(t, self.sql, part, at).await?;
        }
        for job in &mut jobs {
            job.runner = Some(self.worker);
        }
        JobRow::store_many(t, self.sql, &jobs).await?;
        JobRow::store_many(t, self.sql, &parts).await?;
        Ok((jobs, parts))
    }
}

/// Removes running parts whose process and job have ended: nobody reads them.
pub(super) struct RemoveParts<'a> {
    pub(super) sql: &'a Sql,
    pub(super) now: Duration,
}

#[async_trait]
impl Operation for RemoveParts<'_> {
    type Output = Vec<JobRow>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<JobRow>, Failure> {
        let rest = "AS j WHERE state = 0 AND part_of IS NOT NULL \
                    AND NOT EXISTS (SELECT 1 FROM {schema}.worker AS w WHERE w.id = j.runner) \
                    AND NOT EXISTS (SELECT 1 FROM {schema}.job AS o WHERE o.id = j.part_of AND o.state = 0) \
                    ORDER BY number LIMIT $1 FOR NO KEY UPDATE OF j SKIP LOCKED";
        let mut parts = JobRow::select(t, self.sql, rest, &[(&BATCH, Type::INT8)]).await?;
        for part in &mut parts {
            remove_locked(t, self.sql, part, self.now).await?;
        }
        JobRow::store_many(t, self.sql, &parts).await?;
        Ok(parts)
    }
}

impl Inner {
    pub(crate) async fn orphans(&self, kind: JobKind) -> Result<Vec<JobId>, Error> {
        // The others go on with their pages.
        if kind != JobKind::Extract {
            return Ok(Vec::new());
        }
        let sql = &self.db.sql;
        let (jobs, parts) = self.write_in_term(|worker| TakeOrphans { sql, kind, worker }).await?;
        for row in jobs.iter().chain(&parts) {
            self.job_committed(row);
        }
        Ok(jobs.iter().map(|job| job.id).collect())
    }
}
