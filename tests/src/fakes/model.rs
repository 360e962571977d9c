//! Fake language models in the wire dialect of each provider.

use std::time::Duration;

use gleaner_extract::model::{Message, ModelRequest, Role};
use gleaner_models::{ApiKey, HttpModel, HttpModelBuilder, Provider};
use serde_json::{Value, json};

use super::server::{FakeServer, ReceivedRequest};

/// The API key of the models. No output may contain it.
pub const KEY: &str = "sk-live-0123456789-do-not-show";

/// All dialects.
pub const PROVIDERS: [Provider; 4] =
    [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama];

/// The task that a prompt gives to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Draft a schema from a prompt.
    Draft,
    /// Extract values from a page.
    Read,
    /// Summarise a page.
    Summary,
    /// Choose the sections of a site to crawl.
    Crawl,
}

/// Detects the task by the system message, which is first in every request of OpenAI's dialect.
#[must_use]
pub fn task_of(received: &ReceivedRequest) -> Task {
    let system = received.body["messages"][0]["content"].as_str().unwrap_or_default();
    match system.split('.').next().unwrap_or_default() {
        text if text.contains("design a table") => Task::Draft,
        text if text.contains("summarise") => Task::Summary,
        text if text.contains("web crawl") => Task::Crawl,
        _ => Task::Read,
    }
}

/// The base URL of a provider at this origin, as a user would configure it.
#[must_use]
pub fn base_url(provider: Provider, origin: &str) -> String {
    match provider {
        Provider::OpenAi => format!("{origin}/v1"),
        Provider::Gemini => format!("{origin}/v1beta/"),
        _ => origin.to_owned(),
    }
}

/// A builder of a model with [`KEY`] at this origin.
pub fn model_builder(provider: Provider, origin: &str) -> HttpModelBuilder {
    HttpModel::builder(provider, "some-model")
        .base_url(base_url(provider, origin).parse().unwrap())
        .key(ApiKey::new(KEY).unwrap())
        .timeout(Duration::from_secs(20))
}

/// A model at this fake server.
#[must_use]
pub fn model(provider: Provider, fake: &FakeServer) -> HttpModel {
    model_builder(provider, &fake.url("")).build().unwrap()
}

/// A request for an object with one text field.
#[must_use]
pub fn request(text: &str) -> ModelRequest {
    ModelRequest::new(
        vec![Message::new(Role::System, "Answer in JSON."), Message::new(Role::User, text)],
        300,
    )
    .schema(json!({ "type": "object", "properties": { "a": { "type": "string" } } }))
    .seed(11)
}

/// Why the answer of a model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is complete.
    Stop,
    /// It reached the token limit.
    Length,
    /// The model refused to answer.
    Refusal,
}

/// A reply in this dialect with the answer `text`, 21 input tokens and 8 output tokens. With [`Ending::Stop`]
/// the text is JSON.
#[must_use]
pub fn reply(provider: Provider, text: &str, ending: Ending) -> Value {
    let word = |words: [&'static str; 3]| words[ending as usize];
    match provider {
        Provider::OpenAi => json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "some-model",
            "choices": [{
                "index": 0, "logprobs": null,
                "finish_reason": word(["stop", "length", "content_filter"]),
                "message": { "role": "assistant", "content": text, "refusal": null },
            }],
            "usage": { "prompt_tokens": 21, "completion_tokens": 8, "total_tokens": 29 },
        }),
        Provider::Anthropic => {
            let block = match serde_json::from_str::<Value>(text) {
                Ok(input) if ending == Ending::Stop => {
                    json!({ "type": "tool_use", "id": "toolu_1", "name": "answer", "input": input })
                }
                _ => json!({ "type": "text", "text": text }),
            };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model",
                "content": [block],
                "stop_reason": word(["tool_use", "max_tokens", "refusal"]), "stop_sequence": null,
                "usage": { "input_tokens": 20, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 0,
                    "output_tokens": 8 },
            })
        }
        Provider::Gemini => json!({
            "candidates": [{
                "content": { "role": "model", "parts": [{ "text": text }] },
                "finishReason": word(["STOP", "MAX_TOKENS", "SAFETY"]), "index": 0,
            }],
            "usageMetadata": { "promptTokenCount": 21, "candidatesTokenCount": 6, "thoughtsTokenCount": 2,
                "totalTokenCount": 29 },
            "modelVersion": "some-model",
        }),
        _ => json!({
            "model": "some-model", "created_at": "2026-01-01T00:00:00Z",
            "message": { "role": "assistant", "content": text },
            "done": true, "done_reason": word(["stop", "length", "load"]),
            "total_duration": 5, "load_duration": 1, "prompt_eval_count": 21, "eval_count": 8,
        }),
    }
}
