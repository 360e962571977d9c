//! A URL for logs and messages, shown without secrets.

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
        // An address such as `mailto:a@b.example` has no authority.
        match url.host_str() {
            Some(host) => write!(f, "{}://{host}", url.scheme())?,
            None if url.has_authority() => write!(f, "{}://", url.scheme())?,
            None => write!(f, "{}:", url.scheme())?,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_host_has_no_slashes() {
        for (url, shown) in [
            ("mailto:a@b.example", "mailto:a@b.example"),
            ("tel:123", "tel:123"),
            ("mailto:a@b.example?subject=secret", "mailto:a@b.example?subject=…"),
            ("file:///etc/hosts", "file:///etc/hosts"),
            ("https://user:pw@a.example:8443/p?q=1#f", "https://a.example:8443/p?q=…"),
        ] {
            assert_eq!(SafeUrl::from(Url::parse(url).unwrap()).to_string(), shown);
        }
    }
}
