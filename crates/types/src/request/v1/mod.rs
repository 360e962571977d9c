//! The wire forms of v1, which the contract keeps as its legacy version (2.7, 4.4, 9).
//!
//! v1 differs from v2 in names (`parsePDF` for `parsers`) and in defaults (no cache, certificates checked). Each
//! request converts [`Into`] its v2 form with v1's defaults written out, so nothing behind this module knows that
//! v1 exists. The check runs on the converted form, but its faults name v1's fields.

mod crawl;
mod extract;
mod map;
mod options;
mod scrape;

pub use crawl::CrawlRequest;
pub use extract::ExtractRequest;
pub use map::MapRequest;
pub use options::{Format, JsonOptions, ScrapeOptions};
pub use scrape::{BatchScrapeRequest, ScrapeRequest};
