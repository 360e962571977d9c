//! Readers of what services answer, for the fuzz targets. Not part of the API.

use gleaner_extract::model::{ModelAnswer, ProviderError, SearchHit};

use crate::{ApiKey, Provider, failure, searxng};

/// The answer in the body of a reply with a success status.
///
/// # Errors
/// The body holds none.
pub fn answer(provider: Provider, body: &[u8]) -> Result<ModelAnswer, ProviderError> {
    provider.answer(body)
}

/// What a reply with an error status means to whoever asked with this key.
#[must_use]
pub fn refusal(status: u16, body: &[u8], key: &ApiKey) -> ProviderError {
    failure::of_status(status, body, None, Some(key))
}

/// The hits in the body of a search engine's reply, at most so many.
///
/// # Errors
/// The body is no list of them.
pub fn search_hits(body: &[u8], limit: usize) -> Result<Vec<SearchHit>, ProviderError> {
    searxng::read(body, limit)
}
