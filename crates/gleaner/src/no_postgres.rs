//! Replaces `postgres.rs` without the feature `postgres`: jobs are in no database.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::Executor;
use gleaner_store::{MemoryConfig, Store};

use crate::Error;

/// No settings.
#[derive(Debug, Default)]
pub(crate) struct DatabaseSettings;

impl DatabaseSettings {
    pub(crate) fn is_set(&self) -> bool {
        false
    }

    /// No store.
    pub(crate) async fn open(
        self,
        _: MemoryConfig,
        _: Option<Duration>,
    ) -> Result<Option<Arc<dyn Store>>, Error> {
        Ok(None)
    }

    /// No store.
    pub(crate) fn open_blocking(
        self,
        _: MemoryConfig,
        _: Option<Duration>,
        _: &Executor,
    ) -> Result<Option<Arc<dyn Store>>, Error> {
        Ok(None)
    }
}
