//! The test suite for every [`CacheStore`] implementation.

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use gleaner_types::ProxyUsed;
use http::header::{CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::{CacheEntry, CacheKey, CacheStore};
use crate::response::Hop;

/// Calls at once.
const CALLS: u32 = 64;
/// Keys that they use.
const SHARED_KEYS: u32 = 8;
/// The body of an entry that is large for a cache.
const LARGE_BODY: usize = 8 << 20;

/// What every [`CacheStore`] must do. The store must be empty and have room for 1 MiB. It is not emptied
/// afterwards.
///
/// # Panics
/// If the store breaks a rule of its contract.
pub async fn cache_store(store: &dyn CacheStore) {
    a_missing_entry_is_none(store).await;
    an_entry_comes_back_whole(store).await;
    similar_keys_are_told_apart(store).await;
    an_entry_replaces_an_older_one(store).await;
    a_removed_entry_is_gone(store).await;
    concurrent_calls_give_whole_entries(store).await;
    abandoned_calls_leave_whole_entries(store).await;
    an_entry_beyond_the_bound_does_no_harm(store).await;
}

async fn a_missing_entry_is_none(store: &dyn CacheStore) {
    let key = entry("/missing", "").key;
    assert!(get(store, &key).await.is_none(), "an entry that was never put is `None` and no error");
    assert!(store.remove(&key).await.is_ok(), "removing what is not there is no error");
}

async fn an_entry_comes_back_whole(store: &dyn CacheStore) {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    for (path, body) in [("/empty", Bytes::new()), ("/text", "text".into()), ("/bytes", bytes.into())] {
        let old = put(store, entry(path, body)).await;
        let found = get(store, &old.key).await;
        assert!(found.is_some(), "an entry that fits is kept, of any age: {path}");
        assert!(
            is(found.as_ref(), &old),
            "headers, redirects, times and body come back as they were: {path}"
        );
    }
    let mut from_ahead = entry("/ahead", "text");
    from_ahead.stored_at = SystemTime::now() + Duration::from_secs(86_400);
    let from_ahead = put(store, from_ahead).await;
    assert!(is(get(store, &from_ahead.key).await.as_ref(), &from_ahead), "the fetcher judges the age");
}

async fn similar_keys_are_told_apart(store: &dyn CacheStore) {
    let long = "x".repeat(3_000);
    let paths = ["/key", "/KEY", "/key/", "/key?", "/key?a=1", "/key?a=2", "/k%65y", "/ke", "/keyy"];
    let mut paths: Vec<String> = paths.map(str::to_owned).into();
    paths.extend([format!("/{long}1"), format!("/{long}2")]);
    let mut entries = Vec::new();
    for path in &paths {
        for mobile in [false, true] {
            let mut one = entry(path, format!("{path} {mobile}"));
            one.key = key(path, mobile);
            entries.push(put(store, one).await);
        }
    }
    for expected in &entries {
        let found = get(store, &expected.key).await;
        assert!(is(found.as_ref(), expected), "the whole key counts: {}", expected.key.as_str());
    }
}

async fn an_entry_replaces_an_older_one(store: &dyn CacheStore) {
    put(store, entry("/replaced", "a body that is longer than the next one")).await;
    let mut newer = entry("/replaced", "newer");
    newer.status = 203;
    newer.hops.clear();
    newer.stored_at += Duration::from_secs(60);
    newer.proxy_used = ProxyUsed::Basic;
    let newer = put(store, newer).await;
    assert!(is(get(store, &newer.key).await.as_ref(), &newer), "the entry that was put last is returned");
}

async fn a_removed_entry_is_gone(store: &dyn CacheStore) {
    let removed = put(store, entry("/removed", "text")).await;
    let other = put(store, entry("/stays", "text")).await;
    for _ in 0..2 {
        store.remove(&removed.key).await.expect("an entry can be removed, also twice");
        assert!(get(store, &removed.key).await.is_none(), "a removed entry is gone");
    }
    assert!(is(get(store, &other.key).await.as_ref(), &other), "other entries stay");
    let again = put(store, entry("/removed", "again")).await;
    assert!(is(get(store, &again.key).await.as_ref(), &again), "a removed entry can be put again");
}

async fn concurrent_calls_give_whole_entries(store: &dyn CacheStore) {
    let calls = (0..CALLS).map(|call| async move {
        let put = put(store, entry(&shared(call), call.to_le_bytes().repeat(500))).await;
        (get(store, &put.key).await, put)
    });
    for (found, put) in join_all(calls).await {
        // Another call may have replaced it.
        let Some(found) = found else { continue };
        assert!(found.key == put.key, "an entry of another key is never returned");
        let mut parts = found.body.chunks(size_of::<u32>());
        let first = parts.next();
        assert!(found.body.len() == put.body.len(), "no entry is cut off");
        assert!(parts.all(|part| Some(part) == first), "no entry is mixed with another one");
    }
}

async fn abandoned_calls_leave_whole_entries(store: &dyn CacheStore) {
    let old = put(store, entry("/abandoned", "old")).await;
    let new = Arc::new(entry("/abandoned", "new".repeat(10_000)));
    for _ in 0..4 {
        drop(store.put(Arc::clone(&new)).now_or_never());
        drop(store.get(&new.key).now_or_never());
        let found = get(store, &new.key).await;
        let is_whole = is(found.as_ref(), &old) || is(found.as_ref(), &new);
        assert!(found.is_none() || is_whole, "a dropped call leaves the old entry, the new one or none");
    }
    drop(store.remove(&new.key).now_or_never());
    let next = put(store, entry("/next", "text")).await;
    assert!(is(get(store, &next.key).await.as_ref(), &next), "later calls work after dropped ones");
}

async fn an_entry_beyond_the_bound_does_no_harm(store: &dyn CacheStore) {
    let large = put(store, entry("/large", vec![b'x'; LARGE_BODY])).await;
    let found = get(store, &large.key).await;
    assert!(found.is_none() || is(found.as_ref(), &large), "a large entry is kept whole or not at all");
    let small = put(store, entry("/small", "text")).await;
    let found = get(store, &small.key).await;
    assert!(found.is_none() || is(found.as_ref(), &small), "entries after a large one are whole");
}

async fn get(store: &dyn CacheStore, key: &CacheKey) -> Option<Arc<CacheEntry>> {
    store.get(key).await.expect("the store can be read")
}

async fn put(store: &dyn CacheStore, entry: CacheEntry) -> Arc<CacheEntry> {
    let entry = Arc::new(entry);
    store.put(Arc::clone(&entry)).await.expect("an entry can be put, also if the store drops it");
    entry
}

fn is(found: Option<&Arc<CacheEntry>>, expected: &CacheEntry) -> bool {
    found.is_some_and(|found| **found == *expected)
}

fn shared(call: u32) -> String {
    format!("/shared/{}", call % SHARED_KEYS)
}

fn key(path: &str, mobile: bool) -> CacheKey {
    CacheKey::from_text(&format!("GET https://a.example{path}\nheaders=00\nmobile={mobile}"))
}

/// An entry of an old page, with something in every field.
fn entry(path: &str, body: impl Into<Bytes>) -> CacheEntry {
    let url = Url::parse("https://a.example/end").expect("a URL of the suite is valid");
    let raw = HeaderValue::from_bytes(b"\xe4\xff").expect("a header of the suite is valid");
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html")),
        (ETAG, HeaderValue::from_static("\"one\"")),
        (HeaderName::from_static("x-raw"), raw),
    ];
    CacheEntry {
        key: key(path, false),
        hops: vec![Hop { url: url.clone(), status: 301 }],
        url,
        status: 200,
        headers: HeaderMap::from_iter(headers),
        stored_at: SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789),
        proxy_used: ProxyUsed::Stealth,
        body: body.into(),
    }
}
