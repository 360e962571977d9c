//! Files of jobs, as readers see them.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::Path;
use std::process;
use std::time::Duration;

use gleaner::sqlite::{JobRecord, Reader, StoreError};

use crate::failure::Failure;

/// Databases of SQLite begin with this.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// How long the end of a command waits until its file is closed, and how often it looks.
const MAX_CLOSING: Duration = Duration::from_secs(10);
const CLOSING_INTERVAL: Duration = Duration::from_millis(10);

/// The file of an argument that is left out only with `--database`.
///
/// # Errors
/// It is left out.
pub(super) fn named(file: Option<&Path>) -> Result<&Path, Failure> {
    file.ok_or_else(|| {
        Failure::usage("<FILE>: name the file of --job, or a database with --database postgresql://...")
    })
}

/// Opens a file for reading. `argument` is its name on the command line.
///
/// # Errors
/// There is no such file, it is no file of jobs, or it cannot be read.
pub(super) fn open(path: &Path, argument: &str) -> Result<Reader, Failure> {
    if is_new(path, argument)? {
        let file = path.display();
        let why = if path.exists() { "is empty" } else { "does not exist" };
        return Err(Failure::usage(format!(
            "{argument}: {file} {why}; name the file of --job, as in gleaner crawl https://example.com --job \
             {file}"
        )));
    }
    reader(path)
}

/// Opens a file that this process may have open for writing: unlike [`open`], this leaves its locks. They
/// belong to the process, and go when any of its descriptors of the file is closed. SQLite of another process
/// then takes the file for unused, and removes the log under this one.
///
/// # Errors
/// It is no file of jobs, or it cannot be read.
pub(super) fn reader(path: &Path) -> Result<Reader, Failure> {
    Reader::open(path).map_err(|error| failed(path, &error))
}

/// Whether there is no file yet, or an empty one. Call it before this process opens the file for writing: see
/// [`reader`].
///
/// # Errors
/// There is something else.
pub(super) fn is_new(path: &Path, argument: &str) -> Result<bool, Failure> {
    let file = path.display();
    let unusable = |why: &dyn Display| {
        Failure::usage(format!("{argument}: {file} {why}; name a file of jobs, or for --job a new file"))
    };
    let mut first = Vec::new();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(unusable(&"is a folder")),
        Ok(found) if !found.is_file() => return Err(unusable(&"is not a file")),
        // With a log, it is damaged and not new.
        Ok(found) if found.len() == 0 => return Ok(!has_log(path)),
        Ok(_) => {
            let opened = File::open(path);
            opened
                .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut first))
                .map_err(|error| unusable(&format!("cannot be read: {error}")))?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(unusable(&format!("cannot be read: {error}"))),
    }
    if first == MAGIC { Ok(false) } else { Err(unusable(&"is not a file of jobs")) }
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// Refuses an output that is a file of jobs, or one of those beside it: writing would destroy them. `option`
/// names the output.
///
/// # Errors
/// It is one of these files.
pub(super) fn refuse_as_output(path: &Path, output: &Path, option: &str) -> Result<(), Failure> {
    // What does not exist yet is neither.
    let (Ok(path), Ok(found)) = (path.canonicalize(), output.canonicalize()) else { return Ok(()) };
    let is_own = ["", "-wal", "-shm", "-lock"].into_iter().any(|suffix| {
        let mut own = path.as_os_str().to_owned();
        own.push(suffix);
        found.as_os_str() == own
    });
    if !is_own {
        return Ok(());
    }
    let output = output.display();
    Err(Failure::usage(format!("{option}: {output} has the jobs themselves; name another file")))
}

/// The failure of a file that could not be read.
pub(super) fn failed(path: &Path, error: &StoreError) -> Failure {
    explained(path, &error.to_string(), [error.is_busy(), error.is_newer(), error.is_damaged()])
}

/// The failure of a file that the engine could not open.
pub(super) fn refused(path: &Path, error: &gleaner::Error) -> Failure {
    let states = [error.is_store_busy(), error.is_store_newer(), error.is_store_damaged()];
    explained(path, &error.to_string(), states)
}

fn explained(path: &Path, text: &str, [is_busy, is_newer, is_damaged]: [bool; 3]) -> Failure {
    let file = path.display().to_string();
    let message = if text.contains(&file) { text.to_owned() } else { format!("{file}: {text}") };
    let hint = if is_busy {
        Some(format!("wait until it has ended, or stop it; gleaner jobs {file} shows how far it is"))
    } else if is_newer {
        Some("use the version of gleaner that wrote the file, or a later one".to_owned())
    } else if is_damaged {
        Some(format!("gleaner check {file} lists the damage; gleaner export {file} saves what can be read"))
    } else {
        None
    };
    Failure::Failed { message, hint }
}

