//! The engine with a real Chromium. Without one, each test says that it was skipped; with `CI=true`, that is
//! a failure.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code: a broken assumption ends the test, and a skipped test says so"
)]

mod crash;
mod support;
