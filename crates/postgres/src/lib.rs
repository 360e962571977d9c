//! The store of gleaner for many processes: one PostgreSQL, without a coordinator or a second queue.

mod blocking;
mod documents;
mod failure;
mod failures;
mod histories;
mod job_row;
mod operation;
mod outbox;
mod packed;
mod scrapes;
mod text;
mod units;
