//! What must hold before SQLite opens a file.

use std::path::Path;

use gleaner_store::{Error, ErrorKind};

use crate::{failure, files};

/// Refuses a device, a pipe or a folder in place of one of the files.
pub(crate) fn check_kinds(path: &Path) -> Result<(), Error> {
    ["", "-journal", "-wal", "-shm"].into_iter().try_for_each(|suffix| length(path, suffix).map(drop))
}

/// Refuses an empty file with a log, which SQLite removes, also when it only reads. The first page of a file
/// is durable before its log begins, so this is damage.
pub(crate) fn check_log(path: &Path) -> Result<(), Error> {
    // In this order, because another process may create the file meanwhile.
    let log = length(path, "-wal")?;
    if log == 0 || length(path, "")? > 0 {
        return Ok(());
    }
    let (file, log) = (path.display(), files::beside(path, "-wal"));
    Err(Error::new(
        ErrorKind::Damaged,
        format!("{file} is empty, but its log is not; {} still has what was written last", log.display()),
    ))
}

/// Refuses a file with several names. Each name has a log and a lock of its own, so two processes could write
/// to the file, and neither would see what the other has in its log.
#[cfg(unix)]
pub(crate) fn check_names(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path)
        .map_err(|error| failure::file(&format!("{} could not be opened", path.display()), &error))?;
    if found.nlink() <= 1 {
        return Ok(());
    }
    let (path, names) = (path.display(), found.nlink());
    Err(Error::new(
        ErrorKind::Unsuitable,
        format!("{path} has {names} names (hard links); copy it, and keep one name"),
    ))
}

#[cfg(not(unix))]
pub(crate) fn check_names(_path: &Path) -> Result<(), Error> {
    Ok(())
}

fn length(path: &Path, suffix: &str) -> Result<u64, Error> {
    files::length(&files::beside(path, suffix))
        .map_err(|error| failure::file(&format!("{} could not be opened", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::{Reader, opening};

    /// The errors of a writer and of a reader.
    fn errors(path: &Path) -> [Error; 2] {
        [opening::open(path).unwrap_err(), Reader::open(path).unwrap_err()]
    }

    fn store(folder: &Path) -> PathBuf {
        let path = folder.join("jobs.db");
        drop(opening::open(&path).unwrap());
        path
    }

    #[test]
    fn the_log_of_an_empty_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let log = files::beside(&path, "-wal");
        fs::write(&path, b"").unwrap();
        fs::write(&log, b"frames").unwrap();
        for error in errors(&path) {
            assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
        }
        assert_eq!(fs::read(&log).unwrap(), b"frames");
        // A file that was removed does not prevent a new one.
        fs::remove_file(&path).unwrap();
        drop(opening::open(&path).unwrap());
        Reader::open(&path).unwrap();
    }

    #[test]
    fn a_folder_in_place_of_a_file_is_refused() {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let folder = tempfile::tempdir().unwrap();
            let path = store(folder.path());
            let other = files::beside(&path, suffix);
            let _ = fs::remove_file(&other);
            fs::create_dir(&other).unwrap();
            for error in errors(&path) {
                assert!(error.to_string().ends_with("is not a file"), "{suffix}: {error}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_several_names_has_no_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let other = folder.path().join("other.db");
        fs::hard_link(&path, &other).unwrap();
        for name in [&path, &other] {
            assert_eq!(opening::open(name).unwrap_err().kind(), ErrorKind::Unsuitable);
            Reader::open(name).unwrap();
        }
        fs::remove_file(&other).unwrap();
        opening::open(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_file_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        for error in errors(&path) {
            assert!(error.to_string().ends_with("is not a file"), "{error}");
        }
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o666);
        assert!(!files::beside(&path, "-lock").exists(), "nothing is left beside it");
    }
}
