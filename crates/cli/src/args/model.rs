//! Options for the language model and its budget.

use clap::{Args, ValueEnum};
use gleaner::models::Provider;
use url::Url;

/// The language model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Use this model; without this option, no model is used
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// The base URL of the model's API [default: the provider's]
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) model_url: Option<Url>,

    /// The model's API; llama.cpp, vLLM, LM Studio and OpenRouter offer openai [default: openai]
    #[arg(long, value_name = "API", requires = "model")]
    pub(crate) model_api: Option<ModelApi>,

    /// The environment variable with the model's key
    #[arg(long, value_name = "VAR", requires = "model")]
    pub(crate) model_key_env: Option<String>,

    /// The model's context window in tokens, including its answer [default: 32768]
    #[arg(long, value_name = "N", requires = "model", allow_negative_numbers = true)]
    pub(crate) model_context: Option<u64>,

    /// Use at most this many tokens in total [default: 500000 for extract, 5000000 for the pages of a job]
    #[arg(long, value_name = "N", requires = "model", allow_negative_numbers = true)]
    pub(crate) budget_tokens: Option<u64>,
}

impl ModelArgs {
    /// The API as the library's type.
    pub(crate) fn provider(&self) -> Provider {
        match self.model_api {
            None | Some(ModelApi::Openai) => Provider::OpenAi,
            Some(ModelApi::Anthropic) => Provider::Anthropic,
            Some(ModelApi::Gemini) => Provider::Gemini,
            Some(ModelApi::Ollama) => Provider::Ollama,
        }
    }
}

/// An API of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelApi {
    Openai,
    Anthropic,
    Gemini,
    Ollama,
}
