//! Limits that hold for all stores of a database together.

use gleaner_store::{JobAccount, NewJob, Store as _, TeamId};
use gleaner_types::JobState;
use tokio_postgres::Client;

use super::graph::Graph;
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, now};

/// Runs of one limit.
const SEEDS: u64 = 12;

/// Checks the tokens, credits and slots of all jobs, in one statement.
async fn check_shares(client: &Client, schema: &str) {
    let text = format!(
        "SELECT number, documents, tokens_held, slots_held FROM {schema}.job j
         WHERE documents + tokens_held > max_documents
            OR credits_used + tokens_held * price > budget
            OR slots_held > max_in_flight
            OR tokens_held <> (SELECT COALESCE(sum(tokens), 0) FROM {schema}.job_share WHERE job = j.number)"
    );
    if let Some(row) = client.query_opt(&text, &[]).await.unwrap() {
        let [documents, tokens] = [1, 2].map(|column| row.get::<_, i64>(column));
        panic!("{documents} documents, {tokens} tokens, {} slots", row.get::<_, i32>(3));
    }
}

/// Runs jobs of 40 pages through two stores.
async fn run_jobs(name: &str, limit: u64, change: impl Fn(&mut NewJob), expected: (JobState, u64)) {
    let Some(world) = World::start() else { return };
    let client = world.client().await;
    for seed in 0..SEEDS {
        println!("seed {seed}");
        let schema = format!("{name}_{seed}");
        let stores: [_; 2] = world.stores(&schema).await;
        let graph = Graph::random(&mut Random::new(seed), 40, 7);
        let mut submitted = job(1, limit, graph.pages([0, 1, 2, 3, 4, 5, 6]));
        change(&mut submitted);
        let (id, rules) = (submitted.id, submitted.rules.clone());
        let slots = submitted.account.as_ref().and_then(|account| account.slots);
        let most = rules.max_in_flight.or(slots).unwrap_or(u32::MAX);
        stores[0].submit(submitted, now()).await.unwrap();
        let mut workers = Workers::new(&stores, seed);
        let end = workers
            .run(id, &graph, async |workers| {
                assert!(workers.leased.len() <= most as usize, "{} pages in work", workers.leased.len());
                check_shares(&client, &schema).await;
                deny(&stores[1]).await;
            })
            .await;
        let found = documents(&stores[1], id).await;
        assert_eq!((end.state, end.completed), expected, "seed {seed}: {end:?}");
        assert_eq!((end.credits_used, found.len() as u64), (expected.1, expected.1), "seed {seed}");
        assert_eq!(workers.accepted, expected.1, "seed {seed}: each accepted page gave a document");
    }
}

/// Denies further credits to all jobs that need some.
async fn deny(store: &impl gleaner_store::Store) {
    for short in store.accounting(10).await.unwrap().short {
        store.grant(short.job, 0, now()).await.unwrap();
    }
}

#[tokio::test]
async fn two_stores_give_exactly_as_many_documents_as_the_limit() {
    run_jobs("limits", 17, |_| {}, (JobState::Completed, 17)).await;
}

#[tokio::test]
async fn two_stores_spend_exactly_the_credits() {
    let budget = |job: &mut NewJob| {
        let account = JobAccount { budget: Some(11), ..JobAccount::of(TeamId::new("a")) };
        job.account = Some(Box::new(account));
    };
    run_jobs("credits", u64::MAX, budget, (JobState::Failed, 11)).await;
}

#[tokio::test]
async fn two_stores_keep_to_the_concurrency_of_a_job() {
    run_jobs("places", 30, |job| job.rules.max_in_flight = Some(3), (JobState::Completed, 30)).await;
}

#[tokio::test]
async fn two_stores_keep_to_the_slots_of_a_team() {
    let slots = |job: &mut NewJob| {
        let account = JobAccount { slots: Some(2), ..JobAccount::of(TeamId::new("a")) };
        job.account = Some(Box::new(account));
    };
    run_jobs("slots", 30, slots, (JobState::Completed, 30)).await;
}

#[tokio::test]
async fn a_grant_at_one_store_lets_the_other_go_on() {
    let Some(world) = World::start() else { return };
    let stores: [_; 2] = world.stores("grants").await;
    let graph = Graph::unlinked(12, 4);
    let account = JobAccount { budget: Some(1), ..JobAccount::of(TeamId::new("a")) };
    let submitted = NewJob { account: Some(Box::new(account)), ..job(1, u64::MAX, graph.all()) };
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut granted = 1;
    let mut workers = Workers::new(&stores, 1);
    let end = workers
        .run(id, &graph, async |workers| {
            assert!(workers.accepted <= granted, "{} documents for {granted} credits", workers.accepted);
            let at = usize::from(granted % 2 == 0);
            for short in stores[at].accounting(10).await.unwrap().short {
                assert_eq!((short.job, short.price), (id, 1));
                stores[at].grant(id, 1, now()).await.unwrap();
                granted += 1;
            }
        })
        .await;
    assert_eq!((end.state, end.completed, end.credits_used), (JobState::Completed, 12, 12));
    // Each store may hold a credit that it does not need in the end.
    assert!((12..=14).contains(&granted), "{granted} credits were granted");
}
