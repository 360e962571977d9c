//! The files of a durable store: they contain nothing of jobs with zero data retention. The secrets of other
//! jobs lie beside the main file, until they are not needed any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use gleaner::Engine;
use gleaner::service::{MemoryAccounts, Serving, Team, TeamConfig, TeamId, WebhookConfig};
use gleaner::sqlite::Reader;
use gleaner_http::Service;
use gleaner_testkit::ClosedPort;
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder};
use serde_json::json;
use tempfile::TempDir;

use crate::log::with_exclusive_log;
use crate::wire::ApiClient;

const KEY: &str = "key";
const FILE: &str = "jobs.db";
/// The folder of the secrets, and the start of the names of the files in it.
const SECRETS: &str = "jobs.db-secrets";

/// Contained in every path, title, text, header and webhook of a job with zero data retention.
const CANARY: &str = "n0trace";

/// Secrets of a request.
const AUTHORIZATION: &str = "canary-authorization";
const COOKIE: &str = "canary-cookie";
const CUSTOM_HEADER: &str = "canary-own-header";
/// Those of its webhook.
const WEBHOOK_HEADER: &str = "canary-hook-header";
const WEBHOOK_QUERY: &str = "canary-hook-query";
/// A cookie that the site sets.
const SESSION: &str = "canary-session";

const REQUEST_SECRETS: [&str; 3] = [AUTHORIZATION, COOKIE, CUSTOM_HEADER];
const WEBHOOK_SECRETS: [&str; 2] = [WEBHOOK_HEADER, WEBHOOK_QUERY];

/// The files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> BTreeSet<String> {
    // In a process of its own: if this one closed a file, it would release the locks of SQLite on it.
    let output = Command::new("grep").args(["-rlaF", "-e", text, "."]).current_dir(folder).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    names.lines().map(|name| name.trim_start_matches("./").to_owned()).collect()
}

/// The files and folders below a folder, with their modes.
fn modes(folder: &Path, within: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        // Files of secrets and of SQLite come and go.
        let Ok(metadata) = entry.metadata() else { continue };
        let name = format!("{within}{}", entry.file_name().display());
        if metadata.is_dir() {
            found.extend(modes(&entry.path(), &format!("{name}/")));
        }
        found.insert(name, metadata.permissions().mode() & 0o7777);
    }
    found
}

/// What was seen in the files while pages were requested.
#[derive(Debug, Default)]
struct Seen {
    /// By the text that was searched.
    files: BTreeMap<&'static str, BTreeSet<String>>,
    modes: BTreeMap<String, BTreeSet<u32>>,
}

struct Fixture {
    folder: TempDir,
    site: FakeServer,
    receiver: FakeServer,
    engine: Engine,
    client: ApiClient,
    seen: Arc<Mutex<Seen>>,
}

impl Fixture {
    /// An engine with its file, and a site that searches the files for texts at every request.
    fn new(texts: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let (path, recorded) = (folder.path().to_owned(), Arc::clone(&seen));
        let site = FakeServer::start(move |_, request| {
            let mut seen = recorded.lock().unwrap();
            for &text in texts {
                seen.files.entry(text).or_default().extend(files_with(&path, text));
            }
            for (name, mode) in modes(&path, "") {
                seen.modes.entry(name).or_default().insert(mode);
            }
            if !request.line.contains(CANARY) {
                return FakeResponse::not_found();
            }
            FakeResponse::html(&format!(
                "<title>{CANARY}</title><main><h1>{CANARY}</h1><p>A page about {CANARY} and its history.</p>\
                 <a href='/{CANARY}/one'>1</a> <a href='/{CANARY}/two'>2</a></main>"
            ))
            .with("x-canary", CANARY)
            .with("set-cookie", &format!("session={SESSION}; Path=/"))
        });
        let receiver = FakeServer::always(FakeResponse::new(200, ""));
        let accounts = MemoryAccounts::new().with_team(KEY, TeamConfig::new(Team::new(TeamId::new("birds"))));
        let engine = engine_builder()
            .store_at(folder.path().join(FILE))
            .accounts(Arc::new(accounts))
            .serving(Serving::new().webhooks(WebhookConfig::default().retries(Vec::new())))
            .build()
            .unwrap();
        let client = ApiClient::new(Service::new(engine.clone()), KEY);
        Self { folder, site, receiver, engine, client, seen }
    }

    fn start_page(&self) -> String {
        self.site.url(&format!("/{CANARY}"))
    }

    fn files_with(&self, text: &str) -> BTreeSet<String> {
        files_with(self.folder.path(), text)
    }

