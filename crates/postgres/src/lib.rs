//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

mod blocking;
mod documents;
mod address;
mod config;
mod counters;
mod database;
mod failure;
mod failures;
mod histories;
mod job_row;
mod migrate;
mod listing;
mod operation;
mod outbox;
mod packed;
mod scrapes;
mod text;
mod patience;
mod pool;
mod sql;
mod stats;
mod tls;
mod transaction;
mod queue;
mod units;

pub use config::PostgresConfig;
pub use counters::DatabaseCounts;
pub use stats::{Stats, WorkerStats};
pub use listing::{JobList, ListedJob};
