//! Gives space back in small steps: rows of removed jobs, and then pages of the file.

use gleaner_store::Error;
use gleaner_store::journal::Row;
use gleaner_types::JobId;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::connection::{PAGE, limit};
use crate::place::range;
use crate::schema::PLACED;
use crate::{failure, rows};

/// What one transaction deletes, about.
const ROWS: u64 = 2048;
const BYTES: u64 = 1 << 20;

/// Pages of the file that one step gives back.
const PAGES: i64 = 500;

/// Free pages that stay in the file for what comes next: this many, or one of this many pages.
const SPARE_PAGES: i64 = 64;
const SPARE_SHARE: i64 = 8;

/// Cleaning writes, too: it may exceed the bound of the file by this many bytes.
const ALLOWANCE: u64 = 32 << 20;

/// Does work that makes room, and may exceed the bound of the file for that.
pub(crate) fn beyond_bound<T>(
    connection: &mut Connection,
    bound: Option<u64>,
    work: impl FnOnce(&mut Connection) -> Result<T, Error>,
) -> Result<T, Error> {
    if bound.is_none() {
        return work(connection);
    }
    let failed = |error: rusqlite::Error| failure::sqlite("the bound of the file could not be set", &error);
    limit(connection, bound.map(|bytes| bytes.saturating_add(ALLOWANCE))).map_err(failed)?;
    let result = work(connection);
    limit(connection, bound).map_err(failed)?;
    result
}

/// One step. Returns false if nothing was left to do.
pub(crate) fn step(connection: &mut Connection) -> Result<bool, Error> {
    let result = match delete(connection) {
        Ok(false) => vacuum(connection),
        result => result,
    };
    result.map_err(|error| failure::sqlite("the file of the store could not be cleaned", &error))
}

/// Removes a job, so that its rows are deleted. Returns its id, unless it is not in the file.
pub(crate) fn remove(connection: &mut Connection, job: u64) -> Result<Option<JobId>, Error> {
    try_remove(connection, job).map_err(|error| failure::sqlite("a job could not be removed", &error))
}

fn try_remove(connection: &mut Connection, job: u64) -> rusqlite::Result<Option<JobId>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let id = rows::job_id(&transaction, job)?;
    rows::apply(&transaction, job, &Row::Removed { keeps_facts: false })?;
    transaction.commit()?;
    Ok(id)
}

/// What one transaction may still delete.
#[derive(Debug)]
pub(crate) struct Budget {
    rows: u64,
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { rows: ROWS, bytes: BYTES }
    }
}

/// Deletes rows of a table in a range of places, the first ones first. Returns false if there were none. Rows
/// may be left if the budget is used up.
pub(crate) fn delete_rows(
    connection: &Connection,
    table: &str,
    (first, last): (i64, i64),
    budget: &mut Budget,
) -> rusqlite::Result<bool> {
    let sql = format!(
        "SELECT place, length(bytes) FROM {table} WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT ?3"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([first, last, budget.rows.cast_signed()])?;
    let mut end = None;
    while budget.rows > 0
        && budget.bytes > 0
        && let Some(row) = rows.next()?
    {
        end = Some(row.get::<_, i64>(0)?);
        budget.rows -= 1;
        budget.bytes = budget.bytes.saturating_sub(row.get::<_, i64>(1)?.unsigned_abs());
    }
    drop(rows);
    let Some(end) = end else { return Ok(false) };
    let sql = format!("DELETE FROM {table} WHERE place BETWEEN ?1 AND ?2");
    connection.execute(&sql, [first, end])?;
    Ok(true)
}

/// Deletes some rows of removed jobs. Returns false if there are none.
fn delete(connection: &mut Connection) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let job = transaction
        .query_row("SELECT number FROM debris ORDER BY number LIMIT 1", [], |row| row.get::<_, i64>(0))
        .optional()?;
    let Some(job) = job else { return Ok(false) };
    let mut budget = Budget::default();
    for table in PLACED {
        delete_rows(&transaction, table, range(job.cast_unsigned()), &mut budget)?;
    }
    if budget.rows > 0 && budget.bytes > 0 {
        transaction.execute("DELETE FROM compaction WHERE job = ?1", [job])?;
        transaction.execute("DELETE FROM debris WHERE number = ?1", [job])?;
    }
    transaction.commit()?;
    Ok(true)
}

/// Free pages, and all pages of the file.
fn pages(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((number("freelist_count")?, number("page_count")?))
}

/// Gives free pages back to the file system. Returns false if there are too few.
fn vacuum(connection: &Connection) -> rusqlite::Result<bool> {
    let (free, all) = pages(connection)?;
    let spare = SPARE_PAGES.max(all / SPARE_SHARE);
    if free <= spare {
        return Ok(false);
    }
    // Each row of its answer is one page, so all rows must be read.
    connection.pragma(None, "incremental_vacuum", PAGES.min(free - spare), |_| Ok(()))?;
    // A file that was made by other means may not have this form of vacuum, and keeps its pages.
    let (left, _) = pages(connection)?;
    Ok(left < free)
}

