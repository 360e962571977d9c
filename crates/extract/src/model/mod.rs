//! Language models and search engines as traits, with wrappers for budget, retry and recording.
//!
//! This module knows no provider, key or address: they come with the embedder's implementation, never from a
//! request or a page. A wrapper is a model itself, so wrappers nest: retry around budget around the provider.

mod budgeted;
#[cfg(feature = "testing")]
pub mod conformance;
mod error;
mod language;
mod record;
mod retry;
#[cfg(feature = "testing")]
pub mod scripted;
mod search;
mod tokens;

pub use budgeted::Budgeted;
pub use error::{ProviderError, ProviderErrorKind};
pub use gleaner_types::BoxFuture;
pub use language::{
    Capabilities, Finish, LanguageModel, MAX_ANSWER_BYTES, Message, ModelAnswer, ModelRequest, Role,
    TokenPrice, Usage,
};
pub use record::{Exchange, MAX_EXCHANGES, Recorder, Replay, Transcript};
pub use retry::{DEFAULT_ATTEMPTS, MAX_RETRY_WAIT, Pause, RetryPolicy, Retrying};
pub use search::{MAX_SEARCH_HITS, SearchHit, SearchQuery, WebSearch};
pub use tokens::estimate_tokens;

pub use crate::schema::Dialect;
