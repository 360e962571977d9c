//! Hosts: one store at a time holds each.

use std::collections::{BTreeSet, VecDeque};

use gleaner_postgres::PostgresStore;
use gleaner_store::{HostGuard, HostHold, NewJob, Store as _, WorkerId};
use gleaner_types::JobState;
use url::Url;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, finished, job};
use super::world::{World, config_at, eventually, moment, now};

#[tokio::test]
async fn two_stores_share_the_hosts_of_a_job() {
    let Some(world) = World::start() else { return };
    let stores: [_; 2] = world.stores("hosts").await;
    let graph = Graph::random(&mut Random::new(1), 300, 20);
    let submitted = job(1, u64::MAX, graph.pages(0..20));
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 1);
    // `Workers::lease` asserts that no host is with both.
    let end = workers.run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 300));
    let found: BTreeSet<usize> = documents(&stores[0], id).await.into_iter().collect();
    assert_eq!(found, (0..300).collect());
}

#[tokio::test]
async fn the_pages_of_a_store_that_is_gone_go_on_in_another() {
    let Some(world) = World::start() else { return };
    for seed in 0..4 {
        let [first, second] = world.stores(&format!("gone_{seed}")).await;
        let graph = Graph::random(&mut Random::new(seed), 60, 5);
        let submitted = job(1, u64::MAX, graph.pages(0..5));
        let id = submitted.id;
        first.submit(submitted, now()).await.unwrap();
        let mut lost = Workers::new([&first], seed);
        while lost.accepted < 3 || lost.leased.is_empty() {
            lost.lease().await;
            lost.finish(&graph).await;
        }
        let done = lost.accepted;
        // Its process dies: it gives nothing back.
        drop(first);
        let mut workers = Workers::new([&second], seed);
        let end = workers.run(id, &graph, async |_| {}).await;
        assert_eq!((end.state, end.completed), (JobState::Completed, 60), "seed {seed}");
        assert_eq!(workers.accepted, 60 - done, "seed {seed}: no page is finished twice");
        let mut found = documents(&second, id).await;
        found.sort_unstable();
        assert_eq!(found, (0..60).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[tokio::test]
async fn a_released_store_gives_its_pages_to_others_at_once() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("released").await;
    let graph = Graph::unlinked(9, 3);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let worker = WorkerId::random();
    let lost = eventually("pages are leased", async || {
        let pages = first.lease(worker, 10, now()).await.unwrap().pages;
        (!pages.is_empty()).then_some(pages)
    })
    .await;
    first.release(worker, now()).await.unwrap();
    for page in lost {
        let receipt = first.finish(finished(page, &graph), now()).await.unwrap();
        assert!(!receipt.accepted, "its lease is over");
    }
    let end = Workers::new([&second], 1).run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 9));
}

#[tokio::test]
async fn a_store_whose_term_was_ended_by_another_commits_nothing() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("fenced").await;
    let client = world.client().await;
    let graph = Graph::unlinked(4, 4);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let worker = WorkerId::random();
    let mut leased = Vec::new();
    eventually("all pages are leased", async || {
        leased.extend(first.lease(worker, 4, now()).await.unwrap().pages);
        (leased.len() == 4).then_some(())
    })
    .await;
    // The row is the epoch of the leases: this ends them as of now, before the store can know.
    let holder = client.query_one("SELECT worker FROM fenced.host LIMIT 1", &[]).await.unwrap();
    let holder: i64 = holder.get(0);
    let expire = "UPDATE fenced.worker SET until = now() - interval '1 hour' WHERE id = $1";
    eventually("the other store ends the term", async || {
        client.execute(expire, &[&holder]).await.unwrap();
        // It takes part in the work, but leases nothing.
        second.lease(WorkerId::random(), 0, now()).await.unwrap();
        let left = client.query("SELECT FROM fenced.worker WHERE id = $1", &[&holder]).await.unwrap();
        left.is_empty().then_some(())
    })
    .await;
    for page in leased {
        let receipt = first.finish(finished(page, &graph), now()).await.unwrap();
        assert!(!receipt.accepted, "the term of the lease is over");
    }
    // Both stores go on: the first has a new term.
    let end = Workers::new([&first, &second], 1).run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 4));
    let mut found = documents(&second, id).await;
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3]);
}

