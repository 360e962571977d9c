//! Crawls of generated sites over loopback, compared with the known contents of the sites.

#![expect(clippy::unwrap_used, reason = "test code: a broken assumption ends the test")]

mod durable;
mod explain;
mod failures;
mod hosts;
#[path = "../support/chromium.rs"]
mod installed;
mod pause;
mod politeness;
mod reader;
mod recurring;
mod scope;
mod script_built;
mod support;
mod whole_site;
