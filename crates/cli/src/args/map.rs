//! Arguments of `gleaner map`, and the request that they describe.

use clap::Args;
use gleaner::{EngineBuilder, MapRequest};
use serde_json::Number;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::page::remark_on_country;
use super::{EngineArgs, LinkArgs, value};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner map https://example.com
  gleaner map https://example.com --search pricing --limit 20 --json";

/// List the URLs of a site without fetching every page
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MapArgs {
    /// The site
    #[arg(value_parser = value::address)]
    url: String,

    /// List URLs that match these words first
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,

    /// List at most this many URLs [default: 5000]
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    limit: Option<Number>,

    /// How to use the sitemap: include, skip or only [default: include]
    #[arg(long, value_name = "MODE", value_parser = value::SITEMAP, hide_possible_values = true)]
    sitemap: Option<String>,

    /// List URLs of other hosts of the same domain too [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    include_subdomains: Option<bool>,

    /// Treat URLs that differ only in their query as one [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_query_parameters: Option<bool>,

    /// Stop after this many milliseconds
    #[arg(long, value_name = "MS", value_parser = value::integer, allow_negative_numbers = true)]
    timeout: Option<Number>,

    /// Appear to be in this country (two letters), by the language and the time zone of the browser; it has
    /// no effect on pages that are not rendered [default: US]
    #[arg(long, value_name = "COUNTRY")]
    location_country: Option<String>,

    /// Request these languages, the preferred one first, such as de,en
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    location_languages: Vec<String>,

    /// Print one JSON object instead of plain URLs: success, links and, if there is one, warning. The last line
    /// of standard error is the summary as JSON: command, exitCode, milliseconds, urls and, if there are any,
    /// warnings, notes, error and hint
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    links: LinkArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

impl MapArgs {
    /// Configures the rules of this map that are not part of a request.
    pub(crate) fn configure(&self, builder: EngineBuilder) -> EngineBuilder {
        self.links.rules().configure(builder)
    }

    /// Reports options without effect.
    pub(crate) fn remark(&self, console: &Console) {
        remark_on_country(self.location_country.as_deref(), console);
    }

    /// The request.
    pub(crate) fn request(&self) -> Result<MapRequest, Failure> {
        let mut fields = Fields::default();
        fields.set("url", Some(self.url.clone()));
        fields.set("search", self.search.clone());
        fields.set("limit", self.limit.clone());
        fields.set("sitemap", self.sitemap.clone());
        fields.set("includeSubdomains", self.include_subdomains);
        fields.set("ignoreQueryParameters", self.ignore_query_parameters);
        fields.set("timeout", self.timeout.clone());
        let mut location = Fields::default();
        location.set("country", self.location_country.clone());
        location.set_list("languages", self.location_languages.clone());
        fields.set_object("location", location);
        let mut request = fields.checked(MapRequest::plan_from_json, MapRequest::from_json)?;
        // The JSON has no such fields.
        request.max_age = self.engine.max_age();
        request.skip_tls_verification = Some(self.engine.skips_tls_verification());
        Ok(request)
    }
}
