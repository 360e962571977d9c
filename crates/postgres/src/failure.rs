//! Why an operation failed.

use std::fmt;

use gleaner_store::{Error, ErrorKind};

/// Why an operation was not committed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The operation is not possible: the caller gets this error.
    Refused(Error),
    /// The database failed. It may be worth another try.
    Database(tokio_postgres::Error),
    /// The term of this worker has ended, so nothing of it is committed.
    TermEnded,
}

impl Failure {
    /// Stored data cannot be read. `what` names the place.
    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Self::Refused(Error::new(ErrorKind::Damaged, format!("{what} in the database cannot be read")))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}
