//! The rules of a crawl under attack: each module is a row of what must hold, and prints its figures
//! (`cargo test -p gleaner-tests --test rules -- --nocapture`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "code of tests: it ends where an assumption breaks, and reports"
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
