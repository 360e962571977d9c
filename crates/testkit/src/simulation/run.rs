//! Crawls over a store in memory, in one process.

use std::sync::Arc;

use gleaner_store::MemoryStore;

use super::job_check::ReadResult;
use super::job_reader::read_job;
use super::report::Report;
use super::setup::{END, Setup};

/// Runs the simulation of a seed, in virtual time and on the calling thread.
///
/// # Panics
/// If the tokio runtime cannot be built.
#[must_use]
pub fn simulate(seed: u64) -> Report {
    virtual_runtime().block_on(run_seed(seed))
}

/// A tokio runtime in virtual time.
pub(super) fn virtual_runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("the tokio runtime builds")
}

async fn run_seed(seed: u64) -> Report {
    let mut setup = Setup::generate(seed, false);
    let map = setup.map.take();
    let is_mapped = map.is_some();
    let (context, tasks) = (Arc::clone(&setup.context), Arc::clone(&setup.tasks));
    context.begin_process(0);
    let store = Arc::new(MemoryStore::new(setup.config.clone()));
    let runtime = setup.runtime(setup.faulty_store(store, None, &Arc::default()));
    let mut readers = Vec::new();
    for number in 0..tasks.len() {
        let (context, runtime) = (Arc::clone(&context), Arc::clone(&runtime));
        let tasks = Arc::clone(&tasks);
        readers.push(tokio::spawn(async move {
            let result = tokio::time::timeout(END, read_job(&context, &runtime, &tasks[number])).await;
            result.unwrap_or_else(|_| {
                context
                    .monitor()
                    .violate(context.now(), format!("job {number} did not end: {:?}", tasks[number]));
                ReadResult::default()
            })
        }));
    }
    if let Some(map) = map {
        let (context, runtime) = (Arc::clone(&context), Arc::clone(&runtime));
        readers.push(tokio::spawn(async move {
            map.run(&context, &runtime).await;
            ReadResult::default()
        }));
    }
    let mut documents = 0;
    let mut full_queues = 0;
    for reader in readers {
        match reader.await {
            Ok(read) => {
                documents += read.documents;
                full_queues += u64::from(read.was_full);
            }
            Err(error) => context.monitor().violate(context.now(), format!("a reader failed: {error}")),
        }
    }
    drop(runtime);
    let mut report = setup.report();
    report.documents = documents;
    report.full_queues = full_queues;
    report.maps = u64::from(is_mapped);
    report
}
