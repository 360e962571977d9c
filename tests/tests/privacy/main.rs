//! What is told and kept besides the answers: nothing of a job with zero data retention, and nobody's secrets.
//!
//! In a process of their own, since these tests listen to all of the log, at the finest level. Run with `--nocapture` to
//! read the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test"
)]

mod log;
mod pages; // nothing of silent pages in the log
mod retention; // nothing of silent pages in any cache, file or history
mod secrets; // a canary in each slot for a secret
mod wire;
