//! An oracle from outside: Chromium and the engine ask the same generated answers of a server, and must show
//! the same final address, title and links. What differs on purpose is in a table with its reason.

mod cases;
mod chromium;
mod compare;
mod headers;
mod known;
mod markup;
mod routes;
mod shown;
mod site;

use std::collections::BTreeMap;

use gleaner::{Engine, ScrapeRequest};
use gleaner_browser::Browser;
use gleaner_testkit::browser::program;
use serde_json::json;

use cases::Case;
use compare::Differences;
use shown::Shown;
use site::Site;

/// As many cases as show every choice twice.
const SHORT: usize = 60;

const LONG: usize = 300;

/// Asks the first `count` cases; `None` after a note that the test was skipped.
async fn ask(count: usize) -> Option<Differences> {
    let program = program(Browser::find())?;
    let mut site = Site::start().await;
    let numbers: Vec<usize> = (0..count).collect();
    let theirs = chromium::ask(&program, &mut site, &numbers).await;
    let loopback = "127.0.0.0/8".parse().unwrap();
    let engine = Engine::builder().allow_private(loopback).build().unwrap();
    let mut ours = BTreeMap::new();
    for number in numbers {
        let url = format!("http://{}/c/{number}/start", site.address);
        let request = json!({ "url": url, "formats": ["links"] });
        let document = engine.scrape(serde_json::from_value::<ScrapeRequest>(request).unwrap()).await;
        ours.insert(number, Shown::of_document(document));
    }
    Some(Differences::between(&theirs, &ours))
}

#[tokio::test]
async fn chromium_and_the_engine_show_the_same_of_sixty_answers() {
    let Some(differences) = ask(SHORT).await else { return };
    assert!(differences.table.is_empty(), "\n{}", differences.table);
}

#[tokio::test]
#[ignore = "takes a minute; CI runs the short form"]
async fn chromium_and_the_engine_show_the_same_of_three_hundred_answers() {
    let Some(differences) = ask(LONG).await else { return };
    assert!(differences.table.is_empty(), "\n{}", differences.table);
    let stale = differences.stale();
    assert!(stale.is_empty(), "no longer different: {stale:?}");
}

#[test]
fn the_choices_of_the_cases_are_combined() {
    let lengths = Case::lengths();
    let divides = |number: usize, length: usize| length.is_multiple_of(number);
    for (at, one) in lengths.iter().enumerate() {
        assert!(one * 2 <= SHORT, "{one} choices do not occur twice");
        for other in lengths.iter().skip(at + 1) {
            let shared = (2..=*one).find(|number| divides(*number, *one) && divides(*number, *other));
            assert_eq!(shared, None, "{one} and {other} choices are not combined");
        }
    }
}
