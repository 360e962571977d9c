//! Many processes, one queue: a store of jobs in a PostgreSQL database.
//!
//! With [`EngineBuilder::store_in_database`], any number of processes on any number of machines work on the
//! same jobs. Each job can be started, read, paused and cancelled through each of them. One process at a time
//! fetches the pages of a host, so its pace holds over all of them. Limits and credits are exact. If a
//! process ends, the others go on with its pages: no document is lost or stored twice.
//!
//! Give all processes of a database the same options. Each one works on pages of all jobs and delivers events
//! of all jobs, so they need the same network, browser, model, accounts and webhook secret.
//!
//! ```no_run
//! use gleaner::{CrawlRequest, Engine, postgres};
//!
//! # async fn start() -> Result<(), Box<dyn std::error::Error>> {
//! let config = postgres::PostgresConfig::new("postgresql://gleaner:PASSWORD@db.example/gleaner");
//! // Once, and with each new version that asks for it: creates or changes the tables.
//! postgres::migrate(&config).await?;
//!
//! // In each process:
//! let engine = Engine::builder().store_in_database(config).build_async().await?;
//! let job = engine.crawl(CrawlRequest::new("https://example.com/")).await?.detach();
//! // A process that ends in order finishes its pages in work, and gives its hosts to the others at once.
//! engine.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What is in the database
//!
//! Everything that the [store of one process](crate::EngineBuilder::store) has: URLs, documents, events,
//! counts, requests with their headers, cookies, and the addresses and secrets of webhooks. Whoever can read
//! the schema can read them.
//!
//! # What is not in it
//!
//! - A job with zero data retention, a single scrape and a map run in the process that got the request, and
//!   end with it. Their credits are settled as those of other jobs.
//! - The pace of requests without a lease: those of these jobs, and redirects to another host with its
//!   robots.txt. They keep to what their own process knows about the host.
//! - The number of tries of a page, and what was learned about crawler traps. Both begin again in the process
//!   that takes over the host.
//! - robots.txt and cached pages. Each process reads them itself.
//!
//! # If the database is away
//!
//! Operations wait for it, at most for [`patience`](PostgresConfig::patience). A process that cannot renew
//! its [`term`](PostgresConfig::term) stops its requests before another one may take over its hosts. Work
//! goes on by itself when the database is back.

use std::sync::Arc;
use std::time::Duration;

#[doc(inline)]
pub use gleaner_postgres::{JobList, ListedJob, PostgresConfig, PostgresStore, Stats};
use gleaner_runtime::Executor;
use gleaner_store::MemoryConfig;
#[doc(inline)]
pub use gleaner_store::{ReadBound, Store};
use tokio::runtime::RuntimeFlavor;

use crate::{EngineBuilder, Error};

/// Creates the tables, or changes those of an earlier version. Processes of the earlier version go on
/// working, unless the notes of the release say otherwise. It runs in the tokio runtime of its caller.
///
/// # Errors
/// [`Store`](crate::ErrorKind::Store) if the database cannot be reached or changed, or if this version does
/// not work with tables that a later one made.
pub async fn migrate(config: &PostgresConfig) -> Result<(), Error> {
    Ok(PostgresStore::migrate(config).await?)
}

/// The settings of a builder for the database of jobs.
#[derive(Debug, Default)]
pub(crate) struct DatabaseSettings {
    config: Option<PostgresConfig>,
}

impl DatabaseSettings {
    /// Whether jobs are stored in a database.
    pub(crate) fn is_set(&self) -> bool {
        self.config.is_some()
    }

    /// Opens the store, if a database is set.
    pub(crate) async fn open(
        self,
        memory: MemoryConfig,
        retention: Option<Duration>,
    ) -> Result<Option<Arc<dyn Store>>, Error> {
        let Some(mut config) = self.config else { return Ok(None) };
        config.retention = retention.unwrap_or(config.retention);
        config.memory = memory;
        Ok(Some(Arc::new(PostgresStore::open(config).await?)))
    }

    /// Like [`open`](Self::open), in this runtime, and blocks the thread.
    pub(crate) fn open_blocking(
        self,
        memory: MemoryConfig,
        retention: Option<Duration>,
        executor: &Executor,
    ) -> Result<Option<Arc<dyn Store>>, Error> {
        if !self.is_set() {
            return Ok(None);
        }
        let handle = executor.handle()?;
        // The only thread of a runtime must not wait for its own work.
        if handle.runtime_flavor() == RuntimeFlavor::CurrentThread {
            return Err(Error::configuration(
                "a database is opened in a tokio runtime of several threads: give the engine one, or build \
                 it with `build_async`",
            ));
        }
        // A thread of a runtime may not wait for a future; another one may.
        let open = || handle.block_on(executor.run(self.open(memory, retention)));
        match std::thread::scope(|scope| scope.spawn(open).join()) {
            Ok(opened) => opened,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Jobs in a database.
impl EngineBuilder {
    /// Stores jobs in the PostgreSQL database with this URL, such as
    /// `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`: see [`postgres`](crate::postgres). Any number of
    /// processes may share it. Its tables must exist ([`migrate`]). Default: jobs are in memory and end with
    /// the process.
    ///
    /// [`build_async`](Self::build_async) connects and then takes part in all jobs of the database.
    /// [`build`](Self::build) does the same and blocks the thread. It needs a tokio runtime with several
    /// threads, as the engine's own is.
    ///
    /// Crawls and batches keep their documents until they expire
    /// ([`result_retention`](crate::Storage::result_retention)) or are removed:
    /// [`Engine::job`](crate::Engine::job) reads them from the first one, in each process. Dropping the handle of
    /// [`Engine::crawl`](crate::Engine::crawl) removes the job; [`Job::detach`](crate::Job::detach) keeps it.
    ///
    /// A [`PostgresConfig`] in place of the URL has more settings. The limits of this builder replace
    /// [`PostgresConfig::memory`], and [`result_retention`](crate::Storage::result_retention), if it is set,
    /// replaces [`PostgresConfig::retention`].
    #[must_use]
    pub fn store_in_database(mut self, config: impl Into<PostgresConfig>) -> Self {
        self.database.config = Some(config.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::MemoryStore;

    use super::*;
    use crate::{Engine, ErrorKind};

    const URL: &str = "postgresql://gleaner:geheim@127.0.0.1:1/gleaner";

    #[test]
    fn a_database_is_the_only_store_and_is_not_awaited_by_the_only_thread_of_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let two = Engine::builder().store(Arc::new(MemoryStore::default())).store_in_database(URL);
        let alone = Engine::builder().on_runtime(runtime.handle().clone()).store_in_database(URL);
        for (builder, expected) in [(two, "there are two stores"), (alone, "of several threads")] {
            assert!(!format!("{builder:?}").contains("geheim"));
            let error = builder.build().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
