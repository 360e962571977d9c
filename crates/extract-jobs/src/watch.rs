//! Progress of an extract.

use std::sync::{Arc, OnceLock};

use gleaner_extract::{Ledger, Spent};

/// Reports the progress of an extract. Clones watch the same extract.
#[derive(Debug, Clone, Default)]
pub struct ExtractWatch {
    /// The ledger of the extract, once it has started.
    ledger: Arc<OnceLock<Ledger>>,
}

impl ExtractWatch {
    /// A watch without an extract. It watches the first extract that gets it, and no other.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pages that were started, and calls and tokens of the model, so far. It stays empty if the embedder
    /// replaced the extractor.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.ledger.get().map(Ledger::spent).unwrap_or_default()
    }

    pub(crate) fn start(&self, ledger: &Ledger) {
        // A second extract with the same watch is not watched.
        let _ = self.ledger.set(ledger.clone());
    }
}
