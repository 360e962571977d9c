//! Crawls over a store that works in real time, in one process.

use std::sync::Arc;

use gleaner_store::{MemoryConfig, Store};
use tokio::runtime::Handle;

use super::process::{Outside, Process};
use super::real_time::RealTime;
use super::report::Report;
use super::run::virtual_runtime;

/// Runs the simulation of a seed over the store that `open` opens, on the calling thread. The crawls run in
/// virtual time, which stands still while an operation of the store runs. The tasks of the store run on
/// `runtime`, in real time.
///
/// What the store does by itself takes real time, so two runs of a seed may differ.
///
/// # Panics
/// If the tokio runtime cannot be built, or within a tokio runtime.
#[must_use]
pub fn simulate_on(seed: u64, runtime: &Handle, open: impl FnOnce(MemoryConfig) -> Arc<dyn Store>) -> Report {
    let outside = Outside::generate(seed, false);
    let store = open(outside.setup.config.clone());
    let context = &outside.setup.context;
    virtual_runtime().block_on(async {
        context.begin_process(0);
        let process = Process::in_real_time(&outside, store, RealTime::new(runtime));
        Arc::clone(&process).run(None).await;
        // What was acknowledged is there at the end.
        process.check_restart().await;
        context.end_process();
    });
    outside.report()
}