    /// Runs jobs of every kind whose parts all contain the canary.
    async fn run_jobs(&mut self, zero_retention: bool) {
        let (start, headers) = (self.start_page(), json!({ "X-Own": CANARY }));
        let webhook = json!({ "url": self.receiver.url(&format!("/{CANARY}")), "headers": headers });
        let formats = json!([{ "type": "changeTracking" }, "markdown", "links"]);
        let scrape = json!({ "url": start, "headers": headers, "formats": formats, "maxAge": 0,
            "zeroDataRetention": zero_retention });
        let (status, response) = self.client.call("POST /v2/scrape", &scrape).await;
        assert_eq!(status, 200, "{response}");
        let crawl = json!({ "url": start, "limit": 3, "scrapeOptions": { "headers": headers },
            "webhook": webhook, "zeroDataRetention": zero_retention });
        // The batch has a page that fails, too.
        let closed = ClosedPort::take().unwrap();
        let failing = format!("{}/{CANARY}", closed.base_url());
        let batch = json!({ "urls": [start, failing], "headers": headers, "formats": formats,
            "webhook": webhook, "zeroDataRetention": zero_retention });
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let extract = json!({ "urls": [start], "schema": schema, "webhook": webhook,
            "scrapeOptions": { "headers": headers }, "zeroDataRetention": zero_retention });
        for (line, body) in
            [("POST /v2/crawl", crawl), ("POST /v2/batch/scrape", batch), ("POST /v2/extract", extract)]
        {
            let finished = self.client.run_job(line, &body).await;
            assert_eq!(finished["status"], "completed", "{line}: {finished}");
        }
        self.engine.service().wait_for_deliveries().await.unwrap();
    }

    /// The number of jobs in the file, of those with a URL, and of their documents.
    fn counts(&self) -> (usize, usize, u64) {
        let reader = Reader::open(self.folder.path().join(FILE)).unwrap();
        let jobs = reader.jobs().unwrap();
        let documents = |number| reader.document_range(number).map(|(first, end)| end - first).unwrap();
        let with_url = jobs.iter().filter(|job| job.url.is_some()).count();
        (jobs.len(), with_url, jobs.iter().map(|job| documents(job.number)).sum())
    }
}

#[test]
fn the_files_of_a_durable_store_have_nothing_of_jobs_with_zero_data_retention() {
    // Keeps the log lines of this test out of other tests.
    with_exclusive_log(async |_| {
        for zero_retention in [true, false] {
            let mut fixture = Fixture::new(&[CANARY]);
            fixture.run_jobs(zero_retention).await;
            let mut found = fixture.files_with(CANARY);
            found.extend(fixture.seen.lock().unwrap().files[CANARY].iter().cloned());
            for server in [&fixture.site, &fixture.receiver] {
                found.extend(fixture.files_with(server.url("").trim_start_matches("http://")));
            }
            let (jobs, with_url, documents) = fixture.counts();
            assert!(jobs >= 3, "only {jobs} jobs are in the file, so the test proves nothing");
            assert!(fixture.seen.lock().unwrap().modes.contains_key("jobs.db-wal"));
            if zero_retention {
                assert_eq!((found, with_url, documents), (BTreeSet::new(), 0, 0));
            } else {
                // Without zero data retention, each search finds something.
                assert!(!found.is_empty() && with_url >= 2 && documents >= 4, "{found:?}, {documents}");
            }
        }
    });
}

#[test]
fn secrets_lie_beside_the_main_file_until_they_are_not_needed() {
    const ALL: &[&str] = &[AUTHORIZATION, COOKIE, CUSTOM_HEADER, WEBHOOK_HEADER, WEBHOOK_QUERY, SESSION];
    with_exclusive_log(async |_| {
        let mut fixture = Fixture::new(ALL);
        let headers = json!({ "Authorization": format!("Bearer {AUTHORIZATION}"),
            "Cookie": format!("id={COOKIE}"), "X-Own": CUSTOM_HEADER });
        let url = fixture.receiver.url(&format!("/hook?key={WEBHOOK_QUERY}"));
        let webhook = json!({ "url": url, "headers": { "X-Hook": WEBHOOK_HEADER } });
        let crawl = json!({ "url": fixture.start_page(), "limit": 3, "sitemap": "skip",
            "scrapeOptions": { "headers": headers }, "webhook": webhook });
        let finished = fixture.client.run_job("POST /v2/crawl", &crawl).await;
        assert_eq!((&finished["status"], &finished["completed"]), (&json!("completed"), &json!(3)));
        // The end of the job is durable by now, so its request is gone.
        for secret in REQUEST_SECRETS.into_iter().chain([SESSION]) {
            assert_eq!(fixture.files_with(secret), BTreeSet::new(), "{secret} after the end");
        }
        fixture.engine.service().wait_for_deliveries().await.unwrap();
        for secret in WEBHOOK_SECRETS {
            assert_eq!(fixture.files_with(secret), BTreeSet::new(), "{secret} after the last event");
        }
        assert_eq!(fixture.receiver.requests().len(), 5, "started, three pages, completed");

        let seen = fixture.seen.lock().unwrap();
        for (secret, files) in &seen.files {
            let is_beside = |file: &String| file.starts_with(&format!("{SECRETS}/"));
            assert!(files.iter().all(is_beside), "{secret} is in {files:?}");
        }
        for secret in REQUEST_SECRETS.into_iter().chain(WEBHOOK_SECRETS) {
            assert!(!seen.files[secret].is_empty(), "{secret} is in no file, so the test proves nothing");
        }
        for name in [FILE, "jobs.db-wal", "jobs.db-shm", "jobs.db-lock", SECRETS] {
            assert!(seen.modes.contains_key(name), "{name} is missing");
        }
        for (name, modes) in &seen.modes {
            let expected = if name == SECRETS { 0o700 } else { 0o600 };
            assert_eq!(modes, &BTreeSet::from([expected]), "the modes of {name}");
        }
    });
}
