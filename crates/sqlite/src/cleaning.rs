//! Gives space back in small steps: rows of removed jobs, and then pages of the file.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::connection::limit;
use crate::place::range;
use crate::schema::PLACED;

/// Rows that one transaction deletes. Each has at most a few hundred kilobytes.
const ROWS: i64 = 100;

/// Pages of the file that one step gives back.
const PAGES: i64 = 500;

/// Deleting writes, too: it may exceed the bound of the file by this many bytes.
const ALLOWANCE: u64 = 32 << 20;

/// One step. Returns false if nothing was left to do.
pub(crate) fn step(connection: &mut Connection, bound: Option<u64>) -> rusqlite::Result<bool> {
    limit(connection, bound.map(|bytes| bytes.saturating_add(ALLOWANCE)))?;
    let result = match delete(connection) {
        Ok(false) => vacuum(connection),
        result => result,
    };
    limit(connection, bound)?;
    result
}

/// Deletes all rows of removed jobs, so that their numbers can be used again.
pub(crate) fn finish(connection: &mut Connection, bound: Option<u64>) -> rusqlite::Result<()> {
    limit(connection, bound.map(|bytes| bytes.saturating_add(ALLOWANCE)))?;
    while delete(connection)? {}
    limit(connection, bound)
}

/// Marks a job that the file knows as removed, ahead of the changes that wait before its removal.
pub(crate) fn remove_early(connection: &Connection, bound: Option<u64>, job: u64) -> rusqlite::Result<()> {
    limit(connection, bound.map(|bytes| bytes.saturating_add(ALLOWANCE)))?;
    let sql = "INSERT OR IGNORE INTO debris(number) SELECT number FROM job WHERE number = ?1";
    let result = connection.execute(sql, [job.cast_signed()]);
    limit(connection, bound)?;
    result.map(drop)
}

/// Deletes some rows of removed jobs. Returns false if there are none.
fn delete(connection: &mut Connection) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let job = transaction
        .query_row("SELECT number FROM debris ORDER BY number LIMIT 1", [], |row| row.get::<_, i64>(0))
        .optional()?;
    let Some(job) = job else { return Ok(false) };
    let (first, last) = range(job.cast_unsigned());
    let mut left = ROWS;
    for table in PLACED {
        let sql = format!(
            "DELETE FROM {table} WHERE place IN
                (SELECT place FROM {table} WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT ?3)"
        );
        left -= i64::try_from(transaction.execute(&sql, params![first, last, left])?).unwrap_or(left);
        if left <= 0 {
            break;
        }
    }
    if left > 0 {
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

/// Gives free pages back to the file system. Returns false if there are none.
fn vacuum(connection: &Connection) -> rusqlite::Result<bool> {
    let (free, _) = pages(connection)?;
    if free == 0 {
        return Ok(false);
    }
    // Each row of its answer is one page, so all rows must be read.
    connection.pragma(None, "incremental_vacuum", PAGES, |_| Ok(()))?;
    Ok(true)
}

/// True if a quarter of the file is free, so that it is worth cleaning while the store is busy.
pub(crate) fn is_worthwhile(connection: &Connection) -> rusqlite::Result<bool> {
    let (free, all) = pages(connection)?;
    Ok(free > all / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::PAGE;
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
        while step(&mut file, None).unwrap() {
            steps += 1;
            assert!(before - count(&file) <= ROWS);
            before = count(&file);
        }
        assert!(steps > 15, "{steps} steps");
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
        let job = "INSERT INTO job(number, id, at, record) VALUES(3, x'03', 0, x'')";
        limit(&file, None).unwrap();
        file.execute_batch(job).unwrap();
        limit(&file, bound).unwrap();
        remove_early(&file, bound, 3).unwrap();
        remove_early(&file, bound, 4).unwrap();
        while step(&mut file, bound).unwrap() {}
        file.execute_batch(insert).unwrap();
    }

    #[test]
    fn cleaning_a_busy_file_is_worthwhile_with_a_quarter_free() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        fill(&file, 3, 100);
        assert!(!is_worthwhile(&file).unwrap());
        file.execute_batch("DELETE FROM fact WHERE place % 2 = 0").unwrap();
        assert!(is_worthwhile(&file).unwrap());
    }
}
