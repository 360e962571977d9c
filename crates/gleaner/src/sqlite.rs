//! Jobs that survive the process: a durable store in one file.
//!
//! With [`EngineBuilder::store_at`], a job goes on after its process has ended, also by `kill -9` or a power
//! failure. What the engine has reported is not lost: no document, no count, no event of a webhook. Pages
//! that were in work are fetched again, and no document is stored twice.
//!
//! ```
//! use gleaner::{CrawlRequest, Engine};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("jobs.db");
//! # let site = gleaner_testkit::Site::generate(gleaner_testkit::SiteSpec::pages(20)).serve()?;
//! # let url = site.url("/");
//! // The site of this example is on loopback, which is refused by default.
//! let loopback = "127.0.0.0/8".parse()?;
//! let engine = Engine::builder().allow_private(loopback).store_at(&file).build()?;
//! let mut job = engine.crawl(CrawlRequest::new(&url)).await?;
//! job.next().await.transpose()?;
//! let id = job.detach();
//! engine.stop().await;
//! drop(engine);
//!
//! // Later, in this or in another process: the job goes on by itself.
//! let engine = Engine::builder().allow_private(loopback).store_at(&file).build()?;
//! let end = engine.job(id).await?.wait().await?;
//! assert_eq!(end.documents.len(), 20);
//! # Ok(())
//! # }
//! ```
//!
//! # What is in the file
//!
//! URLs, documents, events, counts and results. Beside it lie `FILE-wal` and `FILE-shm` of SQLite,
//! `FILE-lock`, which names the process that writes, and the folder `FILE-secrets` with what may be secret:
//! the requests of running jobs with their headers, their cookies, and the webhooks. The secrets of a job go
//! with its end, and its webhook with its last event. On Unix only the user of the process may read these
//! files; elsewhere they have the permissions of their folder.
//!
//! # What is not kept
//!
//! - A job with zero data retention, except for its counts if it belongs to a team: in the next process it
//!   has failed with the reason.
//! - A single scrape or map in work, and the URLs that a crawl was to explain.
//! - The pace and the robots.txt of hosts, and endless families of URLs, which are learned again.
//! - Cookies that changed within a second after others were stored, if the process is killed.
//!
//! A job needs the parts of the engine that its options need: without the browser or the model that its first
//! process had, it fails with the reason, and its documents stay.
//!
//! # Other processes
//!
//! One engine writes at a time; another one, in this or in another process, gets an error with
//! [`is_store_busy`](crate::Error::is_store_busy), whose text says which of the two. Any number may read with a
//! [`Reader`].
//!
//! When the last clone of an engine and its last [`Job`](crate::Job) are dropped, the file is closed before
//! the drop returns, which blocks the thread for one commit. So the file can be opened again at once, also
//! without [`Engine::stop`](crate::Engine::stop); pages in work are then fetched again. A drop on another
//! thread is waited for, for up to 10 seconds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gleaner_sqlite::{FileConfig, open_store};
#[doc(inline)]
pub use gleaner_sqlite::{Finding, JobProgress, JobRecord, Reader, set_label};
#[doc(inline)]
pub use gleaner_store::{Error as StoreError, ErrorKind as StoreErrorKind, ReadBound};
use gleaner_store::{MemoryConfig, MemoryStore, Store};

use crate::{EngineBuilder, Storage};

/// The settings of a builder for the file of jobs.
#[derive(Debug, Default)]
pub(crate) struct FileSettings {
    path: Option<PathBuf>,
    max_bytes: Option<u64>,
}

impl FileSettings {
    /// Whether jobs are stored in a file.
    pub(crate) fn is_set(&self) -> bool {
        self.path.is_some()
    }

    /// Sets the maximum size of the file, if one is given.
    pub(crate) fn set_bound(&mut self, bytes: Option<u64>) {
        self.max_bytes = bytes.or(self.max_bytes);
    }

    /// Opens the store: in the file, or in memory if none is set.
    pub(crate) fn open(self, memory: MemoryConfig, now: Duration) -> Result<Arc<dyn Store>, crate::Error> {
        let Some(path) = self.path else { return Ok(Arc::new(MemoryStore::new(memory))) };
        let (store, _) = open_store(path, &FileConfig { max_bytes: self.max_bytes }, memory, now)?;
        Ok(Arc::new(store))
    }
}

/// Jobs in a file.
impl EngineBuilder {
    /// Stores jobs in this file, so that they survive the process: see [`sqlite`](crate::sqlite). The file is
    /// created if it does not exist. Default: jobs are in memory and end with the process.
    ///
    /// While the engine exists, its process must not open the file by other means than this library: on Unix,
    /// closing it releases the locks that protect it from other programs.
    ///
    /// [`build`](Self::build) opens the file and reads what waits in it, which blocks the thread, longer the
    /// more pages wait. Jobs of an earlier process then go on.
    ///
    /// Crawls and batches keep their documents until they expire
    /// ([`result_retention`](Storage::result_retention)) or are removed: [`Engine::job`](crate::Engine::job)
    /// reads them from the first one. Dropping the handle of
    /// [`Engine::crawl`](crate::Engine::crawl) still removes the job; [`Job::detach`](crate::Job::detach)
    /// keeps it.
    #[must_use]
    pub fn store_at(mut self, path: impl Into<PathBuf>) -> Self {
        self.file.path = Some(path.into());
        self
    }
}

/// Jobs in a file.
impl Storage {
    /// Sets the maximum size of the file of jobs in bytes. Default: none. At this size, or when the disk is
    /// full, no more pages are fetched, new jobs are refused, and jobs wait. They go on when there is space,
    /// and lose nothing. The log of SQLite and the secrets are not counted, and deleting may exceed the size
    /// by 32 MiB. To change it, open the file again.
    #[must_use]
    pub fn store_bound(mut self, bytes: u64) -> Self {
        self.store_bound = Some(bytes);
        self
    }
}
