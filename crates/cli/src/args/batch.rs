//! Arguments of `gleaner batch`, and the request that they describe.

use std::path::PathBuf;

use clap::Args;
use gleaner::BatchScrapeRequest;
use serde_json::Number;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::page::PageArgs;
use super::{EngineArgs, JobArgs, ModelArgs, OutputArgs, SiteArgs, SummaryArgs, value};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner batch urls.txt --out pages
  gleaner map https://example.com --search pricing | gleaner batch -
  gleaner batch urls.txt --out pages --job batch.db   # again after a crash
  jq -r .url pages/failures.jsonl | gleaner batch - --out again

One URL per line; empty lines and lines that begin with # are skipped.";

/// Fetch the pages of a list and print them as they arrive, one JSON document per line
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BatchArgs {
    /// The list: a file, or - for standard input
    pub(crate) file: PathBuf,

    /// Skip invalid URLs; false ends with an error instead [default: true]
    #[arg(long = "ignore-invalid-urls", value_name = BOOLEAN, hide_possible_values = true)]
    pub(crate) ignore_invalid_urls: Option<bool>,

    /// At most this many pages of this job at a time
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    max_concurrency: Option<Number>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    pub(crate) site: SiteArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,

    /// List the pages without a document in this file, one JSON object per line [default: failures.jsonl in
    /// --out]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) failures: Option<PathBuf>,
}

impl BatchArgs {
    /// Reports options without effect.
    pub(crate) fn remark(&self, console: &Console) {
        self.page.remark(console);
    }

    /// The request for `urls`.
    pub(crate) fn request(&self, urls: Vec<String>) -> Result<BatchScrapeRequest, Failure> {
        let mut fields = Fields::default();
        fields.set("urls", Some(urls));
        fields.set("ignoreInvalidURLs", Some(false));
        fields.set("maxConcurrency", self.max_concurrency.clone());
        self.engine.add_to(&mut fields);
        self.page.add_to(&mut fields)?;
        self.page.add_retention_to(&mut fields);
        fields.checked(BatchScrapeRequest::plan_from_json, BatchScrapeRequest::from_json)
    }
}
