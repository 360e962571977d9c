//! Connections that read for the journal, off the threads of the async runtime.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_store::{Error, ErrorKind};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::connection;

/// Maximum number of reads at a time.
const CONNECTIONS: usize = 2;

/// Opens connections when they are needed, and keeps them.
#[derive(Debug)]
pub(crate) struct ReadPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
}

impl ReadPool {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default(), places: Semaphore::new(CONNECTIONS) }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connections that are not in use.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    /// Reads on a thread for blocking work.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ended = |text: &str| Error::new(ErrorKind::Io, format!("the file could not be read: {text}"));
        let _place = self.places.acquire().await.map_err(|_| ended("the store is closed"))?;
        let pool = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || {
            let idle = pool.idle().pop();
            let connection = match idle {
                Some(connection) => connection,
                None => connection::reader(&pool.path)?,
            };
            let result = work(&connection)?;
            // After an error the next read opens the file again.
            pool.idle().push(connection);
            Ok(result)
        });
        read.await.unwrap_or_else(|error| Err(ended(&error.to_string())))
    }
}
