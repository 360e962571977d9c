use std::fmt;

/// What is wrong with the configuration of a model or a search engine. It shows no keys. Its wording is not part of the
/// API: match on [`Error::kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
}

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The base URL cannot be used.
    BaseUrl,
    /// The key cannot be used.
    Key,
    /// The model's name or its sizes cannot be used.
    Model,
    /// The fetcher cannot be built.
    Transport,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Is it the key that cannot be used?
    #[must_use]
    pub const fn is_key(&self) -> bool {
        matches!(self.kind, ErrorKind::Key)
    }

    /// Is it the address of the service that cannot be used?
    #[must_use]
    pub const fn is_base_url(&self) -> bool {
        matches!(self.kind, ErrorKind::BaseUrl)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl std::error::Error for Error {}
