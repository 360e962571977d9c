//! Replaces `sqlite.rs` without the feature `sqlite`: jobs are in memory.

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::{MemoryConfig, MemoryStore, Store};

use crate::Error;

/// No settings.
#[derive(Debug, Default)]
pub(crate) struct FileSettings;

impl FileSettings {
    pub(crate) fn is_set(&self) -> bool {
        false
    }

    pub(crate) fn set_bound(&mut self, _: Option<u64>) {}

    /// A store in memory.
    pub(crate) fn open(self, memory: MemoryConfig, _: Duration) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(MemoryStore::new(memory)))
    }
}
