//! Records the outcomes of deliveries.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{DeliveryOutcome, Error, EventId, MAX_LISTED_DEAD_LETTERS, Store};
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::text::clean;
use crate::transaction::Transaction;
use crate::units::{big, micros};

/// Records the outcome of a taken event.
#[derive(Debug)]
struct RecordOutcome<'a> {
    sql: &'a Sql,
    id: EventId,
    outcome: &'a DeliveryOutcome,
    now: Duration,
}

#[async_trait]
impl Operation for RecordOutcome<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let Some(mut job) = JobRow::lock_any(t, self.sql, self.id.job).await? else { return Ok(()) };
        if job.next_event != self.id.sequence || job.next_event >= job.events {
            return Ok(());
        }
        match self.outcome {
            DeliveryOutcome::Delivered => self.remove(t, &mut job).await,
            DeliveryOutcome::Retry { not_before } => self.postpone(t, &job, 1, *not_before).await,
            DeliveryOutcome::Postponed { not_before } => self.postpone(t, &job, 0, *not_before).await,
            DeliveryOutcome::GivenUp { reason, tried } => {
                self.give_up(t, &job, reason, *tried).await?;
                self.remove(t, &mut job).await
            }
        }
    }
}

impl RecordOutcome<'_> {
    /// Makes the event due at a later time, after this many more attempts.
    async fn postpone(
        &self,
        t: &Transaction<'_>,
        job: &JobRow,
        attempts: i32,
        not_before: Duration,
    ) -> Result<(), Failure> {
        let text = self.sql.text(
            "UPDATE {schema}.due SET attempt = attempt + $2, at = $3, worker = NULL \
             WHERE job = $1",
        );
        t.execute_typed(
            &text,
            &[(&job.number, Type::INT4), (&attempts, Type::INT4), (&micros(not_before), Type::INT8)],
        )
        .await?;
        Ok(())
    }

    /// Lists the event as undeliverable, unless the list is full.
    async fn give_up(
        &self,
        t: &Transaction<'_>,
        job: &JobRow,
        reason: &str,
        tried: bool,
    ) -> Result<(), Failure> {
        let text = self.sql.text(
            "INSERT INTO {schema}.dead_letter (job, sequence, kind, attempts, reason, at) \
             SELECT $1, $2, event.kind, due.attempt + $3, $4, $5 \
             FROM {schema}.event JOIN {schema}.due ON due.job = event.job \
             WHERE event.job = $1 AND event.sequence = $2 \
                 AND (SELECT count(*) FROM {schema}.dead_letter WHERE job = $1) < $6",
        );
        t.execute_typed(
            &text,
            &[
                (&job.number, Type::INT4),
                (&big(self.id.sequence), Type::INT8),
                (&i32::from(tried), Type::INT4),
                (&clean(reason), Type::TEXT),
                (&micros(self.now), Type::INT8),
                (&big(MAX_LISTED_DEAD_LETTERS as u64), Type::INT8),
            ],
        )
        .await?;
        Ok(())
    }

    /// Removes the event. The next one of the job is due now.
    async fn remove(&self, t: &Transaction<'_>, job: &mut JobRow) -> Result<(), Failure> {
        let text = self.sql.text("DELETE FROM {schema}.event WHERE job = $1 AND sequence = $2");
        let sequence = big(self.id.sequence);
        t.execute_typed(&text, &[(&job.number, Type::INT4), (&sequence, Type::INT8)]).await?;
        job.next_event += 1;
        JobRow::store_many(t, self.sql, std::slice::from_ref(job)).await?;
        if job.next_event < job.events {
            let text =
                self.sql.text("UPDATE {schema}.due SET at = $2, attempt = 0, worker = NULL WHERE job = $1");
            t.execute_typed(&text, &[(&job.number, Type::INT4), (&micros(self.now), Type::INT8)]).await?;
        } else {
            let text = self.sql.text("DELETE FROM {schema}.due WHERE job = $1");
            t.execute_typed(&text, &[(&job.number, Type::INT4)]).await?;
        }
        Ok(())
    }
}

impl Inner {
    pub(crate) async fn delivered(
        &self,
        id: EventId,
        outcome: DeliveryOutcome,
        now: Duration,
    ) -> Result<(), Error> {
        if self.is_local(id.job) {
            return self.memory.delivered(id, outcome, now).await;
        }
        self.db.write(&RecordOutcome { sql: &self.db.sql, id, outcome: &outcome, now }).await?;
        self.notify_maintenance();
        Ok(())
    }
}
