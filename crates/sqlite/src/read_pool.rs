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
    places: Arc<Semaphore>,
}

impl ReadPool {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default(), places: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connections that are not in use, and the others after their read.
    pub(crate) fn close(&self) {
        self.places.close();
        self.idle().clear();
    }

    /// Reads on a thread for blocking work.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ended = |text: &str| Error::new(ErrorKind::Io, format!("the file could not be read: {text}"));
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| ended("the store is closed"))?;
        let pool = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || {
            // The read goes on if nobody waits for it any more.
            let _place = place;
            let idle = pool.idle().pop();
            let connection = match idle {
                Some(connection) => connection,
                None => connection::reader(&pool.path)?,
            };
            let result = work(&connection)?;
            // After an error the next read opens the file again.
            let mut idle = pool.idle();
            if !pool.places.is_closed() {
                idle.push(connection);
            }
            Ok(result)
        });
        read.await.unwrap_or_else(|error| Err(ended(&error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::files;

    #[tokio::test]
    async fn a_read_that_nobody_waits_for_keeps_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        files::create(&path).unwrap();
        let pool = Arc::new(ReadPool::new(&path));
        let (started, starts) = mpsc::channel();
        let mut ends = Vec::new();
        for _ in 0..CONNECTIONS {
            let (end, ended) = mpsc::channel::<()>();
            ends.push(end);
            let (pool, started) = (Arc::clone(&pool), started.clone());
            let reader = tokio::spawn(async move {
                let work = pool.read(move |_| {
                    started.send(()).unwrap();
                    // Until the other end is dropped.
                    let _ = ended.recv();
                    Ok(())
                });
                work.await
            });
            while starts.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            reader.abort();
            assert!(reader.await.unwrap_err().is_cancelled());
        }
        assert_eq!(pool.places.available_permits(), 0);
        drop(ends);
        pool.read(|_| Ok(())).await.unwrap();
        let _all = pool.places.acquire_many(CONNECTIONS as u32).await.unwrap();
        let idle = pool.idle().len();
        assert!((1..=CONNECTIONS).contains(&idle), "{idle} connections are kept");
        pool.close();
        assert_eq!(pool.idle().len(), 0);
        pool.read(|_| Ok(())).await.unwrap_err();
    }
}
