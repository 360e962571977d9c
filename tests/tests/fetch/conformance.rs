//! The caches and the resolver keep the rules of their ports, and the suites notice who does not.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use gleaner_fetch::{
    BoxFuture, CacheEntry, CacheKey, CacheStore, DiskCache, MemoryCache, Resolve, SystemResolver, conformance,
};
use tempfile::tempdir;

#[tokio::test]
async fn a_cache_in_memory_keeps_the_rules_of_every_cache() {
    conformance::cache_store(&MemoryCache::default()).await;
    conformance::cache_store(&MemoryCache::new(64 << 20)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cache_on_disk_keeps_the_rules_of_every_cache() {
    let folder = tempdir().unwrap();
    for (name, bytes) in [("small", 1 << 20), ("large", 64 << 20)] {
        conformance::cache_store(&DiskCache::open(folder.path().join(name), bytes).unwrap()).await;
    }
}

/// Compares only the length of keys.
#[derive(Debug, Default)]
struct Confused(Mutex<Vec<Arc<CacheEntry>>>);

impl Confused {
    fn drop_like(&self, key: &CacheKey) {
        self.0.lock().unwrap().retain(|entry| entry.key().as_str().len() != key.as_str().len());
    }
}

impl CacheStore for Confused {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        Box::pin(async move {
            let entries = self.0.lock().unwrap();
            Ok(entries.iter().find(|entry| entry.key().as_str().len() == key.as_str().len()).cloned())
        })
    }

    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.drop_like(entry.key());
            self.0.lock().unwrap().push(entry);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.drop_like(key);
            Ok(())
        })
    }
}

#[tokio::test]
#[should_panic(expected = "the whole key counts")]
async fn a_cache_that_confuses_keys_is_found() {
    conformance::cache_store(&Confused::default()).await;
}

/// Knows one name.
#[derive(Debug)]
struct OneName(io::ErrorKind);

impl Resolve for OneName {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            if host == "a.test" { Ok(vec![Ipv4Addr::LOCALHOST.into()]) } else { Err(self.0.into()) }
        })
    }
}

#[tokio::test]
async fn resolvers_keep_the_rules_of_every_resolver() {
    conformance::resolve(&OneName(io::ErrorKind::NotFound), "a.test", Some("b.test")).await;
    conformance::resolve(&SystemResolver::default(), "localhost", None).await;
}

#[tokio::test]
#[should_panic(expected = "the error of a name that does not exist")]
async fn a_resolver_with_the_wrong_error_is_found() {
    conformance::resolve(&OneName(io::ErrorKind::Other), "a.test", Some("b.test")).await;
}
