//! Response types of the wire that the contract's types do not cover.

use gleaner::response::{CreditUsage, JobErrors, TeamResponse, TokenUsage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The pages of a job that produced no document. Some clients expect `success` here too.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedErrors {
    /// Always true: errors have an `ErrorBody`.
    success: bool,
    #[serde(flatten)]
    errors: JobErrors,
}

impl From<JobErrors> for ListedErrors {
    fn from(errors: JobErrors) -> Self {
        Self { success: true, errors }
    }
}

/// A team's credits, with the field names of v1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreditUsageV1 {
    /// The remaining credits. Negative if pages cost more than was left.
    remaining_credits: i64,
    /// The credits of a whole billing period.
    plan_credits: i64,
    /// Whether the team has no limit. Both figures are then 9007199254740991 (2^53 - 1).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unlimited: bool,
    #[serde(flatten)]
    period: Period,
}

/// A team's tokens, with the field names of v1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenUsageV1 {
    /// The remaining tokens.
    remaining_tokens: i64,
    /// The tokens of a whole billing period.
    plan_tokens: i64,
    /// Whether the team has no limit. Both figures are then 9007199254740991 (2^53 - 1).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unlimited: bool,
    #[serde(flatten)]
    period: Period,
}

/// A billing period.
#[derive(Debug, Serialize, JsonSchema)]
struct Period {
    /// When the billing period began, in the format of v2.
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_period_start: Option<String>,
    /// When the billing period ends, in the format of v2.
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_period_end: Option<String>,
}

impl Period {
    /// The period of a v2 response.
    fn of(v2: &impl Serialize) -> Self {
        let v2 = serde_json::to_value(v2).unwrap_or_default();
        let text = |name: &str| v2.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            billing_period_start: text("billingPeriodStart"),
            billing_period_end: text("billingPeriodEnd"),
        }
    }
}

pub(crate) fn credit_usage(v2: TeamResponse<CreditUsage>) -> TeamResponse<CreditUsageV1> {
    let CreditUsage { remaining_credits, plan_credits, unlimited, .. } = v2.data;
    let period = Period::of(&v2.data);
    TeamResponse::new(CreditUsageV1 { remaining_credits, plan_credits, unlimited, period })
}

pub(crate) fn token_usage(v2: TeamResponse<TokenUsage>) -> TeamResponse<TokenUsageV1> {
    let TokenUsage { remaining_tokens, plan_tokens, unlimited, .. } = v2.data;
    let period = Period::of(&v2.data);
    TeamResponse::new(TokenUsageV1 { remaining_tokens, plan_tokens, unlimited, period })
}
