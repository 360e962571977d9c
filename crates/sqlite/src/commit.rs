//! One transaction: the batches of a group.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gleaner_store::journal::{Batch, BlockWriter, Fact, Row};
use gleaner_store::{Error, ErrorKind};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::group::Group;
use crate::place::{number_of, place, range};
use crate::read::{self, failed, first};
use crate::{documents, failure, rows};

/// The number of the last block of each job that is durable. Numbers begin at 1.
#[derive(Debug, Default)]
pub(crate) struct BlockNumbers {
    last: HashMap<u64, u64>,
}

impl BlockNumbers {
    /// Reads the number from the file once.
    fn last(&mut self, connection: &Connection, job: u64) -> rusqlite::Result<u64> {
        if let Some(last) = self.last.get(&job) {
            return Ok(*last);
        }
        let last = last_block(connection, job)?;
        self.last.insert(job, last);
        Ok(last)
    }

    /// Records what [`apply`] returned, after its commit.
    pub(crate) fn committed(&mut self, numbers: HashMap<u64, u64>) {
        self.last.extend(numbers);
    }

    /// A removed job has no number any more.
    pub(crate) fn forget(&mut self, job: u64) {
        self.last.remove(&job);
    }
}

/// The number of the last block of a job in the file, also if it was folded away.
fn last_block(connection: &Connection, job: u64) -> rusqlite::Result<u64> {
    let (first, last) = range(job);
    let sql = "SELECT max(place) FROM fact WHERE place BETWEEN ?1 AND ?2";
    let stored = connection.query_row(sql, [first, last], |row| row.get::<_, Option<i64>>(0))?;
    let sql = "SELECT folded FROM compaction WHERE job = ?1";
    let folded = connection.query_row(sql, [job.cast_signed()], |row| row.get::<_, i64>(0)).optional()?;
    Ok(stored.map_or(0, number_of).max(folded.map_or(0, i64::cast_unsigned)))
}

/// Applies a group within a transaction. Returns the new numbers of its jobs. Of jobs that are gone, nothing
/// is written.
pub(crate) fn apply(
    connection: &Connection,
    group: &Group,
    numbers: &mut BlockNumbers,
    gone: &BTreeSet<u64>,
) -> rusqlite::Result<HashMap<u64, u64>> {
    let mut new = HashMap::new();
    let mut insert = connection.prepare("INSERT INTO fact(place, bytes) VALUES(?1, ?2)")?;
    let is_gone = |batch: &Batch| gone.contains(&batch.job);
    for batch in group.batches().iter().filter(|batch| !batch.facts.is_empty() && !is_gone(batch)) {
        let last = match new.get(&batch.job) {
            Some(last) => *last,
            None => numbers.last(connection, batch.job)?,
        };
        insert.execute(params![place(batch.job, last + 1)?, batch.facts])?;
        new.insert(batch.job, last + 1);
    }
    insert_documents(connection, group.batches().iter().filter(|batch| !is_gone(batch)))?;
    for batch in group.batches() {
        for row in batch.rows.iter().filter(|row| !is_gone(batch) || !rows::is_of_job(row)) {
            rows::apply(connection, batch.job, row)?;
        }
    }
    Ok(new)
}

fn insert_documents<'b>(
    connection: &Connection,
    batches: impl Iterator<Item = &'b Batch>,
) -> rusqlite::Result<()> {
    let mut jobs: BTreeMap<u64, Vec<&Batch>> = BTreeMap::new();
    for batch in batches.filter(|batch| !batch.documents.is_empty()) {
        jobs.entry(batch.job).or_default().push(batch);
    }
    let mut insert = connection.prepare("INSERT INTO document(place, heads, bytes) VALUES(?1, ?2, ?3)")?;
    for (job, batches) in jobs {
        for row in documents::rows(batches.iter().flat_map(|batch| &batch.documents)) {
            insert.execute(params![place(job, row.first)?, row.heads, row.bytes])?;
        }
    }
    Ok(())
}