/// The crawls, batches and extracts of a file, in the order of their start.
///
/// # Errors
/// The file cannot be read.
pub(super) fn jobs(reader: &Reader, path: &Path) -> Result<Vec<JobRecord>, Failure> {
    let jobs = reader.jobs().map_err(|error| failed(path, &error))?;
    Ok(jobs.into_iter().filter(|job| job.kind.is_some() && !job.is_removed).collect())
}

/// Waits until this process has closed the file, if it opened it for writing. Then the file is complete
/// without the log beside it, and can be copied.
pub(super) async fn closed(path: &Path) {
    let mut lock = path.as_os_str().to_owned();
    lock.push("-lock");
    let Ok(mut lock) = File::open(lock) else { return };
    let mut holder = String::new();
    let _ = lock.read_to_string(&mut holder);
    if !holder.starts_with(&format!("pid {},", process::id())) {
        return;
    }
    let is_closed = async {
        while matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            tokio::time::sleep(CLOSING_INTERVAL).await;
        }
    };
    let _ = tokio::time::timeout(MAX_CLOSING, is_closed).await;
}

#[cfg(test)]
mod tests {
    use gleaner::sqlite::StoreErrorKind;

    use super::*;

    #[test]
    fn only_databases_are_taken_for_files_of_jobs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path
        };
        let new = |path: &Path| match is_new(path, "--job") {
            Ok(new) => Ok(new),
            Err(Failure::Usage(lines)) => Err(lines.join("\n")),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(new(&folder.path().join("none")), Ok(true));
        assert_eq!(new(&path("empty", b"")), Ok(true));
        #[cfg(unix)]
        {
            let socket = folder.path().join("socket");
            let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
            assert!(new(&socket).unwrap_err().contains("is not a file"));
        }
        assert_eq!(new(&path("database", b"SQLite format 3\0 and more")), Ok(false));
        path("logged-wal", b"frames");
        assert_eq!(new(&path("logged", b"")), Ok(false));
        for (other, expected) in [
            (path("text", b"https://example.com"), "is not a file of jobs"),
            (folder.path().to_owned(), "is a folder"),
        ] {
            let error = new(&other).unwrap_err();
            assert!(error.starts_with("--job: ") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn files_of_jobs_are_no_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        let refused = |output: &Path| refuse_as_output(&path, output, "--out").is_err();
        assert!(!refused(&path), "there is no such file");
        for (name, expected) in [("jobs.db", true), ("jobs.db-wal", true), ("pages.jsonl", false)] {
            fs::write(folder.path().join(name), b"").unwrap();
            assert_eq!(refused(&folder.path().join(name)), expected, "{name}");
        }
        assert!(refused(&folder.path().join(".").join("jobs.db")));
        assert!(!refused(&folder.path().join("new.jsonl")));
    }

    #[test]
    fn errors_name_the_file_once_and_the_remedy() {
        let path = Path::new("jobs.db");
        for (kind, text, remedy) in [
            (StoreErrorKind::Busy, "another process has it", "wait until it has ended"),
            (StoreErrorKind::Newer, "it has version 9", "version of gleaner"),
            (StoreErrorKind::Damaged, "block 7 cannot be read", "gleaner check jobs.db"),
            (StoreErrorKind::Io, "/tmp/jobs.db could not be opened", ""),
        ] {
            let failure = failed(path, &StoreError::new(kind, text));
            let Failure::Failed { message, hint } = failure else { panic!("{failure:?}") };
            assert_eq!(message.matches("jobs.db").count(), 1, "{message}");
            assert!(hint.unwrap_or_default().contains(remedy), "{kind:?}");
        }
    }

    #[tokio::test]
    async fn only_the_own_lock_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        closed(&path).await;
        let held_by = |pid: u32| {
            let name = folder.path().join("jobs.db-lock");
            fs::write(&name, format!("pid {pid}, gleaner 1.0.0\n")).unwrap();
            let lock = File::open(name).unwrap();
            lock.lock().unwrap();
            lock
        };
        let other = held_by(process::id() + 1);
        closed(&path).await;
        drop(other);
        let own = held_by(process::id());
        let mut waiting = std::pin::pin!(closed(&path));
        assert!(tokio::time::timeout(Duration::ZERO, &mut waiting).await.is_err());
        drop(own);
        waiting.await;
    }
}
