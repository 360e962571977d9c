//! Arguments of `gleaner extract`, and the request that they describe.

use clap::Args;
use gleaner::ExtractRequest;
use serde_json::{Number, Value};
use url::Url;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::page::FetchArgs;
use super::{EngineArgs, JobArgs, ModelArgs, SummaryArgs, value};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner extract https://example.com/product --schema product.json
  gleaner extract 'https://example.com/blog/*' --schema post.json --proofs
  gleaner extract 'https://example.com/*' --schema post.json --plan
  gleaner extract 'https://example.com/*' --schema post.json --job extract.db
  gleaner extract https://example.com --prompt 'who founded it, and when' \\
      --model-url http://127.0.0.1:8080/v1 --model some-model";

/// Extract structured data from pages
///
/// Data that pages state in markup, tables and lists is extracted without a model. A model is asked for the
/// rest, and values that a page does not state are rejected. The key and the URL of the model come only from
/// the command line, never from a page. The data is printed as JSON; missing values are reported on standard
/// error. With --job, an extract that was interrupted is run again from its start, and one that has ended
/// prints its data again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExtractArgs {
    /// The pages; one that ends in /* stands for all pages below it
    urls: Vec<String>,

    /// What to extract, in words; without --schema it needs a model
    #[arg(long, value_name = "WORDS")]
    prompt: Option<String>,

    /// What to extract: a file with a JSON Schema
    #[arg(long, value_name = "FILE", value_parser = value::schema)]
    schema: Option<Value>,

    /// Send this to the model in addition to the engine's own instructions
    #[arg(long, value_name = "WORDS", requires = "model")]
    system_prompt: Option<String>,

    /// Also read pages that the given ones link to, or with --search-url pages that a search finds [default:
    /// false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    enable_web_search: Option<bool>,

    /// Follow links to other sites [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    allow_external_links: Option<bool>,

    /// Read at most this many pages [default: 8 per site for a single object, 100 for a list]
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    limit: Option<Number>,

    /// For /*, read pages of the site's other subdomains too [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    include_subdomains: Option<bool>,

    /// For /*, do not read the sitemap [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_sitemap: Option<bool>,

    /// Skip invalid URLs [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_invalid_urls: Option<bool>,

    /// Print {"data", "sources"} instead of the data, with the pages where each value was found [default:
    /// false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    show_sources: Option<bool>,

    /// Print the full result: each value's page, quote and position, conflicts, missing values with reasons,
    /// and costs
    #[arg(long, conflicts_with_all = ["show_sources", "job"])]
    pub(crate) proofs: bool,

    /// Print the plan and its maximum cost, and do nothing
    #[arg(long, conflicts_with_all = ["proofs", "job"])]
    pub(crate) plan: bool,

    /// Search the web with this SearXNG instance
    #[arg(long, value_name = "URL")]
    pub(crate) search_url: Option<Url>,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,
}

impl ExtractArgs {
    /// Reports options without effect.
    pub(crate) fn remark(&self, console: &Console) {
        self.fetch.remark(console);
    }

    /// The request.
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
        self.engine.add_to(&mut options);
        self.fetch.add_to(&mut options)?;
        fields.set_object("scrapeOptions", options);
        let request = fields.checked(ExtractRequest::plan_from_json, ExtractRequest::from_json);
        // Messages about `urls` name the file of a batch.
        request.map_err(|failure| failure.reworded("<FILE>", "[URLS]"))
    }
}
