//! The progress of the compaction of a job.

use gleaner_store::Error;
use rusqlite::Connection;

use super::each;

/// How far a job is compacted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The number of the last block that is folded.
    pub(crate) folded: u64,
    /// The number of the last part.
    pub(crate) last: u64,
    /// Pages that ended up to this part are not in the parts of the queue up to it.
    pub(crate) cleaned: u64,
    /// Pages that ended in later parts.
    pub(crate) ended: u64,
    /// Of these, pages that are still in parts of the queue.
    pub(crate) garbage: u64,
    /// All pages in parts of the queue.
    pub(crate) queued: u64,
}

impl Record {
    /// The record of a job. A job without folded blocks has none, which is the same as the default.
    pub(crate) fn read(connection: &Connection, job: u64) -> Result<Self, Error> {
        let sql = "SELECT folded, last, cleaned, ended, garbage, queued FROM compaction WHERE job = ?1";
        let mut record = Self::default();
        each(connection, sql, [job.cast_signed()], |numbers| record = Self::of(numbers))?;
        Ok(record)
    }

    /// The records of all jobs that have one.
    pub(crate) fn all(connection: &Connection) -> Result<Vec<(u64, Self)>, Error> {
        let sql = "SELECT job, folded, last, cleaned, ended, garbage, queued FROM compaction";
        let mut records = Vec::new();
        each(connection, sql, [], |[job, numbers @ ..]: [u64; 7]| records.push((job, Self::of(numbers))))?;
        Ok(records)
    }

    pub(super) fn write(&self, connection: &Connection, job: u64) -> rusqlite::Result<()> {
        let Self { folded, last, cleaned, ended, garbage, queued } = *self;
        let numbers = [job, folded, last, cleaned, ended, garbage, queued].map(u64::cast_signed);
        let sql = "INSERT OR REPLACE INTO compaction(job, folded, last, cleaned, ended, garbage, queued)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        connection.execute(sql, numbers).map(drop)
    }

    const fn of([folded, last, cleaned, ended, garbage, queued]: [u64; 6]) -> Self {
        Self { folded, last, cleaned, ended, garbage, queued }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::ErrorKind;

    use super::*;
    use crate::schema;

    #[test]
    fn a_negative_number_is_damage() {
        let file = schema::in_memory();
        file.execute_batch("INSERT INTO compaction VALUES(1, -1, 0, 0, 0, 0, 0)").unwrap();
        assert_eq!(Record::read(&file, 1).unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(Record::read(&file, 2).unwrap(), Record::default());
    }
}
