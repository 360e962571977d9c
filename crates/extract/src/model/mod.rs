//! Language models and search engines as traits, and what is wrapped around them.
//!
//! Nothing here knows a provider, a key or an address: those come from the embedder with the implementation, never from a
//! request or a page. Wrappers are models themselves and nest: retry around budget around cache around the provider.

mod budgeted;
mod cached;
mod error;
mod language;
mod record;
mod retry;
#[cfg(feature = "testing")]
pub mod scripted;
mod search;
mod tokens;

pub use budgeted::Budgeted;
pub use cached::{Cached, DEFAULT_CACHE_ENTRIES};
pub use error::{ProviderError, ProviderErrorKind};
pub use language::{
    Capabilities, Finish, LanguageModel, MAX_ANSWER_BYTES, Message, ModelAnswer, ModelRequest, Role,
    TokenPrice, Usage,
};
pub use record::{Exchange, MAX_EXCHANGES, Recorder, Replay, Transcript};
pub use retry::{DEFAULT_ATTEMPTS, MAX_RETRY_WAIT, Pause, RetryPolicy, Retrying};
pub use search::{MAX_SEARCH_HITS, SearchHit, SearchQuery, WebSearch};
pub use tokens::estimate_tokens;
