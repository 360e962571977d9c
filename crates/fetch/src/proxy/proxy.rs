//! One proxy: its address, its protocol, and its failures.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

use super::secret::Secret;
use super::{connect, socks5};
use crate::config_error::{ConfigError, ConfigErrorKind};

/// A proxy with its credentials and its country. `Debug` shows no credentials.
///
/// A proxy gets the address that the egress guard has checked, not the name: the name is resolved here, and
/// the proxy connects to that address while `Host` and the TLS handshake carry the name. If the proxy
/// resolved names itself, DNS records could lead it to any address, and the guard would check the proxy's
/// address alone. [`Proxy::resolve_names_remotely`] gives up this protection for proxies that accept only
/// names.
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

/// The destination of a tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination<'a> {
    Address(IpAddr, u16),
    /// For the proxy to resolve.
    Name(&'a str, u16),
}

impl Proxy {
    /// Parses `http://user:password@host:port` or `socks5://user:password@host:port`. Credentials and port
    /// (80 and 1080) are optional. Reserved characters in credentials are percent-encoded.
    ///
    /// # Errors
    ///
    /// [`ConfigErrorKind::Proxy`] for another scheme, a missing host, a path, a query, a fragment, and a user
    /// name or password that is longer than 255 bytes (the limit of SOCKS5), has control characters or is not
    /// UTF-8. The text of the error does not repeat the input, which may hold a password.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let invalid_address = |what: &str| {
            invalid(format!(
                "{what}: write a proxy as `http://host:port` or `socks5://host:port`, with `user:password@` \
                 before the host if it needs credentials"
            ))
        };
        let url = Url::parse(text).map_err(|_| invalid_address("the proxy's address is not a URL"))?;
        let (kind, default_port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "socks5" => (Kind::Socks5, 1080),
            _ => return Err(invalid_address("the proxy's scheme is neither `http` nor `socks5`")),
        };
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| invalid_address("the proxy's address has no host"))?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(invalid_address("the proxy's address has a path, a query or a fragment"));
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

    /// Sets the country that its requests come from: ISO 3166-1 alpha-2, in upper or lower case. Requests
    /// with a [`Request::country`](crate::Request::country) prefer a proxy of that country.
    ///
    /// # Errors
    ///
    /// [`ConfigErrorKind::Proxy`] if it is not two letters.
    pub fn country(mut self, code: &str) -> Result<Self, ConfigError> {
        if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(invalid("a proxy's country is a code of two letters, such as `DE`"));
        }
        self.country = Some(code.to_ascii_uppercase());
        Ok(self)
    }

    /// Lets the proxy resolve names itself. Plain `http` requests then go to an HTTP proxy in absolute form,
    /// not through a tunnel.
    ///
    /// Names are still resolved and checked here too, so a name that resolves to a forbidden address here
    /// stays forbidden. But the proxy decides what it connects to: use this only if the proxy's own network
    /// holds no private services, or if the proxy has a guard of its own.
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

    /// Whether a plain `http` request is sent to the proxy in absolute form rather than through a tunnel.
    pub(crate) fn takes_absolute_form(&self) -> bool {
        self.resolves_names && self.kind == Kind::Http
    }

    /// The value of `Proxy-Authorization` (RFC 7617), if there are credentials.
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let credentials = self.credentials.as_ref()?;
        let pair = format!("{}:{}", credentials.user.expose(), credentials.password.expose());
        let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(pair))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Asks the proxy at the other end of `stream` to connect to `destination`. Later bytes belong to the
    /// destination.
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

/// Why a proxy did not connect. Holds no text of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProxyFailure {
    Unreachable,
    Forbidden,
    Silent,
    Credentials,
    Refused,
    TargetUnreachable,
    InvalidReply,
    Closed,
}

impl fmt::Display for ProxyFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unreachable => "the proxy cannot be reached",
            Self::Forbidden => "the proxy's own address is one that its pool does not allow",
            Self::Silent => "the proxy does not answer",
            Self::Credentials => "the proxy refuses the credentials, or requires some",
            Self::Refused => "the proxy refuses to connect to this address",
            Self::TargetUnreachable => "the proxy cannot reach this address",
            Self::InvalidReply => "the proxy's answer does not follow its protocol",
            Self::Closed => "the proxy closed the connection",
        })
    }
}

impl std::error::Error for ProxyFailure {}

impl ProxyFailure {
    /// Whether the target may have caused it: some proxies wait, or close the connection, if they cannot
    /// reach the target.
    pub(crate) fn may_be_targets_fault(self) -> bool {
        matches!(self, Self::Silent | Self::Closed)
    }

    /// Whether it is reported as the proxy's fault rather than the target's.
    pub(crate) fn blames_proxy(self) -> bool {
        !matches!(self, Self::Refused | Self::TargetUnreachable)
    }
}

fn decoded(text: &str) -> Result<String, ConfigError> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8().ok();
    match decoded {
        Some(text) if text.len() <= 255 && !text.chars().any(char::is_control) => Ok(text.into_owned()),
        _ => Err(invalid(
            "the proxy's user name or password is longer than 255 bytes, has control characters or is not UTF-8",
        )),
    }
}

fn invalid(text: impl Into<Cow<'static, str>>) -> ConfigError {
    ConfigError::new(ConfigErrorKind::Proxy, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
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
    fn errors_do_not_show_passwords() {
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
            let error = Proxy::parse(text).unwrap_err();
            assert_eq!(error.kind(), ConfigErrorKind::Proxy);
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
        let debug = format!("{:?}", Proxy::parse("http://name9:hunter2@p/").unwrap());
        assert!(!debug.contains("hunter2") && !debug.contains("name9"), "{debug}");
    }

    #[test]
    fn countries_are_two_letters() {
        let proxy = || Proxy::parse("http://p/").unwrap();
        assert_eq!(proxy().country("de").unwrap().country_code(), Some("DE"));
        for wrong in ["", "D", "DEU", "4x", "ä"] {
            assert!(proxy().country(wrong).is_err(), "{wrong}");
        }
    }
}
