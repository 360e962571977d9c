//! What must not lie in the main file: requests with their headers, webhooks and cookies. Each job has one
//! file for its request and webhook, and one for its cookies, which change often. They go with the job.

use std::cell::Cell;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gleaner_types::JobId;

use crate::files;
use crate::seal::{seal, unseal};

/// The ends of the names.
const EXTENSION: &str = ".json";
const COOKIES: &str = ".cookies";
const UNFINISHED: &str = ".new";

/// The folder of the secrets.
#[derive(Debug, Clone)]
pub(crate) struct Secrets {
    folder: PathBuf,
    /// The name of the folder is durable.
    is_named: Cell<bool>,
}

impl Secrets {
    /// The folder beside this database. It need not exist.
    pub(crate) fn of(database: &Path) -> Self {
        Self { folder: files::beside(database, "-secrets"), is_named: Cell::new(false) }
    }

    fn path(&self, job: JobId, extension: &str) -> PathBuf {
        self.folder.join(format!("{job}{extension}"))
    }

    fn replace(&self, job: JobId, extension: &str, bytes: &[u8]) -> io::Result<()> {
        if files::create_folder(&self.folder)? {
            self.is_named.set(false);
        }
        // An earlier process may have created it, and ended before this.
        if !self.is_named.get() {
            self.folder.parent().map_or(Ok(()), files::sync_folder)?;
            self.is_named.set(true);
        }
        let new = self.path(job, UNFINISHED);
        remove_file(&new)?;
        let mut file = files::create(&new)?;
        file.write_all(&seal(bytes))?;
        file.sync_all()?;
        fs::rename(&new, self.path(job, extension))?;
        files::sync_folder(&self.folder)
    }

    /// Stores the request and the webhook of a job durably, and replaces earlier ones.
    pub(crate) fn store(&self, job: JobId, bytes: &[u8]) -> io::Result<()> {
        self.replace(job, EXTENSION, bytes)
    }

    /// Stores the cookies of a job durably, and replaces earlier ones.
    pub(crate) fn store_cookies(&self, job: JobId, bytes: &[u8]) -> io::Result<()> {
        self.replace(job, COOKIES, bytes)
    }

    /// The request and the webhook of a job; `None` if it has none, or if its file is damaged.
    pub(crate) fn load(&self, job: JobId) -> io::Result<Option<Vec<u8>>> {
        read_file(&self.path(job, EXTENSION))
    }

    /// The cookies of a job; `None` if it has none, or if their file is damaged.
    pub(crate) fn load_cookies(&self, job: JobId) -> io::Result<Option<Vec<u8>>> {
        read_file(&self.path(job, COOKIES))
    }

