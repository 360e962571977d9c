//! The row of a job: it is locked, changed in memory by the rules of a job, and written back.

use std::time::Duration;

use gleaner_store::{Error, JobFailure, JobWarning, TeamId};
use gleaner_types::{JobId, JobKind, JobState};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::jobs::day;
use crate::transaction::Transaction;
use crate::units::{big, count, from_micros, int, micros, number};

/// The columns of a row, in the order of the fields.
const COLUMNS: &str = "number, id, team, kind, state, sealed, paused, keeps, max_documents, max_in_flight, \
    max_depth, pending, pending_auxiliary, documents, failed, robots_blocked, failures_listed, \
    blocked_listed, tokens_held, slots_held, read_position, unread_bytes, price, budget, grants, denied, \
    tokens_used, credits_used, created_at, ended_at, failure, error, warnings, next_event, events, \
    has_webhook, part_of, unsettled, removed, runner";

/// The state of a job, as in the table `job`, which has the meaning of each column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JobRow {
    pub(crate) number: i32,
    pub(crate) id: JobId,
    pub(crate) team: Option<TeamId>,
    pub(crate) kind: Option<JobKind>,
    pub(crate) state: JobState,
    pub(crate) sealed: bool,
    pub(crate) paused: bool,
    pub(crate) keeps: bool,
    pub(crate) max_documents: u64,
    pub(crate) max_in_flight: Option<u32>,
    pub(crate) max_depth: Option<u32>,
    pub(crate) pending: u64,
    pub(crate) pending_auxiliary: u64,
    pub(crate) documents: u64,
    pub(crate) failed: u64,
    pub(crate) robots_blocked: u64,
    pub(crate) failures_listed: u32,
    pub(crate) blocked_listed: u32,
    pub(crate) tokens_held: u64,
    pub(crate) slots_held: u32,
    pub(crate) read_position: u64,
    pub(crate) unread_bytes: u64,
    pub(crate) price: u64,
    pub(crate) budget: Option<u64>,
    pub(crate) grants: u64,
    pub(crate) denied: bool,
    pub(crate) tokens_used: u64,
    pub(crate) credits_used: u64,
    pub(crate) created_at: Duration,
    pub(crate) ended_at: Option<Duration>,
    pub(crate) failure: Option<JobFailure>,
    pub(crate) error: Option<String>,
    pub(crate) warnings: Vec<JobWarning>,
    pub(crate) next_event: u64,
    pub(crate) events: u64,
    pub(crate) has_webhook: bool,
    pub(crate) part_of: Option<JobId>,
    pub(crate) unsettled: bool,
    pub(crate) removed: bool,
    pub(crate) runner: Option<i64>,
}

impl JobRow {
    /// A running, sealed job without pages, limits, kind and team that keeps its documents. Its number is
    /// unknown.
    pub(crate) const fn new(id: JobId, created_at: Duration) -> Self {
        Self {
            number: 0,
            id,
            team: None,
            kind: None,
            state: JobState::Scraping,
            sealed: true,
            paused: false,
            keeps: true,
            max_documents: u64::MAX,
            max_in_flight: None,
            max_depth: None,
            pending: 0,
            pending_auxiliary: 0,
            documents: 0,
            failed: 0,
            robots_blocked: 0,
            failures_listed: 0,
            blocked_listed: 0,
            tokens_held: 0,
            slots_held: 0,
            read_position: 0,
            unread_bytes: 0,
            price: 1,
            budget: None,
            grants: 0,
            denied: false,
            tokens_used: 0,
            credits_used: 0,
            created_at,
            ended_at: None,
            failure: None,
            error: None,
            warnings: Vec::new(),
            next_event: 0,
            events: 0,
            has_webhook: false,
            part_of: None,
            unsettled: false,
            removed: false,
            runner: None,
        }
    }
}

/// The number of a kind of job.
pub(crate) const fn kind_code(kind: JobKind) -> i16 {
    match kind {
        JobKind::Crawl => 0,
        JobKind::BatchScrape => 1,
        JobKind::Extract => 2,
    }
}

fn kind(code: i16) -> Result<JobKind, Failure> {
    match code {
        0 => Ok(JobKind::Crawl),
        1 => Ok(JobKind::BatchScrape),
        2 => Ok(JobKind::Extract),
        _ => Err(Failure::damaged("the kind of a job")),
    }
}

const fn state_code(state: JobState) -> i16 {
    match state {
        JobState::Scraping => 0,
        JobState::Completed => 1,
        JobState::Failed => 2,
        JobState::Cancelled => 3,
    }
}

