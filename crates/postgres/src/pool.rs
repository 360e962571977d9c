//! Connections to the server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::counters::Counters;
use crate::failure::Failure;
use crate::transaction::in_time;

/// A few connections. One that is taken comes back only when its user says that no transaction is open;
/// otherwise it is closed, also when the future of its user is dropped.
pub(crate) struct Pool {
    options: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    /// Time limit for opening a connection.
    limit: Duration,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
    counters: Arc<Counters>,
}

pub(crate) struct Connection {
    pub(crate) client: Client,
    /// The last operation that was committed on it. Its marker is still in the database.
    pub(crate) marker: Option<i64>,
    task: JoinHandle<()>,
}

impl Pool {
    pub(crate) fn new(
        options: tokio_postgres::Config,
        tls: MakeRustlsConnect,
        connections: usize,
        limit: Duration,
        counters: Arc<Counters>,
    ) -> Self {
        let permits = Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS));
        Self { options, tls, limit, permits, idle: Mutex::default(), counters }
    }

    /// An idle connection, or a new one. It waits while all are in use.
    pub(crate) async fn take(&self) -> Result<Pooled<'_>, Failure> {
        // The semaphore is never closed.
        let Ok(permit) = self.permits.acquire().await else { return Err(Failure::Silent) };
        let connection = match self.idle_connection() {
            Some(connection) => connection,
            None => self.open().await?,
        };
        Ok(Pooled { pool: self, connection: Some(connection), _permit: permit })
    }

    fn idle_connection(&self) -> Option<Connection> {
        let mut idle = self.idle();
        std::iter::from_fn(|| idle.pop()).find(|connection| !connection.client.is_closed())
    }

    async fn open(&self) -> Result<Connection, Failure> {
        let (client, driver) = in_time(self.limit, self.options.connect(self.tls.clone())).await?;
        self.counters.add_connection();
        let task = tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to PostgreSQL has ended");
            }
        });
        Ok(Connection { client, marker: None, task })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is in use.
pub(crate) struct Pooled<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
    _permit: SemaphorePermit<'a>,
}

impl Pooled<'_> {
    /// The connection, until it is given back.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, Failure> {
        self.connection.as_mut().ok_or(Failure::Silent)
    }

    /// Keeps the connection for the next user. No transaction is open on it.
    pub(crate) fn give_back(mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.idle().push(connection);
        }
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            // It may wait for an answer that never comes. The server rolls its transaction back.
            connection.task.abort();
        }
    }
}
