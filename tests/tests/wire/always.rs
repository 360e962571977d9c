//! What holds for every answer, whatever the case.

use serde_json::Value;

use crate::expect::{is_time, shorten};
use crate::runner::Answer;

/// Greatest answer with more than one document, in bytes.
const MAX_BYTES: usize = 10_000_000;

/// Keys whose texts are times.
const TIMES: [&str; 10] = [
    "expiresAt",
    "createdAt",
    "completedAt",
    "created_at",
    "timestamp",
    "cachedAt",
    "mostRecentSuccess",
    "previousScrapeAt",
    "billingPeriodStart",
    "billingPeriodEnd",
];

/// Keys whose texts are written for the client's user.
const TOLD: [&str; 3] = ["error", "warning", "message"];

/// Pieces of Rust and of debug output.
const INTERNAL: [&str; 6] = ["::", "EngineBuilder", "Error(", "Other(", "Some(", " { "];

pub(crate) fn complaints(answer: &Answer) -> Vec<String> {
    let mut found = Vec::new();
    let content_type = answer.header("content-type").unwrap_or_default();
    if !content_type.starts_with("application/json") {
        found.push(format!("the content type is {content_type:?}, not JSON"));
    }
    if answer.bytes > MAX_BYTES && documents(&answer.body) > 1 {
        found.push(format!("the answer has {} bytes, of at most {MAX_BYTES}", answer.bytes));
    }
    if answer.status >= 400 {
        refusal(&answer.body, &mut found);
    }
    texts(&answer.body, &mut found);
    found
}

fn documents(body: &Value) -> usize {
    body.get("data").and_then(Value::as_array).map_or(0, Vec::len)
}

/// Every refusal has the form of the contract's error body.
fn refusal(body: &Value, found: &mut Vec<String>) {
    if body.get("success") != Some(&Value::Bool(false)) {
        found.push("a refusal lacks `success: false`".to_owned());
    }
    let error = body.get("error").and_then(Value::as_str).unwrap_or_default();
    if error.is_empty() {
        found.push("a refusal lacks its `error`".to_owned());
    }
    let Some(details) = body.get("details") else {
        if body.get("code").is_some_and(|code| code == "BAD_REQUEST") {
            found.push("a `BAD_REQUEST` lacks its `details`".to_owned());
        }
        return;
    };
    let details = details.as_array().map(Vec::as_slice).unwrap_or_default();
    let message = |fault: &Value| fault.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    match details.first().map(message) {
        Some(first) if !first.is_empty() && error.starts_with(&first) => {}
        first => found.push(format!("`error` is not the first message of `details`: {first:?}")),
    }
    for fault in details {
        let is_code = fault.get("code").is_some_and(Value::is_string);
        let path = fault.get("path").and_then(Value::as_array);
        let is_path = path.is_some_and(|path| path.iter().all(|part| part.is_string() || part.is_u64()));
        if !is_code || !is_path || message(fault).is_empty() {
            found.push(format!("a fault lacks code, message or a path of keys and indexes: {fault}"));
        }
    }
}

/// Times have one form, and what a client reads names nothing of the inside.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let Some(text) = value.as_str() else {
                    texts(value, found);
                    continue;
                };
                if TIMES.contains(&key.as_str()) && !is_time(text) {
                    found.push(format!("`{key}` is no time in UTC with milliseconds: {text:?}"));
                }
                if TOLD.contains(&key.as_str()) && INTERNAL.iter().any(|part| text.contains(part)) {
                    found.push(format!("`{key}` names something of the inside: {:?}", shorten(text)));
                }
            }
        }
        _ => {}
    }
}
