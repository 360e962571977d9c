//! Arguments of `gleaner scrape`, and the request that they describe.

use clap::Args;
use gleaner::ScrapeRequest;

use super::fields::Fields;
use super::page::{PageArgs, TextFormat};
use super::{EngineArgs, ModelArgs, OutputArgs, SummaryArgs, value};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner scrape https://example.com
  gleaner scrape https://example.com --formats markdown,links | jq .links
  gleaner scrape example.com --only-main-content false --exclude-tags nav
  gleaner scrape example.com --formats markdown,screenshot --out pages
  gleaner scrape example.com --actions actions.json
  gleaner scrape example.com --formats '{\"type\":\"json\",\"prompt\":\"founder\"}' \\
      --model-url http://127.0.0.1:8080/v1 --model some-model";

/// Fetch one page and print it
///
/// A single text format is printed as text; several formats and results of actions are printed as one JSON
/// document.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScrapeArgs {
    /// The page; a URL without a scheme is tried with https first
    #[arg(value_parser = value::address)]
    url: String,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,
}

impl ScrapeArgs {
    /// The request.
    pub(crate) fn request(&self) -> Result<ScrapeRequest, Failure> {
        let mut fields = Fields::default();
        fields.set("url", Some(self.url.clone()));
        self.engine.add_to(&mut fields);
        self.page.add_to(&mut fields)?;
        self.page.add_retention_to(&mut fields);
        let request = fields.checked(ScrapeRequest::plan_from_json, ScrapeRequest::from_json)?;
        if self.page.only_screenshot() && self.output.out.is_none() {
            return Err(Failure::usage(
                "--formats screenshot: a picture cannot be printed as text: write it to a folder with \
                 --out DIR, or add a format, as in --formats markdown,screenshot, to print JSON with the \
                 picture in it",
            ));
        }
        Ok(request)
    }

    /// Reports options without effect.
    pub(crate) fn remark(&self, console: &Console) {
        self.page.remark(console);
    }

    /// The format to print as text, if it is the only one and no action has a result.
    pub(crate) fn only_text(&self) -> Option<TextFormat> {
        self.page.only_text()
    }

    /// The options that select elements of the page, if any are given.
    pub(crate) fn selectors(&self) -> Option<&'static str> {
        self.page.selectors()
    }
}
