use std::fmt;

/// Why a set of crawl rules cannot be used.
///
/// The wording of its message is not part of the contract; match on [`Error::kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A pattern is not a regular expression.
    BadPattern,
    /// There are more than [`MAX_PATTERNS`](gleaner_types::limits::MAX_PATTERNS) patterns in a list.
    TooManyPatterns,
    /// A pattern is longer than [`MAX_PATTERN_CHARS`](gleaner_types::limits::MAX_PATTERN_CHARS), or all of a list are longer
    /// than [`MAX_PATTERNS_CHARS`](gleaner_types::limits::MAX_PATTERNS_CHARS).
    PatternTooLong,
    /// A pattern compiles to more than [`MAX_PATTERN_STATES`](gleaner_types::limits::MAX_PATTERN_STATES), or all of a list to
    /// more than [`MAX_PATTERNS_STATES`](gleaner_types::limits::MAX_PATTERNS_STATES).
    PatternsTooLarge,
    /// The start URL is neither `http` nor `https`, or has no host.
    BadStart,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// True where a pattern (or the patterns together) is at fault.
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
