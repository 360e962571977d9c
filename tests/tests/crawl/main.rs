//! Crawls of generated sites over loopback, compared with what a perfect crawl would find.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

mod explain;
mod failures;
mod hosts;
mod pause;
mod politeness;
mod reader;
mod scope;
mod support;
mod whole_site;
