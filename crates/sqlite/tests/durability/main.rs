//! A file survives its process, the power and a full disk.
//!
//! Tests under `strace` say that they are skipped where it is not installed; with `CI=true`, that is a
//! failure.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test"
)]

mod child;
mod conformance;
mod crash;
mod file;
mod full;
mod power;
mod retention;
mod secrets;
