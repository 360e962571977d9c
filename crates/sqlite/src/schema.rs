//! The tables, and how a file of an earlier version becomes one of this version.

use gleaner_store::{Error, ErrorKind};
use rusqlite::{Connection, TransactionBehavior};

use crate::failure;

/// Marks a file as one of this crate, for `file` and for opening.
const APPLICATION_ID: i32 = 0x676c_6e72;

/// Each entry makes version `n + 1` out of version `n`. An entry never changes once it was released.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE job(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind INTEGER, team TEXT, url TEXT,
        at INTEGER NOT NULL, record BLOB NOT NULL, removed INTEGER NOT NULL DEFAULT 0,
        ended INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE fact(place INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE part(place INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE compaction(job INTEGER PRIMARY KEY, folded INTEGER NOT NULL, last INTEGER NOT NULL,
        cleaned INTEGER NOT NULL, ended INTEGER NOT NULL, garbage INTEGER NOT NULL, queued INTEGER NOT NULL);
    CREATE TABLE document(place INTEGER PRIMARY KEY, heads BLOB NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE scrape(place INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, team TEXT NOT NULL,
        at INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE history(team TEXT NOT NULL, url TEXT NOT NULL, tag TEXT NOT NULL, job BLOB NOT NULL,
        at INTEGER NOT NULL, current BLOB NOT NULL, previous_job BLOB, previous BLOB,
        PRIMARY KEY(team, url, tag));
    CREATE INDEX history_at ON history(at);
    CREATE TABLE conclusion(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE debris(number INTEGER PRIMARY KEY);
"];

/// The version that this crate writes.
pub(crate) const VERSION: i32 = MIGRATIONS.len() as i32;

/// The tables whose rows belong to one job by their place.
pub(crate) const PLACED: &[&str] = &["fact", "document", "part"];

/// The version of an opened file; 0 for an empty one.
pub(crate) fn version(connection: &Connection) -> Result<i32, Error> {
    let failed =
        |error: rusqlite::Error| failure::sqlite("the version of the file could not be read", &error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) =
        (number("application_id").map_err(failed)?, number("user_version").map_err(failed)?);
    let tables = "SELECT count(*) FROM sqlite_schema";
    let is_empty = connection.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(failed)? == 0;
    // A view in place of a table can have rows without end, and a trigger changes other rows than were named.
    let tables = "SELECT count(*) FROM sqlite_schema WHERE coalesce(rootpage, 0) = 0";
    let has_others = connection.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(failed)? > 0;
    match (application, version) {
        (0, 0) if is_empty => Ok(0),
        (APPLICATION_ID, 1..=VERSION) if has_others => Err(Error::new(
            ErrorKind::Unsuitable,
            "another program has added views, triggers or virtual tables to the file",
        )),
        (APPLICATION_ID, version) if (1..=VERSION).contains(&version) => Ok(version),
        (APPLICATION_ID, version) if version > VERSION => Err(Error::new(
            ErrorKind::Newer,
            format!("the file has version {version}, and this program knows versions up to {VERSION}"),
        )),
        _ => Err(Error::new(ErrorKind::Unsuitable, "the file is a database of another program")),
    }
}

/// Brings the file to this version. Returns the version that it had.
pub(crate) fn migrate(connection: &mut Connection) -> Result<i32, Error> {
    let found = version(connection)?;
    for (number, migration) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
        apply(connection, number, migration).map_err(|error| {
            failure::sqlite(&format!("the file could not be brought to version {number}"), &error)
        })?;
    }
    Ok(found)
}

/// One migration, as a whole or not at all.
fn apply(connection: &mut Connection, number: i32, migration: &str) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(migration)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", number)?;
    transaction.commit()
}

/// An empty database in memory, for tests.
#[cfg(test)]
pub(crate) fn in_memory() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection).unwrap();
    connection
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_gets_this_version_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(migrate(&mut connection).unwrap(), 0);
        assert_eq!(version(&connection).unwrap(), VERSION);
        assert_eq!(migrate(&mut connection).unwrap(), VERSION, "nothing is left to do");
        for table in PLACED {
            let rows = format!("SELECT count(place) FROM {table}");
            assert_eq!(connection.query_row(&rows, [], |row| row.get::<_, i64>(0)), Ok(0), "{table}");
        }
    }

    #[test]
    fn a_newer_file_is_refused_with_its_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        connection.pragma_update(None, "user_version", VERSION + 2).unwrap();
        let error = migrate(&mut connection).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Newer);
        assert!(error.to_string().contains(&format!("version {}", VERSION + 2)), "{error}");
    }

    #[test]
    fn another_database_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE other(x)").unwrap();
        assert_eq!(migrate(&mut connection).unwrap_err().kind(), ErrorKind::Unsuitable);
    }

    #[test]
    fn a_file_with_views_or_triggers_is_refused() {
        for (change, is_refused) in [
            ("CREATE INDEX fact_bytes ON fact(bytes); ANALYZE", false),
            ("DROP TABLE document; CREATE VIEW document AS SELECT 1 AS place", true),
            ("CREATE TRIGGER a AFTER INSERT ON fact BEGIN DELETE FROM document; END", true),
        ] {
            let mut connection = Connection::open_in_memory().unwrap();
            migrate(&mut connection).unwrap();
            connection.execute_batch(change).unwrap();
            let kind = version(&connection).map_err(|error| error.kind());
            assert_eq!(kind, if is_refused { Err(ErrorKind::Unsuitable) } else { Ok(VERSION) }, "{change}");
        }
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection, 1, "CREATE TABLE a(x); CREATE TABLE a(x);").unwrap_err();
        assert_eq!(version(&connection).unwrap(), 0);
    }
}
