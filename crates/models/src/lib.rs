//! Language models and web search for gleaner, through its HTTP client.
//!
//! [`HttpModel`] calls a model in one of four wire dialects, [`SearxNg`] searches the web. They implement
//! [`LanguageModel`](gleaner_extract::model::LanguageModel) and
//! [`WebSearch`](gleaner_extract::model::WebSearch). Only the embedder sets their URLs and keys: nothing here
//! reads an environment variable, and no request, page or reply can change them.
//!
//! - **Egress**: only the configured base URL. An egress policy of the model's own allows its host; pages may
//!   reach no more than before. Redirects are not followed.
//! - **Size**: [`MAX_REPLY_BYTES`] of a reply and `MAX_ANSWER_BYTES` of an answer, cut off as
//!   [`Finish::Length`](gleaner_extract::model::Finish). The depth of JSON is bounded, and so is the time of
//!   a call.
//! - **Failures** are reported in the planner's terms, with the service's hint when to retry. Calls are not
//!   repeated here: `gleaner_extract::model::Retrying` does that, around a budget that pays for each attempt.
//!
//! # A model on this machine
//!
//! ```no_run
//! use gleaner_extract::model::{LanguageModel, Message, ModelRequest, Role};
//! use gleaner_models::{HttpModel, Provider};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // llama.cpp, vLLM and LM Studio support OpenAI's dialect.
//! let model = HttpModel::builder(Provider::OpenAi, "some-model")
//!     .base_url("http://127.0.0.1:8080/v1".parse()?)
//!     .context_tokens(8_192)
//!     .build()?;
//! let messages = vec![Message::new(Role::User, "Which is the highest mountain?")];
//! let request = ModelRequest::new(messages, 50);
//! println!("{}", model.complete(&request).await?.text);
//! # Ok(())
//! # }
//! ```
//!
//! # A hosted model
//!
//! ```
//! use gleaner_extract::model::TokenPrice;
//! use gleaner_models::{ApiKey, HttpModel, Provider};
//!
//! # fn main() -> Result<(), gleaner_models::ModelsError> {
//! let key = ApiKey::new("from-where-the-program-keeps-its-secrets")?;
//! let model = HttpModel::builder(Provider::Anthropic, "claude-haiku-4-5")
//!     .key(key)
//!     .context_tokens(200_000)
//!     .max_output_tokens(8_192)
//!     .price(TokenPrice::new(1_000_000, 5_000_000))
//!     .build()?;
//! assert!(!format!("{model:?}").contains("its-secrets"));
//! # Ok(())
//! # }
//! ```
//!
//! # A search engine
//!
//! ```no_run
//! use gleaner_extract::model::{SearchQuery, WebSearch};
//! use gleaner_models::SearxNg;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = SearxNg::builder("http://127.0.0.1:8888/".parse()?).build()?;
//! let query = SearchQuery::new("tide tables", 5);
//! for hit in engine.search(&query).await? {
//!     println!("{} {}", hit.url, hit.title);
//! }
//! # Ok(())
//! # }
//! ```

mod endpoint;
mod error;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod key;
mod model;
mod provider;
mod searxng;

pub use endpoint::{DEFAULT_CALL_TIMEOUT, MAX_REPLY_BYTES};
pub use error::{ModelsError, ModelsErrorKind};
pub use key::{ApiKey, MAX_KEY_BYTES};
pub use model::{DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_OUTPUT_TOKENS, HttpModel, HttpModelBuilder};
pub use provider::{MaxTokensField, Provider};
pub use searxng::{DEFAULT_SEARCH_TIMEOUT, MAX_QUERY_CHARS, MAX_SNIPPET_CHARS, SearxNg, SearxNgBuilder};
