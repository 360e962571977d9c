//! What clients expect beyond the answers of the contract's types.

use gleaner::response::{CreditUsage, JobErrors, TeamResponse, TokenUsage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The pages of a job that gave no document. Some clients look for `success` here too.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedErrors {
    /// Always true; a failure is an `ErrorBody`.
    success: bool,
    #[serde(flatten)]
    errors: JobErrors,
}

impl From<JobErrors> for ListedErrors {
    fn from(errors: JobErrors) -> Self {
        Self { success: true, errors }
    }
}

/// A team's credits, in v1's names.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreditUsageV1 {
    /// Credits left; below zero where pages turned out dearer than what was left.
    remaining_credits: i64,
    /// Credits of a whole billing period.
    plan_credits: i64,
    /// The team has no limit; both figures are then the greatest that every JSON reader holds exactly.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unlimited: bool,
    #[serde(flatten)]
    period: Period,
}

/// A team's tokens, in v1's names.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenUsageV1 {
    /// Tokens left.
    remaining_tokens: i64,
    /// Tokens of a whole billing period.
    plan_tokens: i64,
    /// The team has no limit; both figures are then the greatest that every JSON reader holds exactly.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unlimited: bool,
    #[serde(flatten)]
    period: Period,
}

/// A billing period.
#[derive(Debug, Serialize, JsonSchema)]
struct Period {
    /// When it began, as v2 writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_period_start: Option<String>,
    /// When it ends, as v2 writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_period_end: Option<String>,
}

impl Period {
    /// The period of an answer of v2.
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
