use clap::{Args, ValueEnum};
use gleaner::ExtractRequest;
use gleaner::models::Provider;
use serde_json::{Number, Value};
use url::Url;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::{EngineArgs, value};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner extract https://example.com/product --schema product.json
  gleaner extract 'https://example.com/blog/*' --schema post.json --limit 20 --show-sources
  gleaner extract https://example.com --prompt 'who founded it, and when' \\
      --model-url http://127.0.0.1:8080/v1 --model some-model";

/// Read structured data off pages
///
/// What pages say about themselves is read without a model; with one, it is asked for the rest, and nothing passes that
/// the page does not state. The key and the address of a model come from here alone, never from a page.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExtractArgs {
    /// The pages; one that ends in /* stands for all pages below it
    urls: Vec<String>,

    /// What to read, in words; without --schema it needs a model
    #[arg(long, value_name = "WORDS")]
    prompt: Option<String>,

    /// What to read: a file with a JSON Schema
    #[arg(long, value_name = "FILE", value_parser = value::schema)]
    schema: Option<Value>,

    /// Read pages that the given ones link to, or with --search-url those that a search finds [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    enable_web_search: Option<bool>,

    /// Tell where each value was found [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    show_sources: Option<bool>,

    /// Read at most this many pages [default: 100]
    #[arg(long, value_name = "N", value_parser = value::whole, allow_negative_numbers = true)]
    limit: Option<Number>,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

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
    #[arg(long, value_name = "N", requires = "model")]
    pub(crate) model_context: Option<u64>,

    /// Use at most this many tokens in all [default: 500000]
    #[arg(long, value_name = "N", requires = "model")]
    pub(crate) budget_tokens: Option<u64>,

    /// Search the web by this SearXNG instance
    #[arg(long, value_name = "URL")]
    pub(crate) search_url: Option<Url>,
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

impl ExtractArgs {
    /// The request of the contract.
    pub(crate) fn request(&self) -> Result<ExtractRequest, Failure> {
        let mut fields = Fields::default();
        fields.set_list("urls", self.urls.clone());
        fields.set("prompt", self.prompt.clone());
        fields.set("schema", self.schema.clone());
        fields.set("enableWebSearch", self.enable_web_search);
        fields.set("showSources", self.show_sources);
        fields.set("limit", self.limit.clone());
        fields.checked(ExtractRequest::plan_from_json, ExtractRequest::from_json)
    }
}
