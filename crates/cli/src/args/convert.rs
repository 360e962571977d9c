//! Arguments of `gleaner convert`, and the request that they describe.

use std::path::PathBuf;

use clap::Args;
use gleaner::ScrapeRequest;
use gleaner::media::of_extension;

use super::fields::Fields;
use super::page::{ContentArgs, TextFormat};
use super::value;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner convert page.html --url https://example.com/page
  curl -s https://example.com | gleaner convert - --url https://example.com
  gleaner convert table.csv
  gleaner convert page.html --formats markdown,links --only-main-content false";

/// Convert a local file, without network access
///
/// A single text format is printed as text; several formats are printed as one JSON document.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The file, or - for standard input
    pub(crate) file: PathBuf,

    /// The page's URL, from which relative links are resolved [default: https://page.invalid/]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The file's media type, such as text/html or 'text/csv; charset=utf-8' [default: by the file's
    /// extension, else text/html]
    #[arg(long, value_name = "TYPE", value_parser = value::media_type)]
    pub(crate) content_type: Option<String>,

    #[command(flatten)]
    content: ContentArgs,
}

impl ConvertArgs {
    /// A scrape request with the options for the file. Its URL is that of `--url`, or else `default_url`.
    pub(crate) fn request(&self, default_url: &str) -> Result<ScrapeRequest, Failure> {
        let mut fields = Fields::default();
        fields.set("url", Some(self.url.as_deref().unwrap_or(default_url)));
        self.content.add_to(&mut fields);
        let request = fields.checked(ScrapeRequest::plan_from_json, ScrapeRequest::from_json);
        request.map_err(|failure| failure.reworded("<URL>", "--url"))
    }

    /// The format to print as text, if it is the only one.
    pub(crate) fn only_text(&self) -> Option<TextFormat> {
        self.content.only_text()
    }

    /// The options that select elements of the page, if any are given.
    pub(crate) fn selectors(&self) -> Option<&'static str> {
        self.content.selectors()
    }

    /// The file's media type: as given, else by its extension.
    pub(crate) fn content_type(&self) -> &str {
        if let Some(given) = &self.content_type {
            return given;
        }
        let extension = self.file.extension().unwrap_or_default();
        of_extension(extension.as_encoded_bytes()).unwrap_or("text/html")
    }
}
