//! Connections: one that writes, and others that read.

use std::path::Path;
use std::time::Duration;

use gleaner_store::{Error, ErrorKind};
use rusqlite::{Connection, OpenFlags};

use crate::failure;

/// The size of a page of the file in bytes. Larger pages make each commit write more.
pub(crate) const PAGE: u64 = 4096;

/// Versions of SQLite before this one can lose commits when the log starts again.
const OLDEST_SQLITE: i32 = 3_051_003;

/// The first frames of the log are overwritten once it was copied into the file; what it keeps beyond this
/// size is cut.
const MAX_IDLE_LOG: u64 = 16 << 20;

/// How long a statement waits while another connection repairs the index of the log.
const BUSY: Duration = Duration::from_secs(5);

/// Refuses a version of SQLite with known faults.
pub(crate) fn check_sqlite(version: i32) -> Result<(), Error> {
    if version >= OLDEST_SQLITE {
        return Ok(());
    }
    let text =
        |version: i32| format!("{}.{}.{}", version / 1_000_000, version / 1_000 % 1_000, version % 1_000);
    Err(Error::new(
        ErrorKind::Unsuitable,
        format!("the program contains SQLite {}; {} is needed", text(version), text(OLDEST_SQLITE)),
    ))
}

/// The connection that writes. The file exists.
pub(crate) fn writer(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut mode = String::new();
    let connection = open(path, flags, |connection| {
        // The first two take effect in an empty file, before anything else is written to it.
        connection.pragma_update(None, "page_size", PAGE.cast_signed())?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        mode = log_mode(connection)?;
        // NORMAL loses acknowledged commits when the power fails.
        connection.pragma_update(None, "synchronous", "FULL")?;
        // The writer copies the log itself, after it has reported the commit.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "journal_size_limit", MAX_IDLE_LOG.cast_signed())?;
        connection.pragma_update(None, "cache_size", -8192)
    })?;
    check_mode(path, &mode)?;
    Ok(connection)
}

/// Asks for a write-ahead log. Returns the mode that the file has then.
fn log_mode(connection: &Connection) -> rusqlite::Result<String> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
}

/// SQLite keeps another mode without an error, for instance where files cannot be shared as memory.
fn check_mode(path: &Path, mode: &str) -> Result<(), Error> {
    if mode == "wal" {
        return Ok(());
    }
    let path = path.display();
    let text = format!("{path} cannot have a write-ahead log where it is; SQLite keeps the mode {mode}");
    Err(Error::new(ErrorKind::Unsuitable, text))
}

/// A connection that leaves the file as it is, except that it undoes an unfinished transaction.
pub(crate) fn undoing(path: &Path) -> Result<Connection, Error> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX, |_| Ok(()))
}

/// A connection that only reads.
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, |connection| connection.pragma_update(None, "query_only", "ON"))
}

fn open(
    path: &Path,
    flags: OpenFlags,
    prepare: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<Connection, Error> {
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        connection.pragma_update(None, "cell_size_check", "ON")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        // A fault of the medium in a mapped page would end the process.
        connection.pragma_update(None, "mmap_size", 0)?;
        prepare(&connection)?;
        Ok(connection)
    });
    opened.map_err(|error| failure::sqlite(&format!("{} could not be opened", path.display()), &error))
}

/// Limits the file to this many bytes; `None` sets no limit. It never becomes smaller than it is.
pub(crate) fn limit(connection: &Connection, bytes: Option<u64>) -> rusqlite::Result<()> {
    /// The most that SQLite allows.
    const NO_LIMIT: i64 = 4_294_967_294;
    let pages = bytes.map_or(NO_LIMIT, |bytes| (bytes / PAGE).max(1).cast_signed().clamp(1, NO_LIMIT));
    connection.pragma_update(None, "max_page_count", pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn an_old_sqlite_is_refused() {
        check_sqlite(rusqlite::version_number()).unwrap();
        let error = check_sqlite(3_050_004).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsuitable);
        assert!(error.to_string().contains("SQLite 3.50.4; 3.51.3 is needed"), "{error}");
    }

    #[test]
    fn the_writer_has_its_settings_and_readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        assert!(writer(&path).is_err(), "SQLite does not create the file");
        files::create(&path).unwrap();
        let connection = writer(&path).unwrap();
        connection.execute_batch("CREATE TABLE a(x)").unwrap();
        let number =
            |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        // 2 is FULL for `synchronous`, and INCREMENTAL for `auto_vacuum`.
        let found = ["page_size", "auto_vacuum", "synchronous", "wal_autocheckpoint"].map(number);
        assert_eq!(found, [4096, 2, 2, 0]);
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        let reader = reader(&path).unwrap();
        assert_eq!(reader.query_row("SELECT count(*) FROM a", [], |row| row.get::<_, i64>(0)), Ok(0));
        reader.execute_batch("INSERT INTO a VALUES(1)").unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_a_log_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        // This way to the file has no shared memory.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = Connection::open_with_flags_and_vfs(&path, flags, "unix-dotfile").unwrap();
        let error = check_mode(&path, &log_mode(&connection).unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsuitable);
        assert!(error.to_string().ends_with("keeps the mode delete"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn the_log_has_the_mode_of_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        files::create(&path).unwrap();
        let connection = writer(&path).unwrap();
        connection.execute_batch("CREATE TABLE a(x)").unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let mode = files::beside(&path, suffix).metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{suffix}");
        }
    }
}
