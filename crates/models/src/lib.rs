//! Language models and web search for gleaner, over gleaner-fetch.
//!
//! [`HttpModel`] asks a model in one of four wire dialects, [`SearxNg`] searches the web; they are what
//! [`LanguageModel`](gleaner_extract::model::LanguageModel) and [`WebSearch`](gleaner_extract::model::WebSearch) are in the
//! real world. Where they are and what their keys are comes from the embedder alone: nothing here reads an environment
//! variable, and no request, page or reply can change it.
//!
//! - **Where to**: the configured base URL and nothing else. Its host is opened in an egress policy of the model's own; what
//!   pages may reach is not widened. Redirects are not followed.
//! - **How much**: [`MAX_REPLY_BYTES`] of a reply and `MAX_ANSWER_BYTES` of an answer, cut off as
//!   [`Finish::Length`](gleaner_extract::model::Finish); depth of JSON bounded; one deadline for a call.
//! - **Failures** are told in the planner's terms, with the service's hint of when to come back. Nothing is repeated here:
//!   `gleaner_extract::model::Retrying` does that, around a budget that pays for each attempt.
//!
//! # A model on this machine
//!
//! ```no_run
//! use gleaner_extract::model::{LanguageModel, Message, ModelRequest, Role};
//! use gleaner_models::{HttpModel, Provider};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // llama.cpp, vLLM and LM Studio speak OpenAI's dialect.
//! let model = HttpModel::builder(Provider::OpenAi, "some-model")
//!     .base_url("http://127.0.0.1:8080/v1".parse()?)
//!     .context_tokens(8_192)
//!     .build()?;
//! let messages = vec![Message::new(Role::User, "Which is the highest mountain?")];
//! let request = ModelRequest { messages, schema: None, max_tokens: 50, seed: None };
//! println!("{}", model.complete(&request).await?.text);
//! # Ok(())
//! # }
//! ```
//!
//! # A hosted one
//!
//! ```
//! use gleaner_extract::model::TokenPrice;
//! use gleaner_models::{ApiKey, HttpModel, Provider};
//!
//! # fn main() -> Result<(), gleaner_models::Error> {
//! let key = ApiKey::new("from-where-the-program-keeps-its-secrets")?;
//! let model = HttpModel::builder(Provider::Anthropic, "claude-haiku-4-5")
//!     .key(key)
//!     .context_tokens(200_000)
//!     .max_output_tokens(8_192)
//!     .price(TokenPrice { input_micros: 1_000_000, output_micros: 5_000_000 })
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
//! let query = SearchQuery { text: "tide tables".to_owned(), limit: 5, language: None };
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
pub use error::{Error, ErrorKind};
pub use key::{ApiKey, MAX_KEY_BYTES};
pub use model::{DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_OUTPUT_TOKENS, HttpModel, HttpModelBuilder};
pub use provider::{MaxTokensField, Provider};
pub use searxng::{DEFAULT_SEARCH_TIMEOUT, MAX_QUERY_CHARS, MAX_SNIPPET_CHARS, SearxNg, SearxNgBuilder};
