//! Connections that break, and a server that stops.

use gleaner_postgres::PostgresStore;
use gleaner_store::Store as _;
use gleaner_testkit::PgServer;
use gleaner_types::JobState;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, config_at, now};

/// Checks a job of this many pages at its end.
async fn check(store: &PostgresStore, id: gleaner_types::JobId, accepted: u64, pages: usize) {
    let end = store.snapshot(id).await.unwrap();
    let counts = (end.completed, end.total, end.credits_used);
    assert_eq!((end.state, counts), (JobState::Completed, (pages as u64, pages as u64, pages as u64)));
    assert_eq!(accepted, pages as u64, "each receipt is that of its commit");
    let mut found = documents(store, id).await;
    found.sort_unstable();
    assert_eq!(found, (0..pages).collect::<Vec<_>>(), "each page has one document");
}

#[tokio::test]
async fn operations_whose_commit_is_cut_off_happen_once() {
    let Some(world) = World::start() else { return };
    let (proxy, url) = world.proxy();
    let direct: [PostgresStore; 1] = world.stores("cuts").await;
    let store = PostgresStore::open(config_at(&url, "cuts")).await.unwrap();
    proxy.cut_commit_every(3);
    for number in 1..6 {
        let graph = Graph::random(&mut Random::new(number), 60, 6);
        let submitted = job(u128::from(number), u64::MAX, graph.pages(0..6));
        let id = submitted.id;
        store.submit(submitted, now()).await.unwrap();
        let mut workers = Workers::new([&store], number);
        workers.run(id, &graph, async |_| {}).await;
        check(&direct[0], id, workers.accepted, 60).await;
    }
    assert!(proxy.cuts() >= 20, "{} cuts", proxy.cuts());
}

#[tokio::test]
async fn stores_whose_connections_are_cut_go_on() {
    let Some(world) = World::start() else { return };
    let (proxy, url) = world.proxy();
    let direct: [PostgresStore; 1] = world.stores("breaks").await;
    let stores = [
        PostgresStore::open(config_at(&url, "breaks")).await.unwrap(),
        PostgresStore::open(config_at(&url, "breaks")).await.unwrap(),
    ];
    let graph = Graph::random(&mut Random::new(1), 120, 8);
    let submitted = job(1, u64::MAX, graph.pages(0..8));
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 1);
    let mut steps = 0;
    workers
        .run(id, &graph, async |_| {
            steps += 1;
            if steps % 10 == 0 {
                proxy.cut_all();
            }
        })
        .await;
    check(&direct[0], id, workers.accepted, 120).await;
    assert!(proxy.cuts() > 2, "{} cuts", proxy.cuts());
}

#[tokio::test]
async fn work_goes_on_after_the_server_was_killed() {
    let Some(server) = PgServer::start() else { return };
    let world = World::of(&server);
    let stores: [PostgresStore; 2] = world.stores("restarts").await;
    let graph = Graph::random(&mut Random::new(2), 120, 8);
    let submitted = job(1, u64::MAX, graph.pages(0..8));
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 2);
    let mut restarts = 0;
    workers
        .run(id, &graph, async |workers| {
            if workers.accepted >= 30 * (restarts + 1) && restarts < 3 {
                server.kill();
                server.restart();
                restarts += 1;
            }
        })
        .await;
    assert_eq!(restarts, 3);
    check(&stores[1], id, workers.accepted, 120).await;
}
