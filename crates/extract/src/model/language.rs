//! The port for language models: requests, responses, capabilities and prices.

use std::fmt::Debug;
use std::sync::Arc;

use gleaner_types::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ProviderError, estimate_tokens};
use crate::schema::Dialect;

/// Upper bound on the bytes of an answer. An adapter stops reading there and reports [`Finish::Length`].
pub const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A language model.
///
/// One request, one answer; no tools and no session. An implementation sends `messages` unchanged, passes
/// `schema` in the provider's own form if it has one, and never retries by itself:
/// [`Retrying`](super::Retrying) does. Dropping the future abandons the call.
pub trait LanguageModel: Send + Sync + Debug {
    /// The model's abilities and prices. Every call returns the same.
    fn capabilities(&self) -> Capabilities;

    /// Counts the tokens of a text; at least as many as the provider will count, because budgets reserve by
    /// this number. The default is [`estimate_tokens`].
    fn count_tokens(&self, text: &str) -> u64 {
        estimate_tokens(text)
    }

    /// Sends a request to the model.
    ///
    /// # Errors
    /// If there is no answer. An answer that is cut off, refused or not JSON is an answer.
    fn complete<'a>(&'a self, request: &'a ModelRequest)
    -> BoxFuture<'a, Result<ModelAnswer, ProviderError>>;
}

impl<M: LanguageModel + ?Sized> LanguageModel for Arc<M> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        (**self).count_tokens(text)
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        (**self).complete(request)
    }
}

/// The abilities and prices of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Capabilities {
    /// The model's name, as shown in ledgers.
    pub model: String,
    /// Upper bound on the tokens of request and answer together.
    pub context_tokens: u64,
    /// Upper bound on the tokens of an answer.
    pub max_output_tokens: u64,
    /// The form in which it accepts an output schema; `None` if it accepts none and the prompt describes the
    /// output.
    pub schema: Option<Dialect>,
    /// Whether it accepts a seed.
    pub seed: bool,
    /// Tokens that the provider adds to a request with a schema: its own rules on how to follow the schema.
    /// Budgets reserve them.
    #[serde(default)]
    pub overhead_tokens: u64,
    /// The price of its tokens.
    pub price: TokenPrice,
}

impl Capabilities {
    /// The capabilities of a free model without structured output, such as a local one. Setters change
    /// what differs.
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

    /// Sets the maximum tokens of an answer.
    #[must_use]
    pub fn max_output_tokens(mut self, max_output_tokens: u64) -> Self {
        self.max_output_tokens = max_output_tokens;
        self
    }

    /// Sets the form in which it accepts an output schema.
    #[must_use]
    pub fn schema(mut self, schema: Dialect) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Sets whether it accepts a seed.
    #[must_use]
    pub fn seed(mut self, seed: bool) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the tokens that the provider adds to a request with a schema.
    #[must_use]
    pub fn overhead_tokens(mut self, overhead_tokens: u64) -> Self {
        self.overhead_tokens = overhead_tokens;
        self
    }

    /// Sets the price of its tokens.
    #[must_use]
    pub fn price(mut self, price: TokenPrice) -> Self {
        self.price = price;
        self
    }
}

/// Prices in millionths of a dollar per million tokens: 3 dollars per million tokens is 3,000,000.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenPrice {
    /// Price of the request's tokens.
    pub input_micros: u64,
    /// Price of the answer's tokens.
    pub output_micros: u64,
}

impl TokenPrice {
    /// The cost of this usage in millionths of a dollar, rounded up.
    #[must_use]
    pub const fn cost(self, usage: Usage) -> u64 {
        let input = usage.input_tokens.saturating_mul(self.input_micros);
        let output = usage.output_tokens.saturating_mul(self.output_micros);
        input.saturating_add(output).div_ceil(1_000_000)
    }

    /// These prices of the tokens of requests and of answers.
    #[must_use]
    pub const fn new(input_micros: u64, output_micros: u64) -> Self {
        Self { input_micros, output_micros }
    }
}

/// The author of a message.
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

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text.
    pub content: String,
}

impl Message {
    /// Creates a message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// A request to a model. Sampling is as deterministic as the provider allows: temperature 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelRequest {
    /// The conversation, with the system's rules first.
    pub messages: Vec<Message>,
    /// The JSON Schema of the answer, already in the provider's [`Dialect`]; `None` for plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Upper bound on the tokens of the answer. An implementation must pass it to the provider: budgets rely
    /// on it.
    pub max_tokens: u64,
    /// Makes answers repeatable if the provider supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl ModelRequest {
    /// A conversation with an answer in plain text of at most this many tokens.
    #[must_use]
    pub fn new(messages: Vec<Message>, max_tokens: u64) -> Self {
        Self { messages, schema: None, max_tokens, seed: None }
    }

    /// Sets the JSON Schema of the answer, already in the provider's [`Dialect`].
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Makes answers repeatable if the provider supports it.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Finish {
    /// The model finished.
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
#[non_exhaustive]
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

    /// These tokens of the request and of the answer.
    #[must_use]
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
    }
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelAnswer {
    /// The text: JSON if a schema was sent and the model followed it.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// The tokens used; `None` if the provider did not report them. The whole reservation counts then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl ModelAnswer {
    /// This text, why it ended, and the tokens used if the provider reported them.
    #[must_use]
    pub fn new(text: String, finish: Finish, usage: Option<Usage>) -> Self {
        Self { text, finish, usage }
    }
}
