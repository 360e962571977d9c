//! Your own page cache, here bytes under a name in memory. In its place may be any key-value store.
//!
//! `cargo run --release -p gleaner --example own_cache -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::HashMap, future::ready, io, sync::Arc, sync::Mutex, sync::PoisonError};

use gleaner::{BoxFuture, CacheEntry, CacheKey, CacheStore, Engine, ScrapeRequest, Storage};

#[derive(Debug, Default)]
pub(crate) struct ByteCache(Mutex<HashMap<String, Vec<u8>>>);

/// A store that waits for a disk or a server returns `Box::pin(async move { .. })`.
impl CacheStore for ByteCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key.name()).cloned();
        let entry = bytes.map(CacheEntry::decode).transpose().map_err(io::Error::other);
        Box::pin(ready(entry.map(|entry| entry.map(Arc::new))))
    }
    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.key().name(), entry.encode());
        Box::pin(ready(Ok(())))
    }
    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key.name());
        Box::pin(ready(Ok(())))
    }
}

#[tokio::main]
async fn main() -> Result<(), gleaner::Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let storage = Storage::new().cache(Arc::new(ByteCache::default()));
    let engine = Engine::builder().storage(storage).build()?;
    for _ in 0..2 {
        println!("{:?}", engine.scrape(ScrapeRequest::new(&url).max_age(60_000)).await?.metadata.cache_state);
    }
    Ok(())
}
