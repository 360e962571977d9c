//! Parses URLs as people write them, and accepts only those that can be fetched.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

use super::root_slash::{as_written, omits_slash};
use crate::SafeUrl;
use crate::limits::MAX_URL_BYTES;
use crate::quote::{quote_url, shorten};
use crate::redacted::debug_with;

/// A URL to fetch: `http` or `https`, with a host and without credentials.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The absolute URL.
    pub url: Url,
    /// Whether the request has no scheme: `https` is tried first, then `http` if `https` fails to connect.
    pub scheme_assumed: bool,
    /// Whether the request has no path, not even `/` (`https://example.com`), so that the slash of `url` was
    /// added.
    pub slash_added: bool,
}

debug_with!(Target { scheme_assumed, slash_added } url: SafeUrl::from);

/// Schemes that people write into address bars. They are listed because a host before a port
/// (`localhost:3000`) looks like a scheme.
const NOT_FETCHED: [&str; 16] = [
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "ftp",
    "ftps",
    "gopher",
    "javascript",
    "mailto",
    "sms",
    "ssh",
    "tel",
    "view-source",
    "ws",
    "wss",
];

impl Target {
    /// Parses a URL as people write it: `https://example.com/a`, `example.com/a`, `localhost:3000`,
    /// `//example.com`. The rules are those of the WHATWG URL standard, with `https` as the default scheme.
    ///
    /// IP literals and hosts of one label are accepted. The egress guard decides whether they may be fetched.
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] if the text is empty, is longer than [`MAX_URL_BYTES`], has another scheme, has no
    /// host, or has a user name or password.
    ///
    /// ```
    /// use gleaner_types::plan::Target;
    ///
    /// let target = Target::parse("example.com/guide")?;
    /// assert_eq!(target.url.as_str(), "https://example.com/guide");
    /// assert!(target.scheme_assumed);
    /// assert!(Target::parse("ftp://example.com/").is_err());
    /// # Ok::<(), gleaner_types::plan::InvalidUrl>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        // The standard strips these from both ends.
        let text = text.trim_matches(|character: char| character <= ' ');
        if text.is_empty() {
            return Err(InvalidUrl("it is empty".to_owned()));
        }
        if text.len() > MAX_URL_BYTES {
            return Err(InvalidUrl(format!(
                "it is {} bytes long, but at most {MAX_URL_BYTES} are allowed",
                text.len()
            )));
        }
        let scheme_assumed = assumes_scheme(text)?;
        let absolute = if !scheme_assumed {
            Cow::Borrowed(text)
        } else if text.starts_with("//") {
            Cow::Owned(format!("https:{text}"))
        } else {
            Cow::Owned(format!("https://{text}"))
        };
        let url = Url::parse(&absolute)
            .map_err(|error| InvalidUrl(format!("{} has {}", quote_url(text), reason(error))))?;
        let slash_added = omits_slash(&absolute, &url);
        if !url.username().is_empty() || url.password().is_some() {
            return Err(credentials(text));
        }
        match url.host() {
            Some(Host::Domain(name)) if name.contains('*') => Err(InvalidUrl(format!(
                "{} has `*` in its host, but wildcards in hosts are not supported",
                quote_url(text)
            ))),
            Some(Host::Domain(name)) if name.trim_matches('.').is_empty() => {
                Err(InvalidUrl(format!("{} has no host", quote_url(text))))
            }
            Some(_) => Ok(Self { url, scheme_assumed, slash_added }),
            None => Err(InvalidUrl(format!("{} has no host", quote_url(text)))),
        }
    }

    /// The URL as the request has it: without an added slash.
    #[must_use]
    pub fn as_requested(&self) -> Cow<'_, str> {
        as_written(&self.url, self.slash_added)
    }
}

impl From<Url> for Target {
    /// A URL that was found on a page, not written by a user.
    fn from(url: Url) -> Self {
        Self { url, scheme_assumed: false, slash_added: false }
    }
}

