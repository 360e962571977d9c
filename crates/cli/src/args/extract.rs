use clap::Args;
use gleaner::ExtractRequest;
use serde_json::{Number, Value};
use url::Url;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::page::FetchArgs;
use super::{EngineArgs, ModelArgs, value};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner extract https://example.com/product --schema product.json
  gleaner extract 'https://example.com/blog/*' --schema post.json --limit 20 --show-sources
  gleaner extract 'https://example.com/*' --schema post.json --plan
  gleaner extract https://example.com --prompt 'who founded it, and when' \\
      --model-url http://127.0.0.1:8080/v1 --model some-model";

/// Read structured data off pages
///
/// What pages say about themselves is read without a model; with one, it is asked for the rest, and nothing passes that
/// the page does not state. The key and the address of a model come from here alone, never from a page. The data is
/// printed as JSON; what it lacks is told on standard error.
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

    /// Say this to the model beside the engine's own rules
    #[arg(long, value_name = "WORDS", requires = "model")]
    system_prompt: Option<String>,

    /// Read pages that the given ones link to, or with --search-url those that a search finds [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    enable_web_search: Option<bool>,

    /// Follow links of the pages to other sites [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    allow_external_links: Option<bool>,

    /// Read at most this many pages [default: 8 of a site for one thing, 100 for a list]
    #[arg(long, value_name = "N", value_parser = value::whole, allow_negative_numbers = true)]
    limit: Option<Number>,

    /// Take pages of the site's other subdomains too, for /* [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    include_subdomains: Option<bool>,

    /// Leave the sitemap unread, for /* [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_sitemap: Option<bool>,

    /// Go on without addresses that are none [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_invalid_urls: Option<bool>,

    /// Print {"data", "sources"} in place of the data: on which pages each value was found [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    show_sources: Option<bool>,

    /// Print all that is known: each value's page, words and place, conflicts, what stayed empty and why, costs
    #[arg(long, conflicts_with = "show_sources")]
    pub(crate) proofs: bool,

    /// Print what would be done and what it would cost at most, and do nothing
    #[arg(long, conflicts_with = "proofs")]
    pub(crate) plan: bool,

    /// Search the web by this SearXNG instance
    #[arg(long, value_name = "URL")]
    pub(crate) search_url: Option<Url>,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

impl ExtractArgs {
    /// Says which options will have no effect.
    pub(crate) fn remark(&self, console: &Console) {
        self.fetch.remark(console);
    }

    /// The request of the contract.
    pub(crate) fn request(&self) -> Result<ExtractRequest, Failure> {
        let mut fields = Fields::default();
        fields.set_list("urls", self.urls.clone());
        fields.set("prompt", self.prompt.clone());
        fields.set("schema", self.schema.clone());
        fields.set("enableWebSearch", self.enable_web_search);
        fields.set("allowExternalLinks", self.allow_external_links);
        fields.set("limit", self.limit.clone());
        fields.set("includeSubdomains", self.include_subdomains);
        fields.set("ignoreSitemap", self.ignore_sitemap);
        fields.set("ignoreInvalidURLs", self.ignore_invalid_urls);
        fields.set("showSources", self.show_sources);
        fields.set("systemPrompt", self.system_prompt.clone());
        fields.set("zeroDataRetention", self.fetch.zero_data_retention());
        let mut options = Fields::default();
        self.fetch.add_to(&mut options)?;
        fields.set_object("scrapeOptions", options);
        let request = fields.checked(ExtractRequest::plan_from_json, ExtractRequest::from_json);
        // The addresses of a batch stand in a file.
        request.map_err(|failure| failure.reworded("<FILE>", "[URLS]"))
    }
}
