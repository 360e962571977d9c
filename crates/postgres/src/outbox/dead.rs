//! Lists events that could not be delivered.

use async_trait::async_trait;
use gleaner_store::{DeadLetter, Error, EventId, Store};
use gleaner_types::event::EventName;
use gleaner_types::{JobId, SafeUrl};
use tokio_postgres::types::Type;

use super::{kind, webhook_form};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{count, from_micros, number};

#[derive(Debug)]
struct ListDead<'a> {
    sql: &'a Sql,
    job: JobId,
}

#[async_trait]
impl Operation for ListDead<'_> {
    type Output = Vec<DeadLetter>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Vec<DeadLetter>, Failure> {
        let job = JobRow::find(t, self.sql, self.job).await?;
        let Some(job_kind) = job.kind.filter(|_| job.has_webhook) else { return Ok(Vec::new()) };
        let text = self.sql.text(
            "SELECT dead_letter.sequence, dead_letter.kind, dead_letter.attempts, dead_letter.reason, \
                 dead_letter.at, job_form.webhook \
             FROM {schema}.dead_letter JOIN {schema}.job_form ON job_form.job = dead_letter.job \
             WHERE dead_letter.job = $1 ORDER BY dead_letter.sequence",
        );
        let rows = t.query_typed(&text, &[(&job.number, Type::INT4)]).await?;
        let webhook = match rows.first() {
            Some(row) => row.try_get::<_, Option<&str>>(5)?.and_then(webhook_form::read),
            None => return Ok(Vec::new()),
        };
        let url = SafeUrl::from(webhook.ok_or_else(|| Failure::damaged("the webhook of a job"))?.url);
        rows.iter()
            .map(|row| {
                Ok(DeadLetter::new(
                    EventId { job: self.job, sequence: count(row.try_get(0)?) },
                    EventName { job: job_kind, event: kind::kind(row.try_get(1)?)? },
                    url.clone(),
                    number(row.try_get(2)?),
                    row.try_get(3)?,
                    from_micros(row.try_get(4)?),
                ))
            })
            .collect()
    }
}

impl Inner {
    pub(crate) async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        if self.is_local(job) {
            return self.memory.dead_letters(job).await;
        }
        Ok(self.db.read(&ListDead { sql: &self.db.sql, job }).await?)
    }
}
