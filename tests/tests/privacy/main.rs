//! Logs, files, caches and debug output: they contain nothing of jobs with zero data retention, and no
//! secrets.
//!
//! These tests have their own process, because they record the whole log at trace level. Run with
//! `--nocapture` to see the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption ends the test"
)]

#[cfg(unix)]
mod durable; // nor in the files of a durable store
mod log;
mod pages; // pages with zero data retention are not in the log
mod retention; // nor in any cache, file or change history
mod secrets; // a canary in each place for a secret
mod wire;