fn state(code: i16) -> Result<JobState, Failure> {
    match code {
        0 => Ok(JobState::Scraping),
        1 => Ok(JobState::Completed),
        2 => Ok(JobState::Failed),
        3 => Ok(JobState::Cancelled),
        _ => Err(Failure::damaged("the state of a job")),
    }
}

/// The number of a reason why a job failed.
pub(crate) const fn failure_code(failure: JobFailure) -> i16 {
    match failure {
        JobFailure::InsufficientCredits => 0,
        JobFailure::StorageFull => 1,
        _ => 2,
    }
}

/// The reason with this number.
pub(crate) const fn failure(code: i16) -> JobFailure {
    match code {
        0 => JobFailure::InsufficientCredits,
        1 => JobFailure::StorageFull,
        _ => JobFailure::Other,
    }
}

/// Warnings as JSON. They are texts and numbers, which can always be written.
fn warnings_json(warnings: &[JobWarning]) -> String {
    serde_json::to_string(warnings).unwrap_or_else(|_| "[]".to_owned())
}

/// The columns of a row, one after another.
struct Columns<'a> {
    row: &'a Row,
    next: usize,
}

impl<'a> Columns<'a> {
    fn take<T: FromSql<'a>>(&mut self) -> Result<T, Failure> {
        let index = self.next;
        self.next += 1;
        Ok(self.row.try_get(index)?)
    }

    fn count(&mut self) -> Result<u64, Failure> {
        Ok(count(self.take()?))
    }
}

impl JobRow {
    fn from_row(row: &Row) -> Result<Self, Failure> {
        let mut columns = Columns { row, next: 0 };
        let columns = &mut columns;
        Ok(Self {
            number: columns.take()?,
            id: JobId::from_uuid(columns.take::<Uuid>()?),
            team: columns.take::<Option<&str>>()?.map(TeamId::new),
            kind: columns.take::<Option<i16>>()?.map(kind).transpose()?,
            state: state(columns.take()?)?,
            sealed: columns.take()?,
            paused: columns.take()?,
            keeps: columns.take()?,
            max_documents: columns.count()?,
            max_in_flight: columns.take::<Option<i32>>()?.map(number),
            max_depth: columns.take::<Option<i32>>()?.map(number),
            pending: columns.count()?,
            pending_auxiliary: columns.count()?,
            documents: columns.count()?,
            failed: columns.count()?,
            robots_blocked: columns.count()?,
            failures_listed: number(columns.take()?),
            blocked_listed: number(columns.take()?),
            tokens_held: columns.count()?,
            slots_held: number(columns.take()?),
            read_position: columns.count()?,
            unread_bytes: columns.count()?,
            price: columns.count()?,
            budget: columns.take::<Option<i64>>()?.map(count),
            grants: columns.count()?,
            denied: columns.take()?,
            tokens_used: columns.count()?,
            credits_used: columns.count()?,
            created_at: from_micros(columns.take()?),
            ended_at: columns.take::<Option<i64>>()?.map(from_micros),
            failure: columns.take::<Option<i16>>()?.map(failure),
            error: columns.take()?,
            warnings: serde_json::from_str(columns.take()?)
                .map_err(|_| Failure::damaged("the warnings of a job"))?,
            next_event: columns.count()?,
            events: columns.count()?,
            has_webhook: columns.take()?,
            part_of: columns.take::<Option<Uuid>>()?.map(JobId::from_uuid),
            unsettled: columns.take()?,
            removed: columns.take()?,
            runner: columns.take()?,
        })
    }

    /// The day of its submit, since the Unix epoch. The partition of its documents has this number.
    pub(crate) fn day(&self) -> i32 {
        day(self.created_at)
    }

