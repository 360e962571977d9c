//! A server, and stores with schemas in its database.

use std::time::{Duration, SystemTime};

use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_testkit::{Bouncer, CutProxy, PgServer};
use tokio_postgres::{Client, NoTls};

/// Wait at most this long for what other tasks and processes do.
const PATIENCE: Duration = Duration::from_secs(30);

/// The database of the tests, in which each test has schemas of its own.
const DATABASE: &str = "postgres";

/// A server.
pub(crate) struct World {
    pub(crate) url: String,
    pub(crate) port: u16,
}

impl World {
    /// The server of this program; `None` if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        PgServer::shared().map(Self::of)
    }

    /// A server that the test may stop.
    pub(crate) fn of(server: &PgServer) -> Self {
        Self { url: server.url(DATABASE), port: server.port() }
    }

    /// A proxy before the server, and the address of the database through it.
    pub(crate) fn proxy(&self) -> (CutProxy, String) {
        let proxy = CutProxy::start(self.port);
        let url = proxy.url(DATABASE);
        (proxy, url)
    }

    /// The address of the database through a pooler in transaction mode; `None` if there is none.
    pub(crate) fn bouncer(&self) -> Option<(Bouncer, String)> {
        let bouncer = Bouncer::start(PgServer::shared()?)?;
        let url = bouncer.url(DATABASE);
        Some((bouncer, url))
    }

    /// The configuration of a store with short terms in this schema.
    pub(crate) fn config(&self, schema: &str) -> PostgresConfig {
        config_at(&self.url, schema)
    }

    /// `N` stores in this new schema, as `N` processes have them.
    pub(crate) async fn stores<const N: usize>(&self, schema: &str) -> [PostgresStore; N] {
        open_stores(&self.config(schema)).await
    }

    /// A connection for questions to the tables.
    pub(crate) async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
        // It ends with the client, or with the server.
        tokio::spawn(async { drop(connection.await) });
        client
    }
}

/// `N` stores in the new schema of this configuration.
pub(crate) async fn open_stores<const N: usize>(config: &PostgresConfig) -> [PostgresStore; N] {
    PostgresStore::migrate(config).await.unwrap();
    let mut stores = Vec::new();
    for _ in 0..N {
        stores.push(PostgresStore::open(config.clone()).await.unwrap());
    }
    stores.try_into().unwrap()
}

pub(crate) fn config_at(url: &str, schema: &str) -> PostgresConfig {
    let mut config = PostgresConfig::new(url);
    schema.clone_into(&mut config.schema);
    config.connections = 3;
    config.term = Duration::from_secs(2);
    config.heartbeat = Duration::from_millis(200);
    config.poll = Duration::from_millis(25);
    config
}

/// The time now, since the Unix epoch.
pub(crate) fn now() -> Duration {
    SystemTime::UNIX_EPOCH.elapsed().unwrap()
}

/// Gives way to other tasks and processes for a moment.
pub(crate) async fn moment() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Waits until something has happened.
pub(crate) async fn eventually<T>(what: &str, mut happened: impl AsyncFnMut() -> Option<T>) -> T {
    let begin = std::time::Instant::now();
    loop {
        if let Some(found) = happened().await {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "it never happened: {what}");
        moment().await;
    }
}
