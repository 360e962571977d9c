//! The fetcher against hostile networks. Tests assert what a caller notices; many also print a figure.
//!
//! Run with `--nocapture` to see the figures.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code: a broken assumption ends the test, and figures are printed"
)]

mod support;

mod bombs; // decompression bombs
mod cache; // variants and damaged entries
mod conformance; // the rules of caches and resolvers
mod descriptors; // a process without descriptors
mod engine; // the fetcher in the engine: cache, proxies, cookies of a job, a browser
mod failures; // every kind of error, none with a secret
mod guard; // the egress guard
mod leaks; // headers and cookies across origins
mod memory; // memory of limits and of concurrent bodies
mod proxies; // proxy modes, with a proxy in this process
mod real_proxies; // the same with installed proxy programs
mod render; // the contract of a browser
mod settings; // settings of an engine, and the errors that follow
mod tls; // TLS, HTTP/2 and connection reuse
mod wire; // endless, slow and malformed responses
