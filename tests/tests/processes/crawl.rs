//! A crawl through many processes, and what must be true at its end.

use std::collections::BTreeSet;
use std::time::Duration;

use gleaner_postgres::PostgresStore;
use gleaner_store::{JobSnapshot, ReadBound, Store as _};
use gleaner_testkit::{CutProxy, PgServer, scattered};
use gleaner_types::{JobId, JobState};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};
use url::Url;
use uuid::Uuid;

use super::check;
use super::child::{CONCURRENCY, PLACES, Task, config};
use super::disturb::Processes;
use super::graph::Graph;
use super::sites::Sites;

/// One in this many commits is cut off from its answer.
const COMMITS_PER_CUT: u64 = 50;

/// The database of the crawls, in which each has a schema of its own.
pub(crate) const DATABASE: &str = "postgres";

/// A crawl, and how it is disturbed.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) pages: usize,
    pub(crate) hosts: usize,
    pub(crate) processes: usize,
    pub(crate) limit: u64,
    pub(crate) max_depth: Option<u32>,
    pub(crate) delay_millis: Option<u64>,
    /// Number of disturbances, beside the commits that are cut off.
    pub(crate) disturbances: u64,
}

/// A crawl that runs.
pub(crate) struct Crawl<'s> {
    plan: Plan,
    server: &'s PgServer,
    proxy: CutProxy,
    graph: Graph,
    sites: Sites,
    processes: Processes,
    schema: String,
    runtime: Runtime,
    _folder: TempDir,
}

impl<'s> Crawl<'s> {
    /// Starts the first process, which starts the crawl.
    pub(crate) fn start(server: &'s PgServer, plan: Plan) -> Self {
        println!("{plan:?}");
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let schema = format!("crawl_{}_{}", plan.pages, plan.seed);
        runtime.block_on(PostgresStore::migrate(&config(&server.url(DATABASE), &schema))).unwrap();
        let graph = Graph::new(plan.seed, plan.pages, plan.hosts);
        let sites = Sites::start(graph.clone(), plan.hosts);
        let proxy = CutProxy::start(server.port());
        let folder = tempfile::tempdir().unwrap();
        let task = Task {
            url: proxy.url(DATABASE),
            schema: schema.clone(),
            start: graph.url(0, sites.port),
            limit: plan.limit,
            max_depth: plan.max_depth,
            delay_millis: plan.delay_millis,
        };
        task.write(folder.path());
        let mut processes = Processes::new(folder.path().to_owned());
        processes.spawn();
        Self { plan, server, proxy, graph, sites, processes, schema, runtime, _folder: folder }
    }

    /// Runs the crawl to its end, and checks it.
    pub(crate) fn run(mut self) {
        let id = self.job();
        self.proxy.cut_commit_every(COMMITS_PER_CUT);
        for _ in 1..self.plan.processes {
            self.processes.spawn();
        }
        let mut store = self.open();
        let expected = self.graph.within(self.plan.max_depth);
        let documents = expected.len().min(usize::try_from(self.plan.limit).unwrap_or(usize::MAX));
        let mut done = 0;
        let end = loop {
            std::thread::sleep(Duration::from_millis(20));
            self.processes.resume(self.sites.now());
            self.processes.check();
            let snapshot = self.runtime.block_on(store.snapshot(id)).unwrap();
            assert!(snapshot.completed <= documents as u64, "{snapshot:?}");
            if snapshot.state != JobState::Scraping {
                break snapshot;
            }
            // Spread over the crawl, so that each of them has pages in work.
            let due = snapshot.completed * (self.plan.disturbances + 1) / documents as u64;
            if done < due.min(self.plan.disturbances) {
                let number = scattered(self.plan.seed * 1_009 + done, 1_000);
                self.processes.disturb(number, self.server, &self.proxy, &self.sites);
                done += 1;
                // After a restart of the server too, a new process reads what an old one has stored.
                store = self.open();
            }
        };
        assert!(2 * done > self.plan.disturbances, "the crawl was disturbed {done} times");
        let cuts = self.proxy.cuts();
        self.processes.end(self.sites.now());
        self.check(&store, &end, &expected, documents);
        println!("  {} kills, {cuts} cuts", self.processes.kills);
        self.runtime.block_on(async {
            drop(store);
            let drop_schema = format!("DROP SCHEMA {} CASCADE", self.schema);
            client(&self.server.url(DATABASE)).await.batch_execute(&drop_schema).await.unwrap();
        });
    }

    fn open(&self) -> PostgresStore {
        self.runtime.block_on(PostgresStore::open(config(&self.server.url(DATABASE), &self.schema))).unwrap()
    }

    /// The job, as soon as it is there.
    fn job(&mut self) -> JobId {
        let text = format!("SELECT id FROM {}.job", self.schema);
        let client = self.runtime.block_on(client(&self.server.url(DATABASE)));
        loop {
            let rows = self.runtime.block_on(client.query(&text, &[])).unwrap();
            if let [row] = &*rows {
                return JobId::from_uuid(row.get::<_, Uuid>(0));
            }
            assert!(rows.is_empty(), "the crawl was started twice");
            self.processes.check();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn check(&self, store: &PostgresStore, end: &JobSnapshot, expected: &BTreeSet<usize>, documents: usize) {
        let count = documents as u64;
        assert_eq!(end.state, JobState::Completed, "{end:?}");
        assert_eq!((end.completed, end.failed, end.total), (count, 0, count), "{end:?}");
        assert_eq!(end.credits_used, count, "{end:?}");
        let found = self.runtime.block_on(read(store, end.id));
        let pages: BTreeSet<usize> = found.iter().copied().collect();
        assert_eq!((found.len(), pages.len()), (documents, documents), "documents lost, or there twice");
        assert!(pages.is_subset(expected), "pages that are too deep: {:?}", pages.difference(expected));
        let visits = self.sites.visits();
        let gap = Duration::from_millis(self.plan.delay_millis.unwrap_or_default());
        let places = if gap.is_zero() { PLACES as usize } else { 1 };
        let late = check::politeness(&visits, places, gap, &self.processes.resumed);
        // A process that is killed, or loses its term, loses its pages in work.
        let Processes { kills, lost_terms, resumed, .. } = &self.processes;
        let lost = kills + lost_terms + resumed.len() as u64;
        let repeats = check::repeats(&visits, lost * u64::from(CONCURRENCY));
        println!("  {documents} documents, {repeats} pages requested again, {late} late requests");
    }
}

/// The numbers of the pages with a document, in the order of the documents.
pub(crate) async fn read(store: &PostgresStore, job: JobId) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    loop {
        let slice = store.read(job, from, ReadBound::default()).await.unwrap();
        from = slice.next;
        found.extend(slice.documents.into_iter().map(|document| {
            let url = Url::parse(document.metadata.source_url.as_deref().unwrap()).unwrap();
            url.path().trim_start_matches('/').parse::<usize>().unwrap()
        }));
        if slice.end {
            return found;
        }
    }
}

pub(crate) async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    // It ends with the client, or with the server.
    tokio::spawn(async { drop(connection.await) });
    client
}
