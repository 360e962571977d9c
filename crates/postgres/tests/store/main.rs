//! The store on a real server: the suites of every store, and several stores on one database.
//!
//! Without an installed PostgreSQL the tests say that they are skipped; with `CI=true`, that is a failure.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "test code: a broken assumption ends the test, which says what it has tried"
)]

mod connections;
mod depth;
mod documents;
mod events;
mod graph;
mod hosts;
mod jobs;
mod limits;
mod pooler;
mod random;
mod simulation;
mod suites;
mod term;
mod work;
mod world;
