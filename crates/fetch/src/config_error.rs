//! Errors of the configuration of a fetcher or a proxy.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// Why the configuration of a [`Fetcher`](crate::Fetcher) or a [`Proxy`](crate::Proxy) is invalid. It shows
/// no credentials and no key. Its wording is not part of the API: match on [`ConfigError::kind`].
#[derive(Debug, Clone)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    detail: Cow<'static, str>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The setting that is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The user agent holds a character that no header can hold.
    UserAgent,
    /// A root certificate cannot be read.
    RootCertificate,
    /// TLS cannot be set up with the built-in cryptography.
    Tls,
    /// A timeout is zero.
    Timeout,
    /// The address, the credentials or the country of a proxy.
    Proxy,
    /// A pool has no proxies, or too many.
    ProxyPool,
}

impl ConfigError {
    pub(crate) fn new(kind: ConfigErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, detail: detail.into(), source: None }
    }

    /// Sets the source. It must hold no secrets.
    pub(crate) fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The setting that is invalid.
    #[must_use]
    pub fn kind(&self) -> ConfigErrorKind {
        self.kind
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl StdError for ConfigError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
