//! Opens a file for writing. What is not a store of this program is refused before anything in it changes.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use gleaner_store::{Error, ErrorKind};
use rusqlite::Connection;

use crate::lock::FileLock;
use crate::log_tail::{LogTail, log_tail};
use crate::{connection, failure, files, preflight, schema};

/// A file that is open for writing, with this version of its tables.
#[derive(Debug)]
pub(crate) struct Opening {
    /// Its path without links.
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    /// What SQLite cut from the log.
    pub(crate) tail: LogTail,
    pub(crate) lock: FileLock,
}

/// Opens a file, and creates it if it does not exist.
pub(crate) fn open(path: &Path) -> Result<Opening, Error> {
    connection::check_sqlite(rusqlite::version_number())?;
    let (path, is_new) = files::ensure(path)
        .map_err(|error| failure::file(&format!("{} could not be opened", path.display()), &error))?;
    preflight::check_kinds(&path)?;
    preflight::check_names(&path)?;
    let lock = FileLock::take(&path)?;
    // A new file may replace a removed one, whose log is left.
    if !is_new {
        preflight::check_log(&path)?;
    }
    let tail = cut(&path)?;
    check_version(&path)?;
    restrict(&path)
        .map_err(|error| failure::file("the file could not be hidden from other users", &error))?;
    // Its commits were not all synced, and a failed sync may have left some in the memory of the system only.
    // SQLite reads no further than the last one that is whole.
    files::write_again(&files::beside(&path, "-wal"), tail.offset)
        .map_err(|error| failure::file("the log of the file could not be written again", &error))?;
    let mut connection = connection::writer(&path)?;
    schema::migrate(&mut connection)?;
    Ok(Opening { path, connection, tail, lock })
}

/// Refuses a file that is not of this program, before its mode changes.
fn check_version(path: &Path) -> Result<(), Error> {
    let version = connection::reader(path).and_then(|connection| schema::version(&connection));
    let version = match version {
        // A process ended while it created the file, which one that only reads cannot undo.
        Err(error) if error.kind() == ErrorKind::Io => schema::version(&connection::undoing(path)?),
        version => version,
    };
    version.map(drop)
}

/// Takes from others the right to read what is there.
fn restrict(path: &Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        files::restrict(&files::beside(path, suffix))?;
    }
    files::restrict_folder(&files::beside(path, "-secrets"))
}

/// What SQLite will cut from the log.
fn cut(path: &Path) -> Result<LogTail, Error> {
    let log = files::beside(path, "-wal");
    let tail = match File::open(&log) {
        Ok(file) => log_tail(&mut BufReader::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LogTail::default()),
        Err(error) => Err(error),
    };
    let tail = tail.map_err(|error| failure::file("the log of the file could not be read", &error))?;
    if tail.is_damage() {
        let (log, offset, commits) = (log.display(), tail.offset, tail.commits);
        return Err(Error::new(
            ErrorKind::Damaged,
            format!("{log} is damaged at byte {offset}, and {commits} commits follow"),
        ));
    }
    if tail.frames > 0 {
        let pages = tail.frames;
        tracing::warn!(path = %path.display(), pages, "the last commit was not finished; its pages are cut");
    }
    Ok(tail)
}
