//! Anthropic's messages (`POST /v1/messages`).
//!
//! Structured output is the input of a tool that the model must use. All models with tools support this,
//! while only some later ones support `output_config`. The tool's input is passed on as it was written.

use gleaner_extract::model::{Finish, ModelAnswer, ModelRequest, ProviderError, Usage};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Call, Settings, bad, read, role, split_system};

/// The version of the dialect of the body.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// The tool for the answer.
const TOOL: &str = "answer";

#[expect(clippy::indexing_slicing, reason = "adds a field to an object that was made here")]
pub(super) fn call(settings: &Settings, request: &ModelRequest) -> Call {
    let (system, messages) = split_system(&request.messages);
    let messages: Vec<_> =
        messages.map(|message| json!({ "role": role(message.role), "content": message.content })).collect();
    let mut body = json!({
        "model": settings.capabilities.model,
        "max_tokens": request.max_tokens,
        "messages": messages,
    });
    if let Some(system) = system {
        body["system"] = system.into();
    }
    if let Some(temperature) = settings.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(schema) = settings.schema(request) {
        body["tools"] =
            json!([{ "name": TOOL, "description": "Takes the whole answer.", "input_schema": schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": TOOL });
    }
    Call {
        path: vec!["v1".to_owned(), "messages".to_owned()],
        key_header: ("x-api-key", ""),
        headers: &[VERSION],
        body,
    }
}

#[derive(Deserialize)]
struct Reply {
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    input: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    input_tokens: u64,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: u64,
}

pub(super) fn answer(body: &[u8]) -> Result<ModelAnswer, ProviderError> {
    let reply: Reply = read(body)?;
    let Some(blocks) = reply.content else { return Err(bad("the reply has no `content`")) };
    let finish = match reply.stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence" | "tool_use") => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::Refusal,
        _ => Finish::Other,
    };
    let tool = blocks.iter().find(|block| block.kind == "tool_use").and_then(|block| block.input.as_ref());
    let text = match tool {
        Some(input) => input.get().to_owned(),
        None => blocks
            .iter()
            .filter(|block| block.kind == "text")
            .filter_map(|block| block.text.as_deref())
            .collect(),
    };
    let usage = reply.usage.map(|counts| {
        Usage::new(
            counts
                .input_tokens
                .saturating_add(counts.cache_creation_input_tokens.unwrap_or(0))
                .saturating_add(counts.cache_read_input_tokens.unwrap_or(0)),
            counts.output_tokens,
        )
    });
    Ok(ModelAnswer::new(text, finish, usage))
}

#[cfg(test)]
mod tests {
    use super::super::Provider;
    use super::super::fixtures::{assert_refuses_garbage, request, settings};
    use super::*;

    #[test]
    fn the_request_is_as_documented() {
        let sent = call(&settings(Provider::Anthropic), &request());
        assert_eq!(sent.path, ["v1", "messages"]);
        assert_eq!(
            sent.body,
            json!({
                "model": "some-model",
                "max_tokens": 500,
                "system": "Rules.",
                "messages": [
                    { "role": "user", "content": "Read this." },
                    { "role": "assistant", "content": "Which?" },
                    { "role": "user", "content": "That." },
                ],
                "temperature": 0.0,
                "tools": [{ "name": "answer", "description": "Takes the whole answer.",
                    "input_schema": { "type": "object", "properties": {} } }],
                "tool_choice": { "type": "tool", "name": "answer" },
            })
        );
    }

    #[test]
    fn answers_are_parsed() {
        let rows = [
            (
                "tool",
                r#"{"content":[{"type":"text","text":"So:"},
                    {"type":"tool_use","id":"t","name":"answer","input":{"a": 1,"a":2}}],
                    "stop_reason":"tool_use","usage":{"input_tokens":5,"cache_read_input_tokens":4,
                    "cache_creation_input_tokens":null,"output_tokens":2}}"#,
                "{\"a\": 1,\"a\":2}",
                Finish::Stop,
                Some((9, 2)),
            ),
            (
                "text",
                r#"{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},
                    {"type":"text","text":"b"}],"stop_reason":"end_turn"}"#,
                "ab",
                Finish::Stop,
                None,
            ),
            (
                "length",
                r#"{"content":[{"type":"text","text":"{\"a\""}],"stop_reason":"max_tokens"}"#,
                "{\"a\"",
                Finish::Length,
                None,
            ),
            ("refusal", r#"{"content":[],"stop_reason":"refusal"}"#, "", Finish::Refusal, None),
            ("pause", r#"{"content":[],"stop_reason":"pause_turn"}"#, "", Finish::Other, None),
        ];
        for (name, body, text, finish, usage) in rows {
            let answer = answer(body.as_bytes()).unwrap();
            let counted = answer.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!((answer.text.as_str(), answer.finish, counted), (text, finish, usage), "{name}");
        }
    }

    #[test]
    fn replies_without_an_answer_are_errors() {
        assert_refuses_garbage(answer);
        assert!(answer(br#"{"content":"text"}"#).is_err());
    }
}
