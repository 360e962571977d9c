use std::path::PathBuf;

use clap::Args;
use gleaner::ScrapeRequest;

use super::fields::Fields;
use super::page::{ContentArgs, TextFormat};
use super::value;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner convert page.html --url https://example.com/page
  curl -s https://example.com | gleaner convert - --url https://example.com
  gleaner convert table.csv
  gleaner convert page.html --formats markdown,links,images --only-main-content false";

/// Convert a file that you have: the transformer alone, no network
///
/// One text format is printed as it is; several give one JSON document.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The file, or - for standard input
    pub(crate) file: PathBuf,

    /// The page's address, from which relative links are resolved [default: https://page.invalid/]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// What the file is, such as text/html or 'text/csv; charset=utf-8' [default: by the file's name, else text/html]
    #[arg(long, value_name = "TYPE", value_parser = value::media_type)]
    pub(crate) content_type: Option<String>,

    #[command(flatten)]
    content: ContentArgs,
}

impl ConvertArgs {
    /// A scrape request of the contract, whose options say what to make of the file; its address is the one given, or
    /// else `no_address`.
    pub(crate) fn request(&self, no_address: &str) -> Result<ScrapeRequest, Failure> {
        let mut fields = Fields::default();
        fields.set("url", Some(self.url.as_deref().unwrap_or(no_address)));
        self.content.add_to(&mut fields);
        let request = fields.checked(ScrapeRequest::plan_from_json, ScrapeRequest::from_json);
        request.map_err(|failure| failure.reworded("<URL>", "--url"))
    }

    /// The format to print as text, where there is only one.
    pub(crate) fn only_text(&self) -> Option<TextFormat> {
        self.content.only_text()
    }

    /// The options that chose what to keep of the page, where any did.
    pub(crate) fn selectors(&self) -> Option<&'static str> {
        self.content.selectors()
    }

    /// The type of the file: as said, else by its name's ending.
    pub(crate) fn content_type(&self) -> &str {
        if let Some(said) = &self.content_type {
            return said;
        }
        let ending = self.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => "text/csv",
            "json" => "application/json",
            "md" | "markdown" => "text/markdown",
            "pdf" => "application/pdf",
            "tsv" => "text/tab-separated-values",
            "txt" => "text/plain",
            "xhtml" => "application/xhtml+xml",
            "xml" | "rss" | "atom" => "application/xml",
            "avif" => "image/avif",
            "gif" => "image/gif",
            "ico" => "image/x-icon",
            "jpeg" | "jpg" => "image/jpeg",
            "png" => "image/png",
            "webp" => "image/webp",
            "mp3" => "audio/mpeg",
            "mp4" => "video/mp4",
            "webm" => "video/webm",
            "gz" | "tgz" => "application/gzip",
            "zip" | "docx" | "xlsx" | "pptx" | "odt" | "epub" => "application/zip",
            "7z" | "bin" | "exe" | "tar" => "application/octet-stream",
            _ => "text/html",
        }
    }
}
