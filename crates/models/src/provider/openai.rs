//! OpenAI's chat completions (`POST /chat/completions`), with `response_format` of type `json_schema` for
//! structured output.
//!
//! Not the newer "responses" dialect, because other servers support chat completions.

use gleaner_extract::model::{Finish, ModelAnswer, ModelRequest, ProviderError, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, MaxTokensField, Settings, bad, chat, read};
use crate::failure;

#[expect(clippy::indexing_slicing, reason = "adds a field to an object that was made here")]
pub(super) fn call(settings: &Settings, request: &ModelRequest) -> Call {
    let max_tokens = match settings.max_tokens_field {
        MaxTokensField::MaxTokens => "max_tokens",
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
    };
    let mut body = json!({
        "model": settings.capabilities.model,
        "messages": chat(&request.messages),
        max_tokens: request.max_tokens,
    });
    if let Some(temperature) = settings.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(seed) = settings.seed(request) {
        body["seed"] = seed.into();
    }
    if let Some(schema) = settings.schema(request) {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": schema },
        });
    }
    Call {
        path: vec!["chat".to_owned(), "completions".to_owned()],
        key_header: ("authorization", "Bearer "),
        headers: &[],
        body,
    }
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Counts>,
    /// OpenRouter answers 200 even if the provider behind it failed.
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

pub(super) fn answer(body: &[u8]) -> Result<ModelAnswer, ProviderError> {
    let reply: Reply = read(body)?;
    let Some(choice) = reply.choices.into_iter().next() else {
        let Some(error) = reply.error else { return Err(bad("the reply has no `choices`")) };
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        return Err(failure::of_status(status.unwrap_or(502), b"", None, None));
    };
    let finish = match choice.finish_reason.as_deref() {
        _ if choice.message.refusal.is_some() => Finish::Refusal,
        Some("stop" | "eos") => Finish::Stop,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Refusal,
        _ => Finish::Other,
    };
    let text = choice.message.content.or(choice.message.refusal).unwrap_or_default();
    let usage = reply.usage.map(|counts| Usage::new(counts.prompt_tokens, counts.completion_tokens));
    Ok(ModelAnswer::new(text, finish, usage))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_refuses_garbage, request, settings};
    use super::super::{Provider, ProviderErrorKind};
    use super::*;

    #[test]
    fn the_request_is_as_documented() {
        let sent = call(&settings(Provider::OpenAi), &request());
        assert_eq!(sent.path, ["chat", "completions"]);
        assert_eq!(
            sent.body,
            json!({
                "model": "some-model",
                "messages": [
                    { "role": "system", "content": "Rules." },
                    { "role": "user", "content": "Read this." },
                    { "role": "assistant", "content": "Which?" },
                    { "role": "user", "content": "That." },
                ],
                "max_tokens": 500,
                "temperature": 0.0,
                "seed": 7,
                "response_format": { "type": "json_schema", "json_schema": {
                    "name": "answer", "strict": true, "schema": { "type": "object", "properties": {} },
                } },
            })
        );
    }

    #[test]
    fn unsupported_options_are_left_out() {
        let mut narrow = settings(Provider::OpenAi);
        narrow.capabilities.schema = None;
        narrow.capabilities.seed = false;
        narrow.temperature = None;
        narrow.max_tokens_field = MaxTokensField::MaxCompletionTokens;
        let body = call(&narrow, &request()).body;
        let names: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(names, ["max_completion_tokens", "messages", "model"]);
    }

    #[test]
    fn answers_are_parsed() {
        let rows = [
            (
                r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],
                    "usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
                "{}",
                Finish::Stop,
                Some((9, 3)),
            ),
            (
                r#"{"choices":[{"message":{"content":"{\"a\":"},"finish_reason":"length"}]}"#,
                "{\"a\":",
                Finish::Length,
                None,
            ),
            (
                r#"{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}"#,
                "I cannot.",
                Finish::Refusal,
                None,
            ),
            (
                r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#,
                "",
                Finish::Refusal,
                None,
            ),
            (r#"{"choices":[{"message":{"content":"x"},"finish_reason":null}]}"#, "x", Finish::Other, None),
        ];
        for (body, text, finish, usage) in rows {
            let answer = answer(body.as_bytes()).unwrap();
            let counted = answer.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!((answer.text.as_str(), answer.finish, counted), (text, finish, usage), "{body}");
        }
    }

    #[test]
    fn replies_without_an_answer_are_errors() {
        assert_refuses_garbage(answer);
        let rows = [
            (r#"{"choices":[{"message":{"content":"a","content":"b"}}]}"#, ProviderErrorKind::BadAnswer),
            (r#"{"choices":[{"message":{"content":5}}]}"#, ProviderErrorKind::BadAnswer),
            (r#"{"error":{"code":429,"message":"busy"}}"#, ProviderErrorKind::RateLimited),
            (r#"{"error":{"code":"x","message":"broken"}}"#, ProviderErrorKind::Unavailable),
        ];
        for (body, kind) in rows {
            assert_eq!(answer(body.as_bytes()).unwrap_err().kind(), kind, "{body}");
        }
    }
}
