//! The wire as a table: what each request is answered with, written from the contract.
//!
//! A row names a request and what its answer must be: the status, values at places of the body, the error's text. Each
//! row has an engine of its own and talks to sites on loopback alone. All rows of a file run, and those that fail are
//! told together, with what was expected and what came. What holds for every answer stands in `always.rs`.
//!
//! Requests that mean harm have a table of their own, `gleaner_testkit::worst_cases`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "code of tests: a broken assumption ends the test, and the count of rows is printed"
)]

// The table.
mod batch;
mod cache;
mod crawl;
mod documents;
mod errors;
mod extract;
mod ids;
mod map;
mod options;
mod scrape;
mod team;
mod v1;

// What runs it.
mod always;
mod case;
mod expect;
mod names;
mod runner;
mod secure;
mod served;

// Worst cases.
mod units;
mod worst;

use std::collections::BTreeSet;

use case::Case;

/// The files of the table, by name.
fn tables() -> [(&'static str, Vec<Case>); 12] {
    [
        ("scrape", scrape::cases()),
        ("options", options::cases()),
        ("documents", documents::cases()),
        ("cache", cache::cases()),
        ("batch", batch::cases()),
        ("crawl", crawl::cases()),
        ("map", map::cases()),
        ("extract", extract::cases()),
        ("team", team::cases()),
        ("ids", ids::cases()),
        ("errors", errors::cases()),
        ("v1", v1::cases()),
    ]
}

#[test]
fn every_row_has_a_name_of_its_own_and_demands_something() {
    let mut names = BTreeSet::new();
    for (table, cases) in tables() {
        for case in cases {
            assert!(names.insert(case.name.clone()), "{table}: {} is there twice", case.name);
            assert!(!case.fields.is_empty(), "{table}: {} asserts nothing of the body", case.name);
        }
    }
    assert!(names.len() >= 120, "only {} rows are left", names.len());
}

#[tokio::test]
async fn scrapes() {
    runner::hold("scrape", scrape::cases()).await;
}

#[tokio::test]
async fn bounds_of_options() {
    runner::hold("options", options::cases()).await;
}

#[tokio::test]
async fn fields_of_documents() {
    runner::hold("documents", documents::cases()).await;
}

#[tokio::test]
async fn copies_of_the_cache() {
    runner::hold("cache", cache::cases()).await;
}

#[tokio::test]
async fn batches() {
    runner::hold("batch", batch::cases()).await;
}

#[tokio::test]
async fn crawls() {
    runner::hold("crawl", crawl::cases()).await;
}

#[tokio::test]
async fn maps() {
    runner::hold("map", map::cases()).await;
}

#[tokio::test]
async fn extracts() {
    runner::hold("extract", extract::cases()).await;
}

#[tokio::test]
async fn figures_of_teams() {
    runner::hold("team", team::cases()).await;
}

#[tokio::test]
async fn identifiers() {
    runner::hold("ids", ids::cases()).await;
}

#[tokio::test]
async fn refusals() {
    runner::hold("errors", errors::cases()).await;
}

#[tokio::test]
async fn the_first_version() {
    runner::hold("v1", v1::cases()).await;
}
