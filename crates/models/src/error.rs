use std::error::Error as StdError;
use std::fmt;

use gleaner_fetch::ConfigError;

/// Why the configuration of a model or a search engine is invalid. It shows no keys. Its wording is not part
/// of the API: match on [`Error::kind`]. The source of [`ErrorKind::Transport`] is the fetcher's
/// [`ConfigError`].
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
    source: Option<ConfigError>,
}

/// The setting that is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The base URL.
    BaseUrl,
    /// The key.
    Key,
    /// The name or the sizes of the model.
    Model,
    /// The fetcher cannot be built.
    Transport,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), source: None }
    }

    /// The setting that is invalid.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the key is invalid.
    #[must_use]
    pub const fn is_key(&self) -> bool {
        matches!(self.kind, ErrorKind::Key)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self { kind: ErrorKind::Transport, detail: error.to_string(), source: Some(error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source as &(dyn StdError + 'static))
    }
}
