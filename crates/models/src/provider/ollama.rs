//! Ollama's chat (`POST /api/chat`), with `format` for structured output.
//!
//! `options.num_ctx` is always sent: without it the server uses a small context and silently drops the front
//! of a longer request.

use gleaner_extract::model::{Finish, ModelAnswer, ModelRequest, ProviderError, Usage};
use serde::Deserialize;
use serde_json::json;

use super::{Call, Settings, bad, chat, read};

#[expect(clippy::indexing_slicing, reason = "adds a field to an object that was made here")]
pub(super) fn call(settings: &Settings, request: &ModelRequest) -> Call {
    let mut options = json!({
        "num_ctx": settings.capabilities.context_tokens,
        "num_predict": request.max_tokens,
    });
    if let Some(temperature) = settings.temperature {
        options["temperature"] = temperature.into();
    }
    if let Some(seed) = settings.seed(request) {
        options["seed"] = (seed & 0x7fff_ffff).into();
    }
    let mut body = json!({
        "model": settings.capabilities.model,
        "messages": chat(&request.messages),
        "stream": false,
        "options": options,
    });
    if let Some(schema) = settings.schema(request) {
        body["format"] = schema.clone();
    }
    Call {
        path: vec!["api".to_owned(), "chat".to_owned()],
        key_header: ("authorization", "Bearer "),
        headers: &[],
        body,
    }
}

#[derive(Deserialize)]
struct Reply {
    message: Option<Message>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
}

pub(super) fn answer(body: &[u8]) -> Result<ModelAnswer, ProviderError> {
    let reply: Reply = read(body)?;
    let Some(message) = reply.message else { return Err(bad("the reply has no `message`")) };
    let finish = match reply.done_reason.as_deref() {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        // Servers before 0.3 give no reason.
        None if reply.done => Finish::Stop,
        _ => Finish::Other,
    };
    // The server does not count a cached prompt. Then the usage is unknown.
    let usage = match (reply.prompt_eval_count, reply.eval_count) {
        (Some(input_tokens), Some(output_tokens)) => Some(Usage::new(input_tokens, output_tokens)),
        _ => None,
    };
    Ok(ModelAnswer::new(message.content, finish, usage))
}

#[cfg(test)]
mod tests {
    use super::super::Provider;
    use super::super::fixtures::{assert_refuses_garbage, request, settings};
    use super::*;

    #[test]
    fn the_request_is_as_documented() {
        let sent = call(&settings(Provider::Ollama), &request());
        assert_eq!(sent.path, ["api", "chat"]);
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
                "stream": false,
                "format": { "type": "object", "properties": {} },
                "options": { "num_ctx": 32_000, "num_predict": 500, "temperature": 0.0, "seed": 7 },
            })
        );
    }

    #[test]
    fn answers_are_parsed() {
        let rows = [
            (
                r#"{"model":"m","message":{"role":"assistant","content":"{}","thinking":"hm"},
                    "done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":3}"#,
                "{}",
                Finish::Stop,
                Some((9, 3)),
            ),
            (
                r#"{"message":{"role":"assistant","content":"{"},
                    "done":true,"done_reason":"length","eval_count":3}"#,
                "{",
                Finish::Length,
                None,
            ),
            (
                r#"{"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}"#,
                "",
                Finish::Other,
                None,
            ),
            (r#"{"message":{"content":"x"},"done":true}"#, "x", Finish::Stop, None),
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
    }
}
