//! The store through PgBouncer in transaction mode. Without it, the test says that it is skipped.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gleaner_postgres::PostgresStore;
use gleaner_store::Store as _;
use gleaner_testkit::{KilledOnDrop, unused_port};
use gleaner_types::JobState;
use tempfile::TempDir;
use tokio_postgres::NoTls;
use url::Url;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, config_at, eventually, now};

const PROGRAM: &str = "/usr/sbin/pgbouncer";
/// It refuses to run as root.
const USER: &str = "nobody";

/// A PgBouncer with two connections to the server.
struct Pooler {
    url: String,
    _process: KilledOnDrop,
    _folder: TempDir,
}

impl Pooler {
    fn start(server: &str) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            println!("skipped: {PROGRAM} is not installed");
            return None;
        }
        let server = Url::parse(server).unwrap();
        let (folder, port) = (tempfile::tempdir().unwrap(), unused_port().unwrap());
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let (host, user) = (server.host_str().unwrap(), server.username());
        let database = server.path().trim_start_matches('/');
        let settings = format!(
            "[databases]\n{database} = host={host} port={} user={user} password='{}'\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100\n",
            server.port().unwrap_or(5432),
            server.password().unwrap_or_default(),
        );
        let file = folder.path().join("pgbouncer.ini");
        std::fs::write(&file, settings).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let mut command = Command::new(PROGRAM);
        command.args(["-q", "-u", USER]).arg(&file);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = server;
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(port)).unwrap();
        Some(Self { url: url.into(), _process: KilledOnDrop(process), _folder: folder })
    }
}

#[tokio::test]
async fn stores_work_through_a_pooler_in_transaction_mode() {
    let Some(world) = World::start() else { return };
    let Some(pooler) = Pooler::start(&world.server.url()) else { return };
    eventually("the pooler answers", async || tokio_postgres::connect(&pooler.url, NoTls).await.ok()).await;
    let config = config_at(&pooler.url, "pooled");
    PostgresStore::migrate(&config).await.unwrap();
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(PostgresStore::open(config.clone()).await.unwrap());
    }
    let graph = Graph::random(&mut Random::new(4), 150, 8);
    let submitted = job(1, u64::MAX, graph.pages(0..8));
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 4);
    let end = workers.run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed, workers.accepted), (JobState::Completed, 150, 150));
    assert_eq!(documents(&stores[2], id).await.len(), 150);
}
