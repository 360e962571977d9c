//! Limits are ceilings, not reservations: memory grows with the bytes received, not with the limit. All
//! requests together have a memory budget for bodies, and one for the pages that the engine parses from them.

use gleaner::{BatchScrapeRequest, Limits, MIN_PAGE_MEMORY};
use gleaner_fetch::{FollowAll, Request};
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::fakes::engine_builder;
use gleaner_tests::process::{peak_memory, run_in_process, url_from_parent};

use super::support::{fetcher_builder, page};

/// Concurrent requests of one measurement.
const CONCURRENT: usize = 200;
/// Tolerated difference between two runs: the machine decides how many pages are in memory at one moment.
const NOISE: u64 = 32 * MIB;
const MIB: u64 = 1024 * 1024;

#[test]
fn memory_does_not_depend_on_an_unused_limit() {
    let body = "text ".repeat(2_000);
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let growth = |limit: &str| -> u64 {
        let line = run_in_process("memory::child", &format!("{}/#{limit}", server.base_url()));
        line.trim().parse().unwrap()
    };
    let (small, large) = (growth("16384"), growth("17179869184"));
    println!(
        "memory: {CONCURRENT} concurrent pages of 10 KB take {} KiB with a limit of 16 KiB each, \
         {} KiB with a limit of 16 GiB",
        small / 1024,
        large / 1024
    );
    assert!(large < small + NOISE, "{large}, {small}");
}

#[tokio::test]
#[ignore = "run in its own process to measure memory"]
async fn child() {
    let Some(url) = url_from_parent() else { return };
    let url: url::Url = url.parse().unwrap();
    let limit = url.fragment().unwrap().parse().unwrap();
    let fetcher = fetcher_builder().build().unwrap();
    let before = peak_memory();
    let tasks: Vec<_> = (0..CONCURRENT)
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

/// The budget of all bodies together.
const BODY_BUDGET: u64 = 8 * MIB;

#[test]
fn concurrent_large_bodies_stay_within_their_budget() {
    let body = "text ".repeat(800_000);
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let growth: u64 = run_in_process("memory::bodies_child", &server.base_url()).trim().parse().unwrap();
    println!("memory: 32 concurrent pages of 4 MB take {} KiB with a budget of 8 MiB", growth / 1024);
    // The budget, one more body, and uncounted memory per body. Doubled, for buffers and reallocation.
    assert!(growth < 2 * (BODY_BUDGET + 4 * MIB + 32 * MIB / 2), "{growth}");
}

#[tokio::test]
#[ignore = "run in its own process to measure memory"]
async fn bodies_child() {
    let Some(url) = url_from_parent() else { return };
    let url: url::Url = url.parse().unwrap();
    let fetcher = fetcher_builder().body_memory(BODY_BUDGET).build().unwrap();
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
fn a_batch_of_pages_with_many_elements_stays_within_the_budget() {
    let body = format!("{}needle", "a<br>".repeat(600_000));
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Repeat]).unwrap();
    let growth: u64 = run_in_process("memory::pages_child", &server.base_url()).trim().parse().unwrap();
    println!("memory: 8 pages of 3 MB of `a<br>` take {} KiB with a budget of 64 MiB", growth / 1024);
    // Three times the budget, for documents in transit and memory that the allocator keeps.
    assert!(growth < 3 * MIN_PAGE_MEMORY, "{growth}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run in its own process to measure memory"]
async fn pages_child() {
    let Some(url) = url_from_parent() else { return };
    let engine = engine_builder().limits(Limits::new().page_memory(MIN_PAGE_MEMORY)).build().unwrap();
    let before = peak_memory();
    let urls = (0..8).map(|page| format!("{url}/?{page}"));
    let mut job = engine.batch(BatchScrapeRequest::new(urls)).await.unwrap();
    let mut pages = 0;
    while let Some(document) = job.next().await {
        let document = document.unwrap();
        let warning = document.warning.unwrap_or_default();
        assert!(warning.contains("its end is given as text alone"), "{warning}");
        assert!(document.markdown.unwrap().contains("needle"), "the end of the text is missing");
        pages += 1;
    }
    assert_eq!(pages, 8);
    println!("CHILD {}", peak_memory() - before);
}
