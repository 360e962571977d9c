//! Copies of a file that is in use.

use std::fs;
use std::path::Path;
use std::time::Duration;

use gleaner_store::{Error, ErrorKind};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::read::failed;
use crate::secrets::Secrets;
use crate::{failure, files};

/// How often a step is tried while the file is locked, and the time between two attempts.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// Copies the file of a connection that reads to a new file.
pub(crate) fn copy(from: &Connection, to: &Path) -> Result<(), Error> {
    let at = |action: &str| format!("{} {action}", to.display());
    files::create(to).map_err(|error| failure::file(&at("could not be created"), &error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copied = Connection::open_with_flags(to, flags)
        .map_err(|error| failure::sqlite(&at("could not be opened"), &error))
        .and_then(|mut target| copy_into(from, &mut target));
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

/// Copies all in one step. A second step would begin again, because the writer goes on meanwhile.
fn copy_into(from: &Connection, target: &mut Connection) -> Result<(), Error> {
    let backup = Backup::new(from, target).map_err(failed)?;
    for _ in 0..ATTEMPTS {
        match backup.step(-1).map_err(failed)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => std::thread::sleep(PAUSE),
        }
    }
    Err(Error::new(ErrorKind::Busy, "the file is locked, so it could not be copied"))
}

/// Copies the secrets of all jobs beside the copy.
pub(crate) fn copy_secrets(from: &Path, to: &Path) -> Result<(), Error> {
    let failed = |error| failure::file("the secrets could not be copied", &error);
    let (source, target) = (Secrets::of(from), Secrets::of(to));
    let (jobs, _) = source.list().map_err(failed)?;
    for job in jobs {
        // A job may have ended meanwhile.
        if let Some(bytes) = source.load(job).map_err(failed)? {
            target.store(job, &bytes).map_err(failed)?;
        }
        if let Some(bytes) = source.load_cookies(job).map_err(failed)? {
            target.store_cookies(job, &bytes).map_err(failed)?;
        }
    }
    Ok(())
}
