//! Runs tests one at a time, so that each has the log of the process to itself.

use std::sync::{Mutex, PoisonError};

use gleaner_testkit::ProcessLog;
use tokio::runtime::Builder;

static LOG_LOCK: Mutex<()> = Mutex::new(());

/// Runs a test with exclusive use of the log. Its runtime and all tasks end before the next test starts.
pub(crate) fn with_exclusive_log(test: impl AsyncFnOnce(&ProcessLog)) {
    // The lock guards no data, so a failed test does not invalidate it.
    let _guard = LOG_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let log = ProcessLog::listen();
    drop(log.take());
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test(&log));
}
