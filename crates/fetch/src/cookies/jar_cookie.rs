//! A cookie of a jar.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::parse::{MAX_ATTRIBUTE, MAX_LIFE, MAX_PAIR};
use super::{is_public_suffix, without_root_dot};

/// Expiry times that differ by at most this much are the same: browsers keep them with another precision.
const EXPIRY_PRECISION: Duration = Duration::from_secs(1);

/// Which requests that other sites cause carry a cookie (RFC 6265bis section 5.6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SameSite {
    /// None.
    Strict,
    /// Navigations by safe methods.
    Lax,
    /// All.
    None,
}

/// A cookie of a [`CookieJar`](super::CookieJar). `Debug` shows no value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JarCookie {
    /// Its name; may be empty. In names and values, bytes that are not UTF-8 are written as U+F780 to U+F7FF.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host that set it, or its `Domain` attribute: in lower case, without a leading dot.
    pub domain: String,
    /// Only the host that set it gets it back, no subdomain.
    pub host_only: bool,
    /// Sent to this path and below; begins with a slash.
    pub path: String,
    /// Sent over `https` only.
    pub secure: bool,
    /// Hidden from scripts.
    pub http_only: bool,
    /// Which requests that other sites cause carry it; `None` if it does not say.
    pub same_site: Option<SameSite>,
    /// When it expires; `None` if it lives as long as its jar.
    pub expires: Option<SystemTime>,
}

impl JarCookie {
    /// A cookie for all paths of one host, until the end of its jar.
    pub fn new(name: impl Into<String>, value: impl Into<String>, host: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            domain: host.into(),
            host_only: true,
            path: "/".to_owned(),
            secure: false,
            http_only: false,
            same_site: None,
            expires: None,
        }
    }

    /// Whether `other` is stored in the place of this cookie.
    pub(super) fn replaces(&self, other: &Self) -> bool {
        self.name == other.name
            && self.domain == other.domain
            && self.host_only == other.host_only
            && self.path == other.path
    }

    pub(super) fn is_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether this is `other`, except for the precision of its expiry.
    pub(super) fn is_unchanged(&self, other: &Self) -> bool {
        let same_expiry = || match (self.expires, other.expires) {
            (Some(one), Some(other)) => {
                let difference = one.duration_since(other).or_else(|_| other.duration_since(one));
                difference.is_ok_and(|difference| difference <= EXPIRY_PRECISION)
            }
            (one, other) => one == other,
        };
        self.replaces(other)
            && self.value == other.value
            && (self.secure, self.http_only) == (other.secure, other.http_only)
            && self.same_site == other.same_site
            && same_expiry()
    }

    /// The cookie as a jar may hold it, by the rules for cookies of answers; `None` if it may not.
    pub(super) fn checked(mut self, now: SystemTime) -> Option<Self> {
        let is_plain =
            |text: &str| text.bytes().all(|byte| (!byte.is_ascii_control() || byte == b'\t') && byte != b';');
        self.domain =
            without_root_dot(self.domain.strip_prefix('.').unwrap_or(&self.domain)).to_ascii_lowercase();
        self.expires = self.expires.map(|expires| expires.min(now.checked_add(MAX_LIFE).unwrap_or(expires)));
        let fits = self.name.len() + self.value.len() <= MAX_PAIR
            && !(self.name.is_empty() && self.value.is_empty())
            && (1..=MAX_ATTRIBUTE).contains(&self.domain.len())
            && (1..=MAX_ATTRIBUTE).contains(&self.path.len());
        let is_valid = is_plain(&self.name)
            && !self.name.contains('=')
            && is_plain(&self.value)
            && self.path.starts_with('/')
            && (self.host_only || !is_public_suffix(&self.domain));
        (fits && is_valid && !self.is_expired(now)).then_some(self)
    }
}

impl fmt::Debug for JarCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JarCookie")
            .field("name", &self.name)
            .field("domain", &self.domain)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
