//! The permission of a process to send requests to a host.

use std::any::Any;
use std::time::Duration;

/// The answer of [`Store::hold_host`](crate::Store::hold_host).
#[derive(Debug)]
pub enum HostHold {
    /// This process alone may send requests to the host while the guard lives.
    Held(HostGuard),
    /// Another process may send requests to the host now, or it must not be asked yet.
    Busy {
        /// It is useless to ask again before this time.
        not_before: Duration,
    },
}

impl HostHold {
    /// A hold that costs nothing: no other process sends requests.
    #[must_use]
    pub const fn free() -> Self {
        Self::Held(HostGuard::free())
    }
}

/// Keeps a host with this process until it is dropped. After the end of the term it keeps nothing.
#[derive(Debug)]
pub struct HostGuard {
    /// Only dropped.
    _kept: Option<Box<dyn Any + Send + Sync>>,
}

impl HostGuard {
    /// A guard that keeps nothing.
    #[must_use]
    pub const fn free() -> Self {
        Self { _kept: None }
    }

    /// A guard that keeps the host until this value is dropped.
    #[must_use]
    pub fn new(kept: impl Any + Send + Sync) -> Self {
        Self { _kept: Some(Box::new(kept)) }
    }
}
