//! Drops the pages that have ended from the queue of a job.

use gleaner_frontier::UrlKey;
use gleaner_store::Error;
use gleaner_store::journal::{Cleaned, Damage, Part, clean, ended_pages};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::{Record, not_written};
use crate::place::{part_number, part_place};
use crate::read::{column, damaged_part, failed};

/// A step reads about this many bytes of the queue, and at least one part.
const BYTES: usize = 1 << 20;

/// The cleaning of one queue, over several steps.
#[derive(Debug)]
pub(super) struct Pass {
    job: u64,
    has_max_depth: bool,
    /// The record at the beginning. Later parts are not touched.
    record: Record,
    /// The keys of the pages that ended since the last pass, in order.
    ended: Vec<UrlKey>,
    /// The part to go on with.
    next: u64,
}

impl Pass {
    pub(super) fn start(connection: &Connection, job: u64, has_max_depth: bool) -> Result<Self, Error> {
        let record = Record::read(connection, job)?;
        let mut ended = Vec::new();
        let (from, to) = (record.cleaned + 1, record.last);
        for_each(connection, (job, Part::Ended), (from, to), |_, block| {
            ended_pages(block, |key| ended.push(key))?;
            Ok(true)
        })?;
        ended.sort_unstable();
        Ok(Self { job, has_max_depth, record, ended, next: 0 })
    }

    pub(super) const fn job(&self) -> u64 {
        self.job
    }

    /// Cleans some parts. False if they were the last.
    pub(super) fn step(&mut self, connection: &mut Connection) -> Result<bool, Error> {
        let (job, mut changes, mut bytes) = (self.job, Vec::new(), 0);
        let mut is_last = true;
        for_each(connection, (job, Part::Queue), (self.next, self.record.last), |number, block| {
            if bytes >= BYTES {
                is_last = false;
                return Ok(false);
            }
            bytes += block.len();
            let cleaned = clean(block, self.has_max_depth, &self.ended)?;
            changes.extend(cleaned.map(|cleaned| (number, cleaned)));
            self.next = number + 1;
            Ok(true)
        })?;
        if is_last || !changes.is_empty() {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior).map_err(not_written)?;
            self.write(&transaction, &changes, is_last)?;
            transaction.commit().map_err(not_written)?;
        }
        Ok(!is_last)
    }

    fn write(
        &self,
        transaction: &Transaction<'_>,
        changes: &[(u64, Cleaned)],
        is_last: bool,
    ) -> Result<(), Error> {
        // Parts may have been added since the beginning.
        let mut record = Record::read(transaction, self.job)?;
        for (number, cleaned) in changes {
            let place = part_place(self.job, Part::Queue, *number);
            let changed = match &cleaned.block {
                Some(block) => {
                    transaction.execute("UPDATE part SET bytes = ?2 WHERE place = ?1", params![place, block])
                }
                None => transaction.execute("DELETE FROM part WHERE place = ?1", [place]),
            };
            changed.map_err(not_written)?;
            record.queued = record.queued.saturating_sub(cleaned.dropped);
        }
        if is_last {
            record.cleaned = self.record.last;
            record.ended = record.ended.saturating_sub(self.record.ended);
            record.garbage = record.garbage.saturating_sub(self.record.garbage);
        }
        record.write(transaction, self.job).map_err(not_written)
    }
}

/// Calls `visit` with the parts of a kind with these numbers, in order, until it returns false.
fn for_each(
    connection: &Connection,
    (job, part): (u64, Part),
    (from, to): (u64, u64),
    mut visit: impl FnMut(u64, &[u8]) -> Result<bool, Damage>,
) -> Result<(), Error> {
    let sql = "SELECT place, bytes FROM part WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let range = [part_place(job, part, from), part_place(job, part, to)];
    let mut rows = statement.query(range).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let number = part_number(column(row, 0)?);
        let block = row.get_ref(1).map_err(failed)?.as_blob().map_err(|_| Damage::Invalid);
        let goes_on = block.and_then(|block| visit(number, block));
        if !goes_on.map_err(|damage| damaged_part(job, part, number, damage))? {
            break;
        }
    }
    Ok(())
}
