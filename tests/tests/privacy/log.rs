//! The log of the whole process, at its finest level.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use tracing_subscriber::fmt::MakeWriter;

/// A listener of one thread alone would miss what other threads say, so there is one for all, and one test at a time.
static LOG: OnceLock<Log> = OnceLock::new();
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

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

/// The log is this test's as long as it has this.
#[derive(Debug)]
pub(crate) struct Listener {
    log: Log,
    _turn: tokio::sync::MutexGuard<'static, ()>,
}

impl Listener {
    /// What was said since the last call.
    pub(crate) fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.log.0.lock().unwrap())).unwrap()
    }
}

/// Waits for its turn, then listens from now on.
pub(crate) async fn listen() -> Listener {
    let turn = TURN.lock().await;
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
    let listener = Listener { log: log.clone(), _turn: turn };
    listener.take();
    listener
}
