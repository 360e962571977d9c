//! Errors of crawl rules: patterns and start URLs that cannot be used.

use std::fmt;

use gleaner_types::FaultPath;

/// Why a set of crawl rules cannot be used.
///
/// The wording of the message is not part of the API; match on [`Error::kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: FaultPath,
    message: String,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A pattern is not a regular expression.
    BadPattern,
    /// A list has more than [`MAX_PATTERNS`](gleaner_types::limits::MAX_PATTERNS) patterns.
    TooManyPatterns,
    /// A pattern is longer than [`MAX_PATTERN_CHARS`](gleaner_types::limits::MAX_PATTERN_CHARS), or the
    /// patterns of a list together are longer than
    /// [`MAX_PATTERNS_CHARS`](gleaner_types::limits::MAX_PATTERNS_CHARS).
    PatternTooLong,
    /// A pattern compiles to more than [`MAX_PATTERN_STATES`](gleaner_types::limits::MAX_PATTERN_STATES)
    /// states, or the patterns of a list together to more than
    /// [`MAX_PATTERNS_STATES`](gleaner_types::limits::MAX_PATTERNS_STATES).
    PatternsTooLarge,
    /// The start URL is neither `http` nor `https`, or has no host.
    BadStart,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: FaultPath, message: impl Into<String>) -> Self {
        Self { kind, path, message: message.into() }
    }

    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The location of the faulty value in the crawl request, such as `includePaths[3]`.
    #[must_use]
    pub const fn path(&self) -> &FaultPath {
        &self.path
    }

    /// True if a pattern, or the patterns together, caused the error.
    #[must_use]
    pub const fn is_pattern(&self) -> bool {
        !matches!(self.kind, ErrorKind::BadStart)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
