//! The lock of the one process that writes.
//!
//! The lock is on a file of its own: closing any descriptor of the database would release the locks of SQLite
//! in this process. The system releases it when the process ends, however it ends.
//!
//! The first line of the file names the holder for people. The second line identifies its process, and a
//! third one says that it is about to release the lock: then another store of the same process waits for it.

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{process, thread};

use gleaner_store::{Error, ErrorKind};

use crate::{failure, files};

/// Maximum length of the text about the holder, in bytes.
const MAX_HOLDER: u64 = 200;

/// The third line while the holder closes the file.
const CLOSING: &str = "closing";

/// Maximum wait for a holder in this process that closes the file.
const MAX_CLOSING: Duration = Duration::from_secs(10);

/// Maximum wait for another holder in this process: a task may keep an engine for a moment after the drop.
const MAX_KEEPING: Duration = Duration::from_millis(250);

/// The time between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(2);

/// Identifies this process. Its pid does not: processes in different containers may have the same one.
static THIS_PROCESS: LazyLock<String> =
    LazyLock::new(|| format!("{:016x}", RandomState::new().build_hasher().finish()));

/// Held while a process may write.
#[derive(Debug)]
pub(crate) struct FileLock {
    /// Releases the lock when it is closed.
    file: File,
}

/// What a lock file says about its holder. It may not have written anything yet.
struct Holder {
    name: String,
    is_this_process: bool,
    is_closing: bool,
}

impl FileLock {
    /// Takes the lock of this database. Waits while a holder in this process closes it.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] with the name of the holder, or those of the file system.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| failure::file("the lock of the file could not be taken", &error);
        let mut file = files::open_or_create(&files::beside(database, "-lock")).map_err(failed)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            let holder = Holder::read(&mut file);
            if began.elapsed() >= holder.max_wait() {
                return Err(Error::new(ErrorKind::Busy, holder.text()));
            }
            thread::sleep(PAUSE);
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "pid {}, gleaner {}", process::id(), env!("CARGO_PKG_VERSION"))?;
            writeln!(file, "{}", *THIS_PROCESS)
        };
        // A full disk must not prevent opening: then the next process reads no name.
        let _ = write(&mut file);
        Ok(Self { file })
    }

    /// Tells others that the lock is released soon.
    pub(crate) fn set_closing(&self) {
        // Without it, others do not wait.
        let _ = writeln!(&self.file, "{CLOSING}");
    }
}

impl Holder {
    fn read(file: &mut File) -> Self {
        let mut text = String::new();
        let _ = file.rewind();
        let _ = file.take(MAX_HOLDER).read_to_string(&mut text);
        let mut lines = text.lines();
        let name = lines.next().unwrap_or_default().trim().to_owned();
        let is_this_process = lines.next() == Some(THIS_PROCESS.as_str());
        Self { name, is_this_process, is_closing: lines.next() == Some(CLOSING) }
    }

    /// Another process is not waited for.
    fn max_wait(&self) -> Duration {
        match (self.is_this_process, self.is_closing) {
            (false, _) => Duration::ZERO,
            (true, false) => MAX_KEEPING,
            (true, true) => MAX_CLOSING,
        }
    }

    /// Why the lock cannot be taken.
    fn text(&self) -> String {
        let name = match &*self.name {
            "" => String::new(),
            name => format!(" ({name})"),
        };
        match (self.is_this_process, self.is_closing) {
            (false, _) => format!("another process{name} has the file open for writing"),
            (true, false) => format!(
                "this process{name} has the file open for writing, in another engine: drop that engine, its \
                 clones and its jobs first"
            ),
            (true, true) => format!("this process{name} still closes the file of an engine that was dropped"),
        }
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
            let text = error.to_string();
            assert!(text.contains(&format!("this process (pid {}, gleaner ", process::id())), "{text}");
        }
        drop(first);
        FileLock::take(&database).unwrap();
        assert!(!database.exists(), "the database itself is not opened");
    }

    #[test]
    fn another_process_is_named_even_if_it_has_the_same_pid() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("jobs.db");
        let first = FileLock::take(&database).unwrap();
        (&first.file).rewind().unwrap();
        first.file.set_len(0).unwrap();
        writeln!(&first.file, "pid {}, gleaner 9.9.9", process::id()).unwrap();
        let error = FileLock::take(&database).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let expected = format!("another process (pid {}, gleaner 9.9.9)", process::id());
        assert!(error.to_string().contains(&expected), "{error}");
    }

    #[test]
    fn one_that_closes_the_file_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("jobs.db");
        let first = FileLock::take(&database).unwrap();
        first.set_closing();
        let taking = thread::spawn({
            let database = database.clone();
            move || FileLock::take(&database).map(drop)
        });
        drop(first);
        taking.join().unwrap().unwrap();
    }
}
