//! Crawls over a store in a file: they go on in the next engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use gleaner::service::SubmitContext;
use gleaner::sqlite::Reader;
use gleaner::{CrawlRequest, Engine, Job, JobId, JobState, SkipReason};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder, links_only};
use tempfile::TempDir;
use url::Url;
use uuid::Uuid;

use crate::support::path_and_query;

/// Pages of the tree: the start page and five generations of three links each.
const PAGES: usize = 364;
/// Those of them within four clicks.
const WITHIN_FOUR: usize = 121;
/// Pages in work at once.
const CONCURRENCY: u32 = 4;
/// Bounds waits that end at once unless something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lets a number of requests pass. The others wait.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    left: usize,
    waiting: usize,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.changed.notify_all();
        while state.left == 0 {
            state = self.changed.wait(state).unwrap();
        }
        state.left -= 1;
        state.waiting -= 1;
        self.changed.notify_all();
    }

    /// Lets this many requests pass from now on.
    fn allow(&self, requests: usize) {
        self.state.lock().unwrap().left = requests;
        self.changed.notify_all();
    }

    fn open(&self) {
        self.allow(usize::MAX / 2);
    }

    /// Waits on this thread until a request waits.
    fn wait_for_request(&self) {
        let state = self.state.lock().unwrap();
        let closed = |state: &mut GateState| state.left > 0 || state.waiting == 0;
        let (_state, timeout) = self.changed.wait_timeout_while(state, PATIENCE, closed).unwrap();
        assert!(!timeout.timed_out(), "no request waits");
    }
}

/// A site behind a gate.
struct GatedSite {
    server: FakeServer,
    gate: Arc<Gate>,
}

impl GatedSite {
    /// `page` gives the response of a target. robots.txt is not found, and does not wait at the gate.
    fn start(page: impl Fn(&str) -> Option<FakeResponse> + Send + Sync + 'static) -> Self {
        let gate = Arc::new(Gate::default());
        let server = FakeServer::start({
            let gate = Arc::clone(&gate);
            move |_, request| {
                if request.target() == "/robots.txt" {
                    return FakeResponse::not_found();
                }
                gate.pass();
                page(request.target()).unwrap_or_else(FakeResponse::not_found)
            }
        });
        Self { server, gate }
    }

    /// A tree of pages: the start page is 0, and page `n` links to three further pages and to another site.
    fn tree() -> Self {
        Self::start(|target| {
            let number: usize = match target {
                "/" => 0,
                _ => target.strip_prefix('/')?.parse().ok()?,
            };
            let children = (number * 3 + 1..=number * 3 + 3).filter(|child| *child < PAGES);
            let links: String = children.map(|child| format!("<a href=/{child}>{child}</a> ")).collect();
            Some(FakeResponse::html(&format!("<p>{links}<a href=http://other.example/{number}>away</a>")))
        })
    }

    fn url(&self) -> String {
        self.server.url("/")
    }

    /// How often each page was requested.
    fn requests(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for request in self.server.requests() {
            *counts.entry(request.target().to_owned()).or_default() += 1;
        }
        counts.remove("/robots.txt");
        counts
    }
}

/// A file in a folder of its own.
fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    (folder, file)
}

/// An engine over a file, which an earlier engine has closed.
fn open(file: &Path) -> Engine {
    engine_builder().concurrency(CONCURRENCY).store_at(file).build().unwrap()
}

/// Works with an engine over a file, and ends its tasks in the midst, as the end of its process would.
fn interrupted<T>(file: &Path, work: impl AsyncFnOnce(&Engine) -> T) -> T {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (engine, result) = tokio.block_on(async {
        let engine = open(file);
        let result = work(&engine).await;
        (engine, result)
    });
    drop(tokio);
    drop(engine);
    result
}

/// Reads this number of documents.
async fn read(job: &mut Job, count: usize) {
    for _ in 0..count {
        job.next().await.unwrap().unwrap();
    }
}

/// Reads the other documents. Each page gives one.
async fn paths(job: &mut Job) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    while let Some(document) = job.next().await.transpose().unwrap() {
        let url = Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
        let path = path_and_query(&url);
        assert!(paths.insert(path.clone()), "two documents of {path}");
    }
    paths
}

fn tree_pages(count: usize) -> BTreeSet<String> {
    (0..count).map(|number| if number == 0 { "/".to_owned() } else { format!("/{number}") }).collect()
}