#[tokio::test]
async fn a_store_that_is_cut_off_for_longer_than_its_term_loses_its_pages() {
    let Some(world) = World::start() else { return };
    let (proxy, url) = world.proxy();
    let [second] = world.stores("cut_off").await;
    let first = PostgresStore::open(config_at(&url, "cut_off")).await.unwrap();
    let client = world.client().await;
    let graph = Graph::unlinked(30, 6);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let mut cut_off = Workers::new([&first], 1);
    while cut_off.leased.len() < 3 {
        cut_off.lease().await;
    }
    let text = "SELECT DISTINCT worker FROM cut_off.host WHERE worker IS NOT NULL";
    let holder: i64 = client.query_one(text, &[]).await.unwrap().get(0);
    proxy.pause();
    eventually("the other store ends the term", async || {
        // It takes part in the work, but leases nothing.
        second.lease(WorkerId::random(), 0, now()).await.unwrap();
        let left = client.query("SELECT FROM cut_off.worker WHERE id = $1", &[&holder]).await.unwrap();
        left.is_empty().then_some(())
    })
    .await;
    proxy.resume();
    while !cut_off.leased.is_empty() {
        cut_off.finish(&graph).await;
    }
    assert_eq!(cut_off.accepted, 0, "its term is over");
    let mut workers = Workers::new([&first, &second], 1);
    let end = workers.run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed, workers.accepted), (JobState::Completed, 30, 30));
    let mut found = documents(&second, id).await;
    found.sort_unstable();
    assert_eq!(found, (0..30).collect::<Vec<_>>());
}

/// Holds a host; `None` if it is busy.
async fn hold(store: &PostgresStore, url: &Url) -> Option<HostGuard> {
    match store.hold_host(url, now()).await.unwrap() {
        HostHold::Held(guard) => Some(guard),
        HostHold::Busy { .. } => None,
    }
}

/// The host stays busy for the store while it asks for it again and again.
async fn assert_busy(store: &PostgresStore, url: &Url) {
    for _ in 0..20 {
        assert!(hold(store, url).await.is_none(), "{url} is free");
        moment().await;
    }
}

#[tokio::test]
async fn a_host_is_held_by_one_store_for_requests_without_a_lease() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("held").await;
    let url = Url::parse("https://alone.example/").unwrap();
    let one = eventually("a new host is held", async || hold(&first, &url).await).await;
    let other = hold(&first, &url).await.unwrap();
    assert_busy(&second, &url).await;
    drop(one);
    assert_busy(&second, &url).await;
    drop(other);
    let guard = eventually("the host is given back", async || hold(&second, &url).await).await;
    assert_busy(&first, &url).await;
    drop(guard);
    let _guard = eventually("the host is free again", async || hold(&first, &url).await).await;
}

#[tokio::test]
async fn a_host_with_pages_is_handed_to_a_store_that_waits_for_it() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("handed").await;
    let graph = Graph::unlinked(6, 1);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let page = eventually("a page is leased", async || {
        first.lease(WorkerId::random(), 1, now()).await.unwrap().pages.pop()
    })
    .await;
    let url = page.url.clone();
    assert!(first.holds_by_lease(&page));
    assert_busy(&second, &url).await;
    assert!(hold(&first, &url).await.is_some(), "the leased page may need its robots.txt");
    first.finish(finished(page, &graph), now()).await.unwrap();
    // The other pages of the host still wait.
    let guard = eventually("the host is handed over", async || hold(&second, &url).await).await;
    drop(guard);
    let end = Workers::new([&first, &second], 1).run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 6));
}

#[tokio::test]
async fn a_host_of_a_page_in_memory_is_held_separately() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("in_memory").await;
    let graph = Graph::unlinked(1, 1);
    let submitted = NewJob { in_memory: true, ..job(1, u64::MAX, graph.all()) };
    first.submit(submitted, now()).await.unwrap();
    let page = eventually("the page is leased", async || {
        first.lease(WorkerId::random(), 1, now()).await.unwrap().pages.pop()
    })
    .await;
    assert!(!first.holds_by_lease(&page));
    let guard = eventually("its host is free", async || hold(&second, &page.url).await).await;
    assert_busy(&first, &page.url).await;
    drop(guard);
    let _guard = eventually("its host is given back", async || hold(&first, &page.url).await).await;
}

#[tokio::test]
async fn a_store_without_hosts_gets_some_on_which_another_works_without_a_break() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("busy").await;
    let graph = Graph::unlinked(10_000, 4);
    first.submit(job(1, u64::MAX, graph.all()), now()).await.unwrap();
    let worker = WorkerId::random();
    let mut leased = VecDeque::new();
    let _page = eventually("another store gets a host", async || {
        leased.extend(first.lease(worker, 4, now()).await.unwrap().pages);
        // Other pages of its host stay under way.
        if leased.len() > 4
            && let Some(page) = leased.pop_front()
        {
            first.finish(finished(page, &graph), now()).await.unwrap();
        }
        second.lease(WorkerId::random(), 1, now()).await.unwrap().pages.pop()
    })
    .await;
}
