//! The `Set-Cookie` header (RFC 6265bis section 5.6).

use std::time::{Duration, SystemTime};

use super::SameSite;
use crate::date::parse_date;

/// Most bytes of a name and its value.
pub(super) const MAX_PAIR: usize = 4096;
/// Most bytes of an attribute's value; a longer one is left out.
pub(super) const MAX_ATTRIBUTE: usize = 1024;
/// Longest lifetime of a cookie, as in the standard: 400 days.
pub(super) const MAX_LIFE: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The content of a `Set-Cookie` header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SetCookie<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// In lower case, without a leading dot; `None` if it is missing or empty.
    pub(super) domain: Option<String>,
    /// `None` unless it begins with a slash.
    pub(super) path: Option<&'a str>,
    pub(super) secure: bool,
    pub(super) http_only: bool,
    /// `None` if it is missing or unknown.
    pub(super) same_site: Option<SameSite>,
    max_age: Option<i64>,
    expires: Option<SystemTime>,
}

impl<'a> SetCookie<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        if text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
            return None;
        }
        let mut parts = text.split(';');
        let pair = parts.next()?;
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let (name, value) = (trim(name), trim(value));
        if (name.is_empty() && value.is_empty()) || name.len() + value.len() > MAX_PAIR {
            return None;
        }
        let mut cookie = SetCookie {
            name,
            value,
            domain: None,
            path: None,
            secure: false,
            http_only: false,
            same_site: None,
            max_age: None,
            expires: None,
        };
        for attribute in parts {
            let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
            let (key, value) = (trim(key), trim(value));
            if value.len() > MAX_ATTRIBUTE {
                continue;
            }
            let is = |name: &str| key.eq_ignore_ascii_case(name);
            if is("domain") {
                let domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase();
                cookie.domain = (!domain.is_empty()).then_some(domain);
            } else if is("path") {
                cookie.path = value.starts_with('/').then_some(value);
            } else if is("secure") {
                cookie.secure = true;
            } else if is("httponly") {
                cookie.http_only = true;
            } else if is("samesite") {
                cookie.same_site = same_site(value);
            } else if is("max-age") {
                cookie.max_age = max_age(value).or(cookie.max_age);
            } else if is("expires") {
                cookie.expires = parse_date(value).or(cookie.expires);
            }
        }
        Some(cookie)
    }

    /// When the cookie expires; `None` if it lives as long as its jar. `Max-Age` takes precedence over
    /// `Expires`.
    pub(super) fn expiry(&self, now: SystemTime) -> Option<SystemTime> {
        let latest = now.checked_add(MAX_LIFE)?;
        match self.max_age {
            Some(seconds) => match u64::try_from(seconds) {
                Ok(seconds) => {
                    Some(now.checked_add(Duration::from_secs(seconds)).unwrap_or(latest).min(latest))
                }
                Err(_) => Some(now),
            },
            None => self.expires.map(|expires| expires.min(latest)),
        }
    }
}

/// Without the white space of headers around it.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn same_site(text: &str) -> Option<SameSite> {
    [("strict", SameSite::Strict), ("lax", SameSite::Lax), ("none", SameSite::None)]
        .into_iter()
        .find_map(|(name, value)| text.eq_ignore_ascii_case(name).then_some(value))
}

/// A number of seconds. One that does not fit becomes the greatest or the least that fits.
fn max_age(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_cookies_are_refused() {
        for text in ["", "=", "; Path=/", "a=b\u{1}", "a=\u{7f}"] {
            assert_eq!(SetCookie::parse(text), None, "{text:?}");
        }
        assert!(SetCookie::parse(&format!("a={}", "b".repeat(MAX_PAIR))).is_none());
    }

    #[test]
    fn attributes_for_browsers_are_read() {
        let read = |text: &str| {
            let cookie = SetCookie::parse(text).unwrap();
            (cookie.http_only, cookie.same_site)
        };
        assert_eq!(read("a=b"), (false, None));
        assert_eq!(read("a=b; HttpOnly; SameSite=Lax"), (true, Some(SameSite::Lax)));
        assert_eq!(read("a=b; httponly=1; samesite=STRICT"), (true, Some(SameSite::Strict)));
        assert_eq!(read("a=b; SameSite=None; SameSite=other"), (false, None));
    }

    #[test]
    fn lifetimes_are_bounded() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let life = |text: &str| {
            let expiry = SetCookie::parse(text).unwrap().expiry(now)?;
            Some(expiry.duration_since(now).unwrap_or_default().as_secs())
        };
        assert_eq!(life("a=b"), None);
        assert_eq!(life("a=b; Max-Age=60"), Some(60));
        assert_eq!(life("a=b; Max-Age=-5"), Some(0));
        assert_eq!(life("a=b; Max-Age=99999999999999999999999"), Some(MAX_LIFE.as_secs()));
        assert_eq!(life("a=b; Max-Age=1x"), None);
        assert_eq!(life("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT"), Some(MAX_LIFE.as_secs()));
    }
}
