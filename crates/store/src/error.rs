//! Errors of store operations.

use std::fmt;

use gleaner_types::JobId;

/// Why the store did not execute an operation.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No job has this id, or its results are no longer kept.
    UnknownJob,
    /// A job with this id exists already.
    JobExists,
    /// The team has used this idempotency key before.
    KeyUsed,
    /// The job has ended, so it accepts no pages and cannot be cancelled.
    JobEnded,
    /// The team already runs its maximum number of jobs.
    TooManyJobs,
    /// There is no space for another document, or for more pages in a queue. Stored data is not affected.
    Full,
    /// The medium failed: a file could not be written or read.
    Io,
    /// Another process, or another store of this one, has the file open for writing.
    Busy,
    /// A later version of the program wrote the file.
    Newer,
    /// Stored data has changed or is missing. The message names the place.
    Damaged,
    /// The file is not a store, or the program does not fit it.
    Unsuitable,
}

impl Error {
    /// No job has this id, or its results are no longer kept.
    #[must_use]
    pub fn unknown_job(id: JobId) -> Self {
        Self { kind: ErrorKind::UnknownJob, text: format!("job {id} is not in the store") }
    }

    /// A job with this id exists already.
    #[must_use]
    pub fn job_exists(id: JobId) -> Self {
        Self {
            kind: ErrorKind::JobExists,
            text: format!("job {id} is in the store already; each id can be used once"),
        }
    }

    /// The job has ended.
    #[must_use]
    pub fn job_ended(id: JobId) -> Self {
        Self { kind: ErrorKind::JobEnded, text: format!("job {id} has ended") }
    }

    /// The idempotency key was used before.
    #[must_use]
    pub fn key_used() -> Self {
        let text = "the idempotency key was used before; a new request needs a new key".to_owned();
        Self { kind: ErrorKind::KeyUsed, text }
    }

    /// The team already runs `max` jobs, its maximum.
    #[must_use]
    pub fn too_many_jobs(max: u32) -> Self {
        let text = format!("the team already runs {max} jobs, its maximum");
        Self { kind: ErrorKind::TooManyJobs, text }
    }

    /// There is no more space, for this reason.
    pub fn full(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Full, text: reason.into() }
    }

    /// The medium of the store failed. `action` says what failed, such as "a document could not be read".
    pub fn io(action: &str, cause: &dyn fmt::Display) -> Self {
        Self { kind: ErrorKind::Io, text: format!("{action}: {cause}") }
    }

    /// An error of this kind.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// No job has this id, or its results are no longer kept.
    #[must_use]
    pub fn is_unknown_job(&self) -> bool {
        self.kind == ErrorKind::UnknownJob
    }

    /// A job with this id exists already.
    #[must_use]
    pub fn is_job_exists(&self) -> bool {
        self.kind == ErrorKind::JobExists
    }

    /// The team has used this idempotency key before.
    #[must_use]
    pub fn is_key_used(&self) -> bool {
        self.kind == ErrorKind::KeyUsed
    }

    /// The team already runs its maximum number of jobs.
    #[must_use]
    pub fn is_too_many_jobs(&self) -> bool {
        self.kind == ErrorKind::TooManyJobs
    }

    /// The medium failed: a file could not be written or read.
    #[must_use]
    pub fn is_io(&self) -> bool {
        self.kind == ErrorKind::Io
    }

    /// There is no more space.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kind == ErrorKind::Full
    }

    /// The cause passes without a change of the operation or of the program: the medium is full, busy or
    /// failed. The same operation may succeed later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self.kind {
            ErrorKind::Full | ErrorKind::Io | ErrorKind::Busy => true,
            ErrorKind::UnknownJob
            | ErrorKind::JobExists
            | ErrorKind::KeyUsed
            | ErrorKind::JobEnded
            | ErrorKind::TooManyJobs
            | ErrorKind::Newer
            | ErrorKind::Damaged
            | ErrorKind::Unsuitable => false,
        }
    }

    /// The job has ended already.
    #[must_use]
    pub fn is_job_ended(&self) -> bool {
        self.kind == ErrorKind::JobEnded
    }

    /// Another process, or another store of this one, has the file open for writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.kind == ErrorKind::Busy
    }

    /// A later version of the program wrote the file.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        self.kind == ErrorKind::Newer
    }

    /// Stored data has changed or is missing.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.kind == ErrorKind::Damaged
    }

    /// The file is not a store, or the program does not fit it.
    #[must_use]
    pub fn is_unsuitable(&self) -> bool {
        self.kind == ErrorKind::Unsuitable
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
