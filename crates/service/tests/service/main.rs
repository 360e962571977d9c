//! The job side of the contract, over scripted ports and in virtual time.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "code of tests: a broken assumption ends the test"
)]

mod accounts; // reservation, overrun, settlement, limits
mod activity; // what stays of jobs, and who may read it
mod batch; // append, idempotency, teams, cancel, activity
mod extract; // extract jobs and change tracking
mod histories; // laws over random histories of jobs
mod limits; // of jobs, queues and errands, and requests that are repeated or given up
mod outages; // receivers of webhooks that are down for long
mod reading; // what is read off pages after their transform
mod scrapes; // one document by its id
mod shares; // bounds that teams share, with one of them at its worst
mod status; // paging, long poll, watching
mod support;
mod webhooks; // order, retries, signature, receivers that fail
