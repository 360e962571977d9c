//! Replies of model providers. Input: a byte that chooses the provider, a byte that chooses the status, the
//! body.

use gleaner_extract::model::{MAX_SEARCH_HITS, ProviderError, ProviderErrorKind};
use gleaner_models::fuzzing::{answer, refusal, search_hits};
use gleaner_models::{ApiKey, MAX_SNIPPET_CHARS, Provider};

const PROVIDERS: [Provider; 4] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama];

/// Statuses with a meaning of their own, and some without one.
const STATUSES: [u16; 16] = [308, 400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 500, 529, 599, 999];

/// The API key, and the length from which a part of it counts as a leak.
const KEY: &str = "sk-0123456789abcdef";
const LEAK_LENGTH: usize = 12;

/// Upper bound on the bytes of an error message.
const MAX_ERROR_BYTES: usize = 2_048;

/// A reply is an answer that is at most as long as its body, or an error. Errors are one line and never
/// contain the key.
pub fn provider_reply(data: &[u8]) {
    let [provider_index, status, body @ ..] = data else { return };
    let Some(provider) = PROVIDERS.get(usize::from(*provider_index) % PROVIDERS.len()) else { return };
    match answer(*provider, body) {
        Ok(answer) => {
            assert!(
                answer.text.len() <= body.len(),
                "{} bytes of text from {}",
                answer.text.len(),
                body.len()
            );
        }
        Err(error) => {
            let is_bad = error.kind() == ProviderErrorKind::BadAnswer;
            assert!(is_bad || *provider == Provider::OpenAi, "{provider:?}: {error:?}");
            assert_no_leak(&error);
        }
    }
    let Some(status) = STATUSES.get(usize::from(*status) % STATUSES.len()) else { return };
    let Ok(key) = ApiKey::new(KEY) else { return };
    let error = refusal(*status, body, &key);
    assert!(error.retry_after().is_none() || error.is_retryable(), "{error:?}");
    assert_no_leak(&error);
}

/// Replies of a search engine. Input: a byte with the number of hits wanted, and the body.
pub fn search_reply(data: &[u8]) {
    let [limit, body @ ..] = data else { return };
    let limit = usize::from(*limit);
    match search_hits(body, limit) {
        Ok(hits) => {
            assert!(hits.len() <= limit.min(MAX_SEARCH_HITS), "{} hits", hits.len());
            for hit in hits {
                assert!(matches!(hit.url.scheme(), "http" | "https") && hit.url.has_host(), "{}", hit.url);
                let longest = hit.title.chars().count().max(hit.snippet.chars().count());
                assert!(longest <= MAX_SNIPPET_CHARS, "{longest} characters");
            }
        }
        Err(error) => {
            assert_eq!(error.kind(), ProviderErrorKind::BadAnswer);
            assert_no_leak(&error);
        }
    }
}

/// Asserts that an error is one line without the key.
fn assert_no_leak(error: &ProviderError) {
    let text = error.to_string();
    assert!(text.len() <= MAX_ERROR_BYTES && !text.contains(char::is_control), "{text:?}");
    let debug = format!("{error:?}");
    let mut parts = KEY.as_bytes().windows(LEAK_LENGTH).filter_map(|part| std::str::from_utf8(part).ok());
    assert!(!parts.any(|part| text.contains(part) || debug.contains(part)), "the key is in {text}");
}
