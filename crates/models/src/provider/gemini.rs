//! Google's Gemini (`POST /models/{model}:generateContent`), with `responseSchema` for structured output.

use gleaner_extract::model::{Finish, ModelAnswer, ModelRequest, ProviderError, Role, Usage};
use serde::Deserialize;
use serde_json::json;

use super::{Call, Settings, bad, read, split_system};

#[expect(clippy::indexing_slicing, reason = "adds a field to an object that was made here")]
pub(super) fn call(settings: &Settings, request: &ModelRequest) -> Call {
    let (system, messages) = split_system(&request.messages);
    let contents: Vec<_> = messages
        .map(|message| {
            let role = if message.role == Role::Assistant { "model" } else { "user" };
            json!({ "role": role, "parts": [{ "text": message.content }] })
        })
        .collect();
    let mut config = json!({ "maxOutputTokens": request.max_tokens, "candidateCount": 1 });
    if let Some(temperature) = settings.temperature {
        config["temperature"] = temperature.into();
    }
    if let Some(seed) = settings.seed(request) {
        // The field is a signed 32-bit integer.
        config["seed"] = (seed & 0x7fff_ffff).into();
    }
    if let Some(schema) = settings.schema(request) {
        config["responseMimeType"] = "application/json".into();
        config["responseSchema"] = schema.clone();
    }
    let mut body = json!({ "contents": contents, "generationConfig": config });
    if let Some(system) = system {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    let model = settings.capabilities.model.as_str();
    let model = model.strip_prefix("models/").unwrap_or(model);
    Call {
        path: vec!["models".to_owned(), format!("{model}:generateContent")],
        key_header: ("x-goog-api-key", ""),
        headers: &[],
        body,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Counts>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    /// The part is a summary of the model's reasoning, not of the answer.
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
}

pub(super) fn answer(body: &[u8]) -> Result<ModelAnswer, ProviderError> {
    let reply: Reply = read(body)?;
    let usage = reply.usage_metadata.map(|counts| {
        Usage::new(
            counts.prompt_token_count,
            counts.candidates_token_count.saturating_add(counts.thoughts_token_count),
        )
    });
    let Some(candidate) = reply.candidates.into_iter().next() else {
        let blocked = reply.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some());
        return if blocked {
            Ok(ModelAnswer::new(String::new(), Finish::Refusal, usage))
        } else {
            Err(bad("the reply has no `candidates`"))
        };
    };
    let finish = match candidate.finish_reason.as_deref() {
        Some("STOP") => Finish::Stop,
        Some("MAX_TOKENS") => Finish::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE") => {
            Finish::Refusal
        }
        _ => Finish::Other,
    };
    let parts = candidate.content.map(|content| content.parts).unwrap_or_default();
    let text = parts.into_iter().filter(|part| !part.thought).filter_map(|part| part.text).collect();
    Ok(ModelAnswer::new(text, finish, usage))
}

#[cfg(test)]
mod tests {
    use super::super::Provider;
    use super::super::fixtures::{assert_refuses_garbage, request, settings};
    use super::*;

    #[test]
    fn the_request_is_as_documented() {
        let sent = call(&settings(Provider::Gemini), &request());
        assert_eq!(sent.path, ["models", "some-model:generateContent"]);
        assert_eq!(
            sent.body,
            json!({
                "systemInstruction": { "parts": [{ "text": "Rules." }] },
                "contents": [
                    { "role": "user", "parts": [{ "text": "Read this." }] },
                    { "role": "model", "parts": [{ "text": "Which?" }] },
                    { "role": "user", "parts": [{ "text": "That." }] },
                ],
                "generationConfig": {
                    "maxOutputTokens": 500,
                    "candidateCount": 1,
                    "temperature": 0.0,
                    "seed": 7,
                    "responseMimeType": "application/json",
                    "responseSchema": { "type": "object", "properties": {} },
                },
            })
        );
        let mut named = settings(Provider::Gemini);
        named.capabilities.model = "models/other".to_owned();
        assert_eq!(call(&named, &request()).path, ["models", "other:generateContent"]);
    }

    #[test]
    fn answers_are_parsed() {
        let rows = [
            (
                "thought",
                r#"{"candidates":[{"content":{"role":"model",
                    "parts":[{"text":"hm","thought":true},{"text":"{}"}]},"finishReason":"STOP"}],
                    "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,
                    "thoughtsTokenCount":5,"totalTokenCount":15}}"#,
                "{}",
                Finish::Stop,
                Some((9, 6)),
            ),
            (
                "length",
                r#"{"candidates":[{"finishReason":"MAX_TOKENS","content":{"role":"model"}}]}"#,
                "",
                Finish::Length,
                None,
            ),
            ("safety", r#"{"candidates":[{"finishReason":"SAFETY"}]}"#, "", Finish::Refusal, None),
            (
                "blocked",
                r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}}"#,
                "",
                Finish::Refusal,
                Some((9, 0)),
            ),
            (
                "other",
                r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#,
                "",
                Finish::Other,
                None,
            ),
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
    }
}
