//! One proxy: where it is, how it is spoken to, and what it is told.

use std::fmt;
use std::net::IpAddr;

use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

use super::secret::Secret;
use super::{connect, socks5};
use crate::base64::base64;
use crate::error::ConfigError;

/// A proxy with its credentials and its country. `Debug` shows no credentials.
///
/// A proxy is told the address that the egress guard has checked, not the name: the name is resolved here,
/// and the proxy connects to that very address while `Host` and the TLS handshake carry the name. A proxy
/// that resolved names itself could be led to any address by whoever answers for the name, and the guard
/// would have seen the proxy's address alone. [`Proxy::resolve_names_remotely`] gives that up for proxies
/// that take names only.
///
/// ```
/// use gleaner_fetch::Proxy;
///
/// let proxy = Proxy::parse("socks5://user:secret@proxy.example:1080")?.country("DE")?;
/// assert!(!format!("{proxy:?}").contains("secret"));
/// # Ok::<(), gleaner_fetch::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Proxy {
    kind: Kind,
    host: String,
    port: u16,
    credentials: Option<Credentials>,
    country: Option<String>,
    resolves_names: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Http,
    Socks5,
}

#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    pub(crate) user: Secret,
    pub(crate) password: Secret,
}

/// Where a tunnel leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination<'a> {
    Address(IpAddr, u16),
    /// For the proxy to resolve.
    Name(&'a str, u16),
}

impl Proxy {
    /// Reads `http://user:password@host:port` or `socks5://user:password@host:port`; credentials and port (80
    /// and 1080) may be left out. Reserved characters in credentials are percent-encoded.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for another scheme, a missing host, a path, and credentials longer than the 255 bytes
    /// that SOCKS5 has room for. Its text does not repeat the input, which holds a password.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let wrong = |what: &str| {
            ConfigError::new(format!(
                "{what}: a proxy is written `http://host:port` or `socks5://host:port`, with `user:password@` before \
                 the host where it wants them"
            ))
        };
        let url = Url::parse(text).map_err(|_| wrong("the proxy's address is not a URL"))?;
        let (kind, default_port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "socks5" => (Kind::Socks5, 1080),
            _ => return Err(wrong("the proxy's scheme is neither `http` nor `socks5`")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("no host is named"))?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("the proxy's address goes on behind its port"));
        }
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => Some(Credentials {
                user: Secret::new(decoded(user)?),
                password: Secret::new(decoded(password.unwrap_or_default())?),
            }),
        };
        Ok(Self {
            kind,
            host: host.to_ascii_lowercase(),
            port: url.port().unwrap_or(default_port),
            credentials,
            country: None,
            resolves_names: false,
        })
    }

    /// The country in which its requests appear, ISO 3166-1 alpha-2 in any case. Requests with a
    /// [`Request::country`](crate::Request::country) go through a proxy of theirs where there is one.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for what is not two letters.
    pub fn country(mut self, code: &str) -> Result<Self, ConfigError> {
        if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(ConfigError::new("a proxy's country is a code of two letters, such as `DE`"));
        }
        self.country = Some(code.to_ascii_uppercase());
        Ok(self)
    }

    /// An escape hatch: the proxy is told names, and resolves them as it likes. Plain `http` requests go to
    /// an HTTP proxy in absolute form then, not through a tunnel.
    ///
    /// Names are still resolved and judged here as well, so that a name that leads to a closed address for us
    /// stays closed. But what the proxy connects to is up to the proxy: use it where the proxy's own network
    /// has nothing to hide, or a guard of its own.
    #[must_use]
    pub fn resolve_names_remotely(mut self) -> Self {
        self.resolves_names = true;
        self
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn country_code(&self) -> Option<&str> {
        self.country.as_deref()
    }

    pub(crate) fn resolves_names(&self) -> bool {
        self.resolves_names
    }

    /// Is a plain `http` request sent to it whole, for it to pass on?
    pub(crate) fn takes_absolute_form(&self) -> bool {
        self.resolves_names && self.kind == Kind::Http
    }

    /// `Proxy-Authorization` (RFC 7617), where it wants credentials.
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let credentials = self.credentials.as_ref()?;
        let pair = format!("{}:{}", credentials.user.expose(), credentials.password.expose());
        let mut value = HeaderValue::from_str(&format!("Basic {}", base64(pair.as_bytes()))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Asks the proxy at the other end of `stream` to lead to `destination`. What comes after is the
    /// destination's.
    pub(crate) async fn tunnel<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: &mut S,
        destination: &Destination<'_>,
    ) -> Result<(), ProxyFailure> {
        match self.kind {
            Kind::Http => connect::handshake(stream, destination, self.authorization().as_ref()).await,
            Kind::Socks5 => socks5::handshake(stream, destination, self.credentials.as_ref()).await,
        }
    }
}

