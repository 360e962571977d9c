//! Compaction beside the work: which job is next, one small transaction at a time.
//!
//! Every transaction leaves a file that is folded to the same state, so a crash between two of them leaves
//! nothing to repair.

mod pass;
mod record;
#[cfg(test)]
pub(crate) mod tests;
mod window;

use std::collections::{BTreeSet, HashMap};

use gleaner_store::journal::{Batch, CompactedJob, Part};
use gleaner_store::{Error, ErrorKind};
use rusqlite::{Connection, OptionalExtension as _, Params};

use self::pass::Pass;
pub(crate) use self::record::Record;
use crate::place::{NUMBER_BITS, part_place, part_range};
use crate::read::failed;
use crate::{cleaning, failure, job_form, secrets_change};

/// A longer tail of blocks is folded between two commits, and one of this length once nothing else is to do.
const BUSY_TAIL: u64 = 4 << 20;
const IDLE_TAIL: u64 = 256 << 10;

/// A longer tail of a job that has ended is folded.
const ENDED_TAIL: u64 = 16 << 10;

/// A tail must be this many times as long as the state of its job, which each step writes anew.
const STATE_SHARE: u64 = 4;

/// Pages that have ended are dropped from a queue when there are at least this many, and at least one for
/// this many pages in its parts.
const MIN_GARBAGE: u64 = 4096;
const GARBAGE_SHARE: u64 = 8;

/// Pages that ended since the last time, at most: their keys are in memory while the queue is cleaned.
const MAX_ENDED: u64 = 4 << 20;

/// What is left to compact.
#[derive(Debug, Default)]
pub(crate) struct Compaction {
    tails: HashMap<u64, Tail>,
    /// Jobs with a tail that is long enough when nothing else is to do.
    due: BTreeSet<u64>,
    /// Jobs whose queue has enough garbage.
    garbage: BTreeSet<u64>,
    /// Jobs that have ended, whose parts may still be there.
    ended: BTreeSet<u64>,
    /// The queue that is being cleaned.
    pass: Option<Pass>,
}

/// The blocks of a job that are not folded.
#[derive(Debug, Default)]
struct Tail {
    bytes: u64,
    /// The size of its state.
    state: u64,
    has_ended: bool,
}

impl Tail {
    fn is_due(&self, is_busy: bool) -> bool {
        let bytes = match (is_busy, self.has_ended) {
            (true, _) => BUSY_TAIL,
            (false, true) => ENDED_TAIL,
            (false, false) => IDLE_TAIL,
        };
        self.bytes >= bytes.max(self.state.saturating_mul(STATE_SHARE))
    }
}

impl Record {
    fn has_garbage(&self) -> bool {
        self.garbage >= MIN_GARBAGE.max(self.queued / GARBAGE_SHARE) || self.ended >= MAX_ENDED
    }
}

