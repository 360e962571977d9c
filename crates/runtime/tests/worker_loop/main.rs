//! The worker loop over scripted ports, in virtual time.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test"
)]

mod dead_hosts;
mod explain;
mod exports;
mod hooks;
mod many;
mod maps;
mod overload;
mod pages;
mod rates;
mod redirects;
mod rendering;
mod restarts;
mod robots;
mod sink;
mod sitemaps;
mod support;
mod terms;
mod twins;