/// Why a proxy led nowhere. Holds nothing of what the proxy said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProxyFailure {
    Unreachable,
    Forbidden,
    Silent,
    Credentials,
    Refused,
    TargetUnreachable,
    Garbled,
    BrokeOff,
}

impl fmt::Display for ProxyFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unreachable => "the proxy cannot be reached",
            Self::Forbidden => "the proxy's own address is one that its pool does not open",
            Self::Silent => "the proxy does not answer",
            Self::Credentials => "the proxy refuses the credentials, or wants some",
            Self::Refused => "the proxy will not connect to this address",
            Self::TargetUnreachable => "the proxy cannot reach this address",
            Self::Garbled => "the proxy's answer is not of its protocol",
            Self::BrokeOff => "the proxy broke the connection off",
        })
    }
}

impl std::error::Error for ProxyFailure {}

impl ProxyFailure {
    /// May it as well be the target's, of which the proxy waits for a connection or says nothing when there
    /// is none?
    pub(crate) fn may_be_the_targets(self) -> bool {
        matches!(self, Self::Silent | Self::BrokeOff)
    }

    /// Is it the proxy's fault, rather than the target's?
    pub(crate) fn blames_proxy(self) -> bool {
        !matches!(self, Self::Refused | Self::TargetUnreachable)
    }
}

fn decoded(text: &str) -> Result<String, ConfigError> {
    let fits = percent_encoding::percent_decode_str(text).decode_utf8().ok();
    match fits {
        Some(text) if text.len() <= 255 && !text.chars().any(char::is_control) => Ok(text.into_owned()),
        _ => Err(ConfigError::new("the proxy's user name or password is no text of at most 255 bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let proxy = Proxy::parse("http://us%3Aer:p%40ss@Proxy.Example:3128/").unwrap();
        assert_eq!((proxy.kind, proxy.host(), proxy.port()), (Kind::Http, "proxy.example", 3128));
        // `us:er:p@ss`
        assert_eq!(proxy.authorization().unwrap(), "Basic dXM6ZXI6cEBzcw==");
        assert!(proxy.authorization().unwrap().is_sensitive());
        let proxy = Proxy::parse("socks5://[::1]").unwrap();
        assert_eq!((proxy.kind, proxy.host(), proxy.port()), (Kind::Socks5, "::1", 1080));
        assert!(proxy.authorization().is_none());
        assert_eq!(Proxy::parse("http://p").unwrap().port(), 80);
    }

    #[test]
    fn what_is_no_proxy_is_named_without_its_password() {
        let long = format!("http://{}:x@p/", "u".repeat(256));
        for text in [
            "proxy:3128",
            "ftp://u:hunter2@p/",
            "https://u:hunter2@p/",
            "socks4://u:hunter2@p/",
            "http://u:hunter2@",
            "http://u:hunter2@p/path",
            "http://u:hunter2%0a@p/",
            "socks5://",
            "",
            &long,
        ] {
            let error = Proxy::parse(text).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
        let debug = format!("{:?}", Proxy::parse("http://name9:hunter2@p/").unwrap());
        assert!(!debug.contains("hunter2") && !debug.contains("name9"), "{debug}");
    }

    #[test]
    fn countries() {
        let proxy = || Proxy::parse("http://p/").unwrap();
        assert_eq!(proxy().country("de").unwrap().country_code(), Some("DE"));
        for wrong in ["", "D", "DEU", "4x", "ä"] {
            assert!(proxy().country(wrong).is_err(), "{wrong}");
        }
    }
}
