//! Bounds that an embedder can raise, and the result of a check.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::limits::{MAX_RAISED_TIMEOUT_MS, MAX_TIMEOUT_MS};

/// Bounds of requests that an embedder can configure. The default is [`CONTRACT`](Self::CONTRACT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestBounds {
    timeout_ms: u64,
}

impl RequestBounds {
    /// The standard bounds of the API.
    pub const CONTRACT: Self = Self { timeout_ms: MAX_TIMEOUT_MS };

    /// The same bounds with this limit for `timeout`, clamped to the range from [`MAX_TIMEOUT_MS`] to
    /// [`MAX_RAISED_TIMEOUT_MS`].
    #[must_use]
    pub fn with_timeout(self, most: Duration) -> Self {
        let milliseconds = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
        Self { timeout_ms: milliseconds.clamp(MAX_TIMEOUT_MS, MAX_RAISED_TIMEOUT_MS) }
    }

    /// The greatest `timeout`.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    pub(crate) const fn timeout_ms(&self) -> u64 {
        self.timeout_ms
    }
}

impl Default for RequestBounds {
    fn default() -> Self {
        Self::CONTRACT
    }
}

/// A request that was parsed and checked.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Checked<P> {
    /// The plan.
    pub plan: P,
    /// The request without ignored fields.
    pub request: Value,
    /// Remarks for the sender, such as which fields were ignored.
    pub warnings: Vec<String>,
}

impl<P: fmt::Debug> fmt::Debug for Checked<P> {
    /// Omits the request, because its headers may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, warnings, .. } = self;
        f.debug_struct("Checked").field("plan", plan).field("warnings", warnings).finish_non_exhaustive()
    }
}
