//! What an extract has done so far.

use std::sync::{Arc, OnceLock};

use gleaner_extract::{Ledger, Spent};

/// Reports how far an extract is, to a program that shows progress. Clones watch the same extract.
#[derive(Debug, Clone, Default)]
pub struct ExtractWatch {
    /// The extract's own, once it has begun.
    ledger: Arc<OnceLock<Ledger>>,
}

impl ExtractWatch {
    /// A watch of no extract yet. It watches the first that it is given to, and no other.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pages that were begun, and calls and tokens of the model, up to now; nothing of an extractor of the
    /// embedder's own.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.ledger.get().map(Ledger::spent).unwrap_or_default()
    }

    pub(crate) fn begin(&self, ledger: &Ledger) {
        // A second extract with the same watch goes unwatched.
        let _ = self.ledger.set(ledger.clone());
    }
}
