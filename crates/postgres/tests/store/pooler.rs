//! The store through PgBouncer in transaction mode. Without it, the test says that it is skipped.

use gleaner_store::Store as _;
use gleaner_types::JobState;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, config_at, now, open_stores};

#[tokio::test]
async fn stores_work_through_a_pooler_in_transaction_mode() {
    let Some(world) = World::start() else { return };
    let Some((_bouncer, url)) = world.bouncer() else { return };
    let config = config_at(&url, "pooled");
    let stores: [_; 3] = open_stores(&config).await;
    let graph = Graph::random(&mut Random::new(4), 150, 8);
    let submitted = job(1, u64::MAX, graph.pages(0..8));
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 4);
    let end = workers.run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed, workers.accepted), (JobState::Completed, 150, 150));
    assert_eq!(documents(&stores[2], id).await.len(), 150);
}
