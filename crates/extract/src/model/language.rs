use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ProviderError, estimate_tokens};
use crate::schema::Dialect;

/// Most bytes of an answer that are read; an adapter stops there and reports [`Finish::Length`].
pub const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A language model.
///
/// One request, one answer; no tools and no session. An implementation sends `messages` as they are, asks for `schema` in
/// the provider's own way where it has one, and never retries by itself: [`Retrying`](super::Retrying) does.
/// Dropping the future abandons the call.
#[async_trait]
pub trait LanguageModel: Send + Sync + Debug {
    /// What the model can do and what it costs. The same at every call.
    fn capabilities(&self) -> Capabilities;

    /// Tokens of a text; at least as many as the provider will count, as budgets reserve by it. A model with no counter of its own keeps
    /// [`estimate_tokens`].
    fn count_tokens(&self, text: &str) -> u64 {
        estimate_tokens(text)
    }

    /// Asks the model.
    ///
    /// # Errors
    /// Where no answer came. An answer that is cut off, refused or no JSON is an answer.
    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError>;
}

#[async_trait]
impl<M: LanguageModel + ?Sized> LanguageModel for Arc<M> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        (**self).count_tokens(text)
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        (**self).complete(request).await
    }
}

/// What a model can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The model's name, as shown in ledgers.
    pub model: String,
    /// Tokens of request and answer together.
    pub context_tokens: u64,
    /// Most tokens of an answer.
    pub max_output_tokens: u64,
    /// How it takes an output schema; `None` where it takes none and is asked in words.
    pub schema: Option<Dialect>,
    /// Does it take a seed?
    pub seed: bool,
    /// Tokens that the provider adds to a request with a schema beyond what is sent: its own rules on how to answer by
    /// one. Budgets reserve them.
    #[serde(default)]
    pub overhead_tokens: u64,
    /// What it costs.
    pub price: TokenPrice,
}

impl Capabilities {
    /// A model without structured output that costs nothing, such as a local one; set the fields that differ.
    #[must_use]
    pub fn new(model: impl Into<String>, context_tokens: u64) -> Self {
        Self {
            model: model.into(),
            context_tokens,
            max_output_tokens: context_tokens / 4,
            schema: None,
            seed: false,
            overhead_tokens: 0,
            price: TokenPrice::default(),
        }
    }
}

/// Prices in millionths of a dollar for a million tokens: 3 dollars a million is 3,000,000.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenPrice {
    /// For tokens of the request.
    pub input_micros: u64,
    /// For tokens of the answer.
    pub output_micros: u64,
}

impl TokenPrice {
    /// What so many tokens cost, in millionths of a dollar, rounded up.
    #[must_use]
    pub const fn cost(self, usage: Usage) -> u64 {
        let input = usage.input_tokens.saturating_mul(self.input_micros);
        let output = usage.output_tokens.saturating_mul(self.output_micros);
        input.saturating_add(output).div_ceil(1_000_000)
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Role {
    /// The engine's own rules.
    System,
    /// The task and its data.
    User,
    /// An earlier answer of the model.
    Assistant,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// A question to a model. Sampling is as even as the provider allows: temperature 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    /// The conversation, the system's rules first.
    pub messages: Vec<Message>,
    /// JSON Schema of the answer, already in the provider's [`Dialect`]; `None` for plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Most tokens of the answer. Providers must be told: budgets rely on it.
    pub max_tokens: u64,
    /// Makes answers repeatable where the provider can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Finish {
    /// The model was done.
    Stop,
    /// `max_tokens`, the context or [`MAX_ANSWER_BYTES`] was reached.
    Length,
    /// The model or a filter of the provider refused.
    Refusal,
    /// The provider gave another reason or none.
    Other,
}

/// Tokens of a call, as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelAnswer {
    /// Its words: JSON where a schema was sent, if the model kept to it.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// What it used; `None` where the provider did not say, and the whole reservation is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}
