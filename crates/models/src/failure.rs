//! Maps failures of a service to the planner's errors.
//!
//! A service's own message is shown, shortened and cleaned, only for invalid requests. Messages about
//! accounts, keys and rates may name them, so for these only the service's code is shown.

use std::time::Duration;

use gleaner_extract::model::{ProviderError, ProviderErrorKind};
use gleaner_fetch::{Error, ErrorKind, Response};
use serde_json::Value;

use crate::key::ApiKey;

/// Most characters of a service's message that are shown.
pub(crate) const MAX_MESSAGE_CHARS: usize = 300;
/// Most characters of a service's code that are shown.
const MAX_CODE_CHARS: usize = 64;

/// The error for a fetch without a response.
pub(crate) fn of_fetch(error: &Error) -> ProviderError {
    let kind = match error.kind() {
        ErrorKind::Timeout => ProviderErrorKind::Timeout,
        ErrorKind::Decode => ProviderErrorKind::BadAnswer,
        ErrorKind::InvalidRequest | ErrorKind::Scheme | ErrorKind::Port | ErrorKind::Blocked => {
            ProviderErrorKind::BadRequest
        }
        _ => ProviderErrorKind::Unavailable,
    };
    ProviderError::new(kind, error.detail())
}

/// The error for a response without a success status.
pub(crate) fn of_response(response: &Response, key: Option<&ApiKey>) -> ProviderError {
    let hint = response
        .header("retry-after-ms")
        .and_then(|text| text.trim().parse().ok())
        .map(Duration::from_millis)
        .or(response.retry_after);
    of_status(response.status, &response.body, hint, key)
}

/// The error for a status and its body. `hint` is the time to wait, from the headers.
pub(crate) fn of_status(
    status: u16,
    body: &[u8],
    hint: Option<Duration>,
    key: Option<&ApiKey>,
) -> ProviderError {
    let error_body = ErrorBody::read(body);
    let kind = match status {
        300..=399 => ProviderErrorKind::BadRequest,
        401..=403 => ProviderErrorKind::Unauthorized,
        408 => ProviderErrorKind::Timeout,
        413 => ProviderErrorKind::TooLong,
        429 if error_body.is_out_of_quota() => ProviderErrorKind::Unauthorized,
        429 => ProviderErrorKind::RateLimited,
        400..=499 if error_body.is_too_long() => ProviderErrorKind::TooLong,
        409 | 425 | 500..=599 => ProviderErrorKind::Unavailable,
        _ => ProviderErrorKind::BadRequest,
    };
    let mut detail = format!("HTTP {status}");
    if (300..400).contains(&status) {
        detail.push_str(", a redirect: set the base URL to the new address of the service");
    }
    for part in error_body.shown(kind, key) {
        detail.push_str(", ");
        detail.push_str(&part);
    }
    let error = ProviderError::new(kind, detail);
    match hint.or(error_body.retry_after).filter(|_| error.is_retryable()) {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

/// The content of an error body. Services nest it differently: `{"error": {...}}`, `{"error": "..."}`,
/// `{"message": ...}`.
#[derive(Debug, Default)]
struct ErrorBody {
    message: String,
    code: String,
    retry_after: Option<Duration>,
}

impl ErrorBody {
    fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        // Some services send a list with one element.
        let body = body.get(0).unwrap_or(&body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let message = error.as_str().or_else(|| text("message")).unwrap_or_default();
        let code = text("code").or_else(|| text("status")).or_else(|| text("type")).unwrap_or_default();
        let details = error.get("details").and_then(Value::as_array);
        let retry_after = details
            .into_iter()
            .flatten()
            .take(16)
            .find_map(|detail| seconds(detail.get("retryDelay")?.as_str()?));
        Self { message: clean(message, MAX_MESSAGE_CHARS), code: clean(code, MAX_CODE_CHARS), retry_after }
    }

    /// OpenAI's 429 for an account without credit: waiting does not help.
    fn is_out_of_quota(&self) -> bool {
        self.code == "insufficient_quota"
    }

    fn is_too_long(&self) -> bool {
        let message = self.message.to_lowercase();
        self.code.contains("context_length")
            || self.code == "exceed_context_size_error"
            || ["context length", "prompt is too long", "maximum number of tokens", "context size"]
                .iter()
                .any(|words| message.contains(words))
    }

    /// The parts that may be shown.
    fn shown(&self, kind: ProviderErrorKind, key: Option<&ApiKey>) -> impl Iterator<Item = String> {
        let is_invalid_request = matches!(kind, ProviderErrorKind::BadRequest | ProviderErrorKind::TooLong);
        let leaks = |text: &str| key.is_some_and(|key| key.is_in(text));
        let is_code = self.code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte));
        let code = (!self.code.is_empty() && is_code && !leaks(&self.code)).then(|| self.code.clone());
        let show_message = is_invalid_request && !self.message.is_empty() && !leaks(&self.message);
        let message = show_message.then(|| self.message.clone());
        code.into_iter().chain(message)
    }
}

