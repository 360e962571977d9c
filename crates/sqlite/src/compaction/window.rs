//! One step: the oldest blocks of the tail of a job.

use gleaner_store::journal::{Compacted, CompactedJob, Damage, Part, compact, compact_store, is_delivered};
use gleaner_store::{Error, ErrorKind};
use gleaner_types::JobId;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{Record, STATE_SHARE, not_written};
use crate::place::{number_of, part_number, part_place, part_range, place, range};
use crate::read::{column, damaged_part, failed, first};
use crate::{failure, rows};

/// A step folds about this many bytes of blocks, and at least one block.
pub(super) const BYTES: u64 = 1 << 20;

/// What a step did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Folded {
    /// Bytes of the folded blocks.
    pub(super) bytes: u64,
    /// The size of the new state.
    pub(super) state: u64,
    pub(super) record: Record,
}

/// The block of the state of a job.
pub(super) fn state(connection: &Connection, job: u64) -> Result<Option<Vec<u8>>, Error> {
    let sql = "SELECT bytes FROM part WHERE place = ?1";
    first(connection, sql, [part_place(job, Part::State, 0)], |row| row.get(0))
}

/// Folds the oldest blocks of a job, at most about this many bytes unless its state is large.
pub(super) fn fold(
    connection: &mut Connection,
    (job, form): (u64, CompactedJob),
    max_bytes: u64,
) -> Result<Folded, Error> {
    let mut record = Record::read(connection, job)?;
    let state = state(connection, job)?;
    let state_bytes = state.as_ref().map_or(0, |state| state.len() as u64);
    let max_bytes = max_bytes.max(state_bytes.saturating_mul(STATE_SHARE));
    let blocks = oldest(connection, job, record.folded, max_bytes)?;
    let bytes: u64 = blocks.iter().map(|block| block.len() as u64).sum();
    if blocks.is_empty() {
        return Ok(Folded { bytes, state: state_bytes, record });
    }
    let (from, to) = (record.folded + 1, record.folded + blocks.len() as u64);
    let damaged = |damage: Damage| {
        failure::damage("fact", &format!("one of the blocks {from} to {to} of job {job}"), damage)
    };
    let compacted = if job == 0 {
        let blocks: Vec<&[u8]> = state.iter().chain(&blocks).map(Vec::as_slice).collect();
        let mut compacted = Compacted::default();
        compacted.state = compact_store(&blocks, |id| has_job(connection, id)).map_err(damaged)?;
        compacted
    } else {
        compact(form, state.as_deref(), &blocks).map_err(damaged)?
    };
    record.folded = to;
    if !compacted.has_ended {
        record.ended += compacted.ended;
        record.garbage += compacted.left;
        record.queued += compacted.queued;
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(not_written)?;
    write(&transaction, job, &compacted, (from, &mut record)).map_err(not_written)?;
    drop_delivered(&transaction, job, compacted.totals.delivered)?;
    transaction.commit().map_err(not_written)?;
    Ok(Folded { bytes, state: compacted.state.len() as u64, record })
}

/// The oldest blocks after this one, of about this many bytes.
fn oldest(connection: &Connection, job: u64, folded: u64, max_bytes: u64) -> Result<Vec<Vec<u8>>, Error> {
    let sql = "SELECT place, bytes FROM fact WHERE place > ?1 AND place <= ?2 ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let mut rows = statement.query([place(job, folded).map_err(failed)?, range(job).1]).map_err(failed)?;
    let (mut blocks, mut bytes): (Vec<Vec<u8>>, u64) = (Vec::new(), 0);
    while bytes < max_bytes
        && let Some(row) = rows.next().map_err(failed)?
    {
        let (expected, number) = (folded + blocks.len() as u64 + 1, number_of(column(row, 0)?));
        if number != expected {
            let text = format!("block {expected} of job {job} in table fact is missing");
            return Err(Error::new(ErrorKind::Damaged, text));
        }
        let block: Vec<u8> = column(row, 1)?;
        bytes += block.len() as u64;
        blocks.push(block);
    }
    Ok(blocks)
}

/// Writes the new parts in the place of the blocks from this one on.
fn write(
    transaction: &Transaction<'_>,
    job: u64,
    compacted: &Compacted,
    (from, record): (u64, &mut Record),
) -> rusqlite::Result<()> {
    let sql = "DELETE FROM fact WHERE place BETWEEN ?1 AND ?2";
    transaction.execute(sql, [place(job, from)?, place(job, record.folded)?])?;
    let mut insert = transaction.prepare("INSERT OR REPLACE INTO part(place, bytes) VALUES(?1, ?2)")?;
    insert.execute(params![part_place(job, Part::State, 0), compacted.state])?;
    for (part, block) in &compacted.parts {
        record.last += 1;
        insert.execute(params![part_place(job, *part, record.last), block])?;
    }
    record.write(transaction, job)
}

/// Deletes the oldest parts of events as long as all their events are delivered.
fn drop_delivered(transaction: &Transaction<'_>, job: u64, first_waiting: u64) -> Result<(), Error> {
    let sql = "SELECT place, bytes FROM part WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT 1";
    let (from, to) = part_range(job, Part::Pending);
    loop {
        let form = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
        let Some((place, block)) = first(transaction, sql, [from, to], form)? else { return Ok(()) };
        let is_delivered = is_delivered(&block, first_waiting)
            .map_err(|damage| damaged_part(job, Part::Pending, part_number(place), damage))?;
        if !is_delivered {
            return Ok(());
        }
        transaction.execute("DELETE FROM part WHERE place = ?1", [place]).map_err(not_written)?;
    }
}

/// True if the file has a job with this id, or cannot tell.
fn has_job(connection: &Connection, id: JobId) -> bool {
    let sql = "SELECT 1 FROM job WHERE id = ?1";
    let found = connection.query_row(sql, [rows::bytes_of(id)], |_| Ok(())).optional();
    found.map_or(true, |found| found.is_some())
}
