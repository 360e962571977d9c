//! The HTTP API as tables of requests and expected responses, written from the contract.
//!
//! A case has a request and expectations of its response: the status, values in the body, the text of the
//! error. Each case has its own engine, which connects only to sites on loopback. All cases of a table run,
//! and the failed ones are reported together with expected and actual values. `invariants.rs` checks what
//! holds for every response.
//!
//! Hostile requests have their own table, `gleaner_testkit::worst_cases`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "test code: a broken assumption ends the test, and counts are printed"
)]

// The tables.
mod batch;
mod browser;
mod cache;
mod chromium;
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

// The runner.
mod case;
mod expect;
mod fake_browser;
#[path = "../support/chromium.rs"]
mod installed;
mod invariants;
mod placeholders;
mod runner;
mod sites;
mod tls_site;

// Worst cases.
mod units;
mod worst;

use std::collections::BTreeSet;

use case::Case;

/// The tables by name.
fn tables() -> [(&'static str, Vec<Case>); 14] {
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
        ("browser", browser::cases()),
        ("chromium", chromium::cases()),
    ]
}

#[test]
fn every_case_has_a_unique_name_and_checks_the_body() {
    let mut names = BTreeSet::new();
    for (table, cases) in tables() {
        for case in cases {
            assert!(names.insert(case.name.clone()), "{table}: two cases are called {}", case.name);
            assert!(!case.fields.is_empty(), "{table}: {} does not check the body", case.name);
        }
    }
    assert!(names.len() >= 120, "only {} cases", names.len());
}

#[tokio::test]
async fn scrapes_match_the_contract() {
    runner::run_table("scrape", scrape::cases()).await;
}

#[tokio::test]
async fn option_bounds_match_the_contract() {
    runner::run_table("options", options::cases()).await;
}

#[tokio::test]
async fn document_fields_match_the_contract() {
    runner::run_table("documents", documents::cases()).await;
}

#[tokio::test]
async fn cache_options_match_the_contract() {
    runner::run_table("cache", cache::cases()).await;
}

#[tokio::test]
async fn batches_match_the_contract() {
    runner::run_table("batch", batch::cases()).await;
}

#[tokio::test]
async fn crawls_match_the_contract() {
    runner::run_table("crawl", crawl::cases()).await;
}

#[tokio::test]
async fn maps_match_the_contract() {
    runner::run_table("map", map::cases()).await;
}

#[tokio::test]
async fn extracts_match_the_contract() {
    runner::run_table("extract", extract::cases()).await;
}

#[tokio::test]
async fn team_usage_matches_the_contract() {
    runner::run_table("team", team::cases()).await;
}

#[tokio::test]
async fn ids_match_the_contract() {
    runner::run_table("ids", ids::cases()).await;
}

#[tokio::test]
async fn refusals_match_the_contract() {
    runner::run_table("errors", errors::cases()).await;
}

#[tokio::test]
async fn v1_matches_the_contract() {
    runner::run_table("v1", v1::cases()).await;
}

#[tokio::test]
async fn rendered_pages_match_the_contract() {
    runner::run_table("browser", browser::cases()).await;
}

#[tokio::test]
async fn pages_of_chromium_match_the_contract() {
    if installed::open().is_some() {
        runner::run_table("chromium", chromium::cases()).await;
    }
}
