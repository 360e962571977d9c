//! Fakes of services on loopback, and models that are asked there.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner::{Engine, EngineBuilder};
use gleaner_extract::model::{Message, ModelRequest, Role};
use gleaner_models::{ApiKey, HttpModel, HttpModelBuilder, Provider};
use serde_json::{Value, json};

/// The key that services are asked with here; no output may hold it.
pub(crate) const KEY: &str = "sk-live-0123456789-do-not-show";

pub(crate) const PROVIDERS: [Provider; 4] =
    [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama];

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// What a fake says.
#[derive(Debug, Clone)]
pub(crate) struct Says {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Claims more bytes than it sends.
    pub(crate) breaks_off: bool,
}

impl Says {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), breaks_off: false }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::new(200, body.to_string()).with("content-type", "application/json")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Behaviour = dyn Fn(usize, &Asked) -> Says + Send + Sync;

/// A service of HTTP/1.1, one thread for each connection, for the rest of the process.
pub(crate) struct Fake {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Fake {
    /// `behaviour` is told how many requests came before.
    pub(crate) fn start(behaviour: impl Fn(usize, &Asked) -> Says + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (behaviour, kept): (Arc<Behaviour>, _) = (Arc::new(behaviour), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (behaviour, kept) = (Arc::clone(&behaviour), Arc::clone(&kept));
                std::thread::spawn(move || converse(stream, behaviour.as_ref(), &kept));
            }
        });
        Self { addr, asked }
    }

    /// Says the same to everyone.
    pub(crate) fn saying(says: Says) -> Self {
        Self::start(move |_, _| says.clone())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn converse(mut stream: TcpStream, behaviour: &Behaviour, kept: &Mutex<Vec<Asked>>) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut asked = Asked { line, headers, body: Value::Null };
    let length: usize = asked.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => body.extend_from_slice(&chunk[..read]),
        }
    }
    asked.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let before = {
        let mut kept = kept.lock().unwrap();
        kept.push(asked.clone());
        kept.len() - 1
    };
    let says = behaviour(before, &asked);
    let claimed = says.body.len() + usize::from(says.breaks_off) * 100;
    let mut answer =
        format!("HTTP/1.1 {} X\r\nContent-Length: {claimed}\r\nConnection: close\r\n", says.status);
    for (name, value) in &says.headers {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    answer.push_str("\r\n");
    let _ = stream.write_all(answer.as_bytes()).and_then(|()| stream.write_all(&says.body));
}

/// An engine that may reach fakes.
pub(crate) fn local() -> EngineBuilder {
    Engine::builder().allow_private("127.0.0.1/32".parse().unwrap())
}

/// A page.
pub(crate) fn html(body: &str) -> Says {
    Says::new(200, body).with("content-type", "text/html; charset=utf-8")
}

/// What a model is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Make a schema of a prompt.
    Draft,
    /// Read values off a page.
    Read,
    /// Summarise a page.
    Summary,
    /// Choose the sections of a site to crawl.
    Crawl,
}

/// Tells it by the engine's own rules, which come first in every request of OpenAI's dialect.
pub(crate) fn task_of(asked: &Asked) -> Task {
    let rules = asked.body["messages"][0]["content"].as_str().unwrap_or_default();
    match rules.split('.').next().unwrap_or_default() {
        text if text.contains("design a table") => Task::Draft,
        text if text.contains("summarise") => Task::Summary,
        text if text.contains("web crawl") => Task::Crawl,
        _ => Task::Read,
    }
}

/// The base URL of a dialect on this fake, as a user would give it.
pub(crate) fn base(provider: Provider, origin: &str) -> String {
    match provider {
        Provider::OpenAi => format!("{origin}/v1"),
        Provider::Gemini => format!("{origin}/v1beta/"),
        _ => origin.to_owned(),
    }
}

/// A model with the key, at this origin.
pub(crate) fn builder(provider: Provider, origin: &str) -> HttpModelBuilder {
    HttpModel::builder(provider, "some-model")
        .base_url(base(provider, origin).parse().unwrap())
        .key(ApiKey::new(KEY).unwrap())
        .timeout(Duration::from_secs(20))
}

pub(crate) fn model(provider: Provider, fake: &Fake) -> HttpModel {
    builder(provider, &fake.url("")).build().unwrap()
}

pub(crate) fn request(text: &str) -> ModelRequest {
    ModelRequest {
        messages: vec![Message::new(Role::System, "Answer in JSON."), Message::new(Role::User, text)],
        schema: Some(json!({ "type": "object", "properties": { "a": { "type": "string" } } })),
        max_tokens: 300,
        seed: Some(11),
    }
}

/// Why an answer ended, in the words of each dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Stop,
    Length,
    Refusal,
}

/// A reply of this dialect that holds `text`, with 21 tokens asked and 8 answered. With [`Ending::Stop`] the text is JSON.
pub(crate) fn reply(provider: Provider, text: &str, ending: Ending) -> Value {
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
                "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": [block],
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
