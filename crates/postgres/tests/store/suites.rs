//! The suites that every store runs.

use std::cell::Cell;
use std::time::Duration;

use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_store::conformance::{self, model};
use gleaner_store::{Store as _, WorkerId};
use uuid::Uuid;

use super::world::{World, eventually, open_stores};

/// Operations of one run of the model.
const STEPS: usize = 60;
/// Longer than a term: what a term that has ended held is leased again by then.
const PATIENCE: Duration = Duration::from_secs(60);
/// The worker of the suites.
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

/// Terms that outlast the pauses of a busy machine: the suites tell when a lease ends.
fn calm(world: &World, schema: &str) -> PostgresConfig {
    let mut config = world.config(schema);
    config.term = Duration::from_secs(20);
    config
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_keeps_the_contract() {
    let Some(world) = World::start() else { return };
    let schemas = Cell::new(0);
    let make = async || {
        schemas.set(schemas.get() + 1);
        let [store] = open_stores(&calm(&world, &format!("suite_{}", schemas.get()))).await;
        store
    };
    conformance::run_patiently(make, PATIENCE).await;
}

/// A store that is opened again as by the next process.
struct Reopened {
    config: PostgresConfig,
    store: PostgresStore,
}

impl model::Reopen for Reopened {
    type Store = PostgresStore;

    fn store(&self) -> &PostgresStore {
        &self.store
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }

    async fn reopen(&mut self, now: Duration) {
        self.store.release(WORKER, now).await.unwrap();
        self.store = PostgresStore::open(self.config.clone()).await.unwrap();
    }
}

async fn run_model(seeds: u64) {
    let Some(world) = World::start() else { return };
    let mut reopened = 0;
    for seed in 0..seeds {
        let schema = format!("model_{seed}");
        let config = calm(&world, &schema);
        let [store] = open_stores(&config).await;
        reopened += model::run(seed, STEPS, Reopened { config, store }).await;
        let (client, text) = (world.client().await, format!("DROP SCHEMA {schema} CASCADE"));
        // The dropped store may still delete its row: one of two that wait for each other fails.
        eventually("the schema is dropped", async || client.batch_execute(&text).await.ok()).await;
    }
    assert!(reopened > seeds * 3, "the store was opened again {reopened} times");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_opened_again_gives_the_same_answers() {
    run_model(10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes many minutes; CI runs the short form"]
async fn many_stores_that_are_opened_again_give_the_same_answers() {
    run_model(500).await;
}
