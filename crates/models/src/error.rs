//! Errors of the configuration of a model or a search engine.

use std::error::Error as StdError;
use std::fmt;

use gleaner_fetch::ConfigError;

/// Why the configuration of a model or a search engine is invalid. It shows no keys. Its wording is not part
/// of the API: match on [`ModelsError::kind`]. The source of [`ModelsErrorKind::Transport`] is the fetcher's
/// [`ConfigError`].
#[derive(Debug, Clone)]
pub struct ModelsError {
    kind: ModelsErrorKind,
    detail: String,
    source: Option<ConfigError>,
}

/// The setting that is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelsErrorKind {
    /// The base URL.
    BaseUrl,
    /// The key.
    Key,
    /// The name or the sizes of the model.
    Model,
    /// The fetcher cannot be built.
    Transport,
}

impl ModelsError {
    pub(crate) fn new(kind: ModelsErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), source: None }
    }

    /// The setting that is invalid.
    #[must_use]
    pub const fn kind(&self) -> ModelsErrorKind {
        self.kind
    }

    /// Whether the key is invalid.
    #[must_use]
    pub const fn is_key(&self) -> bool {
        matches!(self.kind, ModelsErrorKind::Key)
    }
}

impl From<ConfigError> for ModelsError {
    fn from(error: ConfigError) -> Self {
        Self { kind: ModelsErrorKind::Transport, detail: error.to_string(), source: Some(error) }
    }
}

impl fmt::Display for ModelsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl StdError for ModelsError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source as &(dyn StdError + 'static))
    }
}
