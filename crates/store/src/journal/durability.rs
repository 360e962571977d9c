//! A flag that tells when a change has become durable.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether what one change of the store has written is durable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Durability(Arc<AtomicBool>);

impl Durability {
    pub(crate) fn is_reached(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn reach(&self) {
        self.0.store(true, Ordering::Release);
    }
}