/// Whether the text has no scheme. An error if it has one other than `http` and `https`.
fn assumes_scheme(text: &str) -> Result<bool, InvalidUrl> {
    if text.starts_with('/') && !text.starts_with("//") {
        return Err(InvalidUrl(format!("{} is a path without a host", quote_url(text))));
    }
    let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return Ok(true);
    };
    let lower = scheme.to_ascii_lowercase();
    if lower == "http" || lower == "https" {
        return Ok(false);
    }
    let refused = || {
        InvalidUrl(format!(
            "{} has the scheme `{}`, but only http and https are supported",
            quote_url(text),
            shorten(&lower)
        ))
    };
    if rest.starts_with("//") || NOT_FETCHED.contains(&lower.as_str()) {
        return Err(refused());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(credentials(text));
    }
    // `host:3000`, or `host:` as the standard allows it.
    if authority.bytes().all(|byte| byte.is_ascii_digit()) { Ok(true) } else { Err(refused()) }
}

/// RFC 3986, section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn credentials(text: &str) -> InvalidUrl {
    InvalidUrl(format!(
        "{} contains a user name or password: send them in `headers` (`Authorization`) instead",
        quote_url(text)
    ))
}

fn reason(error: url::ParseError) -> &'static str {
    match error {
        url::ParseError::EmptyHost => "no host",
        url::ParseError::InvalidPort => "an invalid port",
        url::ParseError::InvalidIpv4Address => "an invalid IPv4 address",
        url::ParseError::InvalidIpv6Address => "an invalid IPv6 address",
        _ => "an invalid host",
    }
}

impl FromStr for Target {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// Why a text is not a URL that can be fetched. The wording may change. It never contains credentials or
/// queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidUrl(String);

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidUrl {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_as_people_write_them() {
        for (text, url, scheme_assumed) in [
            ("https://example.com", "https://example.com/", false),
            ("HTTP://Example.com/A", "http://example.com/A", false),
            ("  https://example.com/a b \n", "https://example.com/a%20b", false),
            ("example.com", "https://example.com/", true),
            ("example.com:8080/x", "https://example.com:8080/x", true),
            ("localhost:3000", "https://localhost:3000/", true),
            ("localhost", "https://localhost/", true),
            ("//example.com/x", "https://example.com/x", true),
            ("127.0.0.1:8080", "https://127.0.0.1:8080/", true),
            ("[::1]:8080", "https://[::1]:8080/", true),
            ("2130706433", "https://127.0.0.1/", true),
            ("bücher.example", "https://xn--bcher-kva.example/", true),
            ("https://example.com/@me?mail=a@b.c", "https://example.com/@me?mail=a@b.c", false),
            ("example.com/x?y=http://z/", "https://example.com/x?y=http://z/", true),
        ] {
            let target = Target::parse(text).unwrap();
            assert_eq!((target.url.as_str(), target.scheme_assumed), (url, scheme_assumed), "{text}");
        }
    }

    #[test]
    fn an_added_slash_is_recorded() {
        for (text, added) in [
            ("https://example.com", true),
            ("example.com", true),
            ("//example.com", true),
            ("localhost:3000", true),
            ("https://example.com/", false),
            ("example.com/", false),
            ("example.com/a", false),
        ] {
            assert_eq!(Target::parse(text).unwrap().slash_added, added, "{text}");
        }
    }

    #[test]
    fn unsupported_texts_are_refused_with_a_reason() {
        for (text, reason) in [
            ("", "empty"),
            (" \t ", "empty"),
            ("ftp://example.com/", "scheme `ftp`"),
            ("file:///etc/passwd", "scheme `file`"),
            ("javascript:alert(1)", "scheme `javascript`"),
            ("mailto:me@example.com", "scheme `mailto`"),
            ("data:text/html,x", "scheme `data`"),
            ("foo:bar", "scheme `foo`"),
            ("/docs/a", "path without a host"),
            ("https://", "no host"),
            ("?x=1", "no host"),
            ("./a", "no host"),
            ("not a url", "invalid host"),
            ("https://exa mple.com/", "invalid host"),
            ("https://example.com:99999/", "invalid port"),
            ("https://1.2.3.4.5.6/", "invalid IPv4"),
            ("https://[::1/", "invalid IPv6"),
            ("https://*.example.com/", "`*`"),
            ("https://me:hush@example.com/", "`headers`"),
            ("https://me@example.com/", "`headers`"),
            ("me:hush@example.com", "`headers`"),
            ("me@example.com", "`headers`"),
        ] {
            let error = Target::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(!error.contains("hush"), "{text}: {error}");
        }
    }

    #[test]
    fn the_length_is_limited() {
        let longest = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES - 20));
        assert!(Target::parse(&longest).is_ok());
        assert!(Target::parse(&format!("{longest}a")).is_err());
    }
}
