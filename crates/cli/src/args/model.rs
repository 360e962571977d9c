use clap::{Args, ValueEnum};
use gleaner::models::Provider;
use url::Url;

/// Which model is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Ask this model; without it none is asked
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Where the model is, up to the API's own paths [default: the provider's]
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) model_url: Option<Url>,

    /// How the model is spoken to; llama.cpp, vLLM, LM Studio and OpenRouter speak openai [default: openai]
    #[arg(long, value_name = "API", requires = "model")]
    pub(crate) model_api: Option<ModelApi>,

    /// The environment variable that holds the model's key
    #[arg(long, value_name = "VAR", requires = "model")]
    pub(crate) model_key_env: Option<String>,

    /// Tokens that the model takes in one request, its answer included [default: 32768]
    #[arg(long, value_name = "N", requires = "model", allow_negative_numbers = true)]
    pub(crate) model_context: Option<u64>,

    /// Use at most this many tokens in all [default: 500000 for extract, 5000000 for the pages of a job]
    #[arg(long, value_name = "N", requires = "model", allow_negative_numbers = true)]
    pub(crate) budget_tokens: Option<u64>,
}

impl ModelArgs {
    /// The wire dialect, in the words of the library.
    pub(crate) fn provider(&self) -> Provider {
        match self.model_api {
            None | Some(ModelApi::Openai) => Provider::OpenAi,
            Some(ModelApi::Anthropic) => Provider::Anthropic,
            Some(ModelApi::Gemini) => Provider::Gemini,
            Some(ModelApi::Ollama) => Provider::Ollama,
        }
    }
}

/// A wire dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelApi {
    Openai,
    Anthropic,
    Gemini,
    Ollama,
}
