//! Where copies of pages are kept: none is of a page of a job with zero data retention.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gleaner::service::{MemoryAccounts, Team, TeamConfig, TeamId};
use gleaner::{CacheStore, DiskCache};
use gleaner_fetch::{CacheEntry, CacheKey};
use gleaner_http::Service;
use gleaner_store::{MemoryConfig, MemoryStore};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder};
use serde_json::{Value, json};

use crate::log::alone;
use crate::wire::Wire;

/// Stands in every page.
const CANARY: &str = "k3pt";
const KEY: &str = "key";
/// Documents of one job beyond so many bytes are put aside.
const RETAINED: usize = 20_000;

/// A disk cache that tells how often it was given something.
#[derive(Debug)]
struct Shelf {
    disk: DiskCache,
    put: Mutex<usize>,
}

#[async_trait]
impl CacheStore for Shelf {
    async fn get(&self, key: &CacheKey) -> io::Result<Option<Arc<CacheEntry>>> {
        self.disk.get(key).await
    }

    async fn put(&self, entry: Arc<CacheEntry>) -> io::Result<()> {
        *self.put.lock().unwrap() += 1;
        self.disk.put(entry).await
    }

    async fn remove(&self, key: &CacheKey) -> io::Result<()> {
        self.disk.remove(key).await
    }
}

/// How many files below a folder hold the canary.
fn files_with_canary(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.is_dir() {
            true => files_with_canary(&path),
            false => usize::from(has_canary(&std::fs::read(path).unwrap())),
        })
        .sum()
}

/// How many of the files of this process that have no name any more, and had one in this folder, hold the canary. The
/// system has to tell.
#[cfg(target_os = "linux")]
fn unnamed_files_with_canary(folder: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
    // Those of other tests come and go meanwhile.
    let ours = open.filter(|file| std::fs::read_link(file).is_ok_and(|target| target.starts_with(folder)));
    ours.filter(|file| std::fs::read(file).is_ok_and(|bytes| has_canary(&bytes))).count()
}

fn has_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

/// Copies in the cache, in its files, and in temporary files.
type Kept = (usize, usize, usize);

struct World {
    site: FakeServer,
    wire: Wire,
    shelf: Arc<Shelf>,
    cache: tempfile::TempDir,
    blocking: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let (cache, blocking) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let disk = DiskCache::open(cache.path(), 1 << 20).unwrap();
        let shelf = Arc::new(Shelf { disk, put: Mutex::default() });
        let config = MemoryConfig {
            retained_bytes: RETAINED,
            spill_folder: Some(blocking.path().to_owned()),
            ..MemoryConfig::default()
        };
        let accounts = MemoryAccounts::new().with_team(KEY, TeamConfig::new(Team::new(TeamId::new("birds"))));
        let engine = engine_builder()
            .store(Arc::new(MemoryStore::new(config)))
            .cache(Arc::<Shelf>::clone(&shelf))
            .accounts(Arc::new(accounts));
        let site = FakeServer::start(|_, asked| {
            // The address of a large page says so.
            let text = if asked.line.contains("large") { CANARY.repeat(RETAINED) } else { CANARY.repeat(9) };
            FakeResponse::html(&format!(
                "<main><h1>{CANARY}</h1><p>{text}</p><a href=/one>1</a><a href=/two>2</a></main>"
            ))
        });
        Self { site, wire: Wire::new(Service::new(engine.build().unwrap()), KEY), shelf, cache, blocking }
    }

    fn kept(&self) -> Kept {
        #[cfg(target_os = "linux")]
        let blocking = unnamed_files_with_canary(self.blocking.path());
        #[cfg(not(target_os = "linux"))]
        let blocking = 0;
        let named = files_with_canary(self.blocking.path());
        (*self.shelf.put.lock().unwrap(), files_with_canary(self.cache.path()), blocking + named)
    }

    /// Jobs of every kind. Gives the end of a batch whose documents are more than a job may keep in memory.
    async fn jobs(&mut self, silent: bool) -> Value {
        let page = |path: &str| self.site.url(path);
        let (home, large, tracked) =
            (page("/"), page("/large"), json!([{ "type": "changeTracking" }, "markdown"]));
        let scrape = json!({ "url": home, "zeroDataRetention": silent });
        let crawl = json!({ "url": home, "limit": 3, "zeroDataRetention": silent });
        let batch = json!({ "urls": [home, page("/one")], "zeroDataRetention": silent, "formats": tracked });
        let much = json!({ "urls": [large], "zeroDataRetention": silent });
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let extract = json!({ "urls": [home], "schema": schema, "zeroDataRetention": silent });
        let (status, answer) = self.wire.call("POST /v2/scrape", &scrape).await;
        assert_eq!(status, 200, "{answer}");
        for (line, body) in
            [("POST /v2/crawl", crawl), ("POST /v2/batch/scrape", batch), ("POST /v2/extract", extract)]
        {
            let ended = self.wire.job(line, &body).await;
            assert_eq!(ended["status"], "completed", "{line}: {ended}");
        }
        self.wire.job("POST /v2/batch/scrape", &much).await
    }

    /// What change tracking says of a page: its verdict and its warning.
    async fn change(&mut self, silent: bool) -> (Value, Value) {
        let formats = json!([{ "type": "changeTracking" }, "markdown"]);
        let body = json!({ "url": self.site.url("/tracked"), "formats": formats, "maxAge": 0, "zeroDataRetention": silent });
        let (status, answer) = self.wire.call("POST /v2/scrape", &body).await;
        assert_eq!(status, 200, "{answer}");
        let page = &answer["data"];
        (page["changeTracking"]["changeStatus"].clone(), page["warning"].clone())
    }
}

#[test]
fn no_copy_of_a_silent_page_is_kept_anywhere() {
    // What the engine says meanwhile is not the business of other tests.
    alone(async |_| {
        let mut world = World::new();
        let ended = world.jobs(true).await;
        assert_eq!(world.kept(), (0, 0, 0), "(copies in the cache, files of the cache, temporary files)");
        assert_eq!(ended["status"], "failed", "rather than that it is put aside: {ended}");

        // The same without it: each place is looked at, and would have been used.
        let ended = world.jobs(false).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        let (cached, files, blocking) = world.kept();
        println!(
            "zero data retention: 0 copies kept; without it {cached} in the cache, {files} files, {blocking} put aside"
        );
        assert!(cached > 0 && files > 0, "{cached} {files}");
        assert!(blocking > 0 || !cfg!(target_os = "linux"), "nothing was put aside");
    });
}

#[test]
fn a_silent_page_has_no_history() {
    alone(async |_| {
        let mut world = World::new();
        for _ in 0..2 {
            let (verdict, warning) = world.change(true).await;
            assert_eq!(verdict, Value::Null, "there is nothing to compare with");
            assert!(warning.as_str().is_some_and(|text| text.contains("zero data retention")), "{warning}");
        }
        let verdicts = [world.change(false).await.0, world.change(false).await.0];
        assert_eq!(verdicts, ["new", "same"], "the silent ones left nothing");
        assert_eq!(world.change(true).await.0, Value::Null);
    });
}
