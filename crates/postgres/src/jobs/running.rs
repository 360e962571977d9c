//! Lists the running jobs of a team.

use async_trait::async_trait;
use gleaner_store::{Error, JobListing, Store as _, TeamId};
use gleaner_types::JobKind;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_form::load_forms;
use crate::job_row::{JobRow, kind_code};
use crate::operation::Operation;
use crate::transaction::Transaction;

/// The running jobs of a team, without parts of other jobs.
struct Running<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    kind: JobKind,
}

#[async_trait]
impl Operation for Running<'_> {
    type Output = Vec<JobListing>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<JobListing>, Failure> {
        let rest = "WHERE state = 0 AND team = $1 AND kind = $2 AND part_of IS NULL";
        let (team, kind) = (self.team.as_str(), kind_code(self.kind));
        let rows = JobRow::select(t, self.sql, rest, &[(&team, Type::TEXT), (&kind, Type::INT2)]).await?;
        let numbers: Vec<i32> = rows.iter().map(|row| row.number).collect();
        let mut forms = load_forms(t, self.sql, &numbers).await?;
        let listing = |row: &JobRow| {
            let request = forms.remove(&row.number).map(|form| form.request);
            JobListing::new(row.snapshot(), request.unwrap_or_default())
        };
        Ok(rows.iter().map(listing).collect())
    }
}

impl Inner {
    /// The running jobs of the store and of the memory of this process.
    pub(crate) async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        let mut jobs = self.db.read(&Running { sql: &self.db.sql, team, kind }).await?;
        jobs.extend(self.memory.running(team, kind).await?);
        jobs.sort_by_key(|job| (job.snapshot.created_at, job.snapshot.id));
        Ok(jobs)
    }
}
