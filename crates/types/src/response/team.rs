//! Responses about a team: credits, tokens and its queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The answer to `GET /v2/team/credit-usage` or `/v2/team/token-usage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TeamResponse<T> {
    /// Always true.
    pub success: bool,
    /// The figures.
    pub data: T,
}

impl<T> TeamResponse<T> {
    /// An answer with these figures.
    pub const fn new(data: T) -> Self {
        Self { success: true, data }
    }
}

/// A team's credits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditUsage {
    /// The remaining credits. Negative if pages cost more than was left.
    pub remaining_credits: i64,
    /// The credits of a whole billing period.
    pub plan_credits: i64,
    /// Whether the team has no limit. Both figures are then 9007199254740991 (2^53 - 1): clients expect
    /// numbers, and 0 would mean that no credits are left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlimited: bool,
    /// When the billing period began.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub billing_period_start: Option<OffsetDateTime>,
    /// When the billing period ends.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub billing_period_end: Option<OffsetDateTime>,
}

/// A team's tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// The remaining tokens.
    pub remaining_tokens: i64,
    /// The tokens of a whole billing period.
    pub plan_tokens: i64,
    /// Whether the team has no limit, as for credits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlimited: bool,
    /// When the billing period began.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub billing_period_start: Option<OffsetDateTime>,
    /// When the billing period ends.
    #[serde(default, with = "crate::timestamp::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub billing_period_end: Option<OffsetDateTime>,
}

/// The answer to `GET /v2/team/queue-status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// Always true.
    pub success: bool,
    /// Pages in progress or waiting.
    pub jobs_in_queue: u64,
    /// Pages in progress.
    pub active_jobs_in_queue: u64,
    /// Pages waiting.
    pub waiting_jobs_in_queue: u64,
    /// At most this many pages are in progress at a time.
    pub max_concurrency: u64,
    /// When the latest document was made; `null` if there is none.
    #[serde(default, with = "crate::timestamp::option")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub most_recent_success: Option<OffsetDateTime>,
}

/// The answer to `GET /v2/concurrency-check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConcurrencyCheck {
    /// Always true.
    pub success: bool,
    /// Pages in progress.
    pub concurrency: u64,
    /// At most this many pages are in progress at a time.
    pub max_concurrency: u64,
}
