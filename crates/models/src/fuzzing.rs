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

/// The error for a reply with this error status to a request with this key.
#[must_use]
pub fn refusal(status: u16, body: &[u8], key: &ApiKey) -> ProviderError {
    failure::of_status(status, body, None, Some(key))
}

/// At most `limit` hits from the body of a search engine's reply.
///
/// # Errors
/// The body is not a list of hits.
pub fn search_hits(body: &[u8], limit: usize) -> Result<Vec<SearchHit>, ProviderError> {
    searxng::read(body, limit)
}
