//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

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
