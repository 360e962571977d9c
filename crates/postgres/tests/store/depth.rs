//! Depths, which are exact whatever store finds a page first.

use std::collections::BTreeSet;

use gleaner_store::{MemoryStore, NewJob, Store};
use gleaner_types::JobState;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, now};

/// Graphs that are crawled.
const SEEDS: u64 = 200;
const PAGES: usize = 24;

/// Crawls the graph from page 0 through these stores. Returns the pages with documents.
async fn crawl<S: Store>(
    stores: &[S],
    (seed, number): (u64, u128),
    graph: &Graph,
    max_depth: u32,
) -> BTreeSet<usize> {
    let mut submitted: NewJob = job(number, u64::MAX, graph.pages([0]));
    submitted.rules.max_depth = Some(max_depth);
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(stores, seed);
    let end = workers.run(id, graph, async |_| {}).await;
    assert_eq!(end.state, JobState::Completed);
    let found = documents(&stores[0], id).await;
    assert_eq!(
        (found.len() as u64, end.contract_total()),
        (end.completed, end.completed),
        "seed {seed}: {end:?}"
    );
    let pages: BTreeSet<usize> = found.iter().copied().collect();
    assert_eq!(pages.len(), found.len(), "seed {seed}: no page gives two documents");
    pages
}

#[tokio::test]
async fn two_stores_find_exactly_the_pages_within_the_depth() {
    let Some(world) = World::start() else { return };
    let stores: [_; 2] = world.stores("depth").await;
    let memory = [MemoryStore::default()];
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let (hosts, max_depth) = (1 + random.index(5), 1 + random.below(4) as u32);
        let graph = Graph::random(&mut random, PAGES, hosts);
        let run = (seed, u128::from(seed) + 1);
        let found = crawl(&stores, run, &graph, max_depth).await;
        assert_eq!(found, graph.within(max_depth), "seed {seed}: {max_depth} clicks in {graph:?}");
        assert_eq!(found, crawl(&memory, run, &graph, max_depth).await, "seed {seed}: in memory");
    }
}
