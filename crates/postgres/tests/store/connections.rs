//! Connections that break, a server that stops, and one that refuses for a while.

use gleaner_postgres::PostgresStore;
use gleaner_store::{ErrorKind, Store as _, WorkerId};
use gleaner_testkit::PgServer;
use gleaner_types::JobState;
use tokio_postgres::Client;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, finished, job};
use super::world::{World, config_at, eventually, now};

/// Checks a job of this many pages at its end.
async fn check(store: &PostgresStore, id: gleaner_types::JobId, accepted: u64, pages: usize) {
    let end = store.snapshot(id).await.unwrap();
    let counts = (end.completed, end.contract_total(), end.credits_used);
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

/// Lets each transaction of this schema fail with a code.
async fn fail(client: &Client, schema: &str, code: &str) {
    let text = format!(
        "CREATE OR REPLACE FUNCTION {schema}.fault() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'a fault' USING ERRCODE = '{code}'; END $$;
         CREATE TRIGGER fault BEFORE INSERT ON {schema}.operation
             FOR EACH STATEMENT EXECUTE FUNCTION {schema}.fault()"
    );
    client.batch_execute(&text).await.unwrap();
}

async fn heal(client: &Client, schema: &str) {
    client.batch_execute(&format!("DROP TRIGGER fault ON {schema}.operation")).await.unwrap();
}

#[tokio::test]
async fn a_page_is_stored_after_each_fault_that_passes() {
    let Some(world) = World::start() else { return };
    let [store] = world.stores("faults").await;
    let client = world.client().await;
    let graph = Graph::unlinked(20, 20);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    store.submit(submitted, now()).await.unwrap();
    let worker = WorkerId::random();
    let page = async || {
        let lease = async || store.lease(worker, 1, now()).await.unwrap().pages.pop();
        finished(eventually("a page is leased", lease).await, &graph)
    };
    // The caller is told at once, keeps its lease, and can try again.
    for (code, kind) in [("53100", ErrorKind::Full), ("53400", ErrorKind::Io), ("58030", ErrorKind::Io)] {
        let page = page().await;
        fail(&client, "faults", code).await;
        let refused = store.finish(page.clone(), now()).await.unwrap_err();
        assert!(refused.kind() == kind && refused.is_passing(), "{code}: {refused}");
        heal(&client, "faults").await;
        assert!(store.finish(page, now()).await.unwrap().accepted, "{code}");
    }
    // The store tries again by itself.
    for code in ["08006", "25006", "40001", "40P01", "53200", "53300", "57P01", "57P02", "57P03"] {
        let page = page().await;
        fail(&client, "faults", code).await;
        let before = store.stats().await.unwrap().sent.retries;
        let passes = async {
            let has_failed = async || (store.stats().await.unwrap().sent.retries > before).then_some(());
            eventually("a try fails", has_failed).await;
            heal(&client, "faults").await;
        };
        let (receipt, ()) = tokio::join!(store.finish(page, now()), passes);
        assert!(receipt.unwrap().accepted, "{code}");
    }
    assert_eq!(documents(&store, id).await.len(), 12);
}
