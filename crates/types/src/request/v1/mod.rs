//! Requests of v1, the legacy version of the API.
//!
//! v1 differs from v2 in names (`parsePDF` for `parsers`) and in defaults (no cache, certificates checked).
//! Each request converts [`Into`] its v2 form with v1's defaults filled in, so no other module knows v1. The
//! rules are checked on the converted form, but faults name v1's fields.
//!
//! These types exist for JSON. They have no setters: a request from Rust is one of v2.

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
