//! The one result of a job.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Conclusion, Error, JobSnapshot};
use gleaner_types::{JobId, JobState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::types::Type;

use super::end::end_with;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::outbox::EventContent;
use crate::transaction::Transaction;

/// A conclusion as JSON. Events read its `data`.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    data: Value,
    sources: Option<BTreeMap<String, Vec<String>>>,
    warning: Option<String>,
    tokens_used: u64,
    credits: u64,
}

/// Ends a job with its result.
struct Conclude<'a> {
    sql: &'a Sql,
    job: JobId,
    body: &'a str,
    tokens: u64,
    credits: u64,
    now: Duration,
}

#[async_trait]
impl Operation for Conclude<'_> {
    type Output = JobRow;

    async fn run(&self, t: &Transaction<'_>) -> Result<JobRow, Failure> {
        let mut row = JobRow::lock(t, self.sql, self.job).await?;
        row.require_running()?;
        (row.tokens_used, row.credits_used) = (self.tokens, self.credits);
        let text = self.sql.text("INSERT INTO {schema}.conclusion (job, body) VALUES ($1, $2)");
        t.execute_typed(&text, &[(&row.number, Type::INT4), (&self.body, Type::TEXT)]).await?;
        let content = EventContent::Conclusion;
        end_with(t, self.sql, &mut row, JobState::Completed, content, self.now).await?;
        JobRow::store_many(t, self.sql, std::slice::from_ref(&row)).await?;
        Ok(row)
    }
}

struct FindConclusion<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait]
impl Operation for FindConclusion<'_> {
    type Output = Option<Conclusion>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let row = JobRow::find(t, self.sql, self.job).await?;
        let text = self.sql.text("SELECT body FROM {schema}.conclusion WHERE job = $1");
        let Some(found) = t.query_typed_opt(&text, &[(&row.number, Type::INT4)]).await? else {
            return Ok(None);
        };
        let stored: Stored =
            serde_json::from_str(found.try_get(0)?).map_err(|_| Failure::damaged("the result of a job"))?;
        let Stored { data, sources, warning, tokens_used, credits } = stored;
        Ok(Some(Conclusion { data, sources, warning, tokens_used, credits }))
    }
}

impl Inner {
    pub(crate) async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        let Conclusion { data, sources, warning, tokens_used, credits } = conclusion;
        let stored = Stored { data, sources, warning, tokens_used, credits };
        let body = serde_json::to_string(&stored)
            .map_err(|error| Error::io("the result of a job could not be written", &error))?;
        let sql = &self.db.sql;
        let conclude = Conclude { sql, job, body: &body, tokens: tokens_used, credits, now };
        let row = self.db.write(&conclude).await?;
        self.job_committed(&row);
        Ok(row.snapshot())
    }

    pub(crate) async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        Ok(self.db.read(&FindConclusion { sql: &self.db.sql, job }).await?)
    }
}
