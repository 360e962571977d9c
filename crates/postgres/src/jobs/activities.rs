//! The log of settled jobs, which outlives their results.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{EndedJob, Error, JobSnapshot, JobWarning, TeamId};
use gleaner_types::{JobId, JobKind, JobState};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::{failure, failure_code};
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, micros};

/// An entry as JSON. New fields are optional.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    job: Uuid,
    kind: Option<JobKind>,
    url: String,
    state: JobState,
    documents: u64,
    failed: u64,
    robots_blocked: u64,
    tokens_used: u64,
    credits_used: u64,
    created_at: Duration,
    ended_at: Option<Duration>,
    warnings: Vec<JobWarning>,
    failure: Option<i16>,
    error: Option<String>,
    zero_data_retention: bool,
}

impl Entry {
    fn of(ended: &EndedJob) -> Self {
        let snapshot = &ended.snapshot;
        Self {
            job: *snapshot.id.as_uuid(),
            kind: snapshot.kind,
            url: ended.url.clone(),
            state: snapshot.state,
            documents: snapshot.completed,
            failed: snapshot.failed,
            robots_blocked: snapshot.robots_blocked,
            tokens_used: snapshot.tokens_used,
            credits_used: snapshot.credits_used,
            created_at: snapshot.created_at,
            ended_at: snapshot.ended_at,
            warnings: snapshot.warnings.clone(),
            failure: snapshot.failure.map(failure_code),
            error: snapshot.error.clone(),
            zero_data_retention: ended.zero_data_retention,
        }
    }

    fn into_job(self, team: &TeamId) -> EndedJob {
        let mut snapshot = JobSnapshot::new(JobId::from_uuid(self.job), self.state, self.created_at);
        snapshot.kind = self.kind;
        snapshot.team = Some(team.clone());
        snapshot.completed = self.documents;
        snapshot.failed = self.failed;
        snapshot.robots_blocked = self.robots_blocked;
        snapshot.tokens_used = self.tokens_used;
        snapshot.credits_used = self.credits_used;
        snapshot.ended_at = self.ended_at;
        snapshot.warnings = self.warnings;
        snapshot.failure = self.failure.map(failure);
        snapshot.error = self.error;
        let snapshot = snapshot.with_open(0);
        let zero_data_retention = self.zero_data_retention;
        EndedJob { team: team.clone(), url: self.url, snapshot, zero_data_retention }
    }
}

/// Adds a job to the log.
pub(super) async fn insert(t: &Transaction<'_>, sql: &Sql, ended: &EndedJob) -> Result<(), Failure> {
    let text = "INSERT INTO {schema}.activity (team, ended_at, body) VALUES ($1, $2, $3)";
    let (team, ended_at) = (ended.team.as_str(), micros(ended.snapshot.ended_at.unwrap_or_default()));
    // Texts and numbers can always be written.
    let body = serde_json::to_string(&Entry::of(ended)).unwrap_or_default();
    let parameters: [(&(dyn ToSql + Sync), Type); 3] =
        [(&team, Type::TEXT), (&ended_at, Type::INT8), (&body, Type::TEXT)];
    t.execute_typed(&sql.text(text), &parameters).await?;
    Ok(())
}

struct Latest<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    max: usize,
}

#[async_trait]
impl Operation for Latest<'_> {
    type Output = Vec<EndedJob>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<EndedJob>, Failure> {
        let text = "SELECT body FROM {schema}.activity WHERE team = $1 \
                    ORDER BY ended_at DESC, number DESC LIMIT $2";
        let (team, max) = (self.team.as_str(), big(self.max as u64));
        let rows = t.query_typed(&self.sql.text(text), &[(&team, Type::TEXT), (&max, Type::INT8)]).await?;
        let entry = |row: &tokio_postgres::Row| {
            let entry = serde_json::from_str::<Entry>(row.try_get(0)?);
            let entry = entry.map_err(|_| Failure::damaged("the log of ended jobs"))?;
            Ok(entry.into_job(self.team))
        };
        rows.iter().map(entry).collect()
    }
}

impl Inner {
    /// The log of all processes.
    pub(crate) async fn activities(&self, team: &TeamId, max: usize) -> Result<Option<Vec<EndedJob>>, Error> {
        Ok(Some(self.db.read(&Latest { sql: &self.db.sql, team, max }).await?))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::JobFailure;

    use super::*;
    use crate::job_row::JobRow;
    use crate::job_rules::tests::row;

    #[test]
    fn entries_are_read_as_written() {
        let team = TeamId::new("a");
        let ended = JobRow {
            state: JobState::Failed,
            team: Some(team.clone()),
            documents: 3,
            credits_used: 7,
            ended_at: Some(Duration::from_nanos(1_700_000_000_000_001_000)),
            failure: Some(JobFailure::StorageFull),
            error: Some("no \u{0} space".to_owned()),
            warnings: vec![JobWarning::Request("a remark".to_owned())],
            ..row()
        };
        let url = "https://a.example".to_owned();
        let ended =
            EndedJob { team: team.clone(), url, snapshot: ended.snapshot(), zero_data_retention: true };
        let json = serde_json::to_string(&Entry::of(&ended)).unwrap();
        assert!(!json.contains('\u{0}'));
        assert_eq!(serde_json::from_str::<Entry>(&json).unwrap().into_job(&team), ended);
    }
}
