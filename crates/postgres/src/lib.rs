//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

mod address;
mod config;
mod counters;
mod database;
mod failure;
mod job_row;
mod migrate;
mod operation;
mod patience;
mod pool;
mod sql;
mod stats;
mod tls;
mod transaction;
mod units;

pub use config::PostgresConfig;
pub use counters::DatabaseCounts;
pub use stats::{Stats, WorkerStats};
