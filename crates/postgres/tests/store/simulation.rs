//! Whole crawls by the real worker loop, in virtual time: see `gleaner_testkit::simulation`. The store works
//! in real time, and virtual time stands still meanwhile.
//!
//! The assertion message has the number and all events of each seed that fails. A second run of a seed may
//! differ, because the tasks of the store work in real time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_store::Store;
use gleaner_testkit::simulation::{Report, simulate_on};
use tokio::runtime::{Builder, Handle};

use super::world::{World, open_stores};

/// Simulations at a time. Each waits for the disk most of its time.
const THREADS: usize = 4;
/// Longer than the store is kept from renewing its term: how terms end is tested elsewhere.
const TERM: Duration = Duration::from_secs(300);

#[derive(Default)]
struct Tally {
    documents: u64,
    events: u64,
    requests: u64,
    leases_lost: u64,
    crashes: u64,
    virtual_time: Duration,
    /// The first few failures, as text.
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.documents += report.documents;
        self.events += report.events;
        self.requests += report.requests;
        self.leases_lost += report.leases_lost;
        self.crashes += report.crashes;
        self.virtual_time += report.virtual_time;
        if !report.violations.is_empty() && self.failures.len() < 3 {
            self.failures.push(report.transcript());
        }
    }
}

/// Runs a seed in a schema of its own.
fn run_seed(world: &World, runtime: &Handle, seed: u64) -> Report {
    let schema = format!("simulated_{seed}");
    let mut config = world.config(&schema);
    config.term = TERM;
    let report = simulate_on(seed, runtime, |memory| {
        config.retention = memory.retention;
        config.memory = memory;
        runtime.block_on(async {
            let [store] = open_stores(&config).await;
            let store: Arc<dyn Store> = Arc::new(store);
            store
        })
    });
    runtime.block_on(async {
        world.client().await.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
    });
    report
}

fn run_seeds(seeds: u64) {
    let Some(world) = World::start() else { return };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let run = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return;
            }
            let report = run_seed(&world, runtime.handle(), seed);
            tally.lock().unwrap().add(&report);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(run);
        }
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{seeds} seeds: {} requests, {} documents, {} events, {} leases lost, {} crashes, \
         {:.1} virtual hours",
        tally.requests,
        tally.documents,
        tally.events,
        tally.leases_lost,
        tally.crashes,
        tally.virtual_time.as_secs_f64() / 3_600.0,
    );
    assert!(tally.documents > 0 && tally.events > 0, "the seeds cover these");
    assert!(tally.leases_lost > 0 && tally.crashes > 0, "the seeds cover these");
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n\n"));
}

#[test]
fn simulated_crawls_keep_the_invariants() {
    run_seeds(10);
}

#[test]
#[ignore = "takes many minutes; CI runs the short form"]
fn many_simulated_crawls_keep_the_invariants() {
    run_seeds(1_000);
}
