//! The log of the whole process, at its finest level.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::runtime::Builder;
use tracing_subscriber::fmt::MakeWriter;

/// A listener of one thread alone would miss what other threads say, so there is one for all, and one test at
/// a time.
static LOG: OnceLock<Log> = OnceLock::new();
static TURN: Mutex<()> = Mutex::new(());

#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    /// What was said since the last call.
    pub(crate) fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

/// Runs a test that has the log to itself. Its runtime ends, and all that it began, before the next test has
/// its turn.
pub(crate) fn alone(test: impl AsyncFnOnce(&Log)) {
    // A test that failed before has spoiled nothing.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let log = LOG.get_or_init(|| {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    });
    log.take();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test(log));
}
