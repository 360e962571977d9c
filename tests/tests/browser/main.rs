//! The engine with a real Chromium. Without one, each test says that it was skipped; with `CI=true`, that is
//! a failure.
#![expect(clippy::unwrap_used, reason = "test code: a broken assumption ends the test")]

mod crash;
#[path = "../support/chromium.rs"]
mod installed;
mod oracle;
