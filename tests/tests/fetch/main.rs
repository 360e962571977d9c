//! The fetcher against hostile networks. Tests assert what a caller would notice; many print a figure besides.
//!
//! Run with `--nocapture` to read the figures.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "code of tests: a broken assumption ends the test, and figures are printed"
)]

mod support;

mod bombs; // small bodies that become large ones
mod cache; // whose copy, and how whole
mod engine; // the fetcher as the engine uses it: cache, proxies, a job's cookies, a browser
mod failures; // every kind of error, and no secret in any
mod guard; // where requests may go
mod leaks; // headers and cookies stay where they belong
mod memory; // what a limit costs that is not used
mod proxies; // the proxy modes, by a proxy in this process
mod real_proxies; // the same by programs that others wrote
mod render; // what a browser engine must hold to
mod settings; // what an engine sets, and the errors that follow
mod tls; // HTTP/2 and reuse
mod wire; // answers without an end, haste or sense
