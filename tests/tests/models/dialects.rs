//! Requests and replies of each dialect.

use std::sync::Arc;

use gleaner_extract::model::{Finish, LanguageModel as _, Usage};
use gleaner_extract::{Extractor, Page, Shape, Task};
use gleaner_models::Provider;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, KEY, PROVIDERS, model, reply, request};
use serde_json::{Value, json};

#[tokio::test]
async fn requests_match_the_documentation_of_the_providers() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let chat = json!([
        { "role": "system", "content": "Answer in JSON." },
        { "role": "user", "content": "Read: \"ä\"\n" },
    ]);
    let rows: [(Provider, &str, &str, String, Value); 4] = [
        (
            Provider::OpenAi,
            "POST /v1/chat/completions HTTP/1.1",
            "authorization",
            format!("Bearer {KEY}"),
            json!({
                "model": "some-model", "messages": chat, "max_tokens": 300, "temperature": 0.0, "seed": 11,
                "response_format": { "type": "json_schema",
                    "json_schema": { "name": "answer", "strict": true, "schema": schema } },
            }),
        ),
        (
            Provider::Anthropic,
            "POST /v1/messages HTTP/1.1",
            "x-api-key",
            KEY.to_owned(),
            json!({
                "model": "some-model", "max_tokens": 300, "temperature": 0.0, "system": "Answer in JSON.",
                "messages": [{ "role": "user", "content": "Read: \"ä\"\n" }],
                "tools": [{
                    "name": "answer", "description": "Takes the whole answer.", "input_schema": schema,
                }],
                "tool_choice": { "type": "tool", "name": "answer" },
            }),
        ),
        (
            Provider::Gemini,
            "POST /v1beta/models/some-model:generateContent HTTP/1.1",
            "x-goog-api-key",
            KEY.to_owned(),
            json!({
                "systemInstruction": { "parts": [{ "text": "Answer in JSON." }] },
                "contents": [{ "role": "user", "parts": [{ "text": "Read: \"ä\"\n" }] }],
                "generationConfig": {
                    "maxOutputTokens": 300, "candidateCount": 1, "temperature": 0.0, "seed": 11,
                    "responseMimeType": "application/json", "responseSchema": schema,
                },
            }),
        ),
        (
            Provider::Ollama,
            "POST /api/chat HTTP/1.1",
            "authorization",
            format!("Bearer {KEY}"),
            json!({
                "model": "some-model", "messages": chat, "stream": false, "format": schema,
                "options": { "num_ctx": 32_768, "num_predict": 300, "temperature": 0.0, "seed": 11 },
            }),
        ),
    ];
    for (provider, line, key_header, key, body) in rows {
        let fake = FakeServer::always(FakeResponse::json(&reply(provider, r#"{"a":"x"}"#, Ending::Stop)));
        let answer = model(provider, &fake).complete(&request("Read: \"ä\"\n")).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.finish), (r#"{"a":"x"}"#, Finish::Stop), "{provider:?}");
        assert_eq!(answer.usage, Some(Usage::new(21, 8)), "{provider:?}");
        let sent = fake.requests().pop().unwrap();
        assert_eq!(sent.line, line);
        assert_eq!(sent.header(key_header), Some(key.as_str()), "{provider:?}");
        assert_eq!(sent.header("content-type"), Some("application/json"), "{provider:?}");
        assert_eq!(sent.header("accept"), Some("application/json"), "{provider:?}");
        assert_eq!(sent.header("anthropic-version").is_some(), provider == Provider::Anthropic);
        assert_eq!(sent.body, body, "{provider:?}");
    }
}

#[tokio::test]
async fn reasons_for_the_end_of_an_answer_are_distinguished() {
    for provider in PROVIDERS {
        let rows = [
            (Ending::Stop, r#"{"a":1}"#, Finish::Stop),
            (Ending::Length, r#"{"a":"cut of"#, Finish::Length),
            (Ending::Refusal, "I would rather not.", Finish::Refusal),
        ];
        for (ending, text, expected) in rows {
            // Ollama has no value for a refusal.
            let expected = if (provider, ending) == (Provider::Ollama, Ending::Refusal) {
                Finish::Other
            } else {
                expected
            };
            let fake = FakeServer::always(FakeResponse::json(&reply(provider, text, ending)));
            let answer = model(provider, &fake).complete(&request("x")).await.unwrap();
            assert_eq!((answer.finish, answer.text.as_str()), (expected, text), "{provider:?} {ending:?}");
        }
    }
}

/// A whole extraction in each dialect: values on the page pass, other values do not, and answers of the wrong
/// shape or truncated ones give no data.
#[tokio::test]
async fn pages_are_extracted_in_every_dialect() {
    let shape = Shape::from_schema(&json!({ "type": "object", "properties": {
        "architect": { "type": ["string", "null"] }, "heightMetres": { "type": ["number", "null"] },
    } }))
    .unwrap();
    let page = Page::new("https://tower.example/".parse().unwrap(), "")
        .with_markdown("It was drawn by Stephen Sauvestre.");
    let rows = [
        (
            "a true and an invented value",
            json!({ "architect": { "value": "Stephen Sauvestre", "quote": "drawn by Stephen Sauvestre" },
                "heightMetres": { "value": 999, "quote": "999 metres high" } })
            .to_string(),
            Ending::Stop,
            json!({ "architect": "Stephen Sauvestre", "heightMetres": null }),
        ),
        (
            "wrong schema",
            json!({ "rows": [{ "b": [1, 2] }] }).to_string(),
            Ending::Stop,
            json!({ "architect": null, "heightMetres": null }),
        ),
        (
            "truncated JSON",
            r#"{"architect":{"value":"Stephen"#.to_owned(),
            Ending::Length,
            json!({ "architect": null, "heightMetres": null }),
        ),
        (
            "refusal",
            "I cannot help with that.".to_owned(),
            Ending::Refusal,
            json!({ "architect": null, "heightMetres": null }),
        ),
    ];
    for provider in PROVIDERS {
        for (name, text, ending, expected) in &rows {
            let fake = FakeServer::always(FakeResponse::json(&reply(provider, text, *ending)));
            let extractor = Extractor::new(Arc::new(model(provider, &fake)));
            let found = extractor.page(&page, Task::new(&shape)).await;
            assert_eq!(&found.extraction.data, expected, "{provider:?}: {name}");
            assert!(found.calls >= 1 && found.stopped.is_none(), "{provider:?}: {name}");
        }
    }
}
