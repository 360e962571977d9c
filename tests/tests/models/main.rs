//! Language models and web search over real HTTP: fakes of the four wire dialects, and services that mean harm.
//!
//! Run with `--nocapture` to read the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test, and figures are printed"
)]

mod support;

mod dialects; // what is sent, and what is read
mod engine; // the whole engine with a model and a search engine
mod failures; // refusals, limits, broken replies; row 34
mod search; // SearXNG
mod secrets; // keys in logs, errors and `Debug`
mod steering; // row 15: who says where the model is
