//! The log of the whole process.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Everything that the process logs, at level TRACE.
///
/// The subscriber is global, because a subscriber of one thread misses lines whose call site another thread
/// registered first. A test should look for lines with a host or a name that no other test uses, or run
/// alone.
#[derive(Debug, Clone, Default)]
pub struct ProcessLog(Arc<Mutex<Option<Vec<u8>>>>);

impl ProcessLog {
    /// Starts to record.
    ///
    /// # Panics
    /// If the process has another global subscriber.
    #[must_use]
    pub fn listen() -> Self {
        static LOG: OnceLock<ProcessLog> = OnceLock::new();
        let log = LOG.get_or_init(|| {
            let log = Self::default();
            let lines = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
            let subscriber = lines.with_writer(log.clone()).finish();
            tracing::subscriber::set_global_default(subscriber).expect("the process has no other subscriber");
            log
        });
        log.kept().get_or_insert_default();
        log.clone()
    }

    /// The text that was logged since the last call.
    #[must_use]
    pub fn take(&self) -> String {
        let bytes = self.kept().as_mut().map(std::mem::take).unwrap_or_default();
        String::from_utf8(bytes).expect("the log is text")
    }

    /// Like [`take`](Self::take), and stops recording.
    #[must_use]
    pub fn end(self) -> String {
        let text = self.take();
        *self.kept() = None;
        text
    }

    fn kept(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl io::Write for ProcessLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(kept) = self.kept().as_mut() {
            kept.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for ProcessLog {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recorded_until_the_end() {
        let log = ProcessLog::listen();
        tracing::trace!("a whisper of this test");
        assert!(log.take().contains("a whisper of this test"));
        tracing::warn!("a word of this test");
        let other = ProcessLog::listen();
        assert!(log.end().contains("a word of this test"));
        tracing::warn!("a word of this test");
        assert!(!other.take().contains("of this test"));
    }
}
