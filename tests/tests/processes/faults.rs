//! Faults of the server that pass: its disk is full, it aborts or refuses what it is asked, it is away. A
//! crawl and a batch go on soon after each of them, and lose no page.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use gleaner::{BatchScrapeRequest, Engine};
use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_store::{JobSnapshot, Store as _};
use gleaner_testkit::PgServer;
use gleaner_testkit::browser::NOBODY;
use gleaner_tests::fakes;
use gleaner_types::{JobId, JobState};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::check;
use super::child::{CONCURRENCY, PAGE_TIMEOUT, config, engine};
use super::crawl::{DATABASE, client, read};
use super::graph::Graph;
use super::sites::Sites;

/// Pages of the crawl, and again of the batch.
const PAGES: usize = 600;
/// The same, if they must fill what is free in the files of the server.
const MANY_PAGES: usize = 1_500;
const HOSTS: usize = 20;
/// A fault lasts for this time: longer than the term of a process, and until the pauses between tries have
/// grown to the longest.
const LASTS: Duration = Duration::from_secs(5);
/// The same with the terms and pauses of a user.
const LASTS_LONG: Duration = Duration::from_secs(40);
/// Work goes on long before a lease would end, which takes minutes.
const MOST: Duration = Duration::from_secs(60);
/// The jobs end within this time. Only a broken one needs all of it.
const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(10);

/// Faults that a trigger raises, by their codes: a full disk, too many connections, a server that may only be
/// read, a transaction that cannot be serialised, a shutdown.
const CODES: [&str; 5] = ["53100", "53300", "25006", "40001", "57P01"];

/// Bytes of the small disk.
const DISK: &str = "64m";

/// A job, and its sites.
struct Part {
    name: &'static str,
    id: JobId,
    sites: Sites,
}

/// A crawl and a batch of one engine.
struct Work<'r> {
    runtime: &'r Runtime,
    name: String,
    pages: usize,
    engine: Engine,
    /// Reads only, so it has no term.
    reader: PostgresStore,
    parts: [Part; 2],
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

impl<'r> Work<'r> {
    /// Starts both jobs in a schema that has its tables.
    fn start(runtime: &'r Runtime, name: &str, config: &PostgresConfig, pages: usize) -> Self {
        let open = || runtime.block_on(PostgresStore::open(config.clone())).unwrap();
        let (store, reader) = (open(), open());
        let _guard = runtime.enter();
        let engine = engine(store, name.to_owned());
        let sites = || {
            let graph = Graph::new(1, pages, HOSTS);
            (Sites::start(graph.clone(), HOSTS), graph)
        };
        let ((crawled, graph), (listed, _)) = (sites(), sites());
        let crawl = fakes::links_only(graph.url(0, crawled.port))
            .limit(2 * pages as u64)
            .allow_subdomains(true)
            .crawl_entire_domain(true)
            .timeout(PAGE_TIMEOUT);
        let urls = (0..pages).map(|page| graph.url(page, listed.port));
        let batch = BatchScrapeRequest::new(urls).timeout(PAGE_TIMEOUT);
        let crawl = runtime.block_on(engine.crawl(crawl)).unwrap().detach();
        let batch = runtime.block_on(engine.batch(batch)).unwrap().detach();
        let parts = [
            Part { name: "crawl", id: crawl, sites: crawled },
            Part { name: "batch", id: batch, sites: listed },
        ];
        Self { runtime, name: name.to_owned(), pages, engine, reader, parts }
    }

    fn snapshot(&self, part: &Part) -> JobSnapshot {
        self.runtime.block_on(self.reader.snapshot(part.id)).unwrap()
    }

    fn snapshots(&self) -> [JobSnapshot; 2] {
        [self.snapshot(&self.parts[0]), self.snapshot(&self.parts[1])]
    }

    /// Waits until both jobs have a document.
    fn wait_for_documents(&self) {
        let begin = Instant::now();
        while self.snapshots().iter().any(|job| job.completed == 0) {
            assert!(begin.elapsed() < PATIENCE, "{}: nothing is done: {:?}", self.name, self.snapshots());
            sleep(PAUSE);
        }
    }

