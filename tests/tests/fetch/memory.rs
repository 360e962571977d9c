//! Limits are ceilings, not reservations: memory grows with what comes, not with what might.

use gleaner_fetch::{FollowAll, Request};
use gleaner_testkit::{RawServer, Step};

use super::support::{builder, in_a_process, page, peak_memory, url_from_parent};

/// Requests of one measurement, all at once.
const AT_ONCE: usize = 200;
/// What two runs of the same work may differ by: how many pages are in memory at one moment is up to the machine.
const NOISE: u64 = 32 * 1024 * 1024;

#[test]
fn memory_does_not_depend_on_limits_that_are_not_used() {
    let body = "text ".repeat(2_000);
    let server = RawServer::start([Step::ReadRequest, page(&body), Step::Again]).unwrap();
    let grown = |limit: &str| -> u64 {
        let line = in_a_process("memory::child", &format!("{}/#{limit}", server.base_url()));
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
    let fetcher = builder().build().unwrap();
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
