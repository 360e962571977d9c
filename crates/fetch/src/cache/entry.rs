//! A cached page: response, redirects, and the time of storage.

use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gleaner_types::{ProxyUsed, SafeUrl};
use http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, SET_COOKIE, TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::CacheKey;
use crate::redirect::without_fragment;
use crate::response::Hop;

/// Estimated memory of an entry besides its text, in bytes.
const OVERHEAD: usize = 512;

/// One page as it was received, with its redirects. `Debug` shows no header values and no text.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheEntry {
    pub(super) key: CacheKey,
    pub(super) url: Url,
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) hops: Vec<Hop>,
    pub(super) stored_at: SystemTime,
    pub(super) proxy_used: ProxyUsed,
    pub(super) body: Bytes,
}

impl fmt::Debug for CacheEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheEntry")
            .field("key", &self.key)
            .field("url", &SafeUrl::from(&self.url))
            .field("status", &self.status)
            .field("headers", &crate::headers::Names(&self.headers))
            .field("hops", &self.hops)
            .field("stored_at", &self.stored_at)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl CacheEntry {
    /// Its key.
    #[must_use]
    pub fn key(&self) -> &CacheKey {
        &self.key
    }

    /// When it was fetched or last confirmed by the server.
    #[must_use]
    pub fn stored_at(&self) -> SystemTime {
        self.stored_at
    }

    /// The decoded body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Its estimated size in memory, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let hops: usize = self.hops.iter().map(|hop| hop.url.as_str().len() + size_of::<Hop>()).sum();
        let headers: usize =
            self.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 64).sum();
        let texts = self.key.as_str().len() + self.url.as_str().len();
        OVERHEAD + hops + headers + texts + self.body.len()
    }

    /// Its age; `None` if it is from the future.
    pub(super) fn age(&self, now: SystemTime) -> Option<Duration> {
        now.duration_since(self.stored_at).ok()
    }

    /// The validators for a conditional request.
    pub(crate) fn validators(&self) -> Option<Validators> {
        let etag = self.headers.get(ETAG).cloned();
        let modified = self.headers.get(LAST_MODIFIED).cloned();
        (etag.is_some() || modified.is_some()).then(|| Validators { url: self.url.clone(), etag, modified })
    }

    /// The entry after the server answered 304 with `headers`. They replace those of the same name, except
    /// those that describe a body, because none was sent (RFC 9111 section 3.2).
    pub(super) fn confirmed(&self, headers: &HeaderMap, hops: Vec<Hop>, now: SystemTime) -> Self {
        let mut entry = Self { hops, stored_at: now, ..self.clone() };
        for name in headers.keys().filter(|name| !DESCRIBES_BODY.contains(name)) {
            entry.headers.remove(name);
            for value in headers.get_all(name) {
                entry.headers.append(owned_name(name), owned_value(value));
            }
        }
        entry
    }
}

/// A copy of the headers that shares no memory with them.
pub(super) fn owned(headers: &HeaderMap) -> HeaderMap {
    let mut copy = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        copy.append(owned_name(name), owned_value(value));
    }
    copy
}

fn owned_name(name: &HeaderName) -> HeaderName {
    // A valid name parses again.
    HeaderName::from_bytes(name.as_str().as_bytes()).unwrap_or_else(|_| name.clone())
}

fn owned_value(value: &HeaderValue) -> HeaderValue {
    let mut copy = HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| value.clone());
    copy.set_sensitive(value.is_sensitive());
    copy
}

/// Headers that an entry keeps when a 304 comes without a body; and cookies, which are never kept.
const DESCRIBES_BODY: &[HeaderName] = &[
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    TRANSFER_ENCODING,
    CONNECTION,
    SET_COOKIE,
];

/// The validators of a copy. They are sent only to the URL that gave the copy, not to the redirects before
/// it.
#[derive(Clone)]
pub(crate) struct Validators {
    pub(crate) url: Url,
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) modified: Option<HeaderValue>,
}

impl Validators {
    pub(crate) fn is_for(&self, url: &Url) -> bool {
        // Fragments are not sent.
        without_fragment(&self.url) == without_fragment(url)
    }

    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        if let Some(etag) = &self.etag {
            headers.insert(IF_NONE_MATCH, etag.clone());
        }
        if let Some(modified) = &self.modified {
            headers.insert(IF_MODIFIED_SINCE, modified.clone());
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use http::Method;

    use super::super::key::{Variant, digest_of};
    use super::*;

    /// An entry for tests, with something in every field.
    pub(in crate::cache) fn entry(path: &str, body: &[u8]) -> CacheEntry {
        let url = Url::parse("https://a.example/").unwrap().join(path).unwrap();
        let headers: HeaderMap = [
            (CONTENT_TYPE, HeaderValue::from_static("text/html")),
            (ETAG, HeaderValue::from_static("\"one\"")),
            (HeaderName::from_static("x-raw"), HeaderValue::from_bytes(b"\xe4\xff").unwrap()),
        ]
        .into_iter()
        .collect();
        let options: [(&str, &dyn fmt::Display); 1] = [("mobile", &false)];
        let variant = Variant { headers: &headers, digest: &digest_of(&headers), options: &options };
        CacheEntry {
            key: CacheKey::of(&Method::GET, &url, &variant).unwrap(),
            url: url.join("/end").unwrap(),
            status: 200,
            headers,
            hops: vec![Hop { url, status: 301 }],
            stored_at: SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789),
            proxy_used: ProxyUsed::Stealth,
            body: Bytes::copy_from_slice(body),
        }
    }

    #[test]
    fn a_confirmed_entry_has_the_new_headers_and_the_old_body() {
        let old = entry("/", b"text");
        let headers: HeaderMap = [
            (ETAG, HeaderValue::from_static("\"two\"")),
            (CONTENT_TYPE, HeaderValue::from_static("image/png")),
            (CONTENT_LENGTH, HeaderValue::from_static("0")),
            (SET_COOKIE, HeaderValue::from_static("a=b")),
        ]
        .into_iter()
        .collect();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let new = old.confirmed(&headers, Vec::new(), now);
        assert_eq!(new.headers.get(ETAG).unwrap(), "\"two\"");
        assert_eq!(new.headers.get(CONTENT_TYPE).unwrap(), "text/html");
        assert_eq!(new.headers.len(), 3);
        assert_eq!((new.body(), new.stored_at(), new.hops.len()), (old.body(), now, 0));
    }
}