/// Deletes the documents of a job before this position, as far as they are in the file, and records that they
/// are read: without that, they would be missing. Returns false if there are none.
pub(crate) fn forget_read(
    connection: &mut Connection,
    numbers: &mut BlockNumbers,
    job: u64,
    before: u64,
) -> Result<bool, Error> {
    let (first, end) = read::document_range(connection, job)?;
    let before = before.min(end);
    if before <= first {
        return Ok(false);
    }
    let mut block = BlockWriter::default();
    block.push(&Fact::Read { position: before });
    let mut batch = Batch::default();
    (batch.job, batch.facts, batch.rows) = (job, block.finish(), vec![Row::DocumentsRead { before }]);
    let forgotten = try_forget(connection, numbers, &Group::new(0, vec![batch]));
    forgotten.map_err(|error| failure::sqlite("documents could not be deleted", &error))
}

fn try_forget(
    connection: &mut Connection,
    numbers: &mut BlockNumbers,
    group: &Group,
) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let new = apply(&transaction, group, numbers, &BTreeSet::new())?;
    // The deletion comes last. The row with the position stays, so there may be nothing to delete.
    let has_deleted = transaction.changes() > 0;
    if has_deleted {
        transaction.commit()?;
        numbers.committed(new);
    }
    Ok(has_deleted)
}