/// A protobuf duration in JSON: `"34s"`, `"0.5s"`.
fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
}

/// The first `max` characters of a text, in one line.
fn clean(text: &str, max: usize) -> String {
    let plain = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    plain.take(max).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProviderErrorKind::{BadRequest, RateLimited, Timeout, TooLong, Unauthorized, Unavailable};

    #[test]
    fn errors_of_services_have_their_kind() {
        let rows: &[(&str, u16, &str, ProviderErrorKind, Option<u64>)] = &[
            (
                "openai limit",
                429,
                r#"{"error":{"message":"Limit for org-x","type":"requests","code":"rate_limit_exceeded"}}"#,
                RateLimited,
                None,
            ),
            (
                "openai quota",
                429,
                r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#,
                Unauthorized,
                None,
            ),
            (
                "openai length",
                400,
                r#"{"error":{"message":"maximum context length is 8192","code":"context_length_exceeded"}}"#,
                TooLong,
                None,
            ),
            (
                "vllm",
                400,
                r#"{"object":"error","message":"bad","type":"BadRequestError","code":400}"#,
                BadRequest,
                None,
            ),
            (
                "llama.cpp",
                400,
                r#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error"}}"#,
                TooLong,
                None,
            ),
            (
                "anthropic busy",
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Unavailable,
                None,
            ),
            (
                "anthropic length",
                400,
                r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 21 > 20"}}"#,
                TooLong,
                None,
            ),
            (
                "gemini limit",
                429,
                r#"{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}"#,
                RateLimited,
                Some(34_000),
            ),
            ("ollama", 404, r#"{"error":"model 'x' not found"}"#, BadRequest, None),
            ("no json", 502, "<html>", Unavailable, None),
            ("deep", 500, &"[".repeat(200_000), Unavailable, None),
            ("no key", 401, "", Unauthorized, None),
            ("no money", 402, "", Unauthorized, None),
            ("slow", 408, "", Timeout, None),
            ("long", 413, "", TooLong, None),
            ("moved", 308, "", BadRequest, None),
        ];
        for (name, status, body, kind, wait) in rows {
            let error = of_status(*status, body.as_bytes(), None, None);
            assert_eq!(error.kind(), *kind, "{name}");
            assert_eq!(error.retry_after(), wait.map(Duration::from_millis), "{name}");
            assert!(!error.to_string().contains("org-x"), "{name}: {error}");
        }
    }

    #[test]
    fn hints_of_headers_count_only_for_retryable_errors() {
        let wait = Some(Duration::from_secs(7));
        assert_eq!(of_status(429, b"", wait, None).retry_after(), wait);
        assert_eq!(of_status(400, b"", wait, None).retry_after(), None);
    }

    #[test]
    fn a_service_that_repeats_the_key_is_not_quoted() {
        let key = ApiKey::new("sk-0123456789abcdef").unwrap();
        let body = r#"{"error":{"message":"Bearer sk-0123456789abcdef","code":"sk-0123456789abcdef"}}"#;
        let error = of_status(400, body.as_bytes(), None, Some(&key));
        assert!(!format!("{error} {error:?}").contains("456789"), "{error}");
        let body = br#"{"error":{"message":"no such parameter:\n temperature"}}"#;
        let error = of_status(400, body, None, Some(&key));
        assert!(error.to_string().ends_with("no such parameter:  temperature"), "{error}");
    }
}
