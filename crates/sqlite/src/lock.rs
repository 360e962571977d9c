//! The lock of the one process that writes.
//!
//! The lock is on a file of its own: closing any descriptor of the database would release the locks of SQLite
//! in this process. The system releases it when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process;

use gleaner_store::{Error, ErrorKind};

use crate::{failure, files};

/// Maximum length of the text that names the holder, in bytes.
const MAX_HOLDER: u64 = 200;

/// Held while a process may write.
#[derive(Debug)]
pub(crate) struct FileLock {
    /// Releases the lock when it is closed.
    _file: File,
}

impl FileLock {
    /// Takes the lock of this database.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] with the name of the holder, or those of the file system.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| failure::file("the lock of the file could not be taken", &error);
        let mut file = files::open_or_create(&files::beside(database, "-lock")).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = (&mut file).take(MAX_HOLDER).read_to_string(&mut holder);
                // It may not have written its name yet.
                let holder = match holder.trim() {
                    "" => String::new(),
                    name => format!(" ({name})"),
                };
                let text = format!("another process{holder} has the file open for writing");
                return Err(Error::new(ErrorKind::Busy, text));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "pid {}, gleaner {}", process::id(), env!("CARGO_PKG_VERSION"))
        };
        // A full disk must not prevent opening: then the next process reads no name.
        let _ = write(&mut file);
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_one_learns_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("jobs.db");
        let first = FileLock::take(&database).unwrap();
        for _ in 0..2 {
            let error = FileLock::take(&database).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy);
            assert!(error.to_string().contains(&format!("(pid {}, gleaner ", process::id())), "{error}");
        }
        drop(first);
        FileLock::take(&database).unwrap();
        assert!(!database.exists(), "the database itself is not opened");
    }
}
