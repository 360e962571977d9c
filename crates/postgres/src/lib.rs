//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

mod failure;
mod inner;
mod job_row;
mod local;
mod operation;
mod units;
