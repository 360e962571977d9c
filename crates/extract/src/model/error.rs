//! The errors of language models and search engines.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a model or a search engine returned no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderError {
    kind: ProviderErrorKind,
    /// Details for an operator, without keys and addresses.
    detail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

/// The kinds of [`ProviderError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// Too many requests (429). Retryable, after the service's hint if there is one.
    RateLimited,
    /// The service is down or overloaded, or the connection broke. Retryable.
    Unavailable,
    /// No answer in time. Retryable.
    Timeout,
    /// The key is missing, wrong or lacks permission.
    Unauthorized,
    /// The service rejects the request.
    BadRequest,
    /// The request exceeds the model's context.
    TooLong,
    /// The response cannot be read as an answer.
    BadAnswer,
    /// The budget does not allow the call; it was not made.
    OverBudget,
    /// A replay has no recorded answer to this request; there was no call.
    NotRecorded,
}

impl ProviderError {
    /// An error of this kind; `detail` must be free of secrets.
    #[must_use]
    pub fn new(kind: ProviderErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after_ms: None }
    }

    /// The same error with the service's hint of when to retry.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> ProviderErrorKind {
        self.kind
    }

    /// The service's hint of when to retry.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ProviderErrorKind::RateLimited | ProviderErrorKind::Unavailable | ProviderErrorKind::Timeout
        )
    }

    /// Whether the service limits the rate of requests; [`retry_after`](Self::retry_after) may say for how
    /// long.
    #[must_use]
    pub const fn is_rate_limited(&self) -> bool {
        matches!(self.kind, ProviderErrorKind::RateLimited)
    }

    /// Whether the service refuses the key.
    #[must_use]
    pub const fn is_unauthorized(&self) -> bool {
        matches!(self.kind, ProviderErrorKind::Unauthorized)
    }

    /// Whether the request exceeds the model's context.
    #[must_use]
    pub const fn is_too_long(&self) -> bool {
        matches!(self.kind, ProviderErrorKind::TooLong)
    }

    /// Whether the budget refused the call.
    #[must_use]
    pub const fn is_over_budget(&self) -> bool {
        matches!(self.kind, ProviderErrorKind::OverBudget)
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ProviderErrorKind::RateLimited => "the service limits the rate of requests",
            ProviderErrorKind::Unavailable => "the service is not available",
            ProviderErrorKind::Timeout => "the service did not answer in time",
            ProviderErrorKind::Unauthorized => "the service refuses the key",
            ProviderErrorKind::BadRequest => "the service rejects the request",
            ProviderErrorKind::TooLong => "the request exceeds the model's context",
            ProviderErrorKind::BadAnswer => "the service sent no valid answer",
            ProviderErrorKind::OverBudget => "the budget does not allow the call",
            ProviderErrorKind::NotRecorded => "the transcript has no answer to this request",
        };
        if self.detail.is_empty() {
            formatter.write_str(what)
        } else {
            write!(formatter, "{what}: {}", self.detail)
        }
    }
}

impl std::error::Error for ProviderError {}
