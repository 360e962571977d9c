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

/// Headers of the caller that make an answer personal or partial: a request with one of them has no key.
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

/// What a copy is kept under: the method, the address without its fragment, and every option that changes the
/// bytes.
///
/// It is a text rather than a hash, so that a store can compare the whole of it and two keys cannot collide.
/// Header values are in it as a SHA-256 only: a key is no place to keep a secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CacheKey(Arc<str>);

/// What tells one variant of a page from another, besides its address.
pub(crate) struct Variant<'a> {
    /// All headers of the first request, those of the engine and those of the caller.
    pub(crate) headers: &'a HeaderMap,
    /// Their digest.
    pub(crate) digest: &'a str,
    /// Each option by its name; none may be left out that changes what comes back.
    pub(crate) options: &'a [(&'static str, &'a dyn fmt::Display)],
}

impl CacheKey {
    /// The key of a request; `None` where its answer belongs to nobody else.
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

    /// The key in full. Its first line is the method and the address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name for it that is safe in file systems and in other stores: SHA-256 of the text, 64 hexadecimal
    /// digits. Whoever finds an entry by it still has to compare [`crate::CacheEntry::key`], as the fetcher
    /// does.
    #[must_use]
    pub fn name(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }

    /// A key that was written out before.
    pub(crate) fn restored(text: &str) -> Self {
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

/// The digest of the engine's own headers, as they were last. The pages of a crawl carry the same ones, and
/// comparing them costs less than hashing them again.
#[derive(Debug, Default)]
pub(crate) struct LastDigest(Mutex<Option<(HeaderMap, Arc<str>)>>);

impl LastDigest {
    /// As [`digest_of`]. Headers of a caller may be secrets: none is given here, where it would outlive its
    /// request.
    pub(crate) fn of(&self, headers: &HeaderMap) -> Arc<str> {
        // Nothing panics while it is held, and a pair is whole between any two calls.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, digest)) = &*last
            && known == headers
        {
            return Arc::clone(digest);
        }
        let digest: Arc<str> = digest_of(headers).into();
        *last = Some((headers.clone(), Arc::clone(&digest)));
        digest
    }
}

/// SHA-256 over names and values in the order of names, each with its length before it.
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
    fn where_one_header_ends_matters() {
        let name = |text| HeaderName::from_static(text);
        let one = key("https://a.example/", &[(name("x-a"), "b"), (name("x-c"), "d")], false);
        let other = key("https://a.example/", &[(name("x-a"), "bx-cd")], false);
        assert_ne!(one, other);
        let swapped = key("https://a.example/", &[(name("x-c"), "d"), (name("x-a"), "b")], false);
        assert_eq!(one, swapped, "the order of headers means nothing");
    }

    #[test]
    fn the_last_digest_is_the_digest() {
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
    fn personal_and_partial_requests_have_none() {
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
    fn keeps_and_shows_no_secrets() {
        let headers = [(HeaderName::from_static("x-api-key"), "hunter2")];
        let key = key("https://a.example/?token=swordfish", &headers, false).unwrap();
        assert!(!key.as_str().contains("hunter2"));
        assert!(!format!("{key:?}").contains("swordfish"), "{key:?}");
    }
}
