//! What services answer. Input: a byte that chooses the service, one that chooses the status, and the body.

use gleaner_extract::model::{MAX_SEARCH_HITS, ProviderError, ProviderErrorKind};
use gleaner_models::fuzzing::{answer, refusal, search_hits};
use gleaner_models::{ApiKey, MAX_SNIPPET_CHARS, Provider};

const PROVIDERS: [Provider; 4] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama];

/// The statuses of a refusal that are told apart, and some that nobody sends.
const STATUSES: [u16; 16] = [308, 400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 500, 529, 599, 999];

/// The key that services are asked with, and how much of it tells what it is.
const KEY: &str = "sk-0123456789abcdef";
const TELLING: usize = 12;

/// Most bytes of what is shown of a refusal: it is a line and no page.
const LONGEST_REFUSAL: usize = 2_048;

/// A reply is an answer no longer than its body, or an error; and a refusal is one line that tells nothing of
/// the key.
pub fn provider_reply(data: &[u8]) {
    let [service, status, body @ ..] = data else { return };
    let Some(provider) = PROVIDERS.get(usize::from(*service) % PROVIDERS.len()) else { return };
    match answer(*provider, body) {
        Ok(answer) => {
            assert!(answer.text.len() <= body.len(), "{} bytes of {}", answer.text.len(), body.len())
        }
        Err(error) => {
            let is_bad = error.kind() == ProviderErrorKind::BadAnswer;
            assert!(is_bad || *provider == Provider::OpenAi, "{provider:?}: {error:?}");
            shown(&error);
        }
    }
    let Some(status) = STATUSES.get(usize::from(*status) % STATUSES.len()) else { return };
    let Ok(key) = ApiKey::new(KEY) else { return };
    let error = refusal(*status, body, &key);
    assert!(error.retry_after().is_none() || error.is_retryable(), "{error:?}");
    shown(&error);
}

/// What a search engine answers. Input: a byte that says how many hits are wanted, and the body.
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
            shown(&error);
        }
    }
}

/// An error is a line that tells nothing of the key.
fn shown(error: &ProviderError) {
    let text = error.to_string();
    assert!(text.len() <= LONGEST_REFUSAL && !text.contains(char::is_control), "{text:?}");
    let debug = format!("{error:?}");
    let mut parts = KEY.as_bytes().windows(TELLING).filter_map(|part| std::str::from_utf8(part).ok());
    assert!(!parts.any(|part| text.contains(part) || debug.contains(part)), "it tells the key: {text}");
}
