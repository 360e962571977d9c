//! Crawl rules against hostile sites and hostile requests. Each module covers one kind of attack and prints
//! its figures (`cargo test -p gleaner-tests --test rules -- --nocapture`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "test code: a broken assumption ends the test, and figures are printed"
)]

mod aliases;
mod escape;
mod links;
mod patterns;
mod robots;
mod selectors;
mod sitemaps;
mod support;
mod traps;
mod xml;
