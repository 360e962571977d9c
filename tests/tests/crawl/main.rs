//! Crawls of generated sites over loopback, compared with what a perfect crawl would find.

mod failures;
mod politeness;
mod reader;
mod scope;
mod support;
mod whole_site;
