//! The process of a crawl in a file is killed, or its disk fails, and the crawl ends as if nothing had
//! happened.
//!
//! A child crawls a generated site and sends webhooks. The site and the receiver are in this process, and so
//! are the assertions. The tests need `strace`, which kills the child at a call or lets a call fail. Where it
//! is not installed they say that they are skipped; with `CI=true`, that is a failure.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "test code: a broken assumption ends the test, which says what it has tried"
)]

mod child;
mod crash;
mod crawl;
mod events;
mod failures;
mod notes;
