//! The option for the output folder.

use std::path::PathBuf;

use clap::Args;

/// The output of documents.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write one Markdown file per page into this folder, and index.jsonl, which lists them (with other
    /// formats, a page also gets a .json file with all of them, and files for screenshots and PDFs of
    /// actions). A crawl or batch starts a new index and keeps files of earlier runs; a scrape adds its page
    /// to the index
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
