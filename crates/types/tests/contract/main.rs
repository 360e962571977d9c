//! The contract as tables: a named row for each rule that accepts or refuses something, and the laws that hold for all
//! requests.

#![expect(clippy::unwrap_used, reason = "a helper of a test stops the test where its ground is missing")]

mod actions; // what is done on a page
mod batch; // POST /v2/batch/scrape and its v1 form
mod bounds; // what an embedder can choose, and fields that are ignored
mod crawl; // POST /v2/crawl and /v2/crawl/params-preview
mod extract; // POST /v2/extract and its v1 form
mod formats; // what a document shall hold
mod map; // POST /v2/map and its v1 form
mod messages; // the wording that a caller reads, word for word
mod options; // the scrape options, wherever they stand
mod properties; // round trips, and what no body may do
mod responses; // answers and events, name by name
mod row; // how a row is run
mod urls; // addresses
mod v1; // v1's names and defaults
