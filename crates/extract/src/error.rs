//! The errors of extraction: unusable schemas or options, and missing or failed models.

use std::fmt;

/// Why extraction is not possible.
///
/// A value that is not on the page is never an error: it is null with a
/// [`MissingReason`](crate::MissingReason).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The schema cannot be used; the text says what is wrong and where.
    Schema(String),
    /// The request has only a prompt, and there is no model to read it.
    ModelNotConfigured,
    /// The request names no page, and there is no search engine to find one.
    SearchNotConfigured,
    /// The model was asked for a schema, but its answers cannot be used; the text says why.
    Draft(String),
    /// The model gave no answer; the text says why.
    Model(String),
    /// A pattern or an option cannot be used; the text says which one and why.
    Options(String),
}

impl Error {
    pub(crate) fn schema(what: impl Into<String>) -> Self {
        ErrorKind::Schema(what.into()).into()
    }

    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether the request is at fault.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        matches!(self.kind, ErrorKind::Schema(_) | ErrorKind::Options(_))
    }

    /// Whether a service is missing that only the embedder can configure.
    #[must_use]
    pub const fn is_not_configured(&self) -> bool {
        matches!(self.kind, ErrorKind::ModelNotConfigured | ErrorKind::SearchNotConfigured)
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Schema(what) => write!(formatter, "the schema cannot be used: {what}"),
            ErrorKind::ModelNotConfigured => formatter
                .write_str("a prompt alone needs a language model to read it, and none is configured"),
            ErrorKind::SearchNotConfigured => {
                formatter.write_str("a request without URLs needs a search engine, and none is configured")
            }
            ErrorKind::Draft(why) => write!(formatter, "the model made no schema of the prompt: {why}"),
            ErrorKind::Model(why) => write!(formatter, "the model gave no answer: {why}"),
            ErrorKind::Options(what) => write!(formatter, "the options cannot be used: {what}"),
        }
    }
}

impl std::error::Error for Error {}
