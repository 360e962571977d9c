//! The fetcher against hostile networks. Tests assert what a caller would notice; many print a figure besides, under the
//! number of the threat, which stands beside the modules below.
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

mod bombs; // row 20: small bodies that become large ones
mod cache; // rows 47 and 48: whose copy, and how whole
mod engine; // the fetcher as the engine uses it: cache, proxies, a job's cookies, a browser
mod failures; // rows 19 and 49, and every kind of error
mod guard; // rows 1 to 5, 7, 9, 12, 13, 19: where requests may go
mod leaks; // rows 10 and 11: headers and cookies stay where they belong
mod memory; // what a limit costs that is not used
mod permits; // many requests, few permits
mod proxies; // row 8 and the proxy modes, by a proxy in this process
mod real_proxies; // the same by programs that others wrote
mod render; // what a browser engine must hold to
mod storm; // row 25: retries under failure
mod tls; // HTTP/2 and reuse
mod wire; // rows 21 to 24: answers without an end, haste or sense
