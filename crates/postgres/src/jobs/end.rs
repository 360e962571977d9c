//! The end of a job.

use std::time::Duration;

use gleaner_store::JobFailure;
use gleaner_types::JobState;
use gleaner_types::plan::EventKind;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::outbox::{EventContent, NewEvent, insert_events};
use crate::transaction::Transaction;

/// The error of a job whose team can pay for no further page.
const INSUFFICIENT_CREDITS: &str = "insufficient credits";

/// Ends a running job whose row is locked: its state, its event and its settlement. Call it before the row is
/// stored. What is needed only while it runs is deleted.
pub(crate) async fn end_job(
    t: &Transaction<'_>,
    sql: &Sql,
    row: &mut JobRow,
    state: JobState,
    now: Duration,
) -> Result<(), Failure> {
    end_with(t, sql, row, state, EventContent::Nothing, now).await
}

/// As [`end_job`], with the content of its event.
pub(super) async fn end_with(
    t: &Transaction<'_>,
    sql: &Sql,
    row: &mut JobRow,
    state: JobState,
    content: EventContent,
    now: Duration,
) -> Result<(), Failure> {
    (row.state, row.ended_at) = (state, Some(now));
    (row.pending, row.pending_auxiliary) = (0, 0);
    (row.tokens_held, row.slots_held) = (0, 0);
    row.unsettled = row.team.is_some() && row.part_of.is_none();
    let text = "WITH blocks AS (DELETE FROM {schema}.block WHERE job = $1), \
                shares AS (DELETE FROM {schema}.job_share WHERE job = $1), \
                notes AS (DELETE FROM {schema}.note WHERE job = $1) \
                UPDATE {schema}.job_form SET request = NULL WHERE job = $1";
    t.execute_typed(&sql.text(text), &[(&row.number, Type::INT4)]).await?;
    let (kind, error) = match state {
        JobState::Completed | JobState::Scraping => (EventKind::Completed, None),
        JobState::Failed => (EventKind::Failed, row.error.clone()),
        JobState::Cancelled => (EventKind::Cancelled, None),
    };
    insert_events(t, sql, row, &[NewEvent { kind, content, error }], now).await
}

/// Ends a job whose row is locked if it is done, or if its team can pay for no further page and none is
/// leased. True if it ended.
pub(crate) async fn end_if_done(
    t: &Transaction<'_>,
    sql: &Sql,
    row: &mut JobRow,
    now: Duration,
) -> Result<bool, Failure> {
    let state = if row.is_done() {
        JobState::Completed
    } else if row.is_denied() {
        row.failure = Some(JobFailure::InsufficientCredits);
        row.error = Some(INSUFFICIENT_CREDITS.to_owned());
        JobState::Failed
    } else {
        return Ok(false);
    };
    end_job(t, sql, row, state, now).await?;
    Ok(true)
}
