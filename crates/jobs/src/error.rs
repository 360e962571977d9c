use std::fmt;

use gleaner_types::{ErrorCode, PageError};

/// Why a job could not begin, or could not be read.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    code: ErrorCode,
    text: String,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The page gave no document.
    Page,
    /// The rules of a crawl cannot hold, such as a pattern that is too large.
    Rules,
    /// The store failed, or does not know the job.
    Store,
}

impl Error {
    pub(crate) fn rules(cause: &dyn fmt::Display) -> Self {
        Self { kind: ErrorKind::Rules, code: ErrorCode::BadRequest, text: cause.to_string() }
    }

    /// Which kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The contract's code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Self {
        Self { kind: ErrorKind::Page, code: error.code, text: error.message }
    }
}

impl From<gleaner_store::Error> for Error {
    fn from(error: gleaner_store::Error) -> Self {
        Self { kind: ErrorKind::Store, code: ErrorCode::UnknownError, text: error.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