/// True if a group is in the file already: its commit reported an error but had succeeded. A group without
/// facts is not recognised; its rows can be applied again.
///
/// # Errors
/// [`ErrorKind::Damaged`] if another block has its place.
pub(crate) fn is_applied(
    connection: &Connection,
    group: &Group,
    numbers: &BlockNumbers,
    gone: &BTreeSet<u64>,
) -> Result<bool, Error> {
    let is_written = |batch: &&Batch| !batch.facts.is_empty() && !gone.contains(&batch.job);
    let Some(batch) = group.batches().iter().find(is_written) else { return Ok(false) };
    // Unknown if no attempt came as far as to read it.
    let Some(last) = numbers.last.get(&batch.job) else { return Ok(false) };
    let place = place(batch.job, last + 1).map_err(failed)?;
    let sql = "SELECT bytes FROM fact WHERE place = ?1";
    match first(connection, sql, [place], |row| row.get::<_, Vec<u8>>(0))? {
        None => Ok(false),
        Some(bytes) if bytes == batch.facts => Ok(true),
        Some(_) => {
            let text = format!("block {} of job {} in table fact is of another writer", last + 1, batch.job);
            Err(Error::new(ErrorKind::Damaged, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use gleaner_store::journal::{Block, NewDocument};

    use super::*;
    use crate::schema;

    fn facts(job: u64, facts: Vec<u8>) -> Batch {
        let mut batch = Batch::default();
        (batch.job, batch.facts) = (job, facts);
        batch
    }

    /// Batches of these jobs, each with the facts and the document of its index.
    fn group(jobs: &[u64]) -> Group {
        let batch = |(position, job): (u64, &u64)| {
            let mut batch = facts(*job, vec![position as u8; 3]);
            let json = Bytes::from_static(b"{}");
            batch.documents.push(NewDocument { position, scrape: None, json });
            batch
        };
        Group::new(1, (0..).zip(jobs).map(batch).collect())
    }

    fn places(file: &Connection, table: &str) -> Vec<i64> {
        let mut statement = file.prepare(&format!("SELECT place FROM {table} ORDER BY place")).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    fn apply(
        file: &Connection,
        group: &Group,
        numbers: &mut BlockNumbers,
    ) -> rusqlite::Result<HashMap<u64, u64>> {
        super::apply(file, group, numbers, &BTreeSet::new())
    }

    #[test]
    fn blocks_are_numbered_by_job_and_documents_share_a_row() {
        let file = schema::in_memory();
        let mut numbers = BlockNumbers::default();
        let new = apply(&file, &group(&[3, 3, 5, 3]), &mut numbers).unwrap();
        assert_eq!(new, HashMap::from([(3, 3), (5, 1)]));
        numbers.committed(new);
        let new = apply(&file, &Group::new(3, vec![facts(3, vec![1])]), &mut numbers);
        assert_eq!(new.unwrap(), HashMap::from([(3, 4)]));
        let place = |(job, number)| place(job, number).unwrap();
        assert_eq!(places(&file, "fact"), [(3, 1), (3, 2), (3, 3), (3, 4), (5, 1)].map(place));
        assert_eq!(places(&file, "document"), [(3, 0), (5, 2)].map(place));
    }

    #[test]
    fn numbers_go_on_after_what_the_file_has() {
        let file = schema::in_memory();
        apply(&file, &group(&[3]), &mut BlockNumbers::default()).unwrap();
        assert_eq!(last_block(&file, 3), Ok(1));
        file.execute_batch("INSERT INTO compaction VALUES(3, 40, 0, 0, 0, 0, 0)").unwrap();
        assert_eq!(last_block(&file, 3), Ok(40), "its blocks were folded");
        assert_eq!(last_block(&file, 4), Ok(0));
    }

    #[test]
    fn nothing_of_a_job_that_is_gone_is_written() {
        let file = schema::in_memory();
        let mut removal = Batch::default();
        (removal.job, removal.rows) = (3, vec![Row::Removed { keeps_facts: false }]);
        let mut group = group(&[3, 5]);
        group.push(2, vec![removal]);
        let gone = BTreeSet::from([3]);
        let mut numbers = BlockNumbers::default();
        let new = super::apply(&file, &group, &mut numbers, &gone).unwrap();
        assert!(new == HashMap::from([(5, 1)]) && is_applied(&file, &group, &numbers, &gone).unwrap());
        assert_eq!(
            (places(&file, "fact"), places(&file, "document")),
            (vec![place(5, 1).unwrap()], vec![place(5, 1).unwrap()])
        );
        let debris = file.query_row("SELECT number FROM debris", [], |row| row.get::<_, i64>(0));
        assert_eq!(debris, Ok(3));
    }

    #[test]
    fn documents_that_are_deleted_early_are_recorded_as_read() {
        let mut file = schema::in_memory();
        let mut numbers = BlockNumbers::default();
        for number in [3, 3, 3] {
            let position = numbers.last(&file, number).unwrap();
            let mut batch = facts(number, vec![0; 3]);
            batch.documents.push(NewDocument { position, scrape: None, json: Bytes::from_static(b"{}") });
            let new = apply(&file, &Group::new(1, vec![batch]), &mut numbers).unwrap();
            numbers.committed(new);
        }
        let mut forget = |before| forget_read(&mut file, &mut numbers, 3, before).unwrap();
        assert_eq!([forget(2), forget(2), forget(9), forget(9)], [true, false, false, false]);
        let place = |number| place(3, number).unwrap();
        assert_eq!(places(&file, "document"), [place(2)], "the last row stays");
        let last: Vec<u8> =
            file.query_row("SELECT bytes FROM fact WHERE place = ?1", [place(4)], |row| row.get(0)).unwrap();
        let fact = Block::open(&last).unwrap().facts().next();
        assert_eq!(fact, Some(Ok(Fact::Read { position: 2 })));
        assert_eq!(numbers.last(&file, 3), Ok(4));
    }

    #[test]
    fn a_group_that_is_there_already_is_recognised() {
        let (file, group) = (schema::in_memory(), group(&[3, 5]));
        let mut numbers = BlockNumbers::default();
        let is_there = |group: &Group, numbers: &BlockNumbers| {
            is_applied(&file, group, numbers, &BTreeSet::new()).unwrap()
        };
        assert!(!is_there(&group, &numbers));
        let new = apply(&file, &group, &mut numbers).unwrap();
        assert!(is_there(&group, &numbers), "the commit was not reported");
        numbers.committed(new);
        assert!(!is_there(&group, &numbers), "the next group may be equal");
        assert!(!is_there(&Group::new(1, vec![Batch::default()]), &numbers));
    }

    #[test]
    fn a_block_of_another_writer_is_no_commit_of_the_group() {
        let (file, group) = (schema::in_memory(), group(&[3]));
        let mut numbers = BlockNumbers::default();
        let new = apply(&file, &group, &mut numbers).unwrap();
        numbers.committed(new);
        let sql = "INSERT INTO fact(place, bytes) VALUES(?1, x'00')";
        file.execute(sql, [place(3, 2).unwrap()]).unwrap();
        let error = is_applied(&file, &group, &numbers, &BTreeSet::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(error.to_string().starts_with("block 2 of job 3 in table fact"), "{error}");
    }
}
