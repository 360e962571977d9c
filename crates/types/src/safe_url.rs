use std::fmt;

use url::Url;

/// A URL that can be logged: `Display` and `Debug` leave out user name, password, fragment and the values of
/// query parameters. Every URL in a log line or an error message has this type.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SafeUrl(Url);

impl SafeUrl {
    /// The whole URL, secrets included.
    #[must_use]
    pub const fn expose(&self) -> &Url {
        &self.0
    }
}

impl From<Url> for SafeUrl {
    fn from(url: Url) -> Self {
        Self(url)
    }
}

impl From<&Url> for SafeUrl {
    fn from(url: &Url) -> Self {
        Self(url.clone())
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.0;
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(url.path())?;
        // Names stay percent-encoded: decoded ones may contain line breaks, which would forge log lines.
        let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        for (index, pair) in pairs.enumerate() {
            let name = pair.split('=').next().unwrap_or_default();
            write!(f, "{}{name}=…", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
