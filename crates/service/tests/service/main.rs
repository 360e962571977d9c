//! Tests of the job service over fake ports, in virtual time.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a broken assumption ends the test"
)]

mod accounts; // reservations, overruns, settlement, limits
mod activity; // the activity log and who may read it
mod batch; // append, idempotency, teams, cancel, activity
mod extract; // extract jobs and change tracking
mod fairness; // limits that teams share, with one team at its worst
mod limits; // limits of jobs, queues and lookups; repeated and abandoned requests
mod outages; // webhook receivers that are down for long
mod page_reading; // extraction from pages after their transform
mod processes; // services of successive processes over one journal
mod properties; // property tests over random histories of jobs
mod restart; // what goes on after a crash: credits, extract jobs, webhooks, the activity log
mod scrapes; // documents by the id of their scrape
mod status; // paging, long poll, watching
mod support;
mod webhooks; // order, retries, signatures, failing receivers
