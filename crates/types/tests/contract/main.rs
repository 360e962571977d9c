//! The API as tables: a named row for each rule that accepts or refuses something, and properties of all
//! requests.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod actions; // actions on a page
mod batch; // POST /v2/batch/scrape and its v1 form
mod bounds; // bounds that an embedder can configure, and ignored fields
mod crawl; // POST /v2/crawl and /v2/crawl/params-preview
mod extract; // POST /v2/extract and its v1 form
mod formats; // formats of a document
mod map; // POST /v2/map and its v1 form
mod messages; // the exact wording of messages
mod options; // scrape options in every request
mod properties; // round trips, and arbitrary bodies
mod responses; // answers and events
mod row; // rows of the tables
mod setters; // requests made in Rust
mod urls; // URLs
mod v1; // v1's names and defaults
