//! A process of the engine: it works on the jobs in the database until its standard input ends.

use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gleaner::{Engine, Network, Resolve};
use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_tests::fakes;
use gleaner_types::BoxFuture;
use serde::{Deserialize, Serialize};

use super::sites;

/// Pages in work at once, of one process.
pub(crate) const CONCURRENCY: u32 = 12;
/// Pages of one host in work at once.
pub(crate) const PLACES: u32 = 3;
/// The term of a process.
pub(crate) const TERM: Duration = Duration::from_secs(2);
/// Milliseconds that a page may take.
pub(crate) const PAGE_TIMEOUT: u64 = 20_000;
/// The environment variables with the folder of the children, and with the number of the child.
const FOLDER: &str = "GLEANER_TEST_FOLDER";
const NUMBER: &str = "GLEANER_TEST_NUMBER";

/// What the children crawl, in a file of their folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) url: String,
    pub(crate) schema: String,
    pub(crate) start: String,
    pub(crate) limit: u64,
    pub(crate) max_depth: Option<u32>,
    pub(crate) delay_millis: Option<u64>,
}

impl Task {
    pub(crate) fn write(&self, folder: &Path) {
        std::fs::write(folder.join("task"), serde_json::to_vec(self).unwrap()).unwrap();
    }

    fn read(folder: &Path) -> Self {
        serde_json::from_slice(&std::fs::read(folder.join("task")).unwrap()).unwrap()
    }

    pub(crate) fn config(&self) -> PostgresConfig {
        config(&self.url, &self.schema)
    }
}

/// The configuration of a store with short terms.
pub(crate) fn config(url: &str, schema: &str) -> PostgresConfig {
    let mut config = PostgresConfig::new(url);
    schema.clone_into(&mut config.schema);
    config.connections = 4;
    config.term = TERM;
    config.heartbeat = Duration::from_millis(200);
    config.poll = Duration::from_millis(50);
    let frontier = &mut config.memory.frontier;
    frontier.max_in_flight = CONCURRENCY;
    (frontier.initial_per_host, frontier.max_per_host) = (PLACES, PLACES);
    config
}

/// The user agent of the child with this number.
pub(crate) fn agent(number: u64) -> String {
    format!("child-{number}")
}

/// Starts the child with this number. The first one starts the crawl.
pub(crate) fn spawn(folder: &Path, number: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "child::child", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(NUMBER, number.to_string());
    let errors = std::fs::File::create(folder.join(agent(number))).unwrap();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors).spawn().unwrap()
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the folder and the number to its child")]
fn child() {
    let (Ok(folder), Ok(number)) = (std::env::var(FOLDER), std::env::var(NUMBER)) else { return };
    let (folder, number) = (PathBuf::from(folder), number.parse().unwrap());
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work(&Task::read(&folder), number));
}

async fn work(task: &Task, number: u64) {
    let engine = engine(PostgresStore::open(task.config()).await.unwrap(), agent(number));
    if number == 0 {
        let mut request = fakes::links_only(&task.start)
            .limit(task.limit)
            .allow_subdomains(true)
            .crawl_entire_domain(true)
            .timeout(PAGE_TIMEOUT);
        request.max_discovery_depth = task.max_depth;
        request.delay = task.delay_millis.map(|millis| Duration::from_millis(millis).as_secs_f64());
        let _id = engine.crawl(request).await.unwrap().detach();
    }
    engine.resume().await;
    let end = tokio::task::spawn_blocking(|| io::stdin().read_to_end(&mut Vec::new()));
    end.await.unwrap().unwrap();
    engine.stop().await;
}

/// An engine that works on the jobs of a store, and may connect to the sites.
pub(crate) fn engine(store: PostgresStore, agent: String) -> Engine {
    Engine::builder()
        .allow_private("127.77.0.0/16".parse().unwrap())
        .network(Network::new().resolver(Arc::new(Names)))
        .user_agent(agent)
        .concurrency(CONCURRENCY)
        .store(Arc::new(store))
        .build()
        .unwrap()
}

/// Resolves `hN.site.test` to the address of the host with this number.
#[derive(Debug)]
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let name = host.trim_end_matches('.').strip_suffix(".site.test");
            let number = name.and_then(|name| name.strip_prefix('h')).and_then(|number| number.parse().ok());
            let number: usize = number.ok_or(io::ErrorKind::NotFound)?;
            Ok(vec![sites::address(number).into()])
        })
    }
}