    /// Whether each job has a further document, or has ended.
    fn has_gone_on(&self, before: &[JobSnapshot; 2]) -> bool {
        let gone_on = |now: &JobSnapshot, before: &JobSnapshot| {
            now.completed > before.completed || now.state != JobState::Scraping
        };
        self.snapshots().iter().zip(before).all(|(now, before)| gone_on(now, before))
    }

    /// Waits until both jobs have ended, and checks that each page has one document.
    fn finish(self) {
        let begin = Instant::now();
        while self.snapshots().iter().any(|job| job.state == JobState::Scraping) {
            assert!(begin.elapsed() < PATIENCE, "{}: a job hangs: {:?}", self.name, self.snapshots());
            sleep(PAUSE);
        }
        for part in &self.parts {
            let (end, count) = (self.snapshot(part), self.pages as u64);
            let counts = (end.completed, end.failed, end.total);
            assert_eq!(
                (end.state, counts),
                (JobState::Completed, (count, 0, count)),
                "{}: {end:?}",
                self.name
            );
            let found = self.runtime.block_on(read(&self.reader, part.id));
            let pages: BTreeSet<usize> = found.iter().copied().collect();
            assert_eq!((found.len(), pages.len()), (self.pages, self.pages), "lost, or there twice");
            // A process that loses its term loses its pages in work, and the term of some of the faults ends.
            let repeats = check::repeats(&part.sites.visits(), 3 * u64::from(CONCURRENCY));
            println!("  {}, {}: {count} documents, 0 lost, {repeats} requested again", self.name, part.name);
        }
        let Self { runtime, engine, reader, .. } = self;
        runtime.block_on(async {
            engine.stop().await;
            drop((engine, reader));
        });
    }
}

