//! Limits are ceilings, not reservations: memory grows with what comes, not with what might. And what comes
//! has a bound for all requests together: that of bodies, and that of the pages that the engine makes of
//! them.

use gleaner::{BatchScrapeRequest, MIN_PAGE_MEMORY};
use gleaner_fetch::{FollowAll, Request};
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::fakes::engine_builder;
use gleaner_tests::process::{peak_memory, run_in_process, url_from_parent};

use super::support::{fetcher_builder, page};

/// Requests of one measurement, all at once.
const AT_ONCE: usize = 200;
/// What two runs of the same work may differ by: how many pages are in memory at one moment is up to the
/// machine.
const NOISE: u64 = 32 * MIB;
const MIB: u64 = 1024 * 1024;

#[test]
fn memory_does_not_depend_on_limits_that_are_not_used() {
    let body = "text ".repeat(2_000);
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let grown = |limit: &str| -> u64 {
        let line = run_in_process("memory::child", &format!("{}/#{limit}", server.base_url()));
        line.trim().parse().unwrap()
    };
    let (small, large) = (grown("16384"), grown("17179869184"));
    println!(
        "memory: {AT_ONCE} pages of 10 KB at once take {} KiB with a limit of 16 KiB each, {} KiB with one of 16 GiB",
        small / 1024,
        large / 1024
    );
    assert!(large < small + NOISE, "{large}, {small}");
}

#[tokio::test]
#[ignore = "run in a process of its own, for its memory"]
async fn child() {
    let Some(url) = url_from_parent() else { return };
    let url: url::Url = url.parse().unwrap();
    let limit = url.fragment().unwrap().parse().unwrap();
    let fetcher = fetcher_builder().build().unwrap();
    let before = peak_memory();
    let tasks: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (fetcher, mut request) = (fetcher.clone(), Request::get(url.clone()));
            request.max_body = Some(limit);
            tokio::spawn(async move { fetcher.fetch(request, &FollowAll).await.unwrap() })
        })
        .collect();
    let mut pages = Vec::new();
    for task in tasks {
        pages.push(task.await.unwrap());
    }
    assert!(pages.iter().all(|page| page.body.len() == 10_000));
    println!("CHILD {}", peak_memory() - before);
}

/// What the bodies of one measurement may take together.
const BODIES: u64 = 8 * MIB;

#[test]
fn large_bodies_at_once_take_no_more_than_their_share() {
    let body = "text ".repeat(800_000);
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let grown: u64 = run_in_process("memory::bodies_child", &server.base_url()).trim().parse().unwrap();
    println!("memory: 32 pages of 4 MB at once take {} KiB with 8 MiB for all bodies", grown / 1024);
    // The share, one more body, and of each what is not counted: twice as much, for buffers and what grows by
    // moving.
    assert!(grown < 2 * (BODIES + 4 * MIB + 32 * MIB / 2), "{grown}");
}

#[tokio::test]
#[ignore = "run in a process of its own, for its memory"]
async fn bodies_child() {
    let Some(url) = url_from_parent() else { return };
    let url: url::Url = url.parse().unwrap();
    let fetcher = fetcher_builder().body_memory(BODIES).build().unwrap();
    let before = peak_memory();
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let (fetcher, request) = (fetcher.clone(), Request::get(url.clone()));
            tokio::spawn(async move { fetcher.fetch(request, &FollowAll).await.unwrap().body.len() })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 4_000_000);
    }
    println!("CHILD {}", peak_memory() - before);
}

#[test]
fn a_batch_of_pages_of_many_elements_takes_no_more_than_the_budget() {
    let body = format!("{}needle", "a<br>".repeat(600_000));
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let grown: u64 = run_in_process("memory::pages_child", &server.base_url()).trim().parse().unwrap();
    println!("memory: 8 pages of 3 MB of `a<br>` take {} KiB with a budget of 64 MiB", grown / 1024);
    // Three times the budget, for the documents on their way and what the allocator holds.
    assert!(grown < 3 * MIN_PAGE_MEMORY, "{grown}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run in a process of its own, for its memory"]
async fn pages_child() {
    let Some(url) = url_from_parent() else { return };
    let engine = engine_builder().page_memory(MIN_PAGE_MEMORY).build().unwrap();
    let before = peak_memory();
    let urls = (0..8).map(|page| format!("{url}/?{page}"));
    let mut job = engine.batch(BatchScrapeRequest::new(urls)).await.unwrap();
    let mut pages = 0;
    while let Some(document) = job.next().await {
        let warning = document.warning.unwrap_or_default();
        assert!(warning.contains("its end is given as text alone"), "{warning}");
        assert!(document.markdown.unwrap().contains("needle"), "what was cut is lost");
        pages += 1;
    }
    assert_eq!(pages, 8);
    println!("CHILD {}", peak_memory() - before);
}
