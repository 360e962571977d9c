//! The wire dialects, each as two pure functions: the body of a request, and the answer in a reply.
//!
//! Pure, so that tests need no socket. `endpoint` sends the requests.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use gleaner_extract::Dialect;
use gleaner_extract::model::{
    Capabilities, Message, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind, Role,
};
use serde::Deserialize;
use serde_json::Value;

/// The wire dialect of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's chat completions, which vLLM, llama.cpp, LM Studio, OpenRouter and many others support too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama's own chat. Unlike its OpenAI dialect it can set the size of the context.
    Ollama,
}

/// The field of the OpenAI dialect for the most tokens of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which every server supports but OpenAI's reasoning models refuse.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, OpenAI's replacement.
    MaxCompletionTokens,
}

/// The configuration of a model that affects its requests.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) capabilities: Capabilities,
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens_field: MaxTokensField,
}

impl Settings {
    /// The schema of this request, if the model supports one.
    fn schema<'r>(&self, request: &'r ModelRequest) -> Option<&'r Value> {
        request.schema.as_ref().filter(|_| self.capabilities.schema.is_some())
    }

    /// The seed of this request, if the model supports one.
    fn seed(&self, request: &ModelRequest) -> Option<u64> {
        request.seed.filter(|_| self.capabilities.seed)
    }
}

/// A request without the base URL and the key.
#[derive(Debug)]
pub(crate) struct Call {
    /// Path segments after the base URL.
    pub(crate) path: Vec<String>,
    /// The name of the header for the key, and the prefix of its value.
    pub(crate) key_header: (&'static str, &'static str),
    /// Other headers.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub(crate) body: Value,
}

impl Provider {
    /// The URL of the provider's own service; for Ollama, its default address on this machine.
    #[must_use]
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The dialect of its schemas.
    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi => Dialect::Strict,
            Self::Anthropic | Self::Ollama => Dialect::JsonSchema,
            Self::Gemini => Dialect::OpenApi,
        }
    }

    /// Whether it supports a seed.
    pub(crate) const fn supports_seed(self) -> bool {
        !matches!(self, Self::Anthropic)
    }

    /// Tokens that it adds to a request with a schema.
    ///
    /// Anthropic adds a system prompt of its own for tools: 159 to 935 tokens, depending on the model and the
    /// tool choice, according to its documentation. The schema itself counts as part of the request for every
    /// provider.
    pub(crate) const fn overhead_tokens(self) -> u64 {
        match self {
            Self::Anthropic => 1_000,
            Self::OpenAi | Self::Gemini | Self::Ollama => 0,
        }
    }

    pub(crate) fn call(self, settings: &Settings, request: &ModelRequest) -> Call {
        match self {
            Self::OpenAi => openai::call(settings, request),
            Self::Anthropic => anthropic::call(settings, request),
            Self::Gemini => gemini::call(settings, request),
            Self::Ollama => ollama::call(settings, request),
        }
    }

    /// Reads the body of a reply with a success status.
    pub(crate) fn answer(self, body: &[u8]) -> Result<ModelAnswer, ProviderError> {
        match self {
            Self::OpenAi => openai::answer(body),
            Self::Anthropic => anthropic::answer(body),
            Self::Gemini => gemini::answer(body),
            Self::Ollama => ollama::answer(body),
        }
    }
}

/// Parses a reply's JSON. `serde_json` bounds its depth at 128. A duplicate field is an error, because
/// different parsers would use different ones.
fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, ProviderError> {
    serde_json::from_slice(body).map_err(|error| {
        let what = if error.is_eof() {
            "the reply's JSON is cut off".to_owned()
        } else {
            format!("the reply does not follow the dialect, at byte {} or before", error.column())
        };
        bad(what)
    })
}

fn bad(detail: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderErrorKind::BadAnswer, detail)
}

/// The system messages as one text, for dialects with a field for them, and the other messages.
fn split_system(messages: &[Message]) -> (Option<String>, impl Iterator<Item = &Message>) {
    let system: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    (system, messages.iter().filter(|message| message.role != Role::System))
}

/// The name of a role in dialects that have one for each.
const fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Assistant => "assistant",
        _ => "user",
    }
}

/// The conversation for dialects with `{"role", "content"}`.
fn chat(messages: &[Message]) -> Value {
    let messages = messages
        .iter()
        .map(|message| serde_json::json!({ "role": role(message.role), "content": message.content }));
    messages.collect()
}

#[cfg(test)]
pub(crate) mod fixtures {
    use super::*;
    use serde_json::json;

    pub(crate) fn settings(provider: Provider) -> Settings {
        let capabilities =
            Capabilities::new("some-model", 32_000).schema(provider.dialect()).seed(provider.supports_seed());
        Settings { capabilities, temperature: Some(0.0), max_tokens_field: MaxTokensField::default() }
    }

    pub(crate) fn request() -> ModelRequest {
        ModelRequest::new(
            vec![
                Message::new(Role::System, "Rules."),
                Message::new(Role::User, "Read this."),
                Message::new(Role::Assistant, "Which?"),
                Message::new(Role::User, "That."),
            ],
            500,
        )
        .schema(json!({ "type": "object", "properties": {} }))
        .seed(7)
    }

    /// Checks replies that are not an answer in any dialect.
    pub(crate) fn assert_refuses_garbage(answer: impl Fn(&[u8]) -> Result<ModelAnswer, ProviderError>) {
        let deep = format!("{{\"x\":{}", "[".repeat(100_000));
        for body in ["", "{", "null", "[]", "{}", "\"text\"", "<html>", &deep, "\u{feff}{}"] {
            let error = answer(body.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), ProviderErrorKind::BadAnswer, "{body:.40}");
        }
    }
}
