//! Your own page cache, here bytes under a name in memory. In its place may be any key-value store.
//!
//! `cargo run --release -p gleaner --example own_cache -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::HashMap, error::Error, io, sync::Arc};

use gleaner::tokio::sync::Mutex;
use gleaner::{BoxFuture, CacheEntry, CacheKey, CacheStore, Engine, ScrapeRequest, Storage};

#[derive(Debug, Default)]
pub(crate) struct ByteCache(Mutex<HashMap<String, Vec<u8>>>);

impl CacheStore for ByteCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        Box::pin(async move {
            let Some(bytes) = self.0.lock().await.get(&key.name()).cloned() else { return Ok(None) };
            Ok(Some(Arc::new(CacheEntry::decode(bytes).map_err(io::Error::other)?)))
        })
    }
    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            self.0.lock().await.insert(entry.key().name(), entry.encode());
            Ok(())
        })
    }
    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.0.lock().await.remove(&key.name());
            Ok(())
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let storage = Storage::new().cache(Arc::new(ByteCache::default()));
    let engine = Engine::builder().storage(storage).build()?;
    for _ in 0..2 {
        let page = engine.scrape(ScrapeRequest::new(&url).max_age(60_000)).await?;
        println!("{:?}", page.metadata.cache_state);
    }
    Ok(())
}