    /// Runs a query whose first columns are those of a row. `rest` is what follows the name of the table.
    pub(crate) async fn select(
        transaction: &Transaction<'_>,
        sql: &Sql,
        rest: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Self>, Failure> {
        let text = sql.text(&format!("SELECT {COLUMNS} FROM {{schema}}.job {rest}"));
        let rows = transaction.query_typed(&text, parameters).await?;
        rows.iter().map(Self::from_row).collect()
    }

    /// Locks rows: first those of jobs with a `max_depth`, as the commits of finished pages do, then the
    /// others, in the order of their numbers. Unknown numbers are left out; removed jobs are not.
    pub(crate) async fn lock_many(
        transaction: &Transaction<'_>,
        sql: &Sql,
        numbers: &[i32],
    ) -> Result<Vec<Self>, Failure> {
        let rest = "WHERE number = ANY($1) ORDER BY max_depth IS NULL, number FOR NO KEY UPDATE";
        Self::select(transaction, sql, rest, &[(&numbers, Type::INT4_ARRAY)]).await
    }

    /// The rows with these numbers, in their order, without a lock. Unknown numbers are left out; removed
    /// jobs are not.
    pub(crate) async fn find_many(
        transaction: &Transaction<'_>,
        sql: &Sql,
        numbers: &[i32],
    ) -> Result<Vec<Self>, Failure> {
        let rest = "WHERE number = ANY($1) ORDER BY number";
        Self::select(transaction, sql, rest, &[(&numbers, Type::INT4_ARRAY)]).await
    }

    /// Locks the row of a job.
    ///
    /// # Errors
    /// [`UnknownJob`](gleaner_store::ErrorKind::UnknownJob) if there is none, or the job is removed.
    pub(crate) async fn lock(t: &Transaction<'_>, sql: &Sql, id: JobId) -> Result<Self, Failure> {
        let row = Self::lock_any(t, sql, id).await?;
        row.filter(|row| !row.removed).ok_or_else(|| Error::unknown_job(id).into())
    }

    /// As [`lock`](Self::lock), without a lock.
    pub(crate) async fn find(t: &Transaction<'_>, sql: &Sql, id: JobId) -> Result<Self, Failure> {
        let row = Self::find_any(t, sql, id).await?;
        row.filter(|row| !row.removed).ok_or_else(|| Error::unknown_job(id).into())
    }

    /// Locks the row of a job that may be removed.
    pub(crate) async fn lock_any(t: &Transaction<'_>, sql: &Sql, id: JobId) -> Result<Option<Self>, Failure> {
        let rest = "WHERE id = $1 FOR NO KEY UPDATE";
        Ok(Self::select(t, sql, rest, &[(id.as_uuid(), Type::UUID)]).await?.pop())
    }

    /// The row of a job that may be removed.
    pub(crate) async fn find_any(t: &Transaction<'_>, sql: &Sql, id: JobId) -> Result<Option<Self>, Failure> {
        Ok(Self::select(t, sql, "WHERE id = $1", &[(id.as_uuid(), Type::UUID)]).await?.pop())
    }

    /// Writes changed rows back, in one statement.
    pub(crate) async fn store_many(t: &Transaction<'_>, sql: &Sql, rows: &[Self]) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let bigs = |value: fn(&Self) -> u64| rows.iter().map(|row| big(value(row))).collect::<Vec<i64>>();
        let ints = |value: fn(&Self) -> u32| rows.iter().map(|row| int(value(row))).collect::<Vec<i32>>();
        let flags = |value: fn(&Self) -> bool| rows.iter().map(value).collect::<Vec<bool>>();
        let numbers: Vec<i32> = rows.iter().map(|row| row.number).collect();
        let states: Vec<i16> = rows.iter().map(|row| state_code(row.state)).collect();
        let budgets: Vec<Option<i64>> = rows.iter().map(|row| row.budget.map(big)).collect();
        let ends: Vec<Option<i64>> = rows.iter().map(|row| row.ended_at.map(micros)).collect();
        let failures: Vec<Option<i16>> = rows.iter().map(|row| row.failure.map(failure_code)).collect();
        let errors: Vec<Option<&str>> = rows.iter().map(|row| row.error.as_deref()).collect();
        let warnings: Vec<String> = rows.iter().map(|row| warnings_json(&row.warnings)).collect();
        let runners: Vec<Option<i64>> = rows.iter().map(|row| row.runner).collect();
        let text = sql.text(
            "UPDATE {schema}.job AS j SET state = c.state, sealed = c.sealed, paused = c.paused, \
             pending = c.pending, pending_auxiliary = c.pending_auxiliary, documents = c.documents, \
             failed = c.failed, robots_blocked = c.robots_blocked, failures_listed = c.failures_listed, \
             blocked_listed = c.blocked_listed, tokens_held = c.tokens_held, slots_held = c.slots_held, \
             read_position = c.read_position, unread_bytes = c.unread_bytes, budget = c.budget, \
             grants = c.grants, denied = c.denied, tokens_used = c.tokens_used, \
             credits_used = c.credits_used, ended_at = c.ended_at, failure = c.failure, error = c.error, \
             warnings = c.warnings, next_event = c.next_event, events = c.events, unsettled = c.unsettled, \
             removed = c.removed, runner = c.runner \
             FROM unnest($1::int[], $2::smallint[], $3::bool[], $4::bool[], $5::bigint[], $6::bigint[], \
             $7::bigint[], $8::bigint[], $9::bigint[], $10::int[], $11::int[], $12::bigint[], $13::int[], \
             $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bool[], $19::bigint[], \
             $20::bigint[], $21::bigint[], $22::smallint[], $23::text[], $24::text[], $25::bigint[], \
             $26::bigint[], $27::bool[], $28::bool[], $29::bigint[]) AS c (number, state, sealed, paused, \
             pending, pending_auxiliary, documents, failed, robots_blocked, failures_listed, \
             blocked_listed, tokens_held, slots_held, read_position, unread_bytes, budget, grants, denied, \
             tokens_used, credits_used, ended_at, failure, error, warnings, next_event, events, unsettled, \
             removed, runner) WHERE j.number = c.number",
        );
        t.execute_typed(
            &text,
            &[
                (&numbers, Type::INT4_ARRAY),
                (&states, Type::INT2_ARRAY),
                (&flags(|row| row.sealed), Type::BOOL_ARRAY),
                (&flags(|row| row.paused), Type::BOOL_ARRAY),
                (&bigs(|row| row.pending), Type::INT8_ARRAY),
                (&bigs(|row| row.pending_auxiliary), Type::INT8_ARRAY),
                (&bigs(|row| row.documents), Type::INT8_ARRAY),
                (&bigs(|row| row.failed), Type::INT8_ARRAY),
                (&bigs(|row| row.robots_blocked), Type::INT8_ARRAY),
                (&ints(|row| row.failures_listed), Type::INT4_ARRAY),
                (&ints(|row| row.blocked_listed), Type::INT4_ARRAY),
                (&bigs(|row| row.tokens_held), Type::INT8_ARRAY),
                (&ints(|row| row.slots_held), Type::INT4_ARRAY),
                (&bigs(|row| row.read_position), Type::INT8_ARRAY),
                (&bigs(|row| row.unread_bytes), Type::INT8_ARRAY),
                (&budgets, Type::INT8_ARRAY),
                (&bigs(|row| row.grants), Type::INT8_ARRAY),
                (&flags(|row| row.denied), Type::BOOL_ARRAY),
                (&bigs(|row| row.tokens_used), Type::INT8_ARRAY),
                (&bigs(|row| row.credits_used), Type::INT8_ARRAY),
                (&ends, Type::INT8_ARRAY),
                (&failures, Type::INT2_ARRAY),
                (&errors, Type::TEXT_ARRAY),
                (&warnings, Type::TEXT_ARRAY),
                (&bigs(|row| row.next_event), Type::INT8_ARRAY),
                (&bigs(|row| row.events), Type::INT8_ARRAY),
                (&flags(|row| row.unsettled), Type::BOOL_ARRAY),
                (&flags(|row| row.removed), Type::BOOL_ARRAY),
                (&runners, Type::INT8_ARRAY),
            ],
        )
        .await?;
        Ok(())
    }

    /// Adds the row of a new job, which gets its number. False if the id is used.
    pub(crate) async fn insert(&mut self, t: &Transaction<'_>, sql: &Sql) -> Result<bool, Failure> {
        let text = sql.text(
            "INSERT INTO {schema}.job (id, team, kind, sealed, keeps, max_documents, max_in_flight, \
             max_depth, price, budget, created_at, has_webhook, part_of, runner) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
             ON CONFLICT (id) DO NOTHING RETURNING number",
        );
        let inserted = t
            .query_typed_opt(
                &text,
                &[
                    (self.id.as_uuid(), Type::UUID),
                    (&self.team.as_ref().map(TeamId::as_str), Type::TEXT),
                    (&self.kind.map(kind_code), Type::INT2),
                    (&self.sealed, Type::BOOL),
                    (&self.keeps, Type::BOOL),
                    (&big(self.max_documents), Type::INT8),
                    (&self.max_in_flight.map(int), Type::INT4),
                    (&self.max_depth.map(int), Type::INT4),
                    (&big(self.price), Type::INT8),
                    (&self.budget.map(big), Type::INT8),
                    (&micros(self.created_at), Type::INT8),
                    (&self.has_webhook, Type::BOOL),
                    (&self.part_of.map(|job| *job.as_uuid()), Type::UUID),
                    (&self.runner, Type::INT8),
                ],
            )
            .await?;
        if let Some(row) = &inserted {
            self.number = row.try_get(0)?;
        }
        Ok(inserted.is_some())
    }
}
