//! Takes due events.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{DELIVERY_LEASE, DueEvent, DueEvents, Error, EventId, Store};
use gleaner_types::event::EventName;
use gleaner_types::plan::{EventKind, WebhookPlan};
use tokio_postgres::types::Type;

use super::{kind, webhook_form};
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, from_micros, micros, number};

/// Time until events that another process is taking may be due here.
const TAKEN_PAUSE: Duration = Duration::from_secs(1);

/// When the next event is due.
#[derive(Debug)]
struct NextDue<'a> {
    sql: &'a Sql,
}

#[async_trait]
impl Operation for NextDue<'_> {
    type Output = Option<Duration>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        next_due(t, self.sql).await
    }
}

async fn next_due(t: &Transaction<'_>, sql: &Sql) -> Result<Option<Duration>, Failure> {
    let row = t.query_typed_one(&sql.text("SELECT min(at) FROM {schema}.due"), &[]).await?;
    let at: Option<i64> = row.try_get(0)?;
    Ok(at.map(from_micros))
}

/// Takes due events, each of another job. No other process gets them before their time to be delivered is
/// over, or the term of this one.
#[derive(Debug)]
struct TakeDue<'a> {
    sql: &'a Sql,
    max: usize,
    now: Duration,
    /// The term of this process, if it has one.
    worker: Option<i64>,
}

#[async_trait]
impl Operation for TakeDue<'_> {
    type Output = DueEvents;

    async fn run(&self, t: &Transaction<'_>) -> Result<DueEvents, Failure> {
        let text = self.sql.text(
            "WITH taken AS MATERIALIZED (SELECT job FROM {schema}.due WHERE at <= $1 \
                 ORDER BY at, job LIMIT $2 FOR UPDATE SKIP LOCKED) \
             UPDATE {schema}.due SET at = $3, worker = $4 FROM taken WHERE due.job = taken.job \
             RETURNING due.job, due.attempt",
        );
        let until = micros(self.now + DELIVERY_LEASE);
        let rows = t
            .query_typed(
                &text,
                &[
                    (&micros(self.now), Type::INT8),
                    (&big(self.max as u64), Type::INT8),
                    (&until, Type::INT8),
                    (&self.worker, Type::INT8),
                ],
            )
            .await?;
        let mut attempts = HashMap::new();
        for row in rows {
            attempts.insert(row.try_get::<_, i32>(0)?, number(row.try_get(1)?));
        }
        let mut due = DueEvents::default();
        due.events = self.events(t, &attempts).await?;
        due.next = next_due(t, self.sql).await?;
        Ok(due)
    }
}

impl TakeDue<'_> {
    /// The next events of these jobs.
    async fn events(
        &self,
        t: &Transaction<'_>,
        attempts: &HashMap<i32, u32>,
    ) -> Result<Vec<DueEvent>, Failure> {
        if attempts.is_empty() {
            return Ok(Vec::new());
        }
        let mut numbers: Vec<i32> = attempts.keys().copied().collect();
        numbers.sort_unstable();
        let jobs = JobRow::find_many(t, self.sql, &numbers).await?;
        let sequences: Vec<i64> = jobs.iter().map(|job| big(job.next_event)).collect();
        let numbers: Vec<i32> = jobs.iter().map(|job| job.number).collect();
        let text = self.sql.text(
            "SELECT event.job, event.kind, job_form.webhook \
             FROM unnest($1::int[], $2::bigint[]) AS next (job, sequence) \
             JOIN {schema}.event ON event.job = next.job AND event.sequence = next.sequence \
             JOIN {schema}.job_form ON job_form.job = next.job",
        );
        let rows =
            t.query_typed(&text, &[(&numbers, Type::INT4_ARRAY), (&sequences, Type::INT8_ARRAY)]).await?;
        let mut found = HashMap::new();
        for row in rows {
            let webhook = row.try_get::<_, Option<&str>>(2)?.and_then(webhook_form::read);
            found.insert(row.try_get::<_, i32>(0)?, (kind::kind(row.try_get(1)?)?, webhook));
        }
        let mut events = Vec::with_capacity(jobs.len());
        for job in &jobs {
            let Some((event, Some(webhook))) = found.remove(&job.number) else {
                tracing::error!(job = %job.id, "the next event of a job cannot be read");
                continue;
            };
            let attempt = attempts.get(&job.number).copied().unwrap_or_default();
            events.extend(due_event(job, event, webhook, attempt));
        }
        Ok(events)
    }
}

fn due_event(job: &JobRow, event: EventKind, webhook: WebhookPlan, attempt: u32) -> Option<DueEvent> {
    Some(DueEvent {
        id: EventId { job: job.id, sequence: job.next_event },
        team: job.team.clone().unwrap_or_default(),
        webhook: Arc::new(webhook),
        name: EventName { job: job.kind?, event },
        attempt,
    })
}

impl Inner {
    pub(crate) async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error> {
        // Half of them, so that neither store delays the events of the other.
        let mut due = self.memory.due(max.div_ceil(2), now).await?;
        let sql = &self.db.sql;
        let max = max.saturating_sub(due.events.len());
        let mut next = self.db.read(&NextDue { sql }).await?;
        if max > 0 && next.is_some_and(|next| next <= now) {
            let worker = self.local().term_epoch();
            let taken = self.db.write(&TakeDue { sql, max, now, worker }).await?;
            // What is due and is not taken here, another process takes just now.
            let is_full = taken.events.len() >= max;
            next = taken.next.map(|next| if is_full || next > now { next } else { now + TAKEN_PAUSE });
            due.events.extend(taken.events);
        }
        due.next = [due.next, next].into_iter().flatten().min();
        Ok(due)
    }
}
