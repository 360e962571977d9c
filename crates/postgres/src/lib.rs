//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.
//!
//! Each process opens a [`PostgresStore`] of the same database, and becomes a *worker* with a *term*, which it
//! renews. In its term it *holds* hosts: it alone leases their pages. What several workers use together, they
//! hold in *shares*: *tokens*, each of which is a document that a job may still give, and *slots*, each of
//! which is a page in work of a job or a team. When a term has ended, nothing of it is committed, and another
//! worker frees its hosts and shares.
//!
//! Waiting pages are in *blocks*, each of one job on one host. A worker loads blocks of the hosts that it
//! holds into its own queue.
//!
//! ```no_run
//! use gleaner_postgres::{PostgresConfig, PostgresStore};
//!
//! # async fn open() -> Result<(), gleaner_store::Error> {
//! let config = PostgresConfig::new("postgresql://gleaner:PASSWORD@db.example/gleaner");
//! // Once for each version: creates or changes the tables.
//! PostgresStore::migrate(&config).await?;
//! let store = PostgresStore::open(config).await?;
//! assert!(!store.stats().await?.workers.is_empty());
//! # Ok(())
//! # }
//! ```

mod address;
mod blocking;
mod config;
mod counters;
mod database;
mod documents;
mod failure;
mod failures;
mod histories;
mod inner;
mod job_form;
mod job_row;
mod job_rules;
mod jobs;
mod listing;
mod local;
mod migrate;
mod operation;
mod outbox;
mod packed;
mod patience;
mod pool;
mod queue;
mod scrapes;
mod sql;
mod stats;
mod store;
mod text;
mod tls;
mod transaction;
mod units;

pub use config::PostgresConfig;
pub use counters::DatabaseCounts;
pub use listing::{JobList, ListedJob};
pub use stats::{Stats, WorkerStats};
pub use store::PostgresStore;
