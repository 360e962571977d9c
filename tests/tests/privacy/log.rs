//! Tests that have the log of the process to themselves.

use std::sync::{Mutex, PoisonError};

use gleaner_testkit::ProcessLog;
use tokio::runtime::Builder;

static TURN: Mutex<()> = Mutex::new(());

/// Runs a test that has the log to itself. Its runtime, with all its tasks, ends before the next test begins.
pub(crate) fn alone(test: impl AsyncFnOnce(&ProcessLog)) {
    // A test that failed before has spoiled nothing.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let log = ProcessLog::listen();
    drop(log.take());
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test(&log));
}