/// Waits until all have gone on after the end of a fault, and prints how long each took.
fn time(works: &[Work<'_>], before: &[[JobSnapshot; 2]], healed: Instant) {
    let mut waiting: Vec<usize> = (0..works.len()).collect();
    while !waiting.is_empty() {
        waiting.retain(|index| {
            let has_gone_on = works[*index].has_gone_on(&before[*index]);
            if has_gone_on {
                println!("{}: goes on after {:.2} s", works[*index].name, healed.elapsed().as_secs_f64());
            }
            !has_gone_on
        });
        let names = || waiting.iter().map(|index| works[*index].name.as_str()).collect::<Vec<_>>();
        assert!(healed.elapsed() < MOST, "{:?} do not go on", names());
        sleep(PAUSE);
    }
}

/// Lets each write in a schema fail with the code in a table, while there is one.
fn install(server: &PgServer, schema: &str) {
    let text = format!(
        "CREATE TABLE public.{schema}_fault (code text);
         CREATE FUNCTION {schema}.raise_fault() RETURNS trigger LANGUAGE plpgsql AS $$
             DECLARE found text;
             BEGIN
                 SELECT code INTO found FROM public.{schema}_fault LIMIT 1;
                 IF found IS NOT NULL THEN
                     RAISE EXCEPTION 'a fault of the test: %', found USING ERRCODE = found;
                 END IF;
                 RETURN NULL;
             END $$;
         CREATE TRIGGER raise_fault BEFORE INSERT ON {schema}.operation
             FOR EACH STATEMENT EXECUTE FUNCTION {schema}.raise_fault()"
    );
    server.query(DATABASE, &text);
}

/// Raises the fault of each code in a schema of its own until `lasts` is over, all at the same time.
fn raise(make: impl Fn(&str, &str) -> PostgresConfig, lasts: Duration) {
    let Some(server) = PgServer::shared() else { return };
    let (runtime, url) = (runtime(), server.url(DATABASE));
    let schemas: Vec<String> = CODES.iter().map(|code| format!("fault_{}", code.to_lowercase())).collect();
    let start = |(code, schema): (&&str, &String)| {
        let config = make(&url, schema);
        runtime.block_on(PostgresStore::migrate(&config)).unwrap();
        install(server, schema);
        Work::start(&runtime, code, &config, PAGES)
    };
    let works: Vec<Work<'_>> = CODES.iter().zip(&schemas).map(start).collect();
    works.iter().for_each(Work::wait_for_documents);
    // Already connected, so that the faults begin at once.
    let switch = runtime.block_on(client(&url));
    let text = |of: &dyn Fn(&str, &str) -> String| -> String {
        CODES.iter().zip(&schemas).map(|(code, schema)| of(code, schema)).collect()
    };
    let begin = text(&|code, schema| format!("INSERT INTO public.{schema}_fault VALUES ('{code}');"));
    let end = text(&|_, schema| format!("DELETE FROM public.{schema}_fault;"));
    runtime.block_on(switch.batch_execute(&begin)).unwrap();
    sleep(lasts);
    let before: Vec<_> = works.iter().map(Work::snapshots).collect();
    runtime.block_on(switch.batch_execute(&end)).unwrap();
    time(&works, &before, Instant::now());
    let log = server.log();
    for code in CODES {
        assert!(log.contains(&format!("a fault of the test: {code}")), "{code} was never raised");
    }
    works.into_iter().for_each(Work::finish);
}

/// A full disk stopped all work for 15 minutes after space was back: 50 leases had to end first.
#[test]
fn work_goes_on_after_faults_that_pass() {
    raise(config, LASTS);
}

#[test]
#[ignore = "takes minutes; CI runs the short form"]
fn work_goes_on_after_long_faults_with_the_terms_of_users() {
    let make = |url: &str, schema: &str| {
        let mut config = PostgresConfig::new(url);
        schema.clone_into(&mut config.schema);
        config
    };
    raise(make, LASTS_LONG);
}

#[test]
fn work_goes_on_after_the_server_was_away() {
    let Some(server) = PgServer::start() else { return };
    let runtime = runtime();
    let config = config(&server.url(DATABASE), "away");
    runtime.block_on(PostgresStore::migrate(&config)).unwrap();
    let works = [Work::start(&runtime, "a server that was away", &config, PAGES)];
    works[0].wait_for_documents();
    server.stop();
    sleep(LASTS);
    server.restart();
    let restarted = Instant::now();
    time(&works, &[works[0].snapshots()], restarted);
    works.into_iter().for_each(Work::finish);
}

/// A file system of a few megabytes in memory.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None`, after a line that says so, if this user may not mount one.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={DISK},mode=0700,uid={NOBODY},gid={NOBODY}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        println!("SKIPPED: only root can mount a small disk; the same fault is raised by a trigger");
        None
    }

    /// Uses all space that is left.
    fn fill(&self) {
        let mut file = File::create(self.0.path().join("filler")).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            let part = vec![0; size];
            while file.write_all(&part).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.0.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Its server has ended, unless the test has failed.
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[test]
fn work_goes_on_after_the_disk_was_full() {
    let Some(disk) = SmallDisk::mount() else { return };
    let Some(server) = PgServer::start() else { return };
    let runtime = runtime();
    let place = disk.0.path().display();
    server.query(DATABASE, &format!("CREATE TABLESPACE small LOCATION '{place}'"));
    server.query(DATABASE, "CREATE DATABASE small TABLESPACE small");
    let config = config(&server.url("small"), "full");
    runtime.block_on(PostgresStore::migrate(&config)).unwrap();
    let works = [Work::start(&runtime, "a full disk", &config, MANY_PAGES)];
    works[0].wait_for_documents();
    disk.fill();
    let begin = Instant::now();
    while !server.log().contains("No space left on device") {
        assert!(begin.elapsed() < PATIENCE, "the disk is never full");
        sleep(PAUSE);
    }
    sleep(LASTS);
    let before = [works[0].snapshots()];
    disk.free();
    time(&works, &before, Instant::now());
    works.into_iter().for_each(Work::finish);
}
