//! The key of a cached page: everything in a request that changes the response.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner_types::SafeUrl;
use http::header::{
    AUTHORIZATION, COOKIE, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE,
    PROXY_AUTHORIZATION, RANGE,
};
use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest, Sha256};
use url::Url;

/// Headers of the caller that make an answer personal or partial. A request with one of them has no key.
const UNKEYED: &[HeaderName] = &[
    AUTHORIZATION,
    COOKIE,
    PROXY_AUTHORIZATION,
    RANGE,
    IF_MATCH,
    IF_NONE_MATCH,
    IF_MODIFIED_SINCE,
    IF_UNMODIFIED_SINCE,
    IF_RANGE,
];

/// The key of a copy: the method, the URL without its fragment, and every option that changes the bytes.
///
/// It is a text rather than a hash, so a store can compare the whole key and two keys cannot collide. Of the
/// header values it holds only the SHA-256, because they may be secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CacheKey(Arc<str>);

/// What distinguishes the variants of a page at the same URL.
pub(crate) struct Variant<'a> {
    /// All headers of the first request, the engine's and the caller's.
    pub(crate) headers: &'a HeaderMap,
    /// Their digest.
    pub(crate) digest: &'a str,
    /// Each option by its name. Every option that changes the answer must be here.
    pub(crate) options: &'a [(&'static str, &'a dyn fmt::Display)],
}

impl CacheKey {
    /// The key of a request; `None` if its answer must not be shared.
    pub(crate) fn of(method: &Method, url: &Url, variant: &Variant<'_>) -> Option<Self> {
        if *method != Method::GET || UNKEYED.iter().any(|name| variant.headers.contains_key(name)) {
            return None;
        }
        let (address, _) = url.as_str().split_once('#').unwrap_or((url.as_str(), ""));
        let mut text = format!("{method} {address}\nheaders={}", variant.digest);
        for (name, value) in variant.options {
            text.push_str(&format!("\n{name}={value}"));
        }
        Some(Self(text.into()))
    }

    /// The whole key. Its first line is the method and the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name for the key that is safe in file systems and other stores: the SHA-256 of its text, 64
    /// hexadecimal digits. After a lookup by name [`crate::CacheEntry::key`] must still be compared, as the
    /// fetcher does.
    #[must_use]
    pub fn name(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }

    /// The key with this text, from an encoded entry.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.0.lines().next().unwrap_or_default();
        let (method, address) = line.split_once(' ').unwrap_or(("", line));
        let address = Url::parse(address).map(|url| SafeUrl::from(&url).to_string()).unwrap_or_default();
        write!(f, "CacheKey({method} {address} ...)")
    }
}

/// The last digest of the engine's own headers. The requests of a crawl have the same headers, and comparing
/// them costs less than hashing them again.
#[derive(Debug, Default)]
pub(crate) struct LastDigest(Mutex<Option<(HeaderMap, Arc<str>)>>);

impl LastDigest {
    /// As [`digest_of`]. Do not pass headers of a caller: they may be secrets, and would outlive their
    /// request here.
    pub(crate) fn of(&self, headers: &HeaderMap) -> Arc<str> {
        // Nothing panics while the lock is held, and the pair is consistent between any two calls.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last_headers, digest)) = &*last
            && last_headers == headers
        {
            return Arc::clone(digest);
        }
        let digest: Arc<str> = digest_of(headers).into();
        *last = Some((headers.clone(), Arc::clone(&digest)));
        digest
    }
}

/// The SHA-256 of names and values in the order of names, each with its length before it.
pub(crate) fn digest_of(headers: &HeaderMap) -> String {
    let mut names: Vec<&HeaderName> = headers.keys().collect();
    names.sort_unstable_by_key(|name| name.as_str());
    let mut hasher = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for name in names {
        for value in headers.get_all(name) {
            add(name.as_str().as_bytes());
            add(value.as_bytes());
        }
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::{ACCEPT_LANGUAGE, USER_AGENT};

    use super::*;

    fn key(url: &str, headers: &[(HeaderName, &'static str)], mobile: bool) -> Option<CacheKey> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect::<HeaderMap>();
        let options: [(&str, &dyn fmt::Display); 1] = [("mobile", &mobile)];
        let variant = Variant { headers: &headers, digest: &digest_of(&headers), options: &options };
        CacheKey::of(&Method::GET, &Url::parse(url).unwrap(), &variant)
    }

    #[test]
    fn variants_differ_and_fragments_do_not() {
        let base = key("https://a.example/p?q=1#top", &[(USER_AGENT, "one")], false).unwrap();
        assert_eq!(key("https://a.example/p?q=1", &[(USER_AGENT, "one")], false), Some(base.clone()));
        for (name, other) in [
            ("scheme", key("http://a.example/p?q=1", &[(USER_AGENT, "one")], false)),
            ("query", key("https://a.example/p?q=2", &[(USER_AGENT, "one")], false)),
            ("path", key("https://a.example/P?q=1", &[(USER_AGENT, "one")], false)),
            ("agent", key("https://a.example/p?q=1", &[(USER_AGENT, "two")], false)),
            (
                "language",
                key("https://a.example/p?q=1", &[(USER_AGENT, "one"), (ACCEPT_LANGUAGE, "de")], false),
            ),
            ("option", key("https://a.example/p?q=1", &[(USER_AGENT, "one")], true)),
        ] {
            let other = other.unwrap();
            assert_ne!(other, base, "{name}");
            assert_ne!(other.name(), base.name(), "{name}");
        }
    }

    #[test]
    fn boundaries_between_headers_matter() {
        let name = |text| HeaderName::from_static(text);
        let one = key("https://a.example/", &[(name("x-a"), "b"), (name("x-c"), "d")], false);
        let other = key("https://a.example/", &[(name("x-a"), "bx-cd")], false);
        assert_ne!(one, other);
        let swapped = key("https://a.example/", &[(name("x-c"), "d"), (name("x-a"), "b")], false);
        assert_eq!(one, swapped, "the order of headers means nothing");
    }

    #[test]
    fn the_last_digest_is_correct() {
        let last = LastDigest::default();
        let one = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static("one"))]);
        let two = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static("two"))]);
        let mut both = one.clone();
        both.append(USER_AGENT, HeaderValue::from_static("two"));
        for headers in [&one, &one, &two, &both, &one, &both, &HeaderMap::new()] {
            assert_eq!(*last.of(headers), *digest_of(headers), "{headers:?}");
        }
    }

    #[test]
    fn personal_and_partial_requests_have_no_key() {
        for name in UNKEYED {
            assert_eq!(key("https://a.example/", &[(name.clone(), "x")], false), None, "{name}");
        }
        let headers = HeaderMap::new();
        let variant = Variant { headers: &headers, digest: &digest_of(&headers), options: &[] };
        let url = Url::parse("https://a.example/").unwrap();
        for method in [Method::POST, Method::HEAD, Method::PUT] {
            assert_eq!(CacheKey::of(&method, &url, &variant), None, "{method}");
        }
    }

    #[test]
    fn keys_hold_and_show_no_secrets() {
        let headers = [(HeaderName::from_static("x-api-key"), "hunter2")];
        let key = key("https://a.example/?token=swordfish", &headers, false).unwrap();
        assert!(!key.as_str().contains("hunter2"));
        assert!(!format!("{key:?}").contains("swordfish"), "{key:?}");
    }
}
