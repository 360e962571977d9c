use std::fmt;

use gleaner_types::JobId;

/// Why the store did not do what it was asked.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no job of this id, or its results are no longer kept.
    UnknownJob,
    /// A job of this id is there already.
    JobExists,
    /// The team used this idempotency key before.
    KeyUsed,
    /// The job has ended, so it takes no pages and cannot be cancelled.
    JobEnded,
    /// The team has as many jobs running as it may.
    TooManyJobs,
    /// There is no room for a further document, or for further pages in a job's queue; what is there stays.
    Full,
    /// The medium failed: a temporary file could not be written or read.
    Io,
}

impl Error {
    pub(crate) fn unknown_job(id: JobId) -> Self {
        Self { kind: ErrorKind::UnknownJob, text: format!("job {id} is not in the store") }
    }

    pub(crate) fn job_exists(id: JobId) -> Self {
        Self {
            kind: ErrorKind::JobExists,
            text: format!("job {id} is in the store already; ids are used once"),
        }
    }

    pub(crate) fn job_ended(id: JobId) -> Self {
        Self { kind: ErrorKind::JobEnded, text: format!("job {id} has ended") }
    }

    pub(crate) fn key_used() -> Self {
        let text = "the idempotency key was used before; a new request needs a new key".to_owned();
        Self { kind: ErrorKind::KeyUsed, text }
    }

    pub(crate) fn too_many_jobs(most: u32) -> Self {
        let text = format!("the team has {most} jobs running, the most that it may");
        Self { kind: ErrorKind::TooManyJobs, text }
    }

    /// There is no room for more, for this reason.
    pub fn full(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Full, text: reason.into() }
    }

    /// The medium of a store failed.
    pub fn io(doing: &str, cause: &dyn fmt::Display) -> Self {
        Self { kind: ErrorKind::Io, text: format!("{doing}: {cause}") }
    }

    /// Which kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// There is no job of this id, or its results are no longer kept.
    #[must_use]
    pub fn is_unknown_job(&self) -> bool {
        self.kind == ErrorKind::UnknownJob
    }

    /// There is no room for more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kind == ErrorKind::Full
    }

    /// The job has ended already.
    #[must_use]
    pub fn is_job_ended(&self) -> bool {
        self.kind == ErrorKind::JobEnded
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
