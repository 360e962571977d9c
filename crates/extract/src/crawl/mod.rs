//! Compiles a prompt into crawl options, against the URLs that the site really has.
//!
//! Rules are enough if the words name parts of paths ("only blog posts", "docs without the changelog").
//! Otherwise a model chooses among the site's sections by their ids. It writes no pattern and sees no page,
//! so every resulting pattern matches something, and no text of a site can widen a crawl beyond its own URLs.

mod choose;
mod options;
mod words;

pub use choose::MAX_SECTIONS;
pub use options::{CompiledCrawl, CrawlOptions, MAX_CRAWL_PATTERNS};
pub use words::compile_crawl;
