use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a model or a search engine gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderError {
    kind: ProviderErrorKind,
    /// What to tell an operator; without keys and addresses.
    detail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// Too many requests (429). Worth another try, after the hint where there is one.
    RateLimited,
    /// The service is down or overloaded, or the connection broke. Worth another try.
    Unavailable,
    /// No answer in time. Worth another try.
    Timeout,
    /// The key is missing, wrong or not allowed this.
    Unauthorized,
    /// The service does not take the request as it is.
    BadRequest,
    /// The request is longer than the model reads.
    TooLong,
    /// What came back is no answer.
    BadAnswer,
    /// The budget does not allow the call; it was not made.
    OverBudget,
    /// A replay has no recorded answer to this request; nothing was called.
    NotRecorded,
}

impl ProviderError {
    /// An error of this kind; `detail` must be free of secrets.
    #[must_use]
    pub fn new(kind: ProviderErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after_ms: None }
    }

    /// The same error with the service's own hint of when to try again.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// What kind of error it is.
    #[must_use]
    pub const fn kind(&self) -> ProviderErrorKind {
        self.kind
    }

    /// When the service asks to be tried again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }

    /// May the same request succeed later?
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ProviderErrorKind::RateLimited | ProviderErrorKind::Unavailable | ProviderErrorKind::Timeout
        )
    }

    /// Was the call kept back by the budget?
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
            ProviderErrorKind::BadRequest => "the service does not take the request",
            ProviderErrorKind::TooLong => "the request is longer than the model reads",
            ProviderErrorKind::BadAnswer => "the service sent no proper answer",
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
