//! Adds events to outboxes.

use std::time::Duration;

use gleaner_types::plan::EventKind;
use tokio_postgres::types::Type;

use super::kind;
use super::webhook_form::wanted_events;
use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::text::clean;
use crate::transaction::Transaction;
use crate::units::{big, micros};

/// A new event of a job.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    pub(crate) kind: EventKind,
    pub(crate) content: EventContent,
    /// Why the page or the job failed.
    pub(crate) error: Option<String>,
}

/// What the `data` of an event is made of.
#[derive(Debug, Clone)]
pub(crate) enum EventContent {
    Nothing,
    /// The document at this position.
    Document(u64),
    /// A failed page, and whether the slash of its URL was added.
    Failure {
        url: String,
        slash_added: bool,
    },
    /// The conclusion of the job.
    Conclusion,
}

/// The columns of new events.
#[derive(Debug, Default)]
struct Columns {
    jobs: Vec<i32>,
    sequences: Vec<i64>,
    kinds: Vec<i16>,
    documents: Vec<Option<i64>>,
    urls: Vec<Option<String>>,
    slashes: Vec<bool>,
    concludes: Vec<bool>,
    errors: Vec<Option<String>>,
    /// The jobs that had no event to deliver.
    newly_due: Vec<i32>,
}

impl Columns {
    fn push(&mut self, job: &mut JobRow, event: NewEvent) {
        let (document, url, slash_added, concludes) = match event.content {
            EventContent::Nothing => (None, None, false, false),
            EventContent::Document(position) => (Some(big(position)), None, false, false),
            EventContent::Failure { url, slash_added } => (None, Some(url), slash_added, false),
            EventContent::Conclusion => (None, None, false, true),
        };
        if job.next_event == job.events {
            self.newly_due.push(job.number);
        }
        self.jobs.push(job.number);
        self.sequences.push(big(job.events));
        job.events += 1;
        self.kinds.push(kind::number(event.kind));
        self.documents.push(document);
        self.urls.push(url);
        self.slashes.push(slash_added);
        self.concludes.push(concludes);
        self.errors.push(event.error.map(|error| clean(&error).into_owned()));
    }
}

/// Adds events of a job whose row is locked, if its webhook asks for their kinds. It changes the row, which
/// the caller stores.
pub(crate) async fn insert_events(
    t: &Transaction<'_>,
    sql: &Sql,
    job: &mut JobRow,
    events: &[NewEvent],
    now: Duration,
) -> Result<(), Failure> {
    insert_events_of_many(t, sql, vec![(job, events)], now).await
}

/// As [`insert_events`], for several jobs.
pub(crate) async fn insert_events_of_many(
    t: &Transaction<'_>,
    sql: &Sql,
    mut events: Vec<(&mut JobRow, &[NewEvent])>,
    now: Duration,
) -> Result<(), Failure> {
    events.retain(|(job, events)| job.has_webhook && job.kind.is_some() && !events.is_empty());
    if events.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i32> = events.iter().map(|(job, _)| job.number).collect();
    let wanted = wanted_events(t, sql, &numbers).await?;
    let mut columns = Columns::default();
    for (job, events) in events {
        let Some(wanted) = wanted.get(&job.number) else { continue };
        for event in events.iter().filter(|event| wanted.contains(&event.kind)) {
            columns.push(job, event.clone());
        }
    }
    if columns.jobs.is_empty() {
        return Ok(());
    }
    columns.insert(t, sql).await?;
    columns.make_due(t, sql, now).await
}

impl Columns {
    async fn insert(&self, t: &Transaction<'_>, sql: &Sql) -> Result<(), Failure> {
        let text = sql.text(
            "INSERT INTO {schema}.event \
                 (job, sequence, kind, document, url, slash_added, concludes, error) \
             SELECT * FROM unnest($1::int[], $2::bigint[], $3::smallint[], $4::bigint[], $5::text[], \
                 $6::boolean[], $7::boolean[], $8::text[])",
        );
        t.execute_typed(
            &text,
            &[
                (&self.jobs, Type::INT4_ARRAY),
                (&self.sequences, Type::INT8_ARRAY),
                (&self.kinds, Type::INT2_ARRAY),
                (&self.documents, Type::INT8_ARRAY),
                (&self.urls, Type::TEXT_ARRAY),
                (&self.slashes, Type::BOOL_ARRAY),
                (&self.concludes, Type::BOOL_ARRAY),
                (&self.errors, Type::TEXT_ARRAY),
            ],
        )
        .await?;
        Ok(())
    }

    /// The first events of outboxes that were empty are due now.
    async fn make_due(&self, t: &Transaction<'_>, sql: &Sql, now: Duration) -> Result<(), Failure> {
        if self.newly_due.is_empty() {
            return Ok(());
        }
        let text = sql.text(
            "INSERT INTO {schema}.due (job, at) SELECT job, $2 FROM unnest($1::int[]) AS new (job) \
             ON CONFLICT (job) DO UPDATE SET at = excluded.at, attempt = 0",
        );
        t.execute_typed(&text, &[(&self.newly_due, Type::INT4_ARRAY), (&micros(now), Type::INT8)]).await?;
        Ok(())
    }
}