/// True if a quarter of the file is free, so that it is worth cleaning while the store is busy.
pub(crate) fn is_worthwhile(connection: &Connection) -> rusqlite::Result<bool> {
    let (free, all) = pages(connection)?;
    Ok(free > SPARE_PAGES && free > all / 4)
}

/// True if a commit of about this many bytes may exceed the bound.
pub(crate) fn is_near(connection: &Connection, bound: u64, bytes: u64) -> bool {
    let used = pages(connection).map_or(0, |(free, all)| all.saturating_sub(free).unsigned_abs() * PAGE);
    // A commit changes some inner pages besides its content.
    used.saturating_add(bytes).saturating_add(SPARE_PAGES.unsigned_abs() * PAGE) >= bound
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::place::place;
    use crate::{connection, files, schema};

    /// The size of the file in bytes, without its log.
    fn size(connection: &Connection) -> u64 {
        pages(connection).unwrap().1.cast_unsigned() * PAGE
    }

    fn file(folder: &tempfile::TempDir) -> Connection {
        let path = folder.path().join("jobs.db");
        files::create(&path).unwrap();
        let mut connection = connection::writer(&path).unwrap();
        schema::migrate(&mut connection).unwrap();
        connection
    }

    fn fill(connection: &Connection, job: u64, rows: u64) {
        for number in 1..=rows {
            let sql = "INSERT INTO fact(place, bytes) VALUES(?1, randomblob(3000))";
            connection.execute(sql, [place(job, number).unwrap()]).unwrap();
        }
    }

    fn count(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM fact", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_removed_job_gives_its_space_back_in_steps() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = file(&folder);
        fill(&file, 3, 1_500);
        fill(&file, 4, 10);
        let full = size(&file);
        file.execute_batch("INSERT INTO debris(number) VALUES(3)").unwrap();
        let mut steps = 0;
        let mut before = count(&file);
        while step(&mut file).unwrap() {
            steps += 1;
            assert!(before - count(&file) <= 1 + (BYTES / 3000).cast_signed(), "a step is small");
            before = count(&file);
        }
        assert!(steps > 5, "{steps} steps");
        assert_eq!(count(&file), 10, "the other job stays");
        assert!(size(&file) < full / 10, "{full} became {}", size(&file));
    }

    #[test]
    fn a_full_file_can_be_cleaned() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = file(&folder);
        fill(&file, 3, 100);
        let bound = Some(size(&file));
        limit(&file, bound).unwrap();
        let insert = "INSERT INTO fact(place, bytes) VALUES(1, randomblob(90000))";
        assert!(file.execute_batch(insert).is_err(), "the file is full");
        let job =
            "INSERT INTO job(number, id, at, record) VALUES(3, x'00000000000000000000000000000003', 0, x'')";
        limit(&file, None).unwrap();
        file.execute_batch(job).unwrap();
        limit(&file, bound).unwrap();
        let removed =
            |file: &mut Connection, job| beyond_bound(file, bound, |file| remove(file, job)).unwrap();
        assert_eq!(removed(&mut file, 3), Some(JobId::from_uuid(Uuid::from_u128(3))));
        assert_eq!(removed(&mut file, 4), None, "it is not in the file");
        while beyond_bound(&mut file, bound, step).unwrap() {}
        file.execute_batch(insert).unwrap();
    }

    #[test]
    fn a_job_that_is_removed_ahead_is_gone_before_its_rows() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = file(&folder);
        fill(&file, 3, 10);
        let job =
            "INSERT INTO job(number, id, at, record) VALUES(3, x'00000000000000000000000000000003', 0, x'')";
        file.execute_batch(job).unwrap();
        remove(&mut file, 3).unwrap();
        // A process that ends here leaves no job without its facts, and no facts without their mark.
        let left = |table: &str| -> i64 {
            file.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((left("job"), left("fact"), left("debris")), (0, 10, 1));
    }

    #[test]
    fn a_file_that_keeps_its_free_pages_has_nothing_to_clean() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Connection::open(folder.path().join("jobs.db")).unwrap();
        schema::migrate(&mut file).unwrap();
        fill(&file, 3, 400);
        file.execute_batch("DELETE FROM fact").unwrap();
        assert!(is_worthwhile(&file).unwrap());
        assert!(!step(&mut file).unwrap());
    }

    #[test]
    fn some_free_pages_stay_for_what_comes_next() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = file(&folder);
        fill(&file, 3, 50);
        file.execute_batch("DELETE FROM fact").unwrap();
        let before = size(&file);
        assert!(!step(&mut file).unwrap());
        assert_eq!(size(&file), before);
        assert!(is_near(&file, before / 2, 0) && !is_near(&file, 100 * before, 0));
    }

    #[test]
    fn cleaning_a_busy_file_is_worthwhile_with_a_quarter_free() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        fill(&file, 3, 400);
        assert!(!is_worthwhile(&file).unwrap());
        file.execute_batch("DELETE FROM fact WHERE place % 2 = 0").unwrap();
        assert!(is_worthwhile(&file).unwrap());
    }
}
