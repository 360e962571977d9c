//! Crawl options compiled from words, against the addresses that the site really has.
//!
//! Where the words name parts of paths ("only blog posts", "docs without the changelog") rules are enough. Otherwise a model chooses
//! among the site's sections by their ids: it writes no pattern and sees no page, so that every pattern that comes out
//! matches something, and nothing that a site says can widen a crawl beyond its own addresses.

mod choose;
mod options;
mod words;

pub use choose::MAX_SECTIONS;
pub use options::{CompiledCrawl, CrawlOptions, MAX_CRAWL_PATTERNS};
pub use words::compile_crawl;
