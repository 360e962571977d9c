//! No copy of a page of a job with zero data retention is stored anywhere.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use gleaner::service::{MemoryAccounts, Team, TeamConfig, TeamId};
use gleaner::{CacheStore, DiskCache, Storage};
use gleaner_fetch::{CacheEntry, CacheKey};
use gleaner_http::Service;
use gleaner_store::{MemoryConfig, MemoryStore};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder};
use gleaner_types::BoxFuture;
use serde_json::{Value, json};

use crate::log::with_exclusive_log;
use crate::wire::ApiClient;

/// Contained in every page.
const CANARY: &str = "k3pt";
const KEY: &str = "key";
/// Bytes of documents of a job above which the store spills to disk.
const RETAINED_BYTES: usize = 20_000;

/// A disk cache that counts stored entries.
#[derive(Debug)]
struct CountingCache {
    disk: DiskCache,
    puts: Mutex<usize>,
}

impl CacheStore for CountingCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<Option<Arc<CacheEntry>>>> {
        self.disk.get(key)
    }

    fn put(&self, entry: Arc<CacheEntry>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            *self.puts.lock().unwrap() += 1;
            self.disk.put(entry).await
        })
    }

    fn remove<'a>(&'a self, key: &'a CacheKey) -> BoxFuture<'a, io::Result<()>> {
        self.disk.remove(key)
    }
}

/// The number of files below a folder that contain the canary.
fn files_with_canary(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.is_dir() {
            true => files_with_canary(&path),
            false => usize::from(has_canary(&std::fs::read(path).unwrap())),
        })
        .sum()
}

/// The number of open, already deleted files of this folder that contain the canary. Needs `/proc`.
#[cfg(target_os = "linux")]
fn unnamed_files_with_canary(folder: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
    // Other tests open and close files meanwhile.
    let ours = open.filter(|file| std::fs::read_link(file).is_ok_and(|target| target.starts_with(folder)));
    ours.filter(|file| std::fs::read(file).is_ok_and(|bytes| has_canary(&bytes))).count()
}

fn has_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

/// Numbers of copies in the cache, in its files, and in temporary files.
type Copies = (usize, usize, usize);

struct Fixture {
    site: FakeServer,
    client: ApiClient,
    counting_cache: Arc<CountingCache>,
    cache: tempfile::TempDir,
    spilled: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let (cache, spilled) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let disk = DiskCache::open(cache.path(), 1 << 20).unwrap();
        let counting_cache = Arc::new(CountingCache { disk, puts: Mutex::default() });
        let config =
            MemoryConfig::default().retained_bytes(RETAINED_BYTES).spill_folder(spilled.path().to_owned());
        let accounts = MemoryAccounts::new().with_team(KEY, TeamConfig::new(Team::new(TeamId::new("birds"))));
        let engine = engine_builder()
            .store(Arc::new(MemoryStore::new(config)))
            .storage(Storage::new().cache(Arc::<CountingCache>::clone(&counting_cache)))
            .accounts(Arc::new(accounts));
        let site = FakeServer::start(|_, request| {
            // URLs with `large` give a large page.
            let text =
                if request.line.contains("large") { CANARY.repeat(RETAINED_BYTES) } else { CANARY.repeat(9) };
            FakeResponse::html(&format!(
                "<main><h1>{CANARY}</h1><p>{text}</p><a href=/one>1</a><a href=/two>2</a></main>"
            ))
        });
        Self {
            site,
            client: ApiClient::new(Service::new(engine.build().unwrap()), KEY),
            counting_cache,
            cache,
            spilled,
        }
    }

    fn copies(&self) -> Copies {
        #[cfg(target_os = "linux")]
        let spilled = unnamed_files_with_canary(self.spilled.path());
        #[cfg(not(target_os = "linux"))]
        let spilled = 0;
        let named = files_with_canary(self.spilled.path());
        (*self.counting_cache.puts.lock().unwrap(), files_with_canary(self.cache.path()), spilled + named)
    }

    /// Runs jobs of every kind. Returns the end of a batch with more bytes of documents than a job keeps in
    /// memory.
    async fn run_jobs(&mut self, zero_retention: bool) -> Value {
        let page = |path: &str| self.site.url(path);
        let (home, large, tracked) =
            (page("/"), page("/large"), json!([{ "type": "changeTracking" }, "markdown"]));
        let scrape = json!({ "url": home, "zeroDataRetention": zero_retention });
        let crawl = json!({ "url": home, "limit": 3, "zeroDataRetention": zero_retention });
        let batch =
            json!({ "urls": [home, page("/one")], "zeroDataRetention": zero_retention, "formats": tracked });
        let large_batch = json!({ "urls": [large], "zeroDataRetention": zero_retention });
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let extract = json!({ "urls": [home], "schema": schema, "zeroDataRetention": zero_retention });
        let (status, response) = self.client.call("POST /v2/scrape", &scrape).await;
        assert_eq!(status, 200, "{response}");
        for (line, body) in
            [("POST /v2/crawl", crawl), ("POST /v2/batch/scrape", batch), ("POST /v2/extract", extract)]
        {
            let finished = self.client.run_job(line, &body).await;
            assert_eq!(finished["status"], "completed", "{line}: {finished}");
        }
        self.client.run_job("POST /v2/batch/scrape", &large_batch).await
    }

    /// The change status and the warning of a page.
    async fn change_status(&mut self, zero_retention: bool) -> (Value, Value) {
        let formats = json!([{ "type": "changeTracking" }, "markdown"]);
        let body = json!({
            "url": self.site.url("/tracked"), "formats": formats, "maxAge": 0,
            "zeroDataRetention": zero_retention,
        });
        let (status, response) = self.client.call("POST /v2/scrape", &body).await;
        assert_eq!(status, 200, "{response}");
        let page = &response["data"];
        (page["changeTracking"]["changeStatus"].clone(), page["warning"].clone())
    }
}

#[test]
fn no_copy_of_a_page_with_zero_data_retention_is_stored() {
    // Keeps the log lines of this test out of other tests.
    with_exclusive_log(async |_| {
        let mut fixture = Fixture::new();
        let finished = fixture.run_jobs(true).await;
        assert_eq!(fixture.copies(), (0, 0, 0), "(copies in the cache, files of the cache, temporary files)");
        assert_eq!(finished["status"], "failed", "the job fails instead of spilling: {finished}");

        // Without zero data retention, each place has a copy.
        let finished = fixture.run_jobs(false).await;
        assert_eq!(finished["status"], "completed", "{finished}");
        let (cached, files, spilled) = fixture.copies();
        println!(
            "zero data retention: 0 copies; without it {cached} in the cache, {files} files, \
             {spilled} spilled"
        );
        assert!(cached > 0 && files > 0, "{cached} {files}");
        assert!(spilled > 0 || !cfg!(target_os = "linux"), "nothing was spilled");
    });
}

#[test]
fn a_page_with_zero_data_retention_has_no_change_history() {
    with_exclusive_log(async |_| {
        let mut fixture = Fixture::new();
        for _ in 0..2 {
            let (status_value, warning) = fixture.change_status(true).await;
            assert_eq!(status_value, Value::Null, "there is no earlier scrape to compare with");
            assert!(warning.as_str().is_some_and(|text| text.contains("zero data retention")), "{warning}");
        }
        let statuses = [fixture.change_status(false).await.0, fixture.change_status(false).await.0];
        assert_eq!(statuses, ["new", "same"], "scrapes with zero data retention leave no history");
        assert_eq!(fixture.change_status(true).await.0, Value::Null);
    });
}