    /// True if a file of a job exists and cannot be read as it was written.
    pub(crate) fn is_damaged(&self, job: JobId) -> io::Result<bool> {
        for extension in [EXTENSION, COOKIES] {
            match fs::read(self.path(job, extension)) {
                Ok(sealed) if unseal(&sealed).is_err() => return Ok(true),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Removes the cookies of a job.
    pub(crate) fn remove_cookies(&self, job: JobId) -> io::Result<()> {
        remove_file(&self.path(job, COOKIES))
    }

    /// Removes the secrets of a job.
    pub(crate) fn remove(&self, job: JobId) -> io::Result<()> {
        self.remove_cookies(job)?;
        remove_file(&self.path(job, EXTENSION))
    }

    /// The jobs that have secrets, and the files that are none of them, such as unfinished ones.
    pub(crate) fn list(&self) -> io::Result<(Vec<JobId>, Vec<PathBuf>)> {
        let (mut jobs, mut others) = (Vec::new(), Vec::new());
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((jobs, others)),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| {
                let id = name.strip_suffix(EXTENSION).or_else(|| name.strip_suffix(COOKIES))?;
                id.parse().ok()
            });
            match id {
                Some(id) => jobs.push(id),
                None => others.push(entry.path()),
            }
        }
        jobs.sort_unstable();
        jobs.dedup();
        Ok((jobs, others))
    }

    /// Removes secrets without a job, and unfinished files.
    pub(crate) fn retain(&self, is_known: impl Fn(JobId) -> bool) -> io::Result<()> {
        let (jobs, others) = self.list()?;
        for job in jobs.into_iter().filter(|job| !is_known(*job)) {
            self.remove(job)?;
        }
        for path in others {
            if path.extension().is_some_and(|extension| extension == "new") {
                remove_file(&path)?;
            }
        }
        Ok(())
    }
}

/// The contents of a file; `None` if it does not exist, or if it has not the bytes that were written.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(sealed) => match unseal(&sealed) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(damage) => {
                tracing::warn!(path = %path.display(), %damage, "secrets are damaged, and not used");
                Ok(None)
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a file if it exists.
fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn job(number: u128) -> JobId {
        JobId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn secrets_are_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::of(&folder.path().join("jobs.db"));
        assert_eq!(secrets.load(job(1)).unwrap(), None, "the folder does not exist");
        secrets.remove(job(1)).unwrap();
        secrets.store(job(1), b"first").unwrap();
        secrets.store(job(1), b"second").unwrap();
        assert_eq!(secrets.load(job(1)).unwrap().as_deref(), Some(&b"second"[..]));
        secrets.store_cookies(job(1), b"cookies").unwrap();
        assert_eq!(secrets.load_cookies(job(1)).unwrap().as_deref(), Some(&b"cookies"[..]));
        assert_eq!(secrets.load(job(1)).unwrap().as_deref(), Some(&b"second"[..]));
        assert_eq!(secrets.list().unwrap(), (vec![job(1)], vec![]));
        secrets.remove(job(1)).unwrap();
        assert_eq!((secrets.load(job(1)).unwrap(), secrets.load_cookies(job(1)).unwrap()), (None, None));
        assert_eq!(fs::read_dir(folder.path().join("jobs.db-secrets")).unwrap().count(), 0);
    }

    #[test]
    fn files_of_unknown_jobs_and_unfinished_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::of(&folder.path().join("jobs.db"));
        for number in 1..4 {
            secrets.store(job(number), b"secret").unwrap();
            secrets.store_cookies(job(number), b"cookies").unwrap();
        }
        secrets.store_cookies(job(5), b"cookies of a job without a request").unwrap();
        let unfinished = secrets.folder.join(format!("{}.new", job(9)));
        fs::write(&unfinished, b"half").unwrap();
        secrets.retain(|id| id == job(2)).unwrap();
        assert_eq!(secrets.list().unwrap(), (vec![job(2)], vec![]));
        // The rest of a crash does not prevent the next one.
        fs::write(secrets.folder.join(format!("{}.new", job(2))), b"half").unwrap();
        secrets.store(job(2), b"new").unwrap();
        assert_eq!(secrets.load(job(2)).unwrap().as_deref(), Some(&b"new"[..]));
    }

    #[test]
    fn changed_secrets_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::of(&folder.path().join("jobs.db"));
        for extension in [EXTENSION, COOKIES] {
            secrets.store(job(1), b"{\"limit\":900}").unwrap();
            secrets.store_cookies(job(1), b"cookies").unwrap();
            assert!(!secrets.is_damaged(job(1)).unwrap());
            let path = secrets.path(job(1), extension);
            let mut bytes = fs::read(&path).unwrap();
            bytes[3] ^= 1;
            for damaged in [&bytes[..], b""] {
                fs::write(&path, damaged).unwrap();
                assert!(secrets.is_damaged(job(1)).unwrap());
                let found = [secrets.load(job(1)).unwrap(), secrets.load_cookies(job(1)).unwrap()];
                assert_eq!(
                    found.map(|found| found.is_some()),
                    [extension == COOKIES, extension == EXTENSION]
                );
            }
        }
        assert!(!secrets.is_damaged(job(2)).unwrap(), "a job without secrets");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_not_read_secrets() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::of(&folder.path().join("jobs.db"));
        secrets.store(job(1), b"secret").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&secrets.folder), mode(&secrets.path(job(1), EXTENSION))), (0o700, 0o600));
    }
}
