//! Counters of commits, checkpoints and written bytes.

use std::sync::atomic::{AtomicU64, Ordering};

use gleaner_store::journal::Batch;

/// What a journal has written since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalStats {
    /// Commits of batches. Each is one sync of the log.
    pub commits: u64,
    /// Batches in them.
    pub batches: u64,
    /// Copies of the log into the file. Each is two syncs: of the log and of the file.
    pub checkpoints: u64,
    /// Bytes of their facts and of the JSON of their documents.
    pub bytes: u64,
}

/// The counters behind [`JournalStats`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    batches: AtomicU64,
    checkpoints: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(crate) fn committed(&self, batches: &[Batch]) {
        let size = |batch: &Batch| {
            let documents: usize = batch.documents.iter().map(|document| document.json.len()).sum();
            (batch.facts.len() + documents) as u64
        };
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.batches.fetch_add(batches.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_add(batches.iter().map(size).sum(), Ordering::Relaxed);
    }

    pub(crate) fn checkpointed(&self) {
        self.checkpoints.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn stats(&self) -> JournalStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        JournalStats {
            commits: read(&self.commits),
            batches: read(&self.batches),
            checkpoints: read(&self.checkpoints),
            bytes: read(&self.bytes),
        }
    }
}