impl Compaction {
    /// What is left to compact in a file.
    pub(crate) fn load(connection: &Connection) -> Result<Self, Error> {
        let mut compaction = Self::default();
        each(connection, "SELECT number FROM job WHERE ended = 1", [], |[job]| {
            compaction.tails.entry(job).or_default().has_ended = true;
        })?;
        let sql = "SELECT place >> ?1 AS job, sum(length(bytes)) FROM fact GROUP BY job";
        each(connection, sql, [NUMBER_BITS], |[job, bytes]| {
            compaction.tails.entry(job).or_default().bytes = bytes;
        })?;
        for (job, tail) in &mut compaction.tails {
            if tail.is_due(false) {
                tail.state = window::state(connection, *job)?.map_or(0, |state| state.len() as u64);
            }
            if tail.is_due(false) {
                compaction.due.insert(*job);
            }
        }
        for (job, record) in Record::all(connection)? {
            if record.has_garbage() {
                compaction.garbage.insert(job);
            }
        }
        // The first and the last part that an ended job does not need.
        let (first, last) = (part_range(0, Part::Ended).0, part_range(0, Part::Queue).1);
        let sql = "SELECT number FROM job WHERE ended = 1 AND EXISTS(SELECT 1 FROM part
            WHERE place BETWEEN (number << ?3) + ?1 AND (number << ?3) + ?2)";
        each(connection, sql, [first, last, NUMBER_BITS.into()], |[job]| {
            compaction.ended.insert(job);
        })?;
        Ok(compaction)
    }

    /// Records what was committed.
    pub(crate) fn appended(&mut self, batches: &[Batch]) {
        for batch in batches.iter().filter(|batch| !batch.facts.is_empty()) {
            let tail = self.tails.entry(batch.job).or_default();
            tail.bytes += batch.facts.len() as u64;
            if secrets_change::ends(&batch.facts) {
                tail.has_ended = true;
                self.ended.insert(batch.job);
            }
            if tail.is_due(false) {
                self.due.insert(batch.job);
            }
        }
    }

    /// A job was removed, or its facts cannot be read.
    pub(crate) fn forget(&mut self, job: u64) {
        self.tails.remove(&job);
        for jobs in [&mut self.due, &mut self.garbage, &mut self.ended] {
            jobs.remove(&job);
        }
        if self.pass.as_ref().is_some_and(|pass| pass.job() == job) {
            self.pass = None;
        }
    }

    /// True if a tail is too long to wait.
    pub(crate) fn is_behind(&self) -> bool {
        self.due.iter().any(|job| self.tails.get(job).is_some_and(|tail| tail.is_due(true)))
    }

    /// One step, which is one transaction. False if nothing is left to do. While the writer is busy, only
    /// long tails are folded.
    pub(crate) fn step(&mut self, connection: &mut Connection, is_busy: bool) -> Result<bool, Error> {
        let is_due = |job: &&u64| self.tails.get(job).is_some_and(|tail| tail.is_due(is_busy));
        if let Some(job) = self.due.iter().find(is_due).copied() {
            let folded = self.fold(connection, job);
            if folded.as_ref().is_err_and(is_damage) {
                self.forget(job);
            }
            return folded.map(|()| true);
        }
        if let Some(pass) = &mut self.pass {
            let job = pass.job();
            match pass.step(connection) {
                Ok(true) => {}
                Ok(false) => self.pass = None,
                Err(error) => {
                    self.pass = None;
                    if is_damage(&error) {
                        self.forget(job);
                    }
                    return Err(error);
                }
            }
            return Ok(true);
        }
        if let Some(job) = self.garbage.pop_first() {
            if let Some(form) = self.form(connection, job)?.filter(|form| !form.has_ended) {
                self.pass = Some(Pass::start(connection, job, form.has_max_depth)?);
            }
            return Ok(true);
        }
        if let Some(job) = self.ended.first().copied() {
            if !delete_queue(connection, job).map_err(not_written)? {
                self.ended.remove(&job);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Folds the oldest blocks of a job.
    fn fold(&mut self, connection: &mut Connection, job: u64) -> Result<(), Error> {
        let Some(form) = self.form(connection, job)? else {
            self.forget(job);
            return Ok(());
        };
        // The end of a job is folded at once: what would be left is too short to be folded later.
        let bytes = if form.has_ended { 2 * BUSY_TAIL } else { window::BYTES };
        let folded = window::fold(connection, (job, form), bytes)?;
        let Some(tail) = self.tails.get_mut(&job) else { return Ok(()) };
        // If there was nothing, an earlier step had succeeded although it reported an error.
        tail.bytes = if folded.bytes == 0 { 0 } else { tail.bytes.saturating_sub(folded.bytes) };
        tail.state = folded.state;
        if !tail.is_due(false) {
            self.due.remove(&job);
        }
        if folded.record.has_garbage() {
            self.garbage.insert(job);
        }
        Ok(())
    }

    /// What the compaction must know about a job; `None` if it is not in the file.
    fn form(&self, connection: &Connection, job: u64) -> Result<Option<CompactedJob>, Error> {
        let has_ended = self.tails.get(&job).is_some_and(|tail| tail.has_ended);
        if job == 0 {
            return Ok(Some(CompactedJob { has_max_depth: false, has_ended }));
        }
        let sql = "SELECT record FROM job WHERE number = ?1";
        let record = connection.query_row(sql, [job.cast_signed()], |row| row.get::<_, Vec<u8>>(0));
        let Some(record) = record.optional().map_err(failed)? else { return Ok(None) };
        let has_max_depth = job_form::has_max_depth(&record)
            .map_err(|damage| failure::damage("job", &format!("job {job}"), damage))?;
        Ok(Some(CompactedJob { has_max_depth, has_ended }))
    }
}

/// An error of a step.
fn not_written(error: rusqlite::Error) -> Error {
    failure::sqlite("the file of the store could not be compacted", &error)
}

/// True if trying again cannot help.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Newer)
}

/// Deletes some of the parts that a job does not need once it has ended. Returns false if there are none.
fn delete_queue(connection: &mut Connection, job: u64) -> rusqlite::Result<bool> {
    let (first, last) = (part_place(job, Part::Ended, 0), part_range(job, Part::Queue).1);
    let transaction = connection.transaction()?;
    let mut budget = cleaning::Budget::default();
    let has_deleted = cleaning::delete_rows(&transaction, "part", (first, last), &mut budget)?;
    transaction.commit()?;
    Ok(has_deleted)
}

/// Calls `visit` with each row of numbers.
fn each<const COLUMNS: usize>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut visit: impl FnMut([u64; COLUMNS]),
) -> Result<(), Error> {
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query(params).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let mut numbers = [0; COLUMNS];
        for (index, number) in numbers.iter_mut().enumerate() {
            let value: i64 = row.get(index).map_err(failed)?;
            *number = u64::try_from(value)
                .map_err(|_| failed(rusqlite::Error::IntegralValueOutOfRange(index, value)))?;
        }
        visit(numbers);
    }
    Ok(())
}
