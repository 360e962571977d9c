//! Invariants of every response.

use serde_json::Value;

use crate::expect::{is_time, shorten};
use crate::runner::ApiResponse;

/// Maximum size of a response with more than one document, in bytes.
const MAX_BYTES: usize = 10_000_000;

/// Keys of timestamps.
const TIMESTAMPS: [&str; 10] = [
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

/// Keys of messages for users.
const MESSAGES: [&str; 3] = ["error", "warning", "message"];

/// Fragments of Rust code and debug output.
const INTERNAL: [&str; 6] = ["::", "EngineBuilder", "Error(", "Other(", "Some(", " { "];

pub(crate) fn problems(response: &ApiResponse) -> Vec<String> {
    let mut problems = Vec::new();
    let content_type = response.header("content-type").unwrap_or_default();
    if !content_type.starts_with("application/json") {
        problems.push(format!("the content type is {content_type:?}, not JSON"));
    }
    if response.bytes > MAX_BYTES && documents(&response.body) > 1 {
        problems.push(format!("the response has {} bytes, more than {MAX_BYTES}", response.bytes));
    }
    if response.status >= 400 {
        refusal(&response.body, &mut problems);
    }
    texts(&response.body, &mut problems);
    problems
}

fn documents(body: &Value) -> usize {
    body.get("data").and_then(Value::as_array).map_or(0, Vec::len)
}

/// Checks that an error body has the form of the contract.
fn refusal(body: &Value, problems: &mut Vec<String>) {
    if body.get("success") != Some(&Value::Bool(false)) {
        problems.push("a refusal lacks `success: false`".to_owned());
    }
    let error = body.get("error").and_then(Value::as_str).unwrap_or_default();
    if error.is_empty() {
        problems.push("a refusal lacks its `error`".to_owned());
    }
    let Some(details) = body.get("details") else {
        if body.get("code").is_some_and(|code| code == "BAD_REQUEST") {
            problems.push("a `BAD_REQUEST` lacks its `details`".to_owned());
        }
        return;
    };
    let details = details.as_array().map(Vec::as_slice).unwrap_or_default();
    let message = |fault: &Value| fault.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    match details.first().map(message) {
        Some(first) if !first.is_empty() && error.starts_with(&first) => {}
        first => problems.push(format!("`error` is not the first message of `details`: {first:?}")),
    }
    for fault in details {
        let is_code = fault.get("code").is_some_and(Value::is_string);
        let path = fault.get("path").and_then(Value::as_array);
        let is_path = path.is_some_and(|path| path.iter().all(|part| part.is_string() || part.is_u64()));
        if !is_code || !is_path || message(fault).is_empty() {
            problems.push(format!("a fault lacks code, message or a path of keys and indexes: {fault}"));
        }
    }
}

/// Checks that timestamps have one form and messages name no internals.
fn texts(value: &Value, problems: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, problems)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let Some(text) = value.as_str() else {
                    texts(value, problems);
                    continue;
                };
                if TIMESTAMPS.contains(&key.as_str()) && !is_time(text) {
                    problems.push(format!("`{key}` is not a UTC timestamp with milliseconds: {text:?}"));
                }
                if MESSAGES.contains(&key.as_str()) && INTERNAL.iter().any(|part| text.contains(part)) {
                    problems.push(format!("`{key}` names internals: {:?}", shorten(text)));
                }
            }
        }
        _ => {}
    }
}
