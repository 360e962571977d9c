//! Opens the durable store of a file.

use std::path::Path;
use std::time::Duration;

use gleaner_store::{Error, LocalStore, MemoryConfig};

use crate::{FileConfig, Opened, SqliteJournal};

/// A [`Store`](gleaner_store::Store) whose jobs survive the process, in one file.
pub type SqliteStore = LocalStore<SqliteJournal>;

/// Opens the store of a file, and creates the file if it does not exist. Running jobs of an earlier process
/// go on. `now` is the time since the Unix epoch. This blocks, and takes longer the more pages wait.
///
/// # Errors
/// Those of [`SqliteJournal::open`], and those of [`LocalStore::open`] if stored facts cannot be read.
pub fn open_store(
    path: impl AsRef<Path>,
    file: &FileConfig,
    memory: MemoryConfig,
    now: Duration,
) -> Result<(SqliteStore, Opened), Error> {
    let (journal, state, opened) = SqliteJournal::open(path, file)?;
    Ok((LocalStore::open(memory, journal, state, now)?, opened))
}
