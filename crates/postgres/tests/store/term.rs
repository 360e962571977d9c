//! The term of a store: it begins with its part in the work, and ends when it stops.

use gleaner_store::{Reservation, Store as _, TeamId, WorkerId};
use gleaner_types::{JobId, JobState};
use tokio_postgres::Client;
use uuid::Uuid;

use super::graph::Graph;
use super::work::{Workers, job};
use super::world::{World, eventually, now};

async fn rows(client: &Client, table: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_store_that_only_reads_is_no_worker() {
    let Some(world) = World::start() else { return };
    let [reader, other] = world.stores("reads").await;
    let client = world.client().await;
    let submitted = job(1, u64::MAX, Graph::unlinked(2, 1).all());
    let id = submitted.id;
    other.submit(submitted, now()).await.unwrap();
    assert_eq!(reader.snapshot(id).await.unwrap().state, JobState::Scraping);
    assert_eq!(rows(&client, "reads.worker").await, 0);
    other.lease(WorkerId::random(), 1, now()).await.unwrap();
    assert_eq!(rows(&client, "reads.worker").await, 1);
}

#[tokio::test]
async fn a_store_that_stops_deletes_its_row_and_may_work_again() {
    let Some(world) = World::start() else { return };
    let [store] = world.stores("stops").await;
    let client = world.client().await;
    let graph = Graph::unlinked(6, 2);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    store.submit(submitted, now()).await.unwrap();
    let worker = WorkerId::random();
    eventually("a page is leased", async || store.lease(worker, 1, now()).await.unwrap().pages.pop()).await;
    store.release(worker, now()).await.unwrap();
    // The renewal of a worker that stops may still be under way.
    store.renew(worker, now()).await.unwrap();
    eventually("the row is deleted", async || (rows(&client, "stops.worker").await == 0).then_some(())).await;
    for table in ["host WHERE worker IS NOT NULL", "job_share", "team_share", "ended"] {
        assert_eq!(rows(&client, &format!("stops.{table}")).await, 0, "{table}");
    }
    let end = Workers::new([&store], 1).run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 6));
}

#[tokio::test]
async fn a_reservation_keeps_the_row_of_its_store() {
    let Some(world) = World::start() else { return };
    let [store, other] = world.stores("reserves").await;
    let client = world.client().await;
    let operation = Uuid::from_u128(7);
    let job = JobId::from_uuid(Uuid::from_u128(1 << 64 | 1 << 63));
    let reservation = Reservation { operation, job, team: TeamId::new("a"), credits: 5 };
    store.intend(reservation, now()).await.unwrap();
    store.release(WorkerId::random(), now()).await.unwrap();
    assert_eq!(rows(&client, "reserves.worker").await, 1);
    assert!(other.accounting(10).await.unwrap().unsubmitted.is_empty(), "its store is there");
    store.withdrawn(operation).await.unwrap();
    store.release(WorkerId::random(), now()).await.unwrap();
    eventually("the row is deleted", async || (rows(&client, "reserves.worker").await == 0).then_some(()))
        .await;
}