/// Whether a file beside or below a path contains a text.
fn contains(path: &Path, text: &str) -> bool {
    if path.is_dir() {
        let mut entries = fs::read_dir(path).unwrap();
        return entries.any(|entry| contains(&entry.unwrap().path(), text));
    }
    fs::read(path).unwrap().windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_crawl_goes_on_in_the_next_engine() {
    let ((_folder, file), site) = (file(), GatedSite::tree());
    site.gate.allow(30);
    let engine = open(&file);
    let mut job = engine.crawl(links_only(site.url()).limit(100)).await.unwrap();
    read(&mut job, 20).await;
    let id = job.detach();
    // Pages in work come to their end.
    tokio::join!(engine.stop(), async { site.gate.open() });
    let stopped = engine.job(id).await.unwrap().status().await.unwrap();
    assert_eq!(stopped.state, JobState::Scraping);
    assert!((20..100).contains(&stopped.completed), "{} pages are done", stopped.completed);
    assert_eq!(site.requests().values().sum::<usize>() as u64, stopped.completed, "none is cut off");
    assert!(engine.crawl(links_only(site.url())).await.is_err(), "it takes no more jobs");
    drop(engine);

    let engine = open(&file);
    let mut job = engine.job(id).await.unwrap();
    let found = paths(&mut job).await;
    let end = job.status().await.unwrap();
    assert_eq!((found.len(), end.completed, end.state), (100, 100, JobState::Completed));
    assert!(site.requests().values().all(|count| *count == 1), "no page is fetched twice");
    assert_eq!(paths(&mut engine.job(id).await.unwrap()).await, found, "each handle reads all");
    engine.stop().await;
    drop((job, engine));

    let engine = open(&file);
    assert_eq!(paths(&mut engine.job(id).await.unwrap()).await, found, "they outlive the process");
    let unknown = engine.job(JobId::from_uuid(Uuid::from_u128(1))).await;
    assert!(unknown.is_err_and(|error| error.is_unknown_job()));
    let jobs = Reader::open(&file).unwrap().jobs().unwrap();
    assert_eq!(jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [id], "another process sees it too");
}

#[test]
fn an_interrupted_crawl_goes_on_with_exact_depths_and_counts() {
    let ((_folder, file), site) = (file(), GatedSite::tree());
    site.gate.allow(8);
    let id = interrupted(&file, async |engine| {
        let request = links_only(site.url()).max_discovery_depth(4);
        let mut job = engine.crawl(request).await.unwrap();
        read(&mut job, 5).await;
        job.detach()
    });
    for documents in [10, 15] {
        // Some of them answer requests of earlier engines.
        site.gate.allow(20);
        interrupted(&file, async |engine| read(&mut engine.job(id).await.unwrap(), documents).await);
    }
    site.gate.open();
    interrupted(&file, async |engine| {
        let mut job = engine.job(id).await.unwrap();
        assert_eq!(paths(&mut job).await, tree_pages(WITHIN_FOUR));
        let end = job.status().await.unwrap();
        assert_eq!((end.completed, end.failed, end.state), (121, 0, JobState::Completed));
        let rejections = job.wait().await.unwrap().rejections;
        assert_eq!(rejections, [(SkipReason::OtherHost, 121)], "links of lost pages count once");
    });
    let requests = site.requests();
    let repeated = requests.values().sum::<usize>() - requests.len();
    assert_eq!(requests.len(), WITHIN_FOUR);
    assert!(repeated <= 3 * CONCURRENCY as usize, "{repeated} more pages than were in work are repeated");
}

#[test]
fn the_session_of_a_job_goes_on_and_its_secrets_go_with_its_end() {
    let (folder, file) = file();
    let site = GatedSite::start(|target| match target {
        "/" => {
            let links: String = (1..20).map(|number| format!("<a href=/{number}>{number}</a> ")).collect();
            Some(FakeResponse::html(&links).with("set-cookie", "session=crumb; Path=/"))
        }
        _ => Some(FakeResponse::html("<p>A page.")),
    });
    site.gate.allow(5);
    let id = interrupted(&file, async |engine| {
        let request = links_only(site.url()).headers([("x-key", "s3cr3t")]);
        let mut job = engine.crawl(request).await.unwrap();
        read(&mut job, 3).await;
        job.detach()
    });
    let secrets = folder.path().join("jobs.db-secrets");
    for secret in ["crumb", "s3cr3t"] {
        assert!(contains(&secrets, secret), "{secret}");
        for name in ["jobs.db", "jobs.db-wal"] {
            let path = folder.path().join(name);
            assert!(!path.exists() || !contains(&path, secret), "{secret} in {name}");
        }
    }
    site.gate.open();
    interrupted(&file, async |engine| {
        assert_eq!(paths(&mut engine.job(id).await.unwrap()).await.len(), 20);
        engine.stop().await;
    });
    for request in site.server.requests().iter().filter(|request| request.target() != "/robots.txt") {
        let cookie = (request.target() != "/").then_some("session=crumb");
        assert_eq!(request.header("cookie"), cookie, "{}", request.target());
        assert_eq!(request.header("x-key"), Some("s3cr3t"), "{}", request.target());
    }
    assert_eq!(fs::read_dir(&secrets).unwrap().count(), 0);
}

#[test]
fn no_page_of_a_sitemap_is_lost() {
    const SITEMAPS: usize = 3;
    const PAGES_OF_EACH: usize = 4;
    let list = |element: &str, parent: &str, paths: &mut dyn Iterator<Item = String>| {
        let entries: String = paths.map(|path| format!("<{element}><loc>{path}</loc></{element}>")).collect();
        Some(
            FakeResponse::new(200, format!("<{parent}>{entries}</{parent}>"))
                .with("content-type", "text/xml"),
        )
    };
    // Each interruption is at another request.
    for allowed in 0..8 {
        let (_folder, file) = file();
        let site = GatedSite::start(move |target| {
            if target == "/" {
                return Some(FakeResponse::html("<p>A page without links."));
            }
            if target == "/sitemap.xml" {
                let mut children = (0..SITEMAPS).map(|child| format!("/map-{child}.xml"));
                return list("sitemap", "sitemapindex", &mut children);
            }
            if let Some(child) = target.strip_prefix("/map-").and_then(|name| name.strip_suffix(".xml")) {
                let mut pages = (0..PAGES_OF_EACH).map(|page| format!("/{child}/{page}"));
                return list("url", "urlset", &mut pages);
            }
            Some(FakeResponse::html("<p>A page."))
        });
        site.gate.allow(allowed);
        let id = interrupted(&file, async |engine| {
            let id = engine.crawl(CrawlRequest::new(site.url())).await.unwrap().detach();
            tokio::task::block_in_place(|| site.gate.wait_for_request());
            id
        });
        site.gate.open();
        interrupted(&file, async |engine| {
            let mut job = engine.job(id).await.unwrap();
            let found = paths(&mut job).await;
            let pages = |child| (0..PAGES_OF_EACH).map(move |page| format!("/{child}/{page}"));
            let mut expected: BTreeSet<String> = (0..SITEMAPS).flat_map(pages).collect();
            expected.insert("/".to_owned());
            assert_eq!(found, expected, "interrupted after {allowed} requests");
            assert!(job.status().await.unwrap().warnings.is_empty());
        });
    }
}

#[test]
fn a_job_with_zero_data_retention_ends_with_its_process() {
    let ((folder, file), site) = (file(), GatedSite::tree());
    site.gate.allow(5);
    let id = interrupted(&file, async |engine| {
        let service = engine.service();
        let team = service.authenticate("any key").await.unwrap();
        let request = links_only(site.url()).zero_data_retention(true);
        let submit = SubmitContext::default().request(request.to_stored());
        let id = service.crawl(&team, request.check().unwrap(), submit).await.unwrap().id;
        read(&mut engine.job(id).await.unwrap(), 3).await;
        id
    });
    interrupted(&file, async |engine| {
        let snapshot = engine.job(id).await.unwrap().status().await.unwrap();
        assert_eq!(snapshot.state, JobState::Failed);
        assert!(snapshot.completed >= 3, "its counts are kept");
        assert!(snapshot.error.is_some_and(|error| error.contains("nothing of the job was kept")));
    });
    assert!(!contains(folder.path(), "127.0.0.1"), "no address of a page is in a file");
}

#[test]
fn a_job_whose_request_is_gone_fails_and_its_documents_stay() {
    let ((folder, file), site) = (file(), GatedSite::tree());
    site.gate.allow(8);
    let id = interrupted(&file, async |engine| {
        let mut job = engine.crawl(links_only(site.url())).await.unwrap();
        read(&mut job, 4).await;
        job.detach()
    });
    fs::remove_dir_all(folder.path().join("jobs.db-secrets")).unwrap();
    site.gate.open();
    interrupted(&file, async |engine| {
        let mut job = engine.job(id).await.unwrap();
        read(&mut job, 4).await;
        let error = loop {
            match job.next().await {
                Some(Ok(_)) => {}
                Some(Err(error)) => break error,
                None => panic!("the job must fail"),
            }
        };
        assert!(error.to_string().contains("its request is not in the store"), "{error}");
        assert_eq!(job.status().await.unwrap().state, JobState::Failed);
    });
}

/// On one thread, where nothing else runs between the drop and the opening.
#[tokio::test]
async fn a_file_can_be_opened_as_soon_as_its_engine_is_dropped() {
    let ((_folder, file), site) = (file(), GatedSite::tree());
    site.gate.allow(10);
    let engine = open(&file);
    let mut job = engine.crawl(links_only(site.url()).limit(20)).await.unwrap();
    read(&mut job, 3).await;
    let kept = job.detach();
    let dropped = engine.crawl(links_only(site.url()).limit(20)).await.unwrap();
    let ended = dropped.id();
    drop((dropped, engine));

    let engine = open(&file);
    site.gate.open();
    let unknown = engine.job(ended).await;
    assert!(unknown.is_err_and(|error| error.is_unknown_job()), "it ended with its handle");
    let mut job = engine.job(kept).await.unwrap();
    assert_eq!(paths(&mut job).await.len(), 20);
    assert_eq!((job.status().await.unwrap().state, job.gone()), (JobState::Completed, 0));
}

#[tokio::test]
async fn a_file_has_one_engine() {
    let (_folder, file) = file();
    let engine = open(&file);
    let second = engine_builder().store_at(&file).build().unwrap_err();
    assert!(second.is_store_busy(), "{second}");
    let text = second.to_string();
    assert!(text.contains("this process (pid") && text.contains("another engine"), "{text}");
    drop(engine);
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("notes.txt");
    fs::write(&other, "This is no database, but a text of some length. ".repeat(100)).unwrap();
    let error = engine_builder().store_at(&other).build().unwrap_err();
    assert!(!error.is_store_busy() && error.kind() == gleaner::ErrorKind::Store, "{error}");
}
