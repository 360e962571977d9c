//! Behaviour with a real Chromium. Without one, each test says that it was skipped; with `CI=true`, that is a
//! failure.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "code of tests: a broken assumption ends the test"
)]

mod actions;
mod conformance;
mod documents;
mod emulation;
mod escapes;
mod life;
mod pages;
mod refusals;
mod screenshots;
mod support;
