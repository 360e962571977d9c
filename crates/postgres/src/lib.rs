//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

mod failure;
mod job_row;
mod listing;
mod operation;
mod units;

pub use listing::{JobList, ListedJob};
